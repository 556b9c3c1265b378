"""Counts what the endpoints of all nodes signal, in each cycle and at barriers."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BarrierWatch", "Tally", "delay"]


def delay(count: int) -> int:
    """Cycles from ``count`` bits to their sum."""
    return max(1, (count - 1).bit_length())


class Tally(wiring.Component):
    """How many of some bits are set, added up by a level of a tree in each cycle.

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
            pairs = [level[first : first + 2] for first in range(0, len(level), 2)]
            shape = range(min(most, self._count) + 1)
            level = [Signal(shape, name=f"sum_{height}_{n}") for n in range(len(pairs))]
            m.d.sync += [total.eq(sum(pair)) for total, pair in zip(level, pairs, strict=True)]
        m.d.comb += self.sum.eq(level[0])
        return m


class BarrierWatch(wiring.Component):
    """Counts the members that wait at a barrier, and those of them that are still to be released.

    Members wait for the barrier's word before they give the next one. When the first is released,
    all of them must have given theirs in an earlier cycle; until the last is, nobody needs to.

    Parameters
    ----------
    nodes : int
        How many can come or be released in a cycle.
    members : int
        How many must come.

    Members
    -------
    clear : In(1)
        Forget everything.
    entered, released : In(range(nodes + 1))
        How many have come in a cycle, and how many were released in the same.
    early : Out(1)
        Somebody is released too early, or again.
    """

    def __init__(self, nodes: int, members: int) -> None:
        self._nodes, self._members = nodes, members
        counts = {name: In(range(nodes + 1)) for name in ("entered", "released")}
        super().__init__({"clear": In(1), **counts, "early": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """What is broken may release more than ever came: the counts stay where they are then."""
        m = Module()
        waiting, left = Signal(range(2 * self._nodes + 1)), Signal(range(self._nodes + 1))
        begins, early = Signal(), Signal()
        m.d.comb += [
            begins.eq(self.released.any() & (left == 0)),
            early.eq(
                Mux(begins, waiting < self._members, self.released > left)
                | (self.released > waiting)
            ),
        ]
        m.d.sync += self.early.eq(early & ~self.clear)
        m.d.sync += waiting.eq(waiting + self.entered - Mux(early, 0, self.released))
        with m.If(~early):
            m.d.sync += left.eq(Mux(begins, self._members, left) - self.released)
        with m.If(self.clear):
            m.d.sync += [waiting.eq(0), left.eq(0)]
        return m
