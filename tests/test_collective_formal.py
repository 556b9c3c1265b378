"""Proofs about the join and the dispatch of ``docs/collectives.md``, for ever."""

from itertools import pairwise
from pathlib import Path

import pytest
from amaranth.hdl import Assert, Assume, Cat, Const, Cover, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib import data, wiring
from formal import tool
from formal.ordered_faults import Mutation, network_with, parts_with

from noc.design import build_ordered
from noc.hardware import BroadcastNetwork
from noc.hardware.ordered import node as parts
from noc.hardware.ordered.dispatch import Dispatch
from noc.programs.ordered import compile_ordered
from noc.programs.ordered_config import OrderedConfig
from noc.programs.word_format import WordFormat

pytestmark = tool.proofs

WIDTH = 2
LAYOUT = data.StructLayout({"data": WIDTH, "choice": 1, "last": 1, "node": 1})
WITH_VOID = data.StructLayout({**LAYOUT.members, "void": 1})
OPERATORS, TO_NODE = ("sum", "bxor"), (False, True)


class PartBench(wiring.Component):
    """What has the ports of its part."""

    @property
    def ports(self) -> list[Signal]:
        return tool.ports_of(self.part)


class JoinBench(PartBench):
    """A join whose neighbours do what they like, beside a queue of what its words are together."""

    def __init__(self, slots: int, built=parts, layout: data.StructLayout = LAYOUT) -> None:
        super().__init__({})
        self._slots, self._layout = slots, layout
        self.part = built.Join(
            layout,
            combine=built.Combiner(layout, OPERATORS),
            differ=lambda one, other: built.headers_differ(one, other, TO_NODE),
            slots=slots,
        )

    def elaborate(self, _platform) -> Module:
        m = Module()
        m.submodules.part = part = self.part
        first, second = part.first, part.second
        # A register lets the tool have a clock.
        clocked = Signal()
        m.d.sync += clocked.eq(Const(1))
        m.d.comb += Assume(~ResetSignal())
        m.d.comb += self._held(m) if self._slots else self._passed()
        one, other = first.payload, second.payload
        header = (one.choice != other.choice) | (one.last != other.last)
        header = header | (one.choice & (one.node != other.node))
        if self._layout is WITH_VOID:
            header = header & ~one.void & ~other.void
        m.d.comb += [
            Assert(part.mismatch == (first.valid & second.valid & header)),
            Cover(part.mismatch & first.valid & first.ready),
        ]
        return m

    def _passed(self) -> list:
        """Without a buffer both go on at once, together."""
        first, second, out = self.part.first, self.part.second, self.part.o
        return [
            Assert(out.valid == (first.valid & second.valid)),
            Assert(~out.valid | (Cat(out.payload) == self._together())),
            Assert(~first.valid | (first.ready == (out.ready & second.valid))),
            Assert(~second.valid | (second.ready == (out.ready & first.valid))),
            Cover(out.valid & out.ready),
        ]

    def _held(self, m: Module) -> list:
        """What the buffer must hold, and give."""
        first, second, out = self.part.first, self.part.second, self.part.o
        taken, given = first.valid & first.ready, out.valid & out.ready
        words = [
            Signal(self._layout.size, name=f"word_{place}") for place in range(self._slots + 1)
        ]
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
        return [
            # A word of both or of none; each exactly once, and in order.
            Assert(taken == (second.valid & second.ready)),
            Assert(~first.valid | (first.ready == (room & second.valid))),
            Assert(~second.valid | (second.ready == (room & first.valid))),
            Assert(out.valid == (held != 0)),
            Assert(~out.valid | (Cat(out.payload) == words[0])),
            Cover((held == self._slots) & taken & given if self._slots == 1 else held == 2),
        ]

    def _together(self) -> Value:
        one, other = self.part.first.payload, self.part.second.payload
        total = (one.data + other.data)[:WIDTH]
        data_ = [
            (one.choice & (one.data[n] ^ other.data[n])) | (~one.choice & total[n])
            for n in range(WIDTH)
        ]
        word = Cat(*data_, one.choice, one.last, one.node)
        if self._layout is WITH_VOID:
            return Mux(one.void, Cat(other), Mux(other.void, Cat(one), word))
        return word


@pytest.mark.cases(1)
@pytest.mark.parametrize("slots", [0, 1, 2])
def test_a_join_takes_one_word_of_each_and_keeps_their_order(tmp_path: Path, slots: int) -> None:
    tool.prove(tmp_path, JoinBench(slots)).check("PASS")


@pytest.mark.cases(1, ci=1)
@pytest.mark.parametrize("slots", [0, 1, 2])
def test_a_void_word_leaves_the_other_as_it_is(tmp_path: Path, slots: int) -> None:
    tool.prove(tmp_path, JoinBench(slots, layout=WITH_VOID)).check("PASS")


@pytest.mark.ci
@pytest.mark.parametrize("slots", [0, 2])
def test_the_promises_are_about_something(tmp_path: Path, slots: int) -> None:
    tool.cover(tmp_path, JoinBench(slots), depth=8).check("PASS")


FAULTS = {
    "fires early": Mutation(
        "join", "both.eq(self.first.valid & self.second.valid)", "both.eq(self.first.valid)"
    ),
    "a word counted twice": Mutation(
        "join", "self.first.ready.eq(room & self.second.valid)", "self.first.ready.eq(0)"
    ),
    "a word lost": Mutation(
        "join", "self.second.ready.eq(room & self.first.valid)", "self.second.ready.eq(room)"
    ),
    "a wrong header": Mutation("operators", "_delayed(m, first[n])", "_delayed(m, b[n])"),
    "a mismatch not told": Mutation("operators", "field != second[name]", "Const(0)"),
}


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_planted_fault_breaks_a_promise(tmp_path: Path, fault: Mutation) -> None:
    built = parts_with(fault)
    tool.prove(tmp_path, JoinBench(2, built), traces=False).check("FAIL")


VOID_FAULTS = {
    "the wrong word goes on": Mutation(
        "operators", 'Mux(a["void"], b[name], a[name])', 'Mux(b["void"], b[name], a[name])'
    ),
    "a void word has data": Mutation("operators", 'a["void"] | b["void"]', 'a["void"]'),
    "a void word has a header": Mutation(
        "operators", '~(first["void"] | second["void"])', '~first["void"]'
    ),
}


@pytest.mark.cases(1, ci=2)
@pytest.mark.parametrize("fault", VOID_FAULTS.values(), ids=VOID_FAULTS)
def test_a_fault_with_void_words_breaks_a_promise(tmp_path: Path, fault: Mutation) -> None:
    built = parts_with(fault)
    tool.prove(tmp_path, JoinBench(0, built, WITH_VOID), traces=False).check("FAIL")


class DispatchBench(PartBench):
    """The own words of a node, in a network where some can be wrong."""

    def __init__(self, built=Dispatch) -> None:
        super().__init__({})
        operations = ["broadcast", "all_reduce:sum", "reduce:max", "barrier@a", "send"]
        program = compile_ordered("star:3", operations=operations, groups={"a": [1]})
        words = WordFormat(WIDTH, 6, True, program.operations)
        self.part = built(program.plan_of(0), words)

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


class NetworkBench(PartBench):
    """A whole network whose nodes give what they like, or nothing ever, and whose sinks are ready.

    Node 0 is the root and node 1 a leaf, both members of both groups. The broadcasts of one pass
    its words that wait, and as long as it has got the results of all words that it gave to a group,
    that group takes its next one.
    """

    #: A broadcast waits for one that has the turn at each of its two merges, and for their buffers.
    HELD_UP = 5

    def __init__(self, *, node: int = 1, queue: int = 1, built=BroadcastNetwork) -> None:
        super().__init__({})
        design = build_ordered(
            "complete:3",
            operations=["broadcast", "barrier", "barrier@pair"],
            groups={"pair": [0, 1]},
            width=1,
            config=OrderedConfig(group_queue=queue, source_numbers=False, own_words=True),
        )
        self.part, self._room, self._node = built(design), queue, node

    def elaborate(self, _platform) -> Module:
        m = Module()
        m.submodules.part = part = self.part
        m.d.comb += Assume(~ResetSignal())
        for name in part.names:
            m.d.comb += Assume(getattr(part, f"eject_{name}").ready)
        sides = (f"{side}_{part.names[self._node]}" for side in ("inject", "eject"))
        inject, eject = (getattr(part, side) for side in sides)
        sends = inject.valid & (inject.payload.operation == 0)
        waits = Signal(range(self.HELD_UP + 2))
        with m.If(~sends | inject.ready):
            m.d.sync += waits.eq(0)
        with m.Elif(waits <= self.HELD_UP):
            m.d.sync += waits.eq(waits + 1)
        m.d.comb += [Assert(waits <= self.HELD_UP), Cover(waits == self.HELD_UP)]
        for number in (1, 2):
            gives = inject.valid & (inject.payload.operation == number)
            gets = eject.valid & (eject.payload.operation == number)
            # What waits, what is on the way, and one more.
            given = Signal(4, name=f"given_{number}")
            m.d.sync += given.eq(given + (gives & inject.ready) - gets)
            m.d.comb += [
                Assert(~gives | (given >= self._room) | inject.ready),
                Cover(gives & ~inject.ready),
            ]
        return m


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("queue", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("node", [0, 1])
def test_words_that_wait_hold_up_no_others(tmp_path: Path, node: int, queue: int) -> None:
    tool.prove(tmp_path, NetworkBench(node=node, queue=queue)).check("PASS")


@pytest.mark.ci
def test_words_wait_in_the_network_of_that_proof(tmp_path: Path) -> None:
    tool.cover(tmp_path, NetworkBench(), depth=12).check("PASS")


#: What takes the buffer away in which the words of a node wait: the root's, and that at the parent
#: of the leaf.
STRAIGHT = {
    0: Mutation("node", "if not plan.waiting:", "if True:"),
    1: Mutation(
        "node",
        "wiring.connect(m, wiring.flipped(operand), buffer.i)\n"
        "            streams.append(buffer.o)",
        "streams.append(wiring.flipped(operand))",
    ),
}


@pytest.mark.ci
@pytest.mark.parametrize("node", STRAIGHT)
def test_without_a_buffer_for_words_that_wait_others_wait_too(tmp_path: Path, node: int) -> None:
    bench = NetworkBench(node=node, built=network_with(STRAIGHT[node]).BroadcastNetwork)
    tool.prove(tmp_path, bench, traces=False).check("FAIL")


@pytest.mark.ci
def test_each_word_goes_where_its_operation_says(tmp_path: Path) -> None:
    tool.prove(tmp_path, DispatchBench()).check("PASS")
    tool.cover(tmp_path, DispatchBench(), depth=3).check("PASS")


@pytest.mark.cases(1)
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
    tool.prove(tmp_path, DispatchBench(built), traces=False).check("FAIL")
