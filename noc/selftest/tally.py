"""Adds up what all endpoints tell in a cycle, a level of a tree in each cycle."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["Tally", "delay"]


def delay(count: int) -> int:
    """Cycles from so many bits to their sum."""
    return max(1, (count - 1).bit_length())


class Tally(wiring.Component):
    """How many of some bits are set, a few cycles later.

    Parameters
    ----------
    count : int
        Number of bits.

    Members
    -------
    bits : In(count)
        The bits.
    sum : Out(range(count + 1))
        How many were set ``delay`` cycles ago.
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError(f"count must be at least 1, not {count!r}")
        self._count = count
        super().__init__({"bits": In(count), "sum": Out(range(count + 1))})

    def elaborate(self, platform: object) -> Module:
        """Add neighbours, then neighbouring sums, with registers between."""
        m = Module()
        level, most = list(self.bits), 1
        for height in range(delay(self._count)):
            most *= 2
            pairs = [level[place : place + 2] for place in range(0, len(level), 2)]
            level = [
                Signal(range(min(most, self._count) + 1), name=f"sum_{height}_{place}")
                for place in range(len(pairs))
            ]
            for total, pair in zip(level, pairs, strict=True):
                m.d.sync += total.eq(sum(pair))
        m.d.comb += self.sum.eq(level[0])
        return m
