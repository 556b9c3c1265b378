"""The top with endpoints: the network inside, and at every node what the user wants to see."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from amaranth.hdl import Shape
from amaranth.lib import wiring

from noc.design import AnyDesign
from noc.emit.module import CLOCKED, Module, Port, convert, ports_of, write_instance
from noc.emit.verilog import network_ports, top_name, top_ports
from noc.endpoints import (
    AxiEndpoint,
    CrossingEndpoint,
    Endpoints,
    PacketArbiter,
    axi_signature,
    crossing_signature,
)
from noc.hardware import Assembly, assemble

__all__ = ["NodeStreams", "Wrapper"]

#: The members of an endpoint that face the router.
INNER = ("inject", "eject")

#: Those that connect to the packet arbiter.
ARBITRATION = ("request", "grant", "ends")

#: How a member's signals begin at the top, and what stands before the signal.
OUTER = {
    "s_axis": ("s_axis", "_"),
    "m_axis": ("m_axis", "_"),
    "send": ("inject", "__"),
    "receive": ("eject", "__"),
}

#: The members of an endpoint by what they do for the node.
SENDS, RECEIVES = ("s_axis", "send"), ("m_axis", "receive")


@dataclass(frozen=True)
class NodeStreams:
    """What the top has for a node.

    Parameters
    ----------
    clock, reset : str
        Of the node's streams.
    send, receive : mapping
        The names of the signals of the stream into the network, empty where the node never sends,
        and of the stream out of it, by what they are.
    """

    clock: str
    reset: str
    send: Mapping[str, str]
    receive: Mapping[str, str]


@dataclass(frozen=True)
class Wrapper:
    """The network of a design with endpoints at its nodes.

    Parameters
    ----------
    design : AnyDesign
        The network.
    endpoints : Endpoints
        What stands at its nodes.
    network : str, optional
        The name of the network's module, with which all others begin, as
        :func:`noc.emit.verilog.top_name` takes it.
    """

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

    def streams(self) -> list[NodeStreams]:
        """The streams of each node."""
        return [self._streams(node) for node in range(len(self.names))]

    def _streams(self, node: int) -> NodeStreams:
        send, receive = (
            {
                _field(port): self._outer(node, member, port)
                for member, port in self._ports(node)
                if member in members
            }
            for members in (SENDS, RECEIVES)
        )
        return NodeStreams(*self.clock_of(node), send, receive)

    def modules(self) -> list[Module]:
        """The top, then each different endpoint."""
        return [
            Module(self.name, "\n".join([*self._text(), ""])),
            *(
                convert(self._component(node), self._endpoint_name(node), self._domains)
                for node in self._kinds.values()
            ),
            *self._arbiter(),
        ]

    def _arbiter(self) -> Iterator[Module]:
        """The packet arbiter, if there is one."""
        if self._arbitrated:
            yield convert(PacketArbiter(len(self.names)), self._arbiter_name)

    @property
    def _domains(self) -> tuple[str, ...]:
        """The clock domains of an endpoint, if there are several."""
        return ("sync", "node") if self.endpoints.crossing else ()

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

    def _sends(self, node: int) -> bool:
        return self._kind(node) > 0

    def _kind(self, node: int) -> int:
        """What distinguishes one endpoint from another: the bits that its node injects."""
        payload = self._payload(node, "inject")
        return 0 if payload is None else Shape.cast(payload).width

    @property
    def shown(self) -> list[Port]:
        """What the network says of itself as a whole, where the endpoints hold no words as well."""
        return [] if self._clocked else network_ports(self.design)

    @cached_property
    def alarms(self) -> list[list[Port]]:
        """For each node what the network tells of its words: outputs in the network's clock."""
        sides = tuple(f"{side}_" for side in INNER)
        return [
            [port for port in ports if not port.name.startswith(sides)]
            for ports in top_ports(self.design)
        ]

    @cached_property
    def _kinds(self) -> dict[int, int]:
        """The different endpoints, each with a node at which it stands."""
        nodes = {self._kind(node): node for node in range(len(self.names))}
        return dict(sorted(nodes.items(), reverse=True))

    def _endpoint_name(self, node: int) -> str:
        number = list(self._kinds).index(self._kind(node))
        return f"{self.name}_endpoint" + (f"_{number}" if len(self._kinds) > 1 else "")

    def _component(self, node: int) -> "wiring.Component[Any]":
        if self.endpoints.axi is None:
            return CrossingEndpoint(self._payload(node, "inject"), self._payload(node, "eject"))
        return AxiEndpoint(
            self.endpoints.format(self.design),
            sends=self._sends(node),
            longest=self.endpoints.longest(self.design),
            crossing=self.endpoints.crossing,
            arbitrated=self._arbitrated,
        )

    def _signature(self, node: int) -> wiring.Signature:
        if self.endpoints.axi is None:
            return crossing_signature(self._payload(node, "inject"), self._payload(node, "eject"))
        return axi_signature(
            self.endpoints.format(self.design), sends=self._sends(node), arbitrated=self._arbitrated
        )

    @cached_property
    def _ports_by_kind(self) -> dict[int, list[tuple[str, Port]]]:
        return {kind: list(ports_of(self._signature(node))) for kind, node in self._kinds.items()}

    def _ports(self, node: int) -> list[tuple[str, Port]]:
        """The ports of a node's endpoint but clocks and resets."""
        return self._ports_by_kind[self._kind(node)]

    def _outer(self, node: int, member: str, port: Port) -> str:
        prefix, separator = OUTER[member]
        return f"{prefix}_{self.names[node]}{separator}{_field(port)}"

    def _inner(self, node: int, port: Port) -> str:
        """The wire between an endpoint and the network."""
        return f"noc_{port.name.partition('__')[0]}_{self.names[node]}__{_field(port)}"

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
        return [
            *(Port(name, False, 1) for pair in clocks for name in pair),
            *streams,
            *self.shown,
            *self._told,
        ]

    def _text(self) -> Iterator[str]:
        """The top module."""
        yield f"module {self.name} ("
        yield ",\n".join(f"  {port.declared}" for port in self.ports)
        yield ");"
        yield from self._wires()
        yield from self._network()
        if self._arbitrated:
            yield from self._packet_arbiter()
        for node in range(len(self.names)):
            yield from self._endpoint(node)
        yield "endmodule"

    @property
    def _told(self) -> Iterator[Port]:
        """The alarms of all nodes."""
        return (port for ports in self.alarms for port in ports)

    def _inner_ports(self) -> Iterator[tuple[int, Port]]:
        for node in range(len(self.names)):
            for member, port in self._ports(node):
                if member in INNER:
                    yield node, port

    def _wires(self) -> Iterator[str]:
        for node, port in self._inner_ports():
            yield f"  wire {port.span}{self._inner(node, port)};"
        for port in () if self.shown else network_ports(self.design):
            yield f"  wire {port.span}{port.name};"

    def _network(self) -> Iterator[str]:
        yield ""
        wires = dict(CLOCKED)
        for node, port in self._inner_ports():
            side = port.name.partition("__")[0]
            wires[f"{side}_{self.names[node]}__{_field(port)}"] = self._inner(node, port)
        wires |= {port.name: port.name for port in (*network_ports(self.design), *self._told)}
        yield from write_instance(top_name(self.design, self.network), "network", wires)

    def _packet_arbiter(self) -> Iterator[str]:
        """The packet arbiter; a node that never sends makes no request."""
        nodes = len(self.names)
        yield ""
        for signal in ARBITRATION:
            yield f"  wire [{nodes - 1}:0] {signal};"
        silent = [node for node in range(nodes) if not self._sends(node)]
        yield from (f"  assign request[{node}] = 0;" for node in silent)
        wires = CLOCKED | {signal: signal for signal in ARBITRATION}
        yield from write_instance(self._arbiter_name, "packet_arbiter", wires)

    def _endpoint(self, node: int) -> Iterator[str]:
        name = self.names[node]
        pairs: dict[str, str] = {}
        if self._clocked:
            pairs |= CLOCKED
        if self.endpoints.crossing:
            pairs |= dict(zip(("node_clk", "node_rst"), self.clock_of(node), strict=True))
        for member, port in self._ports(node):
            if member in OUTER:
                pairs[port.name] = self._outer(node, member, port)
            elif member in INNER:
                pairs[port.name] = self._inner(node, port)
            elif member in ARBITRATION:
                pairs[port.name] = f"{member}[{node}]"
            else:
                pairs[port.name] = f"{port.bits}'d{node}"
        yield ""
        yield f"  // node {self.design.network.label(node)}"
        yield from write_instance(self._endpoint_name(node), f"endpoint_{name}", pairs)


def _field(port: Port) -> str:
    """What a signal is to its stream."""
    return port.name.rpartition("__")[2]
