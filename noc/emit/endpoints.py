"""The top with endpoints: the network inside, and at every node what the user wants to see."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from amaranth.hdl import Shape
from amaranth.lib import wiring

from noc.design import AnyDesign
from noc.emit.manifest import list_stream_fields
from noc.emit.module import CLOCKED, Module, Port, convert, ports_of, write_instance, write_module
from noc.emit.streams import FIELDS, place_fields, streams_of
from noc.emit.verilog import common_ports, node_ports, top_name
from noc.endpoints import (
    BESIDE_SIGNALS,
    AxiEndpoint,
    CrossingEndpoint,
    Endpoints,
    PacketArbiter,
)
from noc.endpoints.rounds import RoundEndpoint
from noc.hardware import assemble
from noc.harness import AWAY, IDLE, OF_NETWORK, PHASE

#: The members of an endpoint that face the router.
INNER = ("inject", "eject")

#: Those that connect to the packet arbiter.
ARBITRATION = ("request", "grant", "ends")

#: How a member's signals begin at the top, and what separates that from the signal.
OUTER = {
    "s_axis": ("s_axis", "_"),
    "m_axis": ("m_axis", "_"),
    "send": ("inject", "__"),
    "receive": ("eject", "__"),
}

#: What ``tlast`` says where words come in rounds.
END_OF_ROUND = "end_of_round"

#: The members of an endpoint by what they do for the node.
SENDS, RECEIVES = ("s_axis", "send"), ("m_axis", "receive")


class Wrapper:
    """The network of a design, whose module may have a name of its own, and its endpoints."""

    def __init__(self, design: AnyDesign, endpoints: Endpoints, network: str | None = None) -> None:
        self.design, self.endpoints = design, endpoints
        self._network = top_name(design, network)
        #: That of the top module.
        self.name = f"{self._network}_{'clocks' if endpoints.axi is None else 'axis'}"
        self._arbiter = f"{self.name}_packet_arbiter" if endpoints.arbitrated(design) else None
        # With AXI-Stream, a format.
        self._format: Any = None if endpoints.axi is None else endpoints.format(design)
        self._assembly = assembly = assemble(design)
        #: The name of each node in signals.
        self.names = assembly.names
        nodes = range(len(self.names))
        payloads = [_payloads(assembly.part_of(node).signature) for node in nodes]
        # What distinguishes one endpoint from another: the bits that its node injects, if any, and
        # how many streams it has.
        self._kinds = [_kind(*sides) for sides in payloads]
        kinds = dict(zip(self._kinds, payloads, strict=True))
        self._components = {
            kind: self._component(*kinds[kind]) for kind in sorted(kinds, reverse=True) if any(kind)
        }
        # One of several streams is a part of their member.
        ports = {
            kind: [(owner.partition("__")[0], port) for owner, port in ports_of(each.signature)]
            for kind, each in self._components.items()
        }
        #: The ports of each node's endpoint but clocks and resets, each with its member.
        self._ports = [ports.get(kind, []) for kind in self._kinds]
        # Whether the endpoints hold anything, or are only wires.
        longest = endpoints.longest(design)
        self._clocked = endpoints.crossing or longest is not None or self._arbiter is not None
        #: What the network says of itself as a whole, but that nothing is under way where endpoints
        #: hold words too.
        self.shown = [
            port for port in common_ports(assembly) if not (self._clocked and port.name == IDLE)
        ]

    def _component(self, inject: Any, eject: Any) -> "wiring.Component[Any]":
        """The endpoint of nodes with streams of these payloads."""
        if self.endpoints.axi is None:
            return CrossingEndpoint(inject, eject)
        if self.design.in_rounds:
            return RoundEndpoint(
                self._format,
                self.design.words,
                round=self.design.round,
                injects=_count(inject),
                ejects=_count(eject),
                crossing=self.endpoints.crossing,
            )
        return AxiEndpoint(
            self._format,
            sends=inject is not None,
            longest=self.endpoints.longest(self.design),
            crossing=self.endpoints.crossing,
            arbitrated=self._arbiter is not None,
            always_ready=self.design.always_ready,
        )

    @property
    def clocks(self) -> list[tuple[str, str]]:
        """Clock and reset of the nodes' streams that are not the network's."""
        return list(dict.fromkeys(self.clock_of(node) for node in range(len(self.names))))

    def clock_of(self, node: int) -> tuple[str, str]:
        """Clock and reset of a node's streams."""
        if not self.endpoints.crossing:
            return "clk", "rst"
        prefix = "node" if self.endpoints.clocks == "shared" else f"node_{self.names[node]}"
        return f"{prefix}_clk", f"{prefix}_rst"

    def signals(self, node: int, members: Sequence[str]) -> dict[str, dict[str, str]]:
        """The names of the signals of a node's streams, by their fields.

        Those of several streams by ``_0`` and so on; a single one is called nothing.
        """
        streams: dict[str, dict[str, str]] = {}
        for member, port in self._ports[node]:
            if member in members:
                _, *number, field = port.name.split("__")
                stream = streams.setdefault("".join(f"_{n}" for n in number), {})
                stream[field] = self._outer(node, member, port)
        return streams

    def modules(self) -> list[Module]:
        """The top, then each different endpoint, then the packet arbiter, if there is one."""
        domains = ("sync", "node") if self.endpoints.crossing else ()
        result = [Module.of(self.name, self._text())]
        for kind, component in self._components.items():
            result.append(convert(component, self._endpoint_name(kind), domains))
        if self._arbiter:
            result.append(convert(PacketArbiter(len(self.names)), self._arbiter))
        return result

    def _endpoint_name(self, kind: tuple[int, ...]) -> str:
        kinds = list(self._components)
        return f"{self.name}_endpoint" + (f"_{kinds.index(kind)}" if kinds[1:] else "")

    def _outer(self, node: int, member: str, port: Port) -> str:
        prefix, separator = OUTER[member]
        return separator.join([f"{prefix}_{self.names[node]}", *port.name.split("__")[1:]])

    def _inner(self, node: int, member: str, port: Port) -> str:
        """The port of the network that an endpoint is connected to."""
        return port.name.replace(member, f"{member}_{self.names[node]}", 1)

    @property
    def _alarms(self) -> list[Port]:
        """The alarms of all nodes, outputs in the network's clock."""
        ports = (port for ports in node_ports(self._assembly) for port in ports)
        return [port for port in ports if not port.name.startswith(("inject_", "eject_"))]

    @property
    def ports(self) -> list[Port]:
        """Every port of the top module, clocks and resets too, in the order of its head."""
        clocks = [("clk", "rst"), *(self.clocks if self.endpoints.crossing else [])]
        streams = [
            replace(port, name=self._outer(node, member, port))
            for node, ports in enumerate(self._ports)
            for member, port in ports
            if member in OUTER
        ]
        resets = [Port(name, False, 1) for pair in clocks for name in pair]
        return [*resets, *streams, *self.shown, *self._alarms]

    def _text(self) -> Iterator[str]:
        """The top module."""
        whole = common_ports(self._assembly)
        inner = [
            replace(port, name=self._inner(node, member, port))
            for node, ports in enumerate(self._ports)
            for member, port in ports
            if member in INNER
        ]
        yield from write_module(self.name, (port.declared for port in self.ports))
        yield from (f"  wire {port.span}noc_{port.name};" for port in inner)
        yield from (f"  wire {port.name};" for port in whole if port not in self.shown)
        yield ""
        ends = CLOCKED | {port.name: f"noc_{port.name}" for port in inner}
        ends |= {port.name: port.name for port in (*whole, *self._alarms)}
        yield from write_instance(self._network, "network", ends)
        if self._arbiter:
            yield ""
            yield from (f"  wire [{len(self.names) - 1}:0] {signal};" for signal in ARBITRATION)
            # A node that never sends makes no request.
            silent = (node for node, (bits, *_) in enumerate(self._kinds) if not bits)
            yield from (f"  assign request[{node}] = 0;" for node in silent)
            ends = CLOCKED | {signal: signal for signal in ARBITRATION}
            yield from write_instance(self._arbiter, "packet_arbiter", ends)
        for node, name in enumerate(self.names):
            if self._kinds[node] not in self._components:
                continue
            yield ""
            yield f"  // node {self.design.network.label(node)}"
            module = self._endpoint_name(self._kinds[node])
            yield from write_instance(module, f"endpoint_{name}", self._wires(node))
        yield "endmodule"

    def _wires(self, node: int) -> dict[str, str]:
        """What each port of a node's endpoint is connected to."""
        wires = dict(CLOCKED) if self._clocked else {}
        if self.endpoints.crossing:
            wires |= zip(("node_clk", "node_rst"), self.clock_of(node), strict=True)
        for member, port in self._ports[node]:
            if member in OUTER:
                wires[port.name] = self._outer(node, member, port)
            elif member in INNER:
                wires[port.name] = f"noc_{self._inner(node, member, port)}"
            elif member in ARBITRATION:
                wires[port.name] = f"{member}[{node}]"
            elif member == PHASE:
                wires[port.name] = f"{member}_{self.names[node]}"
            elif member == "told":
                lane = int(port.name.rpartition("__")[2])
                wires[port.name] = f"{port.bits}'h{self._tell(node, lane):x}"
            else:
                wires[port.name] = f"{port.bits}'d{node}"
        return wires

    def _tell(self, node: int, lane: int) -> int:
        """What an endpoint is told of an eject stream: by phase the number, and whether it ends."""
        format_, (numbers, after) = self._format, self.design.arrivals(node)[lane]
        known = {phase: number for phase, number in enumerate(numbers) if number is not None}
        last = max(known, key=lambda phase: (after[phase], phase))
        bits, result = format_.source_bits + format_.last, 0
        for phase, number in known.items():
            ends = format_.last and phase == last
            result |= ((ends << bits - 1) | number) << bits * phase
        return result


def _payloads(signature: wiring.Signature) -> list[Any]:
    """The shapes of what a node injects and ejects: None without a stream, a list for several."""
    members = signature.members
    return [_payload(members[side]) if side in members else None for side in INNER]


def _payload(member: wiring.Member) -> Any:
    shape = member.signature.members["payload"].shape
    return [shape] * member.dimensions[0] if member.dimensions else shape


def _count(payload: Any) -> int | None:
    """How many streams a side has; None for one that is no array."""
    if payload is None:
        return 0
    return len(payload) if isinstance(payload, list) else None


def _kind(inject: Any, eject: Any) -> tuple[int, ...]:
    """The bits that a node injects, and how many streams it has."""
    injects, ejects = (_listed(payload) for payload in (inject, eject))
    return Shape.cast(injects[0]).width if injects else 0, len(injects), len(ejects)


def _listed(payload: Any) -> list[Any]:
    if payload is None:
        return []
    return payload if isinstance(payload, list) else [payload]


def describe_endpoints(wrapper: Wrapper, inner: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The section of the manifest, under the name of the kind of endpoints.

    Of the nodes is known what the manifest says of them without endpoints.
    """
    design, endpoints = wrapper.design, wrapper.endpoints
    common = {"top": wrapper.name, "clock": "clk", "reset": "rst"}
    common |= {port.name: port.name for port in wrapper.shown if port.name in OF_NETWORK}
    if endpoints.axi is None:
        return {"node_clocks": {**common, "nodes": _crossings(wrapper, inner)}}
    format_ = endpoints.format(design)
    beside = {"data": format_.width}
    came = {design.told[0]: format_.source_bits}
    if design.in_rounds:
        came = {END_OF_ROUND: int(format_.last)} | came
    else:
        beside |= {"last": int(format_.last), "operation": format_.user_bits}
    nodes = _nodes(
        wrapper, inner, "s_axis", "m_axis", ("order", *(() if endpoints.crossing else (PHASE,)))
    )
    return {
        "axis": {
            **common,
            "width": format_.width,
            "tid_bits": format_.source_bits,
            "tdest_bits": format_.dest_bits,
            "tuser_bits": format_.user_bits,
            "tlast": format_.last,
            "packets": endpoints.axi.packets,
            "turns": endpoints.arbitrated(design),
            "packet_words": endpoints.longest(design),
            "memory_bits": endpoints.memory_bits(design),
            "fields_of_data": FIELDS.write(place_fields(format_.fields)),
            "fields": {
                "s_axis": _list_fields(beside, node=format_.dest_bits),
                "m_axis": _list_fields(beside, **came),
            },
            "nodes": [{"tid": number, **node} for number, node in enumerate(nodes)],
        }
    }


def _list_fields(fields: dict[str, int], **more: int) -> list[dict[str, Any]]:
    """What an AXI-Stream carries: each field and the signal that it is."""
    signals = {"data": "tdata", "sum": "tid", END_OF_ROUND: "tlast"} | BESIDE_SIGNALS
    return [
        {"name": name, "signal": signals[name], "first": 0, "bits": bits}
        for name, bits in (fields | more).items()
        if bits
    ]


def _crossings(wrapper: Wrapper, inner: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The network's own streams: what lies in their payloads is as at the network."""
    nodes = _nodes(wrapper, inner, "inject", "eject", ("lanes", "order", AWAY))
    for entry in nodes:
        for side in ("inject", "eject"):
            for _, stream in streams_of(entry, side):
                fields = list_stream_fields(wrapper.design, side)
                stream["fields"] = FIELDS.write(fields)
    return nodes


def _nodes(
    wrapper: Wrapper,
    inner: Sequence[Mapping[str, Any]],
    send: str,
    receive: str,
    kept: Sequence[str],
) -> list[dict[str, Any]]:
    """The nodes, with those facts of the ones inside that are kept."""
    return [
        {
            "label": wrapper.design.network.label(node),
            **dict(zip(("clock", "reset"), wrapper.clock_of(node), strict=True)),
            **{name: known[name] for name in kept if name in known},
            send: _one_or_list(wrapper.signals(node, SENDS)),
            receive: _one_or_list(wrapper.signals(node, RECEIVES)),
        }
        for node, known in zip(wrapper.design.in_order, inner, strict=True)
    ]


def _one_or_list(streams: dict[str, dict[str, str]]) -> Any:
    """A stream, each of several, or None."""
    return streams.get("", [*streams.values()] or None)
