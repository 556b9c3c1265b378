"""The streams of an emitted network, as its manifest names them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from noc.errors import InputError
from noc.hardware import node_names
from noc.harness import ALARMS
from noc.networks import Network

__all__ = ["ALARM", "DOWN", "EJECT", "JOIN", "UP", "Field", "Interface", "Stream", "interface"]

#: The port of an eject stream, and in the ordered fabric of the links by which words climb and
#: come down.
EJECT, UP, DOWN = -1, -2, -3

#: The port of the links by which words of group 0 climb that are joined; that of group g is less
#: by g.
JOIN = -4

#: The ports of what a node tells, below those of all groups.
ALARM = {kind: -(1 << 30) - place for place, kind in enumerate(ALARMS)}


@dataclass(frozen=True)
class Field:
    """A part of a payload: its name, its lowest bit, and how many bits it has."""

    name: str
    first: int
    bits: int


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
    """The interface of a manifest; a field that is missing is named."""
    try:
        nodes = manifest["nodes"]
        places = [network.node(str(entry["label"])) for entry in nodes]
        if sorted(places) != list(range(network.nodes)):
            raise InputError(f"manifest.json: nodes are not those of {network.spec}")
        own, groups = len(network.in_ports), list(manifest.get("groups", ()))
        return Interface(
            top=_name(manifest["top"]),
            clock=_name(manifest["clock"]),
            reset=_name(manifest["reset"]),
            width=int(manifest["width"]),
            names=tuple(node_names(network)),
            inject=tuple(_of_nodes(nodes, places, "inject", own, int(manifest["width"]))),
            eject=tuple(_of_nodes(nodes, places, "eject", EJECT, int(manifest["width"]))),
            links=tuple(
                _link(entry, network, int(manifest["width"]), groups)
                for entry in manifest.get("links", ())
            ),
            alarms=tuple(_alarms(nodes, places)),
            idle=_name(manifest["idle"]) if "idle" in manifest else None,
        )
    except KeyError as error:
        raise InputError(f"manifest.json: {error} is missing") from None
    except InputError:
        raise
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(f"manifest.json: {error}") from None


def _of_nodes(
    nodes: list[dict[str, Any]],
    places: list[int],
    side: Literal["inject", "eject"],
    port: int,
    width: int,
) -> Iterator[Stream]:
    for entry, node in zip(nodes, places, strict=True):
        signals = entry.get(side)
        if signals is not None:
            fields = _fields(signals.get("fields")) or _below_data(
                "tree", int(entry.get("tree_bits", 0)) if side == "inject" else 0, width
            )
            yield Stream(side, node, port, f"{side} stream", side, *_signals(signals), fields)


def _alarms(nodes: list[dict[str, Any]], places: list[int]) -> Iterator[Stream]:
    """What nodes tell; of a mismatch each group has a bit, and of missing words each operand."""
    for entry, node in zip(nodes, places, strict=True):
        for kind, port in ALARM.items():
            if kind in entry:
                signal = _name(entry[kind]["signal"])
                bits = entry[kind].get("bits", ())
                fields = [Field(kind, 0, max(1, len(bits)))]
                if kind == "mismatch":
                    named = enumerate(entry[kind]["groups"])
                    fields = [Field(str(group), bit, 1) for bit, group in named]
                alarm = cast(Literal["dropped", "mismatch", "late"], kind)
                names = (f"alarm {kind}", kind, signal, "", signal)
                yield Stream(alarm, node, port, *names, tuple(fields))


def _link(entry: dict[str, Any], network: Network, width: int, groups: list[str]) -> Stream:
    if entry["in_port"] not in network.in_ports:
        raise InputError(f"manifest.json: {network.spec} has no in-port {entry['in_port']!r}")
    port = network.in_ports.index(entry["in_port"])
    name, brief = f"in-port {entry['in_port']} (from {entry['from']})", _brief(network, port)
    node = network.node(entry["to"])
    carries = entry.get("carries")
    if carries is not None:
        node = network.node(entry["to" if carries == "down" else "from"])
        port, brief = (UP, "up") if carries == "up" else (DOWN, "down")
        name = f"words {carries} from {entry['from']} to {entry['to']}"
    if carries == "join":
        port, brief = JOIN - groups.index(entry["group"]), f"join_{entry['group']}"
        name = f"words of group {entry['group']} from {entry['from']} to {entry['to']}"
        fields = _fields(entry["fields"], data=False)
        entry = {"payload": "", **entry}
        return Stream("link", node, port, name, brief, *_signals(entry), fields)
    fields = _fields(entry.get("fields")) or _below_data("code", int(entry["code_bits"]), width)
    return Stream("link", node, port, name, brief, *_signals(entry), fields)


def _fields(listed: Any, *, data: bool = True) -> tuple[Field, ...]:
    """What a manifest says of a payload; nothing where it says nothing."""
    entries = [] if listed is None else listed
    fields = tuple(Field(str(e["name"]), int(e["first"]), int(e["bits"])) for e in entries)
    if data and fields and [field.name for field in fields].count("data") != 1:
        raise InputError("manifest.json: each payload needs one field of the name data")
    return fields


def _below_data(name: str, bits: int, width: int) -> tuple[Field, ...]:
    """A payload with a header in its lowest bits, if it has one."""
    header = (Field(name, 0, bits),) if bits else ()
    return (*header, Field("data", bits, width))


def _brief(network: Network, port: int) -> str:
    """A name for an in-port: its label, or its number where labels would fall together."""
    labels = [re.sub(r"\W+", "_", label, flags=re.ASCII) for label in network.in_ports]
    labels = [label.removeprefix("in_") for label in labels]
    return f"in_{labels[port] if len(set(labels)) == len(labels) else port}"


def _signals(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    payload = entry["payload"]
    return _name(entry["valid"]), _name(entry["ready"]), payload and _name(payload)


def _name(text: Any) -> str:
    """A name in Verilog, which may be anything that can be escaped."""
    if not isinstance(text, str) or not re.fullmatch(r"[!-~]+", text):
        raise InputError(f"manifest.json: {text!r} is no name of a signal or module")
    return text
