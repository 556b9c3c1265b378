"""The streams of an emitted network, as its manifest names them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

from noc.emit.streams import NAME, Field, Link, Wires, link_form, node_entry_form, place_fields
from noc.errors import InputError
from noc.hardware import node_names
from noc.harness import ALARMS
from noc.networks import Network
from noc.programs.codec import Key, Keys, listed, record, whole
from noc.programs.operations import Operations
from noc.verify.documents import Document, check_nodes, told_in
from noc.verify.read_joins import read_operations_of

__all__ = ["ALARM", "DOWN", "EJECT", "JOIN", "UP", "Interface", "Stream", "interface"]

#: The port of an eject stream, and in the ordered fabric of the links by which words climb and
#: come down.
EJECT, UP, DOWN = -1, -2, -3

#: The port of the links by which words of group 0 climb that are joined; that of group g is less
#: by g.
JOIN = -4

#: The ports of what a node tells, below those of all groups.
ALARM = {kind: -(1 << 30) - place for place, kind in enumerate(ALARMS)}


@dataclass(frozen=True)
class Stream:
    """A stream whose transfers are compared.

    Parameters
    ----------
    kind : str
        Whether it is a node's own stream, into the network or out of it, a link inside, or what a
        node tells, which is transferred in each cycle in which any bit is 1.
    node : int
        The node that receives, or whose own stream it is; of a link by which words climb the node
        that sends.
    port : int
        The in-port; the number after the last for inject, ``EJECT`` for eject; in the ordered
        fabric ``UP``, ``DOWN`` or ``JOIN`` for links, and ``ALARM`` for what nodes tell.
    name : str
        What a person calls it.
    brief : str
        The same as an identifier, unlike those of the node's other streams.
    valid, ready, payload : str
        Names of its signals; the payload's is empty where a word has no field.
    fields : tuple of Field
        What lies in the payload, ``data`` among them: beside it, in the direct fabric, the code on
        a link and the tree at an inject stream; in the ordered one the source.
    """

    kind: Literal["inject", "eject", "link", "dropped", "mismatch", "late"]
    node: int
    port: int
    name: str
    brief: str
    valid: str
    ready: str
    payload: str
    fields: tuple[Field, ...]

    @property
    def bits(self) -> int:
        """Bits of the payload; one that says nothing where a word has no field."""
        return max(1, sum(field.bits for field in self.fields))

    @property
    def header_bits(self) -> int:
        """Bits beside the data."""
        return self.bits - self.data.bits

    @property
    def data(self) -> Field:
        """Where the data lie."""
        return next(field for field in self.fields if field.name == "data")


@dataclass(frozen=True, eq=False)
class Interface:
    """All that may be relied upon in a folder of Verilog.

    Parameters
    ----------
    top, clock, reset : str
        Names of the module and of its clock and reset.
    width : int
        Bits of a word's data.
    names : tuple of str
        For each node its label as an identifier.
    inject, eject, links : tuple of Stream
        The streams that the bench drives, those that it takes from, and the links inside.
    alarms : tuple of Stream
        What nodes tell of wrong and missing words.
    idle : str or None
        The output that is up while the network holds no word, if there is one.
    """

    top: str
    clock: str
    reset: str
    width: int
    names: tuple[str, ...]
    inject: tuple[Stream, ...]
    eject: tuple[Stream, ...]
    links: tuple[Stream, ...]
    alarms: tuple[Stream, ...] = ()
    idle: str | None = None

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.names)

    @property
    def streams(self) -> tuple[Stream, ...]:
        """All streams; the place of each is its number in the log, and the next that of idle."""
        return (*self.inject, *self.eject, *self.links, *self.alarms)


def interface(manifest: Mapping[str, Any], network: Network) -> Interface:
    """The interface of a manifest; what is missing or cannot be is named."""
    with told_in("manifest.json"):
        document = dict(manifest)
        operations = read_operations_of(document, network)
        keys: Keys = {
            **dict.fromkeys(("top", "clock", "reset"), NAME),
            "width": whole(),
            "idle": Key(NAME, usual=None),
            "nodes": listed(node_entry_form(network)),
            "links": Key(listed(link_form(network, operations)), usual=()),
        }
        known: Document = record(dict, keys).read(document)
        nodes, width, own = known.pop("nodes"), known["width"], len(network.in_ports)
        check_nodes([entry["label"] for entry in nodes], network)
        links = tuple(_link(each, network, width, operations) for each in known.pop("links"))
        return Interface(
            **known,
            links=links,
            names=tuple(node_names(network)),
            inject=tuple(_of_nodes(nodes, "inject", own, width)),
            eject=tuple(_of_nodes(nodes, "eject", EJECT, width)),
            alarms=tuple(_alarms(nodes)),
        )


def _of_nodes(
    nodes: Sequence[Document], side: Literal["inject", "eject"], port: int, width: int
) -> Iterator[Stream]:
    for entry in nodes:
        if entry[side] is not None:
            tree_bits = entry["tree_bits"] or 0 if side == "inject" else 0
            usual = _below_data("tree", tree_bits, width)
            yield _stream(side, entry["label"], port, f"{side} stream", side, entry[side], usual)


def _alarms(nodes: Sequence[Document]) -> Iterator[Stream]:
    """What nodes tell; of a mismatch each group has a bit, and of missing words each operand."""
    for entry in nodes:
        for kind, port in ALARM.items():
            if (told := entry[kind]) is not None:
                groups = [(group, 1) for group in told["groups"]]
                fields = place_fields(groups or [(kind, max(1, len(told["bits"])))])
                alarm = cast(Literal["dropped", "mismatch", "late"], kind)
                names = (f"alarm {kind}", kind, told["signal"], "", told["signal"])
                yield Stream(alarm, entry["label"], port, *names, fields)


def _link(link: Link, network: Network, width: int, operations: Operations) -> Stream:
    start, end = network.label(link.sender), network.label(link.receiver)
    node, port, usual = link.sender, UP, _below_data("code", link.code_bits or 0, width)
    name, brief = f"words {link.carries} from {start} to {end}", str(link.carries)
    if link.group is not None:
        group, usual = operations.groups[link.group][0], ()
        port, brief = JOIN - link.group, f"join_{group}"
        name = f"words of group {group} from {start} to {end}"
    elif link.carries == "down":
        node, port = link.receiver, DOWN
    elif link.carries is None:
        node, port, brief = link.receiver, link.in_port, _brief(network, link.in_port)
        name = f"in-port {network.in_ports[port]} (from {start})"
    return _stream("link", node, port, name, brief, link, usual)


def _stream(
    kind: Literal["inject", "eject", "link"],
    node: int,
    port: int,
    name: str,
    brief: str,
    wires: Wires,
    usual: tuple[Field, ...],
) -> Stream:
    """A stream of words; its fields are the usual ones where the manifest says nothing."""
    fields = wires.fields or usual
    if fields and not wires.payload:
        raise InputError(f"{wires.valid}: payload is missing")
    return Stream(kind, node, port, name, brief, wires.valid, wires.ready, wires.payload, fields)


def _below_data(name: str, bits: int, width: int) -> tuple[Field, ...]:
    """A payload with a header in its lowest bits, if it has one."""
    header = (Field(name, 0, bits),) if bits else ()
    return (*header, Field("data", bits, width))


def _brief(network: Network, port: int) -> str:
    """A name for an in-port: its label, or its number where labels would fall together."""
    labels = [re.sub(r"\W+", "_", label, flags=re.ASCII) for label in network.in_ports]
    labels = [label.removeprefix("in_") for label in labels]
    return f"in_{labels[port] if len(set(labels)) == len(labels) else port}"
