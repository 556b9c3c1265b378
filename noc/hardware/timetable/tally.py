"""What counts until all have told."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Tally(wiring.Component):
    """Tells as often as all of some have told.

    For each of them it counts how often it has told more than the others.

    Parameters
    ----------
    inputs : int
        How many there are.
    most : int
        How much more often one may tell than another, at most.

    Members
    -------
    i : In(inputs)
        A bit for each: it tells in this cycle.
    o : Out(1)
        Whether all have, in the same cycle as the last one.
    """

    def __init__(self, inputs: int, *, most: int) -> None:
        self._most = most
        super().__init__({"i": In(inputs), "o": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """A counter for each, where there are several."""
        m = Module()
        if len(self.i) == 1:
            m.d.comb += self.o.eq(self.i)
            return m
        counts = [Signal(range(self._most + 1), name=f"count_{n}") for n in range(len(self.i))]
        there = [told | (count != 0) for told, count in zip(self.i, counts, strict=True)]
        m.d.comb += self.o.eq(Cat(there).all())
        for told, count in zip(self.i, counts, strict=True):
            m.d.sync += count.eq(count + told - self.o)
        return m
