"""Proofs about nodes with one eject stream: words leave in their order, and none is lost.

Unbounded, by ABC's property directed reachability, for all words, sinks, and times at which rounds
begin; with the room for words that the design has. A node never tells that it is ready for more
rounds than it has room for; and if no more are under way, each word leaves in its turn, as it came.
Words come as the timetable says. Which of them is looked at is anybody's choice.
"""

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from amaranth.hdl import Array, Assert, Assume, Cat, Const, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib import wiring
from formal import tool
from formal.planting import listed, planted

from noc.design import build_design
from noc.fabrics.timetable.design import TimetableDesign
from noc.hardware.timetable import merge, paced_router
from noc.hardware.timetable.router import RoundRouter
from noc.hardware.timetable.sum_router import SumRouter
from noc.programs.round_table import loop_of
from noc.programs.round_words import Place

pytestmark = pytest.mark.skipif(tool.missing() is not None, reason=str(tool.missing()))

#: Bits of a word: no bit depends on another one.
WIDTH = 1


def build(spec: str, exchange: str | None) -> TimetableDesign:
    options = {"fabric": "timetable", "start": "ready", "ejects": "one", "exchange": exchange}
    design = build_design(spec, width=WIDTH, **options)
    assert isinstance(design, TimetableDesign)
    return design


def merged(design: TimetableDesign, node: int, hardware: ModuleType = merge) -> Any:
    """The router of a node, and the memories behind it."""
    program, table = design.program, design.program.table_of(node)
    if program.exchange.adds:
        operator, loop = program.exchange.operator, loop_of(design.network)
        router = SumRouter(table, WIDTH, operator=operator, loop=loop, opened=True)
    else:
        router = RoundRouter(table, WIDTH, own_register=program.own_register, opened=True)
    return hardware.MergedRouter(router, design.words, rounds=program.room_rounds)


class NodeBench(wiring.Component):
    """A node with its reader, from reset on, with words of so many rounds as there is room for."""

    def __init__(
        self, design: TimetableDesign, hardware: ModuleType = merge, *, more: int = 0
    ) -> None:
        super().__init__({})
        program, node = design.program, design.receivers[0]
        #: How many rounds may be under way.
        self.most = program.room_rounds + more
        self.table, self.order = program.table_of(node), program.order_of(node)
        self.rounds, self.last = program.room_rounds, self.table.round - 1
        self.router = merged(design, node, hardware)
        self.reader: Any = hardware.Reader(
            self.order, program.arrivals(node), design.words, rounds=self.rounds
        )
        self.phase = Signal(range(max(2, self.table.round)))
        #: Whether the next round has words, and whether words come that only pass; which word of
        #: which of the rounds for which there is room is looked at.
        self.begins, self.passes = Signal(), Signal()
        self.slot, self.which = Signal(range(self.rounds)), Signal(range(len(self.order)))
        self.choices = Signal.like(self.slot), Signal.like(self.which)

    @property
    def ports(self) -> list[Any]:
        """What is free, and all ports of the node."""
        return [self.begins, self.passes, *self.choices, *tool.ports_of(self.router)]

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.submodules.router, m.submodules.reader = router, reader = self.router, self.reader
        wiring.connect(m, router.seen, reader.seen)
        wiring.connect(m, reader.row, router.row)
        m.d.sync += self.phase.eq(Mux(self.phase == self.last, 0, self.phase + 1))
        m.d.comb += [Assume(~ResetSignal()), Assert(router.phase == self.phase)]
        turn, place, ends = self._leave(m)
        there, newest = self._come(m, ends)
        self._look(m, there & (newest == self.slot), (turn == self.slot) & (place == self.which))
        return m

    def _leave(self, m: Module) -> tuple[Signal, Signal, Value]:
        """Words leave in their order: the turn of their round, their place, if it is the last."""
        eject = self.router.eject
        turn, place = Signal(range(self.rounds)), Signal(range(len(self.order)))
        last = place == len(self.order) - 1
        ends = eject.valid & eject.ready & last
        with m.If(eject.valid & eject.ready):
            m.d.sync += place.eq(Mux(last, 0, place + 1))
        with m.If(ends):
            m.d.sync += turn.eq(Mux(turn == self.rounds - 1, 0, turn + 1))
        number = Array(Const(each.number, 8) for each in self.order)[place]
        right = (eject.payload.source == number) & (eject.payload.end_of_round == last)
        m.d.comb += Assert(~eject.valid | right)
        return turn, place, ends

    def _come(self, m: Module, ends: Value) -> tuple[Signal, Signal]:
        """Whether the words of a round come, and of which turn."""
        under_way, there = Signal(range(self.most + 1)), Signal()
        turn = Signal(range(self.rounds), init=self.rounds - 1)
        begins = (self.phase == self.last) & self.begins & (under_way != self.most)
        m.d.sync += under_way.eq(under_way + begins - ends)
        m.d.comb += Assert(~self.router.eject.valid | (under_way != 0))
        with m.If(self.phase == self.last):
            m.d.sync += there.eq(begins)
        with m.If(begins):
            m.d.sync += turn.eq(Mux(turn == self.rounds - 1, 0, turn + 1))
        for lane, port in enumerate(self.table.lanes):
            own = [each for each in self.order if each.lane == lane]
            valid: Value = Cat(self.phase == self._link_phase(each) for each in own).any()
            if self.table.takes is not None:
                valid |= self.passes
            m.d.comb += getattr(self.router, f"in_{port}").valid.eq(there & valid)
        return there, turn

    def _link_phase(self, place: Place) -> int:
        """The phase in which a word is on the link."""
        return (place.phase - 1) % self.table.round

    def _look(self, m: Module, comes: Value, leaves: Value) -> None:
        """A word is the same when it leaves."""
        first, word, eject = Signal(init=1), Signal(WIDTH), self.router.eject
        m.d.sync += first.eq(0)
        with m.If(first):
            m.d.sync += [self.slot.eq(self.choices[0]), self.which.eq(self.choices[1])]
        for number, each in enumerate(self.order):
            link = getattr(self.router, f"in_{self.table.lanes[each.lane]}")
            on_link = (self.which == number) & (self.phase == self._link_phase(each))
            with m.If(comes & on_link):
                m.d.sync += word.eq(link.payload)
        m.d.comb += Assert(~(leaves & eject.valid) | (eject.payload.data == word))


class TellingBench(wiring.Component):
    """A node from reset on: for how many rounds it has told that it is ready."""

    def __init__(self, design: TimetableDesign, hardware: ModuleType = paced_router) -> None:
        super().__init__({})
        program, node = design.program, design.receivers[0]
        self.rounds = program.room_rounds
        self.router: Any = hardware.FilledRouter(
            merged(design, node), rounds=program.kept_rounds, room=self.rounds
        )

    @property
    def ports(self) -> list[Any]:
        """All ports of the node."""
        return tool.ports_of(self.router)

    def elaborate(self, _platform: object) -> Module:
        m = Module()
        m.submodules.router = router = self.router
        m.d.comb += Assume(~ResetSignal())
        eject = router.eject
        told = Signal(range(self.rounds + 2))
        ends = eject.valid & eject.ready & eject.payload.end_of_round
        # No more rounds end than were told of.
        m.d.comb += [Assume(~ends | (told != 0)), Assert(told <= self.rounds)]
        m.d.sync += told.eq(told + router.filled.valid - ends)
        return m


def proven(folder: Path, bench: Any) -> str:
    return tool.prove(folder, bench, traces=False).check("PASS", "FAIL")


DESIGNS = [
    *(("best:4", "gather"), ("mesh:2,2", "gather"), ("star:3", "gather")),
    *(("mesh:2,2", None), ("ring:4", None), ("mesh:2,2", "all_to_all")),
]

SUMS = [("complete:4", "all_reduce:bor"), ("ring:3", "all_reduce:sum")]


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize(("spec", "exchange"), DESIGNS)
def test_words_leave_in_their_order_and_none_is_lost(
    spec: str, exchange: str | None, tmp_path: Path
) -> None:
    assert proven(tmp_path, NodeBench(build(spec, exchange))) == "PASS"


@pytest.mark.cases(1, ci=3)
@pytest.mark.parametrize(("spec", "exchange"), [*DESIGNS, *SUMS])
def test_a_node_is_ready_for_no_more_rounds_than_it_has_room_for(
    spec: str, exchange: str | None, tmp_path: Path
) -> None:
    assert proven(tmp_path, TellingBench(build(spec, exchange))) == "PASS"


@pytest.mark.ci
def test_with_one_round_more_under_way_words_would_be_lost(tmp_path: Path) -> None:
    assert proven(tmp_path, NodeBench(build("best:4", "gather"), more=1)) == "FAIL"


FAULTS = {
    name: (f"hardware.timetable.{module}", *texts)
    for name, texts, (module,) in listed("""
words before those of a round are there: merge
  there, last = waiting != 0,
  there, last = waiting >= 0,
words that are named twice: merge
  place.eq(Mux(last, 0, place + 1))
  place.eq(Mux(last | (place == 1), 0, place + 1))
a lane that keeps its place: merge
  with m.If(lane.valid & self.row.ends[number]):
  with m.If(lane.valid & self.row.ends[number] & (number != 1)):
words of the wrong lane: merge
  Array(words)[which]
  Array(words[::-1])[which]
an end too early: merge
  row.last.eq(last)
  row.last.eq(place == 0)
a sink that is not asked: merge
  ~self.eject.valid | self.eject.ready
  1
words of another round: merge
  self._place(self.row.phase, self.row.turn)
  self._place(self.row.phase, 0 * self.row.turn)
room for one round more: paced_router
  most=max(self._rounds, self._room), first=self._room
  most=1 + max(self._rounds, self._room), first=self._room + 1
room that is given back with each word: paced_router
  eq(self._router.freed.valid)
  eq(self._router.eject.valid & self._router.eject.ready)
""")
}

#: What is copied, so that each uses those before it.
MODULES = tuple(f"hardware.timetable.{name}" for name in ("pacer", "merge", "paced_router"))


@pytest.mark.cases(1, ci=3)
@pytest.mark.parametrize("name", FAULTS)
def test_the_proof_fails_with_a_planted_fault(name: str, tmp_path: Path) -> None:
    where, right, wrong = FAULTS[name]
    hardware = planted(MODULES[: MODULES.index(where) + 1], where, right, wrong)
    kind = NodeBench if where == MODULES[1] else TellingBench
    assert proven(tmp_path, kind(build("mesh:2,2", "gather"), hardware)) == "FAIL"


@pytest.mark.ci
def test_the_proof_of_sums_fails_with_a_planted_fault(tmp_path: Path) -> None:
    hardware = planted(MODULES, *FAULTS["room for one round more"])
    bench = TellingBench(build("complete:4", "all_reduce:bor"), hardware)
    assert proven(tmp_path, bench) == "FAIL"
