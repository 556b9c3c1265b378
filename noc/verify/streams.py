"""The streams of an emitted network, as its manifest names them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Literal

import numpy as np

from noc import harness
from noc.design import AnyDesign
from noc.emit.manifest import list_links, list_stream_fields
from noc.emit.streams import (
    LOAD_STREAM,
    NAME,
    Field,
    Link,
    LoadWires,
    Wires,
    link_form,
    node_entry_form,
    place_fields,
)
from noc.errors import InputError
from noc.hardware import node_names
from noc.harness import ALARMS, AWAY, LOAD, LOADING, PHASE, name_signal
from noc.model.traffic import BoolArray
from noc.networks import Network
from noc.programs.by_source import Row
from noc.programs.codec import Key, Keys, listed, maybe, record, whole
from noc.programs.forms import name_port
from noc.programs.round_table import first_inject, first_lane
from noc.verify.documents import Document, check_nodes, told_in

#: The port of an eject stream, and in the ordered fabric of the links by which words climb and
#: come down.
EJECT, UP, DOWN = -1, -2, -3

#: The port of the links by which words of group 0 climb that are joined; that of group g is less
#: by g.
JOIN = -4

#: The ports of alarms, below those of all groups.
ALARM = {kind: -(1 << 30) - place for place, kind in enumerate((*ALARMS, PHASE))}


@dataclass(frozen=True)
class Stream(harness.Stream):
    """A stream whose transfers are compared.

    The node of a link is the one that receives; by links ``up`` and ``join`` the one that sends.
    """

    #: The in-port; the number after the last for inject, ``EJECT`` for eject, or behind inject that
    #: of each in-port's eject stream, and behind those that of each out-port's inject stream; in
    #: the ordered fabric ``UP``, ``DOWN`` or ``JOIN`` for links, and ``ALARM`` for alarms.
    port: int
    #: What a person calls it; the same as an identifier, unlike those of the node's others.
    name: str
    brief: str
    #: What lies in its payload.
    fields: tuple[Field, ...]
    #: Of a link the nodes that it leads from and to.
    ends: tuple[int, int] | None = None

    @property
    def data(self) -> Field:
        """Where the data lie."""
        return next(field for field in self.fields if field.name == "data")

    @property
    def header_bits(self) -> int:
        """Bits that are not data."""
        return self.bits - self.data.bits


@dataclass(frozen=True, eq=False, kw_only=True)
class Interface(harness.Interface):
    """All that may be relied upon in a folder of Verilog."""

    #: Bits of a word's data.
    width: int
    #: For each node its label as an identifier.
    names: tuple[str, ...]
    inject: tuple[Stream, ...]
    eject: tuple[Stream, ...]
    links: tuple[Stream, ...]
    alarms: tuple[Stream, ...]

    @property
    def streams(self) -> tuple[Stream, ...]:
        """All streams, in the order of their numbers; the next number is that of idle."""
        return (*self.inject, *self.eject, *self.links, *self.alarms)


def view_nodes(interface: Interface) -> Iterator[str]:
    """A scope in Verilog for each node with its streams, their payloads split into fields."""
    by_node: list[list[Stream]] = [[] for _ in interface.names]
    for stream in interface.streams:
        by_node[stream.node].append(stream)
    for name, streams in zip(interface.names, by_node, strict=True):
        yield f"  generate if (1) begin : node_{name}"
        for stream in streams:
            yield from _view_fields(stream)
        yield "  end endgenerate"


def _view_fields(stream: Stream) -> Iterator[str]:
    payload = name_signal(stream, "payload")
    if stream.kind in ALARM:
        yield f"    wire [{stream.bits - 1}:0] {stream.brief} = {payload};"
        return
    for signal in ("valid", "ready"):
        yield f"    wire {stream.brief}__{signal} = {name_signal(stream, signal)};"
    for field in stream.fields:
        # A signal of one bit has no bits to select.
        span = f"[{field.bits - 1}:0] " if field.bits > 1 else ""
        part = f"[{field.first + field.bits - 1}:{field.first}]" if stream.bits > 1 else ""
        yield f"    wire {span}{stream.brief}__{field.name} = {payload}{part};"


def interface(manifest: Mapping[str, Any], design: AnyDesign) -> Interface:
    """The interface of a manifest; what it cannot have if its Verilog is of the design is told."""
    with told_in("manifest.json"):
        network = design.network
        keys: Keys = {
            **dict.fromkeys(("top", "clock", "reset"), NAME),
            "width": whole(design.width, design.width),
            **{name: Key(NAME, usual=None) for name in harness.OF_NETWORK},
            "nodes": listed(node_entry_form(network)),
            "links": Key(listed(link_form(network, design.operations)), usual=()),
            LOAD: Key(maybe(LOAD_STREAM), usual=None),
            LOADING: Key(NAME, usual=None),
        }
        known: Document = record(dict, keys).read(dict(manifest))
        if known["idle"] is not None and design.sources != "one":
            raise InputError("idle is only for one source at a time")
        nodes = known.pop("nodes")
        check_nodes([entry["label"] for entry in nodes], network)
        if {entry["label"] for entry in nodes if entry["inject"]} != set(design.senders):
            raise InputError("the inject streams are not those of the sources")
        if {entry["label"] for entry in nodes if entry["eject"]} != set(design.receivers):
            raise InputError("the eject streams are not those of the nodes that receive")
        load = _load(known.pop(LOAD), known.pop(LOADING), design)
        known |= {"links": tuple(_links(known["links"], design)), LOAD: load}
        result = Interface(
            **known,
            nodes=network.nodes,
            names=tuple(node_names(network)),
            inject=tuple(_of_nodes(nodes, "inject", len(network.in_ports), design)),
            eject=tuple(_of_nodes(nodes, "eject", EJECT, design)),
            alarms=(*_alarms(nodes), *_phases(nodes)),
            round=design.round,
            away=tuple(_away(nodes, design)),
        )
        ((name, count),) = Counter(stream.valid for stream in result.streams).most_common(1)
        if count > 1:
            raise InputError(f"{name} is the name of two streams")
        return result


def _load(wires: LoadWires | None, loading: str | None, design: AnyDesign) -> harness.Load | None:
    """The stream by which rows of tables are written."""
    expected = design.load_format
    for name, known in ((LOAD, wires), (LOADING, loading)):
        if (known is None) != (expected is None):
            what = "missing" if known is None else "only for tables that can be written"
            raise InputError(f"{name} is {what}")
    if wires is None or expected is None:
        return None
    _check_ready(wires, LOAD, always=True)
    if wires.out_ports != design.network.out_ports:
        raise InputError(f"{LOAD}: out_ports: those of the network are needed, in their order")
    stream = _stream(wires, place_fields(expected.fields.items()), LOAD, LOAD, 0, 0, LOAD, LOAD)
    return harness.Load(stream.valid, stream.payload, stream.bits)


def loaded(interface: Interface, design: AnyDesign, rows: Sequence[Row]) -> Interface:
    """The same, with rows that are written before each run."""
    if not rows:
        return interface
    assert interface.load is not None
    assert design.load_format is not None
    words = tuple(map(design.load_format.write, rows))
    return replace(interface, load=replace(interface.load, words=words))


def _of_nodes(
    nodes: Sequence[Document], side: Literal["inject", "eject"], port: int, design: AnyDesign
) -> Iterator[Stream]:
    network, fields = design.network, list_stream_fields(design, side)
    always = side == "eject" and design.always_ready
    for entry in (entry for entry in nodes if entry[side] is not None):
        node, streams = entry["label"], entry[side]
        lanes = design.lanes(node) if side == "eject" else design.inject_lanes(node)
        if isinstance(streams, tuple) != bool(lanes) or (lanes and len(streams) != len(lanes)):
            count = len(lanes) or "one"
            raise InputError(f"node {network.label(node)}: {count} {side} streams are needed")
        named: list[tuple[str, str, str, int, Wires]]
        named = [(side, f"{side} stream", side, port, streams)]
        if lanes:
            named = [
                (f"{side}_{number}", *_of_lane(network, side, lane), stream)
                for number, (lane, stream) in enumerate(zip(lanes, streams, strict=True))
            ]
        for kind, name, brief, number, stream in named:
            where = f"node {network.label(node)}, {name}"
            _check_ready(stream, where, always=always)
            yield _stream(stream, fields, where, kind, node, number, name, brief)


def _of_lane(network: Network, side: str, lane: int) -> tuple[str, str, int]:
    """The names of one of several streams of a node, and its port."""
    eject = side == "eject"
    labels, end = (network.in_ports, "in") if eject else (network.out_ports, "out")
    first = first_lane(network) if eject else first_inject(network)
    label = name_port(labels, lane)
    # Of the loop there is nothing to tell apart.
    brief = _brief(labels, lane, end) if lane < len(labels) else label
    return f"{side} stream of {end}-port {label}", f"{side}_{brief}", first + lane


def ready_by_stream(ready: BoolArray, streams: Sequence[harness.Stream]) -> BoolArray:
    """When eject streams are ready: the sinks of a node have its pattern, a cycle after another."""
    columns, turns = [np.zeros((len(ready), 0), dtype=np.bool_)], Counter[int]()
    for stream in streams:
        columns.append(np.roll(ready[:, [stream.node]], -turns[stream.node], axis=0))
        turns[stream.node] += 1
    return np.concatenate(columns, axis=1)


def _check_ready(wires: Wires, where: str, *, always: bool) -> None:
    """Refuse a stream without ``ready``, or with one, where the design has it the other way."""
    if always and wires.ready:
        raise InputError(f"{where}: has a ready, where sinks are always ready")
    if not always and not wires.ready:
        raise InputError(f"{where}: ready is missing")


def _alarms(nodes: Sequence[Document]) -> Iterator[Stream]:
    """The alarms of nodes: ``mismatch`` has a bit for each group, ``late`` for each operand."""
    for entry in nodes:
        for kind in ALARMS:
            if (known := entry[kind]) is not None:
                groups = [(group, 1) for group in known["groups"]]
                fields = place_fields(groups or [(kind, max(1, len(known["bits"])))])
                wires = Wires(known["signal"], "", known["signal"], fields)
                node, name = entry["label"], f"alarm {kind}"
                yield _stream(wires, fields, name, kind, node, ALARM[kind], name, kind)


def _away(nodes: Sequence[Document], design: AnyDesign) -> Iterator[harness.Away]:
    """The inputs that say in which groups void words are given for a node, by nodes."""
    groups: dict[int, list[str]] = {}
    for node, group in getattr(design.program, "stand_ins", ()):
        groups.setdefault(node, []).append(design.operations.groups[group][0])
    for entry in sorted(nodes, key=itemgetter("label")):
        node, known = entry["label"], entry[AWAY]
        right = groups.get(node, [])
        if [*(known["groups"] if known is not None else ())] != right:
            shown = ", ".join(right) or "none"
            raise InputError(f"node {design.network.label(node)}: {AWAY}: the groups are {shown}")
        if known is not None:
            yield harness.Away(node, known["signal"], len(right))


def _phases(nodes: Sequence[Document]) -> Iterator[Stream]:
    """The phases of nodes, where they have any."""
    for entry in (entry for entry in nodes if entry[PHASE] is not None):
        signal, bits = entry[PHASE]["signal"], entry[PHASE]["bits"]
        wires = Wires(signal, "", signal, fields := place_fields([(PHASE, bits)]))
        yield _stream(wires, fields, PHASE, PHASE, entry["label"], ALARM[PHASE], PHASE, PHASE)


def _links(links: Sequence[Link], design: AnyDesign) -> Iterator[Stream]:
    """The streams between nodes, which must be among those of the design."""
    network, groups = design.network, design.operations.groups
    expected = {_identity(link): link for link in list_links(design)}
    for number, link in enumerate(links):
        start, end = network.label(link.sender), network.label(link.receiver)
        own = expected.get(_identity(link))
        if own is None:
            raise InputError(f"links[{number}]: no such stream leads from {start} to {end}")
        if link.payload_delay != own.payload_delay:
            raise InputError(
                f"links[{number}]: payload_delay must be {own.payload_delay or 0}, not "
                f"{link.payload_delay or 0}"
            )
        node, port = link.sender, UP
        name, brief = f"words {link.carries} from {start} to {end}", str(link.carries)
        if link.group is not None:
            group = groups[link.group][0]
            port, brief = JOIN - link.group, f"join_{group}"
            name = f"words of group {group} from {start} to {end}"
        elif link.carries == "down":
            node, port = link.receiver, DOWN
        elif link.carries is None:
            node, port = link.receiver, link.in_port
            brief = _brief(network.in_ports, port, "in")
            name = f"in-port {network.in_ports[port]} (from {start})"
        where = f"node {network.label(node)}, {name}"
        _check_ready(link, where, always=not own.ready)
        stream = _stream(link, own.fields or (), where, "link", node, port, name, brief)
        ends = link.sender, link.receiver
        yield replace(stream, ends=ends, delay=link.payload_delay or 0)


def _identity(link: Link) -> tuple[object, ...]:
    """Which stream it is; in the ordered fabric any of parallel ports may be the one."""
    port = link.in_port if link.carries is None else None
    facts = link.carries, link.group, link.registers, link.code_bits
    return link.sender, link.receiver, port, *facts


def _stream(
    wires: Wires,
    expected: tuple[Field, ...],
    where: str,
    kind: str,
    node: int,
    port: int,
    name: str,
    brief: str,
) -> Stream:
    """A stream of words; where the manifest says nothing of its fields, they are as expected."""
    fields = wires.fields or expected
    if fields != expected:
        shown = ", ".join(f"{field.name} of {field.bits} bits" for field in expected)
        raise InputError(f"{where}: the fields must be {shown or 'none'}, one above the other")
    if expected and not wires.payload:
        raise InputError(f"{where}: payload is missing")
    # One bit that says nothing where a word has no field.
    bits = max(1, sum(field.bits for field in expected))
    signals = wires.valid, wires.ready, wires.payload
    return Stream(kind, node, *signals, bits, port, name, brief, expected)


def _brief(ports: Sequence[str], port: int, side: str) -> str:
    """A name for a port: its label, or its number where labels would fall together."""
    labels = [re.sub(r"\W+", "_", label, flags=re.ASCII) for label in ports]
    labels = [label.removeprefix(f"{side}_") for label in labels]
    return f"{side}_{labels[port] if len(set(labels)) == len(labels) else port}"
