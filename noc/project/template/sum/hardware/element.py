"""What stands at each node. This is the part to fill in."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.design import OrderedDesign

#: The operation of this example, one of those in network.toml.
OPERATION = "all_reduce:sum"


class ProcessingElement(wiring.Component):
    """Gives one number; the network adds up those of all nodes and brings each node the sum.

    Parameters
    ----------
    design : OrderedDesign
        The network.
    number : int
        Its node, as the design counts nodes. Words can call it by another number, which
        ``BroadcastNetwork.numbers`` has by its name.
    inject, eject : wiring.Member
        The streams of its node.

    Members
    -------
    start : In(1)
        Begin.
    total : Out(width)
        The sum, when it is done.
    done : Out(1)
        Whether the sum has come since the last start.
    inject, eject : Out, In(stream.Signature)
        To the network, and from it.
    """

    def __init__(
        self,
        design: OrderedDesign,
        number: int,
        *,
        inject: wiring.Member,
        eject: wiring.Member,
    ) -> None:
        self._number = number
        listed = [str(operation) for operation in design.operations.listed]
        # A word carries the place of its operation in the list, if there are several.
        self._operation = listed.index(OPERATION) if len(listed) > 1 else None
        super().__init__(
            {
                "start": In(1),
                "total": Out(design.width),
                "done": Out(1),
                "inject": inject,
                "eject": eject,
            }
        )

    def elaborate(self, platform):
        """Each word is taken as soon as it comes: an element never holds up the network."""
        m = Module()
        give, take, own = self.inject.payload, self.eject.payload, Signal()
        m.d.comb += [
            self.inject.valid.eq(own),
            give.data.eq(self._number + 1),
            # A message may have many words; the sum of each is formed, and these have one each.
            give.last.eq(1),
            self.eject.ready.eq(1),
        ]
        comes = self.eject.valid
        if self._operation is not None:
            m.d.comb += give.operation.eq(self._operation)
            comes = comes & (take.operation == self._operation)
        with m.If(self.start):
            m.d.sync += [own.eq(1), self.done.eq(0)]
        with m.Else():
            with m.If(self.inject.ready):
                m.d.sync += own.eq(0)
            with m.If(comes):
                m.d.sync += [self.total.eq(take.data), self.done.eq(1)]
        return m
