"""A stand-in: while a stream's own words are not waited for, another word in their place."""

from typing import Any

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out


class StandIn(wiring.Component):
    """Lets words pass, or gives one and the same word as often as it is taken, and lets them wait.

    It changes from one to the other between words only: what it has offered stays until it is
    taken.

    Parameters
    ----------
    shape : shape-like
        Of a word.
    word : value
        What it gives.

    Members
    -------
    i : In(stream.Signature(shape))
        Words that come; they wait while it stands in.
    away : In(1)
        Whether it is to stand in: it does from the next cycle on, or from that after the word that
        is offered has been taken; likewise it ends.
    o : Out(stream.Signature(shape))
        Words that pass, and its own.
    """

    def __init__(self, shape: Any, *, word: Any) -> None:
        self._word, member = word, stream.Signature(shape)
        super().__init__({"i": In(member), "away": In(1), "o": Out(member)})

    def elaborate(self, platform: object) -> Module:
        """Choose, and choose again when nothing is offered that was not taken."""
        m = Module()
        stands = Signal()
        m.d.comb += [
            self.o.valid.eq(self.i.valid | stands),
            self.o.payload.eq(Mux(stands, self._word, self.i.payload)),
            self.i.ready.eq(self.o.ready & ~stands),
        ]
        with m.If(self.o.ready | ~self.o.valid):
            m.d.sync += stands.eq(self.away)
        return m
