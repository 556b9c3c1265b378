"""The network of routers, for an Amaranth design of one's own or for emission as Verilog."""

import re
from collections.abc import Callable

from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.router import Router, inject_shape, router_signature
from noc.networks import ABSENT
from noc.networks import Network as Graph
from noc.programs.table import Fabric

__all__ = ["Network", "node_names"]


def node_names(graph: Graph) -> list[str]:
    """A name for every node that is an identifier: its label, made unique where need be."""
    names = [re.sub(r"\W+", "_", graph.label(node), flags=re.ASCII) for node in range(graph.nodes)]
    if len(set(names)) < len(names):
        names = [f"{name}_n{node}" for node, name in enumerate(names)]
    return names


class Network(wiring.Component):
    """Routers on every node, wired as the network's links are.

    A word that a node injects is ejected at every other node once.

    Parameters
    ----------
    fabric : Fabric
        The routers' tables.
    width : int
        Bits of the payload, 1 to 512.
    module_name : callable or None
        If given, every router is an instance of the Verilog module of this name (by the number
        of its table), which is emitted apart; if None, the routers are submodules.

    Members
    -------
    inject_NAME : In(stream.Signature)
        Words of the node ``NAME``, for each node that may send.
    eject_NAME : Out(stream.Signature)
        Words for the node ``NAME``.
    """

    def __init__(
        self, fabric: Fabric, *, width: int, module_name: Callable[[int], str] | None = None
    ) -> None:
        self._fabric, self._width, self._module_name = fabric, width, module_name
        self._names = node_names(fabric.program.network)
        self._signatures = [router_signature(table, width=width) for table in fabric.tables]
        members = {}
        for node, name in enumerate(self._names):
            table = fabric.tables[fabric.table[node]]
            if table.trees:
                shape = inject_shape(table.trees, width)
                members[f"inject_{name}"] = In(stream.Signature(shape))
            members[f"eject_{name}"] = Out(stream.Signature(width))
        super().__init__(members)

    @property
    def fabric(self) -> Fabric:
        """The routers' tables."""
        return self._fabric

    @property
    def width(self) -> int:
        """Bits of the payload."""
        return self._width

    @property
    def names(self) -> list[str]:
        """The name of each node in signals."""
        return self._names

    def elaborate(self, platform) -> Module:
        """Place a router on every node and wire the links."""
        m = Module()
        if self._module_name is None:
            self._place_submodules(m)
        else:
            self._place_instances(m, self._module_name)
        return m

    def _links(self):
        """Every link that words use: sender, out-port, receiver, in-port."""
        graph = self._fabric.program.network
        for node in range(graph.nodes):
            for port, _ in self._fabric.tables[self._fabric.table[node]].out_bits:
                there = int(graph.neighbour[node, port])
                if there != ABSENT:
                    yield node, port, there, int(graph.arrival[node, port])

    def _place_submodules(self, m: Module) -> None:
        routers = []
        for node, name in enumerate(self._names):
            router = Router(self._fabric.tables[self._fabric.table[node]], width=self._width)
            m.submodules[f"node_{name}"] = router
            routers.append(router)
            if self._fabric.tables[self._fabric.table[node]].trees:
                wiring.connect(m, wiring.flipped(getattr(self, f"inject_{name}")), router.inject)
            wiring.connect(m, router.eject, wiring.flipped(getattr(self, f"eject_{name}")))
        for node, port, there, arrival in self._links():
            sender, receiver = routers[node], routers[there]
            wiring.connect(m, getattr(sender, f"out_{port}"), getattr(receiver, f"in_{arrival}"))

    def _place_instances(self, m: Module, module_name: Callable[[int], str]) -> None:
        holders: list[dict[str, object]] = [{} for _ in self._names]
        for node, port, there, arrival in self._links():
            member = self._signatures[self._fabric.table[node]].members[f"out_{port}"]
            link = member.signature.create(path=(f"link_{self._names[node]}_{port}",))
            holders[node][f"out_{port}"] = holders[there][f"in_{arrival}"] = link
        for node, name in enumerate(self._names):
            for side in ("inject", "eject"):
                holders[node][side] = getattr(self, f"{side}_{name}", None)
            number = int(self._fabric.table[node])
            ports = _instance_ports(self._signatures[number], holders[node])
            m.submodules[f"node_{name}"] = Instance(
                module_name(number), i_clk=ClockSignal(), i_rst=ResetSignal(), **ports
            )


def _instance_ports(signature: wiring.Signature, holders: dict[str, object]) -> dict[str, object]:
    """The arguments that connect an instance: each port to the same member of a holder."""
    ports = {}
    for path, member, _ in signature.flatten(signature.create()):
        value = holders[path[0]]
        for step in path[1:]:
            value = getattr(value, step)
        direction = "i" if member.flow == In else "o"
        name = "__".join(path)
        ports[f"{direction}_{name}"] = value
    return ports
