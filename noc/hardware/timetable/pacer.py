"""What all nodes of the timetable fabric agree on: standing still, and which rounds have words."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.programs.pauses import FAN, tree_sizes

#: What nodes tell, and are told, in every cycle.
TOLD = wiring.Signature({"valid": Out(1)})


class Pacer(wiring.Component):
    """Lets all nodes move on in a cycle, or none; and take words in a round, or none.

    Trees of registers bring what nodes tell to one place, and the answer back to each of them after
    the same number of cycles: no wire need be long, and none leads to many.

    Parameters
    ----------
    nodes : int
        How many there are.
    queued : bool
        Whether all stand still while the queue of any of them is full.
    round : int
        The cycles of a round.
    pulsed : bool
        Whether nodes move on for a round after each pulse, and no longer.
    givers : sequence of int
        The nodes that are told whether they take words; none where no round needs those of all.
    tellers : sequence of int
        The nodes that tell when they are ready for one more round: with words, or room for them.
    most : int
        For how many rounds a node may be.
    ahead : int
        The phase in which nodes are when they hear what is decided in the first cycle.

    Members
    -------
    full : In(TOLD).array(nodes), or absent
        While ``valid``, a queue of the node is full.
    pace : Out(TOLD).array(nodes), or absent
        In the cycles in which it is ``valid`` the node moves on; it is the same for all.
    start : In(1), or absent
        Whether a round is to begin, at once or when the one before has ended. One that is asked for
        while another one waits for that is lost.
    moves : Out(1), or absent
        The same as ``pace``, for what is outside.
    filled : In(TOLD).array(tellers), or absent
        In each cycle in which it is ``valid`` the node is ready for one more round.
    open : Out(TOLD).array(givers), or absent
        Whether the node takes words in the cycle after this one; it is the same for all.
    """

    def __init__(
        self,
        nodes: int,
        *,
        queued: bool,
        round: int,  # noqa: A002
        pulsed: bool = False,
        givers: Sequence[int] = (),
        tellers: Sequence[int] = (),
        most: int = 0,
        ahead: int = 0,
    ) -> None:
        self._nodes, self._queued, self._round = nodes, queued, round
        self._pulsed, self._givers, self._tellers = pulsed, givers, tellers
        self._most, self._ahead = most, ahead
        self._paced = queued or pulsed
        members = {}
        if queued:
            members["full"] = In(TOLD).array(nodes)
        if self._paced:
            members["pace"] = Out(TOLD).array(nodes)
        if pulsed:
            members["start"] = In(1)
        if self._paced:
            # Without pulses nodes move on from the first cycle after reset.
            members["moves"] = Out(1, init=not pulsed)  # type: ignore[call-arg] # the stubs lack it
        if givers:
            members["filled"] = In(TOLD).array(len(tellers))
            members["open"] = Out(TOLD).array(len(givers))
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        """Join what is told, decide, and spread the answer."""
        m = Module()
        moves: Value = Const(1)
        if self._queued:
            moves = ~self._join_full(m)
        if self._pulsed:
            moves = self._count(m, moves)
        if self._paced:
            above, paces = self._spread(m, "pace", moves, range(self._nodes), init=not self._pulsed)
            m.d.comb += [node.valid.eq(pace) for node, pace in zip(self.pace, paces, strict=True)]
            # A register of its own, so that no node waits for what is outside.
            m.d.sync += self.moves.eq(above[0])
        if self._givers:
            _, opens = self._spread(m, "open", self._open(m, moves), self._givers, False)
            m.d.comb += [node.valid.eq(each) for node, each in zip(self.open, opens, strict=True)]
        return m

    def _join_full(self, m: Module) -> Value:
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

    def _open(self, m: Module, moves: Value) -> Value:
        """Whether nodes take words in the round in which they will be when they are told so."""
        # The wires from the nodes are long.
        told: Sequence[Value] = [Signal(name=f"told_{node}") for node in self._tellers]
        m.d.sync += [each.eq(node.valid) for each, node in zip(told, self.filled, strict=True)]
        for level, size in enumerate(tree_sizes(len(self._tellers))):
            joined = [Signal(name=f"filled_{level}_{n}") for n in range(size)]
            for number, register in enumerate(joined):
                some = told[number * FAN : (number + 1) * FAN]
                tally = m.submodules[f"tally_{level}_{number}"] = Tally(len(some), most=self._most)
                m.d.comb += tally.i.eq(Cat(some))
                m.d.sync += register.eq(tally.o)
            told = joined
        phase, kept = Signal(range(self._round), init=self._ahead), Signal(range(self._most + 1))
        opens, ends = Signal(), Signal()
        some_kept = told[0] | (kept != 0)
        m.d.comb += ends.eq(moves & (phase == self._round - 1))
        with m.If(moves):
            m.d.sync += phase.eq(Mux(ends, 0, phase + 1))
        with m.If(ends):
            m.d.sync += opens.eq(some_kept)
        m.d.sync += kept.eq(kept + told[0] - (ends & some_kept))
        return opens

    def _spread(
        self, m: Module, name: str, value: Value, nodes: Sequence[int], init: bool
    ) -> tuple[dict[int, Value], list[Value]]:
        """Tell some nodes: the registers before the last ones, by their numbers, and the last."""
        above: dict[int, Value] = {}
        registers: dict[int, Value] = {0: value}
        for level, _ in reversed([*enumerate((self._nodes, *tree_sizes(self._nodes)[:-1]))]):
            above = registers
            leads = sorted({node // FAN**level for node in nodes})
            registers = {n: Signal(name=f"{name}_{level}_{n}", init=init) for n in leads}
            for number, register in registers.items():
                m.d.sync += register.eq(above[number // FAN])
        return above, [*registers.values()]


class Tally(wiring.Component):
    """Gives a token for each one of every input.

    For each input it counts the tokens that others still lack. An input may have given ``most``
    before the others; and the first one ``first``, before the first cycle.

    Members
    -------
    i : In(inputs)
        A bit for each: it gives a token in this cycle.
    o : Out(1)
        A token, in the same cycle as the last one that it needs.
    """

    def __init__(self, inputs: int, *, most: int, first: int = 0) -> None:
        self._most, self._first = most, first
        super().__init__({"i": In(inputs), "o": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """A counter for each, where there are several."""
        m = Module()
        if len(self.i) == 1 and not self._first:
            m.d.comb += self.o.eq(self.i)
            return m
        counts = [
            Signal(range(self._most + 1), name=f"count_{n}", init=self._first * (n == 0))
            for n in range(len(self.i))
        ]
        there = [token | (count != 0) for token, count in zip(self.i, counts, strict=True)]
        m.d.comb += self.o.eq(Cat(there).all())
        for token, count in zip(self.i, counts, strict=True):
            m.d.sync += count.eq(count + token - self.o)
        return m
