"""The whole: the network with a processing element at each node."""

from amaranth.hdl import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hardware.element import ProcessingElement
from noc.design import AnyDesign
from noc.hardware import BroadcastNetwork


def connect(m, one, other):
    """Connect the stream of an element, or each of a list of them."""
    for pair in zip(one, other, strict=True) if isinstance(one, list) else [(one, other)]:
        wiring.connect(m, *pair)


class System(wiring.Component):
    """The network and its processing elements, which ``start`` in the same cycle.

    ``done`` is up when all elements are done; ``total_NAME`` is the result of each node.
    """

    def __init__(self, design: AnyDesign) -> None:
        self.network = BroadcastNetwork(design)
        self.names = self.network.names
        # What goes into the network comes out of an element, and the other way round.
        streams = dict(self.network.signature.flip().members)
        self.elements = [
            ProcessingElement(
                design,
                number,
                # A node that may not send has no stream for it.
                inject=streams.get(f"inject_{name}"),
                eject=streams[f"eject_{name}"],
            )
            for number, name in enumerate(self.names)
        ]
        totals = {f"total_{name}": Out(design.width) for name in self.names}
        super().__init__({"start": In(1), "done": Out(1), **totals})

    def elaborate(self, platform):
        """Connect the streams of each element with those of its node."""
        m = Module()
        m.submodules.network = self.network
        for name, element in zip(self.names, self.elements, strict=True):
            m.submodules[f"element_{name}"] = element
            for side in ("inject", "eject"):
                if hasattr(element, side):
                    connect(m, getattr(element, side), getattr(self.network, f"{side}_{name}"))
            m.d.comb += [
                element.start.eq(self.start),
                getattr(self, f"total_{name}").eq(element.total),
            ]
        m.d.comb += self.done.eq(Cat(element.done for element in self.elements).all())
        return m
