"""What stands at each node. This is the part to fill in."""

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.design import AnyDesign

#: Words that each sender gives in a run.
WORDS = 4


def senders(design: AnyDesign) -> list[int]:
    """The nodes that send in this example: all that may, or the first of them."""
    sources = list(design.program.sources)
    # One at a time is for designs that see to it that the network is idle between two of them.
    return sources[:1] if design.sources == "one" else sources


class ProcessingElement(wiring.Component):
    """Broadcasts some numbers, and adds up all that comes from the other nodes.

    Parameters
    ----------
    design : Design or OrderedDesign
        The network.
    number : int
        Its node, as the design counts nodes. Words can call it by another number, which
        ``BroadcastNetwork.numbers`` has by its name.
    inject, eject : wiring.Member
        The streams of its node; ``inject`` is None where the node may not send.

    Members
    -------
    start : In(1)
        Begin.
    total : Out(width)
        The sum of all that came since the last start.
    done : Out(1)
        Whether all has come.
    inject, eject : Out, In(stream.Signature)
        To the network, and from it.
    """

    def __init__(
        self,
        design: AnyDesign,
        number: int,
        *,
        inject: wiring.Member | None,
        eject: wiring.Member,
    ) -> None:
        sending = senders(design)
        self._width, self._number = design.width, number
        self._gives = WORDS if number in sending else 0
        self._awaits = WORDS * len([sender for sender in sending if sender != number])
        members = {"start": In(1), "total": Out(design.width), "done": Out(1), "eject": eject}
        super().__init__(members if inject is None else members | {"inject": inject})

    def elaborate(self, platform):
        """Each word is taken as soon as it comes: an element never holds up the network."""
        m = Module()
        came = Signal(range(self._awaits + 1))
        # The data are the lowest bits of a word; above them may stand the number of its source.
        data = Value.cast(self.eject.payload)[: self._width]
        m.d.comb += [self.eject.ready.eq(1), self.done.eq(came == self._awaits)]
        with m.If(self.start):
            m.d.sync += [came.eq(0), self.total.eq(0)]
        with m.Elif(self.eject.valid):
            m.d.sync += [came.eq(came + 1), self.total.eq(self.total + data)]
        if self._gives:
            self._give(m)
        return m

    def _give(self, m: Module) -> None:
        """The numbers that follow each other from the number of the node times ``WORDS`` on."""
        left, first = Signal(range(self._gives + 1)), self._number * WORDS
        number = Signal(self._width)
        m.d.comb += [self.inject.valid.eq(left != 0), self.inject.payload.eq(number)]
        with m.If(self.start):
            m.d.sync += [left.eq(self._gives), number.eq(first % 2**self._width)]
        with m.Elif(self.inject.valid & self.inject.ready):
            m.d.sync += [left.eq(left - 1), number.eq(number + 1)]
