"""What joins tokens: the tree by which it is known that all nodes have words for a round."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class Tally(wiring.Component):
    """Gives a token for each one of every input.

    For each input it counts the tokens that others still lack.

    Parameters
    ----------
    inputs : int
        How many there are.
    most : int
        Tokens that an input may have given before the others, at most.

    Members
    -------
    i : In(inputs)
        A bit for each: it gives a token in this cycle.
    o : Out(1)
        A token, in the same cycle as the last one that it needs.
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
        there = [token | (count != 0) for token, count in zip(self.i, counts, strict=True)]
        m.d.comb += self.o.eq(Cat(there).all())
        for token, count in zip(self.i, counts, strict=True):
            m.d.sync += count.eq(count + token - self.o)
        return m
