"""The top with endpoints: the network inside, and at every node what the user wants to see."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from amaranth.hdl import Shape
from amaranth.lib import wiring

from noc.design import AnyDesign
from noc.emit.manifest import list_stream_fields
from noc.emit.module import CLOCKED, Module, Port, convert, ports_of, write_instance, write_module
from noc.emit.streams import FIELDS, place_fields
from noc.emit.verilog import common_ports, node_ports, top_name
from noc.endpoints import (
    BESIDE_SIGNALS,
    AxiEndpoint,
    BeatFormat,
    CrossingEndpoint,
    Endpoints,
    PacketArbiter,
)
from noc.hardware import assemble
from noc.harness import IDLE

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
        self._assembly = assembly = assemble(design)
        #: The name of each node in signals.
        self.names = assembly.names
        nodes = range(len(self.names))
        payloads = [_payloads(assembly.part_of(node).signature) for node in nodes]
        # What distinguishes one endpoint from another: the bits that its node injects, if any.
        self._bits = [0 if inject is None else Shape.cast(inject).width for inject, _ in payloads]
        kinds = dict(zip(self._bits, payloads, strict=True))
        self._components = {n: self._component(*kinds[n]) for n in sorted(kinds, reverse=True)}
        ports = {bits: [*ports_of(each.signature)] for bits, each in self._components.items()}
        #: The ports of each node's endpoint but clocks and resets, each with its member.
        self._ports = [ports[bits] for bits in self._bits]
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
        return AxiEndpoint(
            self.endpoints.format(self.design),
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

    def signals(self, node: int, members: Sequence[str]) -> dict[str, str]:
        """The names of the signals of a node's stream, by their fields; none where it has none."""
        ports = ((member, port) for member, port in self._ports[node] if member in members)
        return {port.field: self._outer(node, member, port) for member, port in ports}

    def modules(self) -> list[Module]:
        """The top, then each different endpoint, then the packet arbiter, if there is one."""
        domains = ("sync", "node") if self.endpoints.crossing else ()
        result = [Module.of(self.name, self._text())]
        for bits, component in self._components.items():
            result.append(convert(component, self._endpoint_name(bits), domains))
        if self._arbiter:
            result.append(convert(PacketArbiter(len(self.names)), self._arbiter))
        return result

    def _endpoint_name(self, bits: int) -> str:
        kinds = list(self._components)
        return f"{self.name}_endpoint" + (f"_{kinds.index(bits)}" if kinds[1:] else "")

    def _outer(self, node: int, member: str, port: Port) -> str:
        prefix, separator = OUTER[member]
        return f"{prefix}_{self.names[node]}{separator}{port.field}"

    def _inner(self, node: int, member: str, port: Port) -> str:
        """The port of the network that an endpoint is connected to."""
        return f"{member}_{self.names[node]}__{port.field}"

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
            silent = (node for node, bits in enumerate(self._bits) if not bits)
            yield from (f"  assign request[{node}] = 0;" for node in silent)
            ends = CLOCKED | {signal: signal for signal in ARBITRATION}
            yield from write_instance(self._arbiter, "packet_arbiter", ends)
        for node, name in enumerate(self.names):
            yield ""
            yield f"  // node {self.design.network.label(node)}"
            module = self._endpoint_name(self._bits[node])
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
            else:
                wires[port.name] = f"{port.bits}'d{node}"
        return wires


def _payloads(signature: wiring.Signature) -> list[Any]:
    """The shapes of what a node injects and ejects, None for a stream that it has not."""
    members = signature.members
    return [
        members[side].signature.members["payload"].shape if side in members else None
        for side in INNER
    ]


def describe_endpoints(wrapper: Wrapper) -> dict[str, Any]:
    """The section of the manifest, under the name of the kind of endpoints."""
    design, endpoints = wrapper.design, wrapper.endpoints
    common = {"top": wrapper.name, "clock": "clk", "reset": "rst"}
    if endpoints.axi is None:
        return {"node_clocks": {**common, "nodes": _crossings(wrapper)}}
    format_ = endpoints.format(design)
    return {
        "axis": {
            **common,
            **{port.name: port.name for port in wrapper.shown if port.name == IDLE},
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
                "s_axis": _list_fields(format_, node=format_.dest_bits),
                "m_axis": _list_fields(format_, source=format_.source_bits),
            },
            "nodes": [
                {"tid": number, **node}
                for number, node in enumerate(_nodes(wrapper, "s_axis", "m_axis"))
            ],
        }
    }


def _list_fields(format_: BeatFormat, **more: int) -> list[dict[str, Any]]:
    """What an AXI-Stream carries: each field and the signal that it is."""
    fields = {"data": format_.width, "last": int(format_.last), "operation": format_.user_bits}
    signals = {"data": "tdata"} | BESIDE_SIGNALS
    return [
        {"name": name, "signal": signals[name], "first": 0, "bits": bits}
        for name, bits in (fields | more).items()
        if bits
    ]


def _crossings(wrapper: Wrapper) -> list[dict[str, Any]]:
    """The network's own streams: what lies in their payloads is as at the network."""
    nodes = _nodes(wrapper, "inject", "eject")
    for entry in nodes:
        for side in ("inject", "eject"):
            if entry[side] is not None:
                fields = list_stream_fields(wrapper.design, side)
                entry[side]["fields"] = FIELDS.write(fields)
    return nodes


def _nodes(wrapper: Wrapper, send: str, receive: str) -> list[dict[str, Any]]:
    return [
        {
            "label": wrapper.design.network.label(node),
            **dict(zip(("clock", "reset"), wrapper.clock_of(node), strict=True)),
            send: wrapper.signals(node, SENDS) or None,
            receive: wrapper.signals(node, RECEIVES),
        }
        for node in wrapper.design.in_order
    ]
