"""A guard before a sink that may stop taking words, so that what is behind it goes on."""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out


class Guard(wiring.Component):
    """Lets words pass, until one has been refused for too long: then those behind it are lost.

    The word that was refused stays at the output, which never takes back what it has offered. While
    it does, every word that comes is taken and lost. When the sink takes that word, words pass
    again from the next cycle on.

    Parameters
    ----------
    shape : shape-like
        Of a word.
    cycles : int
        For how many cycles in a row a word may be refused, at least 1.

    Members
    -------
    i : In(stream.Signature(shape))
        Words that come; one that is offered waits for less than ``cycles`` cycles.
    o : Out(stream.Signature(shape))
        Words that pass.
    absent : Out(2)
        Bit 0 while the sink is given no words, and bit 1 while one is lost.
    """

    def __init__(self, shape: Any, *, cycles: int) -> None:
        if cycles < 1:
            raise ValueError(f"cycles must be at least 1, not {cycles!r}")
        self._shape, self._cycles = shape, cycles
        word = stream.Signature(shape)
        super().__init__({"i": In(word), "o": Out(word), "absent": Out(2)})

    def elaborate(self, platform: object) -> Module:
        """Count for how long a word has been refused, and keep it."""
        m = Module()
        last = self._cycles - 1
        kept = Signal(self._shape, reset_less=True)
        absent, leaves = Signal(name="absent"), Signal(name="leaves")
        # Whether words are taken whatever the sink does: those that are lost, and in the last cycle
        # in which one may be refused that one, too. A register, as it leads to all that is before.
        takes = Signal(init=last == 0)
        refused = Signal(range(self._cycles + 1))
        waits = self.i.valid & ~self.o.ready & ~absent
        m.d.comb += [
            leaves.eq(waits & takes),
            self.o.valid.eq(self.i.valid | absent),
            self.o.payload.eq(Mux(absent, kept, self.i.payload)),
            self.i.ready.eq(self.o.ready | takes),
            self.absent.eq(Cat(absent, absent & self.i.valid)),
        ]
        # While it is absent, and when it comes back, nothing has been refused.
        m.d.sync += [
            refused.eq(Mux(waits & ~takes, refused + 1, 0)),
            absent.eq(Mux(absent, ~self.o.ready, leaves)),
            takes.eq(
                Mux(absent, ~self.o.ready, leaves | (waits & (refused == last - 1))) if last else 1
            ),
        ]
        with m.If(leaves):
            m.d.sync += kept.eq(self.i.payload)
        return m
