"""What lets all nodes of the timetable fabric stand still together."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.programs.pauses import FAN, tree_sizes

#: What nodes tell, and are told, in every cycle.
TOLD = wiring.Signature({"valid": Out(1)})


class Pacer(wiring.Component):
    """Lets all nodes move on in a cycle, or none.

    Trees of registers bring what nodes tell to one place, and the answer back to each of them after
    the same number of cycles: no wire need be long, and none leads to many.

    Parameters
    ----------
    nodes : int
        How many there are.
    queued : bool
        Whether all stand still while the queue of any of them is full.
    round : int
        The cycles for which they move on after a pulse; 0 where none is needed.

    Members
    -------
    full : In(TOLD).array(nodes), or absent
        While ``valid``, a queue of the node is full.
    pace : Out(TOLD).array(nodes)
        In the cycles in which it is ``valid`` the node moves on; it is the same for all.
    start : In(1), or absent
        Whether a round is to begin, at once or when the one before has ended. One that is asked for
        while another one waits for that is lost.
    moves : Out(1)
        The same as ``pace``, for what is outside.
    """

    def __init__(self, nodes: int, *, queued: bool, round: int) -> None:  # noqa: A002
        self._nodes, self._queued, self._round = nodes, queued, round
        super().__init__(
            {
                **({"full": In(TOLD).array(nodes)} if queued else {}),
                "pace": Out(TOLD).array(nodes),
                **({"start": In(1)} if round else {}),
                # Without pulses nodes move on from the first cycle after reset.
                "moves": Out(1, init=not round),  # type: ignore[call-arg] # the stubs lack it
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Join what is told, decide, and spread the answer."""
        m = Module()
        moves: Value = Const(1)
        if self._queued:
            moves = ~self._join(m)
        if self._round:
            moves = self._count(m, moves)
        self._spread(m, moves)
        return m

    def _join(self, m: Module) -> Value:
        """Whether any node tells that it is full."""
        told: Sequence[Value] = [node.valid for node in self.full]
        for level, size in enumerate(tree_sizes(self._nodes)):
            joined = [Signal(name=f"full_{level}_{n}") for n in range(size)]
            for number, register in enumerate(joined):
                m.d.sync += register.eq(Cat(told[number * FAN : (number + 1) * FAN]).any())
            told = joined
        return told[0]

    def _count(self, m: Module, may_move: Value) -> Value:
        """Whether a round goes on in this cycle."""
        left, asked = Signal(range(self._round + 1)), Signal()
        moves, begins = Signal(), Signal()
        m.d.comb += [
            moves.eq((left != 0) & may_move),
            begins.eq(asked & ((left == 0) | ((left == 1) & moves))),
        ]
        m.d.sync += [
            left.eq(Mux(begins, self._round, left - moves)),
            asked.eq(self.start | (asked & ~begins)),
        ]
        return moves

    def _spread(self, m: Module, moves: Value) -> None:
        """Tell all nodes, and what is outside."""
        paces, above = [moves], [moves]
        for level, size in reversed([*enumerate((self._nodes, *tree_sizes(self._nodes)[:-1]))]):
            above = paces
            paces = [Signal(name=f"pace_{level}_{n}", init=not self._round) for n in range(size)]
            for number, register in enumerate(paces):
                m.d.sync += register.eq(above[number // FAN])
        m.d.comb += [node.valid.eq(pace) for node, pace in zip(self.pace, paces, strict=True)]
        # A register of its own, so that no node waits for what is outside.
        m.d.sync += self.moves.eq(above[0])
