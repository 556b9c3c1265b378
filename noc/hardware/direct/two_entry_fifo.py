"""The buffers of routers: a FIFO of two words that shows its next head, and one of one word."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class TwoEntryFifo(wiring.Component):
    """A FIFO of two words, the head and a spare, which lies on the bus where words come in.

    Parameters
    ----------
    width : int
        Bits of a word.

    Members
    -------
    free : Out(1)
        Whether a slot is free.
    push : In(1)
        Store ``word``, if a slot is free.
    word : In(width)
        See ``push``; zeros where no slot is free.
    pop : In(1)
        Remove the head.
    occupied : Out(1)
        Whether there is a head.
    head : Out(width)
        The oldest word.
    next_head : Out(width)
        The word that will be the head in the next cycle, if ``load``.
    load : Out(1)
        Whether there is another head in the next cycle, or none.
    """

    def __init__(self, width: int) -> None:
        super().__init__(
            {
                # A register, so that a link's ready can be one. The stubs do not know `init`.
                "free": Out(1, init=1),  # type: ignore[call-arg]
                "push": In(1),
                "word": In(width),
                "pop": In(1),
                "occupied": Out(1),
                "head": Out(width),
                "next_head": Out(width),
                "load": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """The spare is one more source of the bus on which words come in."""
        m = Module()
        spare, full = Signal.like(self.word), ~self.free
        m.d.comb += [
            self.next_head.eq(self.word | (spare & full.replicate(len(spare)))),
            self.load.eq(~self.occupied | self.pop),
        ]
        with m.If(self.load):
            m.d.sync += [self.head.eq(self.next_head), self.occupied.eq(full | self.push)]
        with m.If(self.free):
            m.d.sync += spare.eq(self.next_head)
        m.d.sync += self.free.eq(self.load | (self.free & ~self.push))
        return m


class OneEntry(TwoEntryFifo):
    """The same for words that leave in the cycle after they came: a slot is always free."""

    def elaborate(self, platform: object) -> Module:
        """Store what comes."""
        m = Module()
        m.d.comb += [self.free.eq(1), self.next_head.eq(self.word), self.load.eq(1)]
        m.d.sync += [self.head.eq(self.word), self.occupied.eq(self.push)]
        return m
