"""Watches that a barrier lets nobody go before all have come."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["BarrierWatch"]


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
