"""The top with endpoints: the network inside, and at every node what the user wants to see."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from amaranth.hdl import Shape
from amaranth.lib import wiring

from noc.design import AnyDesign
from noc.emit.manifest import list_stream_fields
from noc.emit.module import CLOCKED, Module, Port, convert, ports_of, write_instance, write_module
from noc.emit.streams import FIELDS, place_fields
from noc.emit.verilog import network_ports, top_name, top_ports
from noc.endpoints import (
    BESIDE_SIGNALS,
    AxiEndpoint,
    BeatFormat,
    CrossingEndpoint,
    Endpoints,
    PacketArbiter,
)
from noc.hardware import Assembly, assemble

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


@dataclass(frozen=True)
class Wrapper:
    """The network of a design, whose module may have a name of its own, and its endpoints."""

    design: AnyDesign
    endpoints: Endpoints
    network: str | None = None

    @property
    def name(self) -> str:
        """The name of the top module."""
        suffix = "clocks" if self.endpoints.axi is None else "axis"
        return f"{top_name(self.design, self.network)}_{suffix}"

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each node in signals."""
        return self._assembly.names

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
        return {_field(p): self._outer(node, m, p) for m, p in self._ports(node) if m in members}

    def modules(self) -> list[Module]:
        """The top, then each different endpoint, then the packet arbiter, if there is one."""
        domains = ("sync", "node") if self.endpoints.crossing else ()
        result = [Module(self.name, "\n".join([*self._text(), ""]))]
        for kind, component in self._components.items():
            result.append(convert(component, self._endpoint_name(kind), domains))
        if self._arbitrated:
            result.append(convert(PacketArbiter(len(self.names)), self._arbiter_name))
        return result

    @property
    def _arbitrated(self) -> bool:
        return self.endpoints.arbitrated(self.design)

    @property
    def _arbiter_name(self) -> str:
        return f"{self.name}_packet_arbiter"

    @property
    def _clocked(self) -> bool:
        """Whether the endpoints hold anything, or are only wires."""
        longest = self.endpoints.longest(self.design)
        return self.endpoints.crossing or longest is not None or self._arbitrated

    @cached_property
    def _assembly(self) -> Assembly:
        return assemble(self.design)

    def _payload(self, node: int, side: str) -> Any:
        """The shape of what a node injects or ejects, or None where it does not."""
        members = self._assembly.part_of(node).signature.members
        return members[side].signature.members["payload"].shape if side in members else None

    def _kind(self, node: int) -> int:
        """What distinguishes one endpoint from another: the bits that its node injects."""
        payload = self._payload(node, "inject")
        return 0 if payload is None else Shape.cast(payload).width

    @cached_property
    def _components(self) -> "dict[int, wiring.Component[Any]]":
        """The different endpoints, by the bits that their nodes inject."""
        nodes = {self._kind(node): node for node in range(len(self.names))}
        return {kind: self._component(nodes[kind]) for kind in sorted(nodes, reverse=True)}

    def _component(self, node: int) -> "wiring.Component[Any]":
        if self.endpoints.axi is None:
            return CrossingEndpoint(self._payload(node, "inject"), self._payload(node, "eject"))
        return AxiEndpoint(
            self.endpoints.format(self.design),
            sends=self._kind(node) > 0,
            longest=self.endpoints.longest(self.design),
            crossing=self.endpoints.crossing,
            arbitrated=self._arbitrated,
            always_ready=self.design.always_ready,
        )

    def _endpoint_name(self, kind: int) -> str:
        kinds = list(self._components)
        return f"{self.name}_endpoint" + (f"_{kinds.index(kind)}" if kinds[1:] else "")

    @cached_property
    def _ports_by_kind(self) -> dict[int, list[tuple[str, Port]]]:
        return {kind: [*ports_of(each.signature)] for kind, each in self._components.items()}

    def _ports(self, node: int) -> list[tuple[str, Port]]:
        """The ports of a node's endpoint but clocks and resets, each with its member."""
        return self._ports_by_kind[self._kind(node)]

    def _outer(self, node: int, member: str, port: Port) -> str:
        prefix, separator = OUTER[member]
        return f"{prefix}_{self.names[node]}{separator}{_field(port)}"

    def _inner(self, node: int, member: str, port: Port) -> str:
        """The port of the network that an endpoint is connected to."""
        return f"{member}_{self.names[node]}__{_field(port)}"

    @property
    def shown(self) -> list[Port]:
        """What the network says of itself as a whole, where the endpoints hold no words as well."""
        return [] if self._clocked else network_ports(self.design)

    @property
    def _alarms(self) -> list[Port]:
        """The alarms of all nodes, outputs in the network's clock."""
        ports = (port for ports in top_ports(self.design) for port in ports)
        return [port for port in ports if not port.name.startswith(("inject_", "eject_"))]

    @property
    def ports(self) -> list[Port]:
        """Every port of the top module, clocks and resets too, in the order of its head."""
        clocks = [("clk", "rst"), *(self.clocks if self.endpoints.crossing else [])]
        streams = [
            replace(port, name=self._outer(node, member, port))
            for node in range(len(self.names))
            for member, port in self._ports(node)
            if member in OUTER
        ]
        resets = [Port(name, False, 1) for pair in clocks for name in pair]
        return [*resets, *streams, *self.shown, *self._alarms]

    def _text(self) -> Iterator[str]:
        """The top module."""
        nodes, whole = range(len(self.names)), network_ports(self.design)
        inner = [
            (replace(port, name=f"noc_{name}"), name)
            for node in nodes
            for member, port in self._ports(node)
            if member in INNER
            for name in [self._inner(node, member, port)]
        ]
        yield from write_module(self.name, (port.declared for port in self.ports))
        wires = [port for port, _ in inner] + ([] if self.shown else whole)
        yield from (f"  wire {port.span}{port.name};" for port in wires)
        yield ""
        ends = CLOCKED | {name: port.name for port, name in inner}
        ends |= {port.name: port.name for port in (*whole, *self._alarms)}
        yield from write_instance(top_name(self.design, self.network), "network", ends)
        if self._arbitrated:
            yield ""
            yield from (f"  wire [{len(nodes) - 1}:0] {signal};" for signal in ARBITRATION)
            # A node that never sends makes no request.
            silent = (node for node in nodes if not self._kind(node))
            yield from (f"  assign request[{node}] = 0;" for node in silent)
            ends = CLOCKED | {signal: signal for signal in ARBITRATION}
            yield from write_instance(self._arbiter_name, "packet_arbiter", ends)
        for node in nodes:
            yield ""
            yield f"  // node {self.design.network.label(node)}"
            module = self._endpoint_name(self._kind(node))
            yield from write_instance(module, f"endpoint_{self.names[node]}", self._ends(node))
        yield "endmodule"

    def _ends(self, node: int) -> dict[str, str]:
        """What each port of a node's endpoint is connected to."""
        ends = dict(CLOCKED) if self._clocked else {}
        if self.endpoints.crossing:
            ends |= zip(("node_clk", "node_rst"), self.clock_of(node), strict=True)
        for member, port in self._ports(node):
            if member in OUTER:
                ends[port.name] = self._outer(node, member, port)
            elif member in INNER:
                ends[port.name] = f"noc_{self._inner(node, member, port)}"
            elif member in ARBITRATION:
                ends[port.name] = f"{member}[{node}]"
            else:
                ends[port.name] = f"{port.bits}'d{node}"
        return ends


def _field(port: Port) -> str:
    """What a signal is to its stream."""
    return port.name.rpartition("__")[2]


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
            **{port.name: port.name for port in wrapper.shown},
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


def _list_fields(format_: BeatFormat, **beside: int) -> list[dict[str, Any]]:
    """What an AXI-Stream carries: each field and the signal that it is."""
    fields = {"data": format_.width, "last": int(format_.last), "operation": format_.user_bits}
    signals = {"data": "tdata"} | BESIDE_SIGNALS
    return [
        {"name": name, "signal": signals[name], "first": 0, "bits": bits}
        for name, bits in (fields | beside).items()
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
