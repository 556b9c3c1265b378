"""The network of routers, for an Amaranth design of one's own or for emission as Verilog."""

import re

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from noc.hardware.router import Router, inject_shape
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

    Amaranth writes a module for each submodule: for more than a few dozen nodes, emit the network
    with :mod:`noc.emit`, which writes each different router once.

    A word that a node injects is ejected at every other node once.

    Parameters
    ----------
    fabric : Fabric
        The routers' tables.
    width : int
        Bits of the payload, 1 to 512.

    Members
    -------
    inject_NAME : In(stream.Signature)
        Words of the node ``NAME``, for each node that may send.
    eject_NAME : Out(stream.Signature)
        Words for the node ``NAME``.
    """

    def __init__(self, fabric: Fabric, *, width: int) -> None:
        self._fabric, self._width = fabric, width
        self._names = node_names(fabric.program.network)
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
        routers = []
        for node, name in enumerate(self._names):
            table = self._fabric.tables[self._fabric.table[node]]
            router = Router(table, width=self._width, form=self._fabric.form)
            m.submodules[f"node_{name}"] = router
            routers.append(router)
            if self._fabric.tables[self._fabric.table[node]].trees:
                wiring.connect(m, wiring.flipped(getattr(self, f"inject_{name}")), router.inject)
            wiring.connect(m, router.eject, wiring.flipped(getattr(self, f"eject_{name}")))
        for node, port, there, arrival in self._fabric.links():
            sender, receiver = routers[node], routers[there]
            wiring.connect(m, getattr(sender, f"out_{port}"), getattr(receiver, f"in_{arrival}"))
        return m
