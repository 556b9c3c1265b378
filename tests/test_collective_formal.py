# amaranth: UnusedElaboratable=no
"""Proofs about the join and the dispatch of ``docs/collectives.md``, for ever."""

from itertools import pairwise
from pathlib import Path

import pytest
from amaranth.hdl import Assert, Assume, Cat, Const, Cover, Module, ResetSignal, Signal, Value
from amaranth.lib import data, wiring
from formal import tool
from formal.ordered_faults import Mutation, parts_with

from noc.hardware.ordered.dispatch import Dispatch
from noc.hardware.ordered.join import Join
from noc.programs.ordered import compile_ordered
from noc.programs.word_format import WordFormat

pytestmark = pytest.mark.skipif(tool.missing() is not None, reason=str(tool.missing()))

WIDTH = 2
LAYOUT = data.StructLayout({"data": WIDTH, "choice": 1, "last": 1, "node": 1})
OPERATORS, TO_NODE = ("sum", "bxor"), (False, True)


class JoinBench(wiring.Component):
    """A join whose neighbours do what they like, beside a queue of what its words are together."""

    def __init__(self, slots: int, built=Join) -> None:
        super().__init__({})
        self._slots = slots
        self.part = built(LAYOUT, operators=OPERATORS, to_node=TO_NODE, slots=slots)

    @property
    def ports(self) -> list[Signal]:
        """The join's, which stay ports of the bench."""
        return [Value.cast(value) for _, _, value in self.part.signature.flatten(self.part)]

    def elaborate(self, _platform) -> Module:
        m = Module()
        m.submodules.part = part = self.part
        first, second, out = part.first, part.second, part.o
        m.d.comb += Assume(~ResetSignal())
        taken, given = first.valid & first.ready, out.valid & out.ready
        words = [Signal(LAYOUT.size, name=f"word_{place}") for place in range(self._slots + 1)]
        held = Signal(range(self._slots + 1))
        m.d.sync += held.eq(held + taken - given)
        with m.If(given):
            m.d.sync += [now.eq(after) for now, after in pairwise(words)]
        for place, word in enumerate(words[:-1]):
            with m.If(taken & (held - given == place)):
                m.d.sync += word.eq(self._together())
        room = held < self._slots
        if self._slots == 1:
            room = room | out.ready
        one, other = first.payload, second.payload
        header = (one.choice != other.choice) | (one.last != other.last)
        header = header | (one.choice & (one.node != other.node))
        m.d.comb += [
            # A word of both or of none; each exactly once, and in order.
            Assert(taken == (second.valid & second.ready)),
            Assert(~first.valid | (first.ready == (room & second.valid))),
            Assert(~second.valid | (second.ready == (room & first.valid))),
            Assert(out.valid == (held != 0)),
            Assert(~out.valid | (Cat(out.payload) == words[0])),
            Assert(part.mismatch == (first.valid & second.valid & header)),
            Cover((held == self._slots) & taken & given if self._slots == 1 else held == 2),
            Cover(part.mismatch & taken),
        ]
        return m

    def _together(self) -> Value:
        one, other = self.part.first.payload, self.part.second.payload
        total = (one.data + other.data)[:WIDTH]
        data_ = [
            (one.choice & (one.data[n] ^ other.data[n])) | (~one.choice & total[n])
            for n in range(WIDTH)
        ]
        return Cat(*data_, one.choice, one.last, one.node)


@pytest.mark.parametrize("slots", [1, 2])
def test_a_join_takes_one_word_of_each_and_keeps_their_order(tmp_path: Path, slots: int) -> None:
    assert tool.prove(tmp_path, JoinBench(slots)).status == "PASS"


def test_the_promises_are_about_something(tmp_path: Path) -> None:
    assert tool.cover(tmp_path, JoinBench(2), depth=8).status == "PASS"


FAULTS = {
    "fires early": ("both.eq(self.first.valid & self.second.valid)", "both.eq(self.first.valid)"),
    "a word counted twice": (
        "self.first.ready.eq(buffer.i.ready & self.second.valid)",
        "self.first.ready.eq(0)",
    ),
    "a word lost": (
        "self.second.ready.eq(buffer.i.ready & self.first.valid)",
        "self.second.ready.eq(buffer.i.ready)",
    ),
    "a wrong header": ("Cat(self.first.payload))", "Cat(self.second.payload))"),
    "a mismatch not told": ("first[name] != second[name]", "Const(0)"),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_planted_fault_breaks_a_promise(tmp_path: Path, fault: tuple[str, str]) -> None:
    built = parts_with(Mutation("join", *fault)).Join
    assert tool.prove(tmp_path, JoinBench(2, built), traces=False).status == "FAIL"


class DispatchBench(wiring.Component):
    """The own words of a node, in a network where some can be wrong."""

    def __init__(self, built=Dispatch) -> None:
        super().__init__({})
        operations = ["broadcast", "all_reduce:sum", "reduce:max", "barrier@a", "send"]
        program = compile_ordered("star:3", operations=operations, groups={"a": [1]})
        words = WordFormat(WIDTH, 6, True, program.operations)
        self.part = built(program.plan_of(0), words)

    @property
    def ports(self) -> list[Signal]:
        """Those of the dispatch."""
        return [Value.cast(value) for _, _, value in self.part.signature.flatten(self.part)]

    def elaborate(self, _platform) -> Module:
        m = Module()
        m.submodules.part = part = self.part
        word = part.i.payload
        there = word.node < 6
        sent = (word.operation == 0) | ((word.operation == 4) & there)
        joined = (word.operation == 1) | ((word.operation == 2) & there)
        m.d.comb += [
            Assert(part.sent.valid == (part.i.valid & sent)),
            Assert(part.join_0.valid == (part.i.valid & joined)),
            Assert(part.dropped == (part.i.valid & ~sent & ~joined)),
            Assert(~(part.i.valid & sent) | (part.i.ready == part.sent.ready)),
            Assert(~(part.i.valid & joined) | (part.i.ready == part.join_0.ready)),
            Assert(~part.dropped | part.i.ready),
            Assert(Cat(part.sent.payload) == Cat(word)),
            Assert(~(part.i.valid & joined) | (part.join_0.payload.choice == word.operation[1])),
            Cover(part.dropped & (word.operation == 4)),
        ]
        # Nothing is stored; a register lets the tool have a clock.
        clocked = Signal()
        m.d.sync += clocked.eq(Const(1))
        return m


def test_each_word_goes_where_its_operation_says(tmp_path: Path) -> None:
    assert tool.prove(tmp_path, DispatchBench()).status == "PASS"
    assert tool.cover(tmp_path, DispatchBench(), depth=3).status == "PASS"


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("~named | there", "Const(1)"),
        ("right.append(mine)", "right.append(Const(0))"),
        ("self.i.valid & mine)", "self.i.valid)"),
    ],
)
def test_a_fault_in_the_dispatch_is_seen(tmp_path: Path, right: str, wrong: str) -> None:
    built = parts_with(Mutation("dispatch", right, wrong)).Dispatch
    assert tool.prove(tmp_path, DispatchBench(built), traces=False).status == "FAIL"
