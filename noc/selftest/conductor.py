"""The order of a round, clear, run, drain, listen, report, and what is counted in it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.selftest.report import ALARMS, EACH, NUMBER_BITS, NUMBERS
from noc.selftest.rounds import RoundWords
from noc.selftest.words import Words

#: Cycles without a transfer after which words that are missing will not come.
STUCK_CYCLES = 4096

#: Cycles for which nothing must come after the last word.
LISTEN_CYCLES = 256


@dataclass(frozen=True)
class Lengths:
    """How long the parts of a round last."""

    #: In each phase another source sends, or in the only one all.
    phases: int
    #: Cycles in which the sources send in each phase.
    cycles: int
    #: Cycles in which everything is cleared.
    sweep: int
    #: Cycles after which a new word is certainly counted.
    settle: int


def count_alarms(words: Words | RoundWords) -> int:
    """How many of the further numbers of a report are alarms."""
    return len(ALARMS) if words.reported else 0


def leading(
    words: Words | RoundWords, lengths: Lengths, events: Sequence[str], own: Sequence[str] = ()
) -> dict[str, Any]:
    """The members of what leads the endpoints and counts these events of judges.

    A report has the numbers ``own`` before those of operations.
    """
    more = count_alarms(words) + len(EACH) * len(words.reported)
    return {
        # How many words at once.
        "sent": In(range(words.injects + 1)),
        **{name: In(range(words.ejects + 1)) for name in events},
        # By how much each further number grows: the alarms, with which no round passes, and what is
        # reported of each operation.
        "more": In(range(words.nodes + 1)).array(more),
        "report_busy": In(1),
        # The part of the round; in ``listening`` sinks are always ready.
        "clear": Out(1),
        "sending": Out(1),
        "listening": Out(1),
        # The nodes may run one more lap.
        "grant": Out(1),
        # Counts the cycles of ``clear``.
        "sweep": Out(range(lengths.sweep)),
        # Report the numbers, those of ``NUMBERS`` and the further ones, which are constant until
        # the report is done; whether the last round passed, and whether any failed.
        "report": Out(1),
        "numbers": Out(NUMBER_BITS).array(len(NUMBERS) + len(own) + more),
        "passed": Out(1),
        "failed": Out(1),
    }


class Conductor(wiring.Component):
    """Leads the endpoints through rounds, and counts.

    A round clears everything, lets the sources send, waits until every word has arrived
    everywhere or nothing moves any more, listens for what should not come, and has the result
    reported. With several phases, the sources send one after the other, each when the words of
    the one before have arrived.
    """

    def __init__(self, words: Words | RoundWords, lengths: Lengths) -> None:
        self._words, self._lengths = words, lengths
        super().__init__(
            leading(words, lengths, ("right", "wrong", "extra"))
            | {
                # How many words are to arrive for those that were sent in the cycle before.
                "expected": In(range(words.most_owed + 1)),
                # Of the round that has begun more words will be given.
                "busy": In(1),
                "phase": Out(range(lengths.phases)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Count beside the states."""
        m = Module()
        total = dict(zip(NUMBERS, self.numbers, strict=False))
        missing, extra = Signal(signed(NUMBER_BITS)), Signal(NUMBER_BITS)
        # A broken network may repeat words so that they seem right: what was not sent is extra.
        surplus = missing < 0
        m.d.comb += total["missing"].eq(Mux(surplus, 0, missing))
        m.d.comb += total["extra"].eq(Mux(surplus, extra - missing, extra))
        self._count(m, total, missing, extra)
        self._states(m, total, missing, extra)
        return m

    def _count(self, m: Module, total: Any, missing: Any, extra: Any) -> None:
        """Add up; a word is missing from when it is offered until it is right everywhere."""
        copies, right = Signal.like(self.expected), Signal.like(self.right)
        m.d.sync += [copies.eq(self.expected), right.eq(self.right)]
        m.d.sync += missing.eq(missing + copies - right)
        for name in ("sent", "right", "wrong"):
            m.d.sync += total[name].eq(total[name] + getattr(self, name))
        m.d.sync += extra.eq(extra + self.extra)
        m.d.sync += total["cycles"].eq(total["cycles"] + (self.sending | (missing > 0)))
        further = self.numbers[len(NUMBERS) :]
        m.d.sync += [count.eq(count + by) for count, by in zip(further, self.more, strict=True)]
        with m.If(self.clear):
            m.d.sync += [count.eq(0) for count in (missing, extra, copies, right, *further)]
            m.d.sync += [total[name].eq(0) for name in ("cycles", "sent", "right", "wrong")]

    def _laps(self, m: Module) -> Value:
        """Grant a lap when few words of those before are owed; whether none is."""
        if not self._words.laps:
            return Const(1)
        # As late as the words that are expected for them.
        sent = [Signal.like(self.sent, name=f"sent_{late}") for late in range(2)]
        m.d.sync += [late.eq(now) for late, now in zip(sent, (self.sent, *sent), strict=False)]
        with m.If(self.clear):
            m.d.sync += [late.eq(0) for late in sent]
        return grant_laps(m, self._words.words_of_lap, self, sent[1]) == 0

    def _states(self, m: Module, total: Any, missing: Any, extra: Any) -> None:
        phases, cycles = self._lengths.phases, self._lengths.cycles
        longest = max(cycles, STUCK_CYCLES, LISTEN_CYCLES, self._lengths.settle)
        left, idle = Signal(range(longest + 1)), Signal(range(STUCK_CYCLES + 1))
        stuck, complete = Signal(), Signal()
        m.d.comb += complete.eq((missing <= 0) & self._laps(m) & ~self.busy)
        moved = self.sent.any() | self.right.any()
        m.d.sync += idle.eq(Mux(moved, 0, idle + 1))
        with m.If(left != 0):
            m.d.sync += left.eq(left - 1)
        with m.FSM() as fsm:
            m.d.comb += [
                self.clear.eq(fsm.ongoing("CLEAR")),
                self.sending.eq(fsm.ongoing("RUN")),
                self.listening.eq(fsm.ongoing("LISTEN")),
                self.report.eq(fsm.ongoing("REPORT")),
            ]
            with m.State("CLEAR"):
                m.d.sync += [self.sweep.eq(self.sweep + 1), left.eq(cycles)]
                m.d.sync += [self.phase.eq(0), stuck.eq(0)]
                with m.If(self.sweep == self._lengths.sweep - 1):
                    m.d.sync += [self.sweep.eq(0), total["round"].eq(total["round"] + 1)]
                    m.next = "RUN"
            with m.State("RUN"), m.If(left == 0):
                m.d.sync += [left.eq(self._lengths.settle), idle.eq(0)]
                m.next = "DRAIN"
            with m.State("DRAIN"), m.If(left == 0):
                with m.If(complete & (self.phase != phases - 1)):
                    m.d.sync += [self.phase.eq(self.phase + 1), left.eq(cycles)]
                    m.next = "RUN"
                with m.Elif(complete | (idle == STUCK_CYCLES)):
                    m.d.sync += [stuck.eq(~complete), left.eq(LISTEN_CYCLES)]
                    m.next = "LISTEN"
            with m.State("LISTEN"), m.If(left == 0):
                further = self.numbers[len(NUMBERS) :][: count_alarms(self._words)]
                wrong = Cat(missing, extra, total["wrong"], *further).any() | stuck
                passed = total["sent"].any() & ~wrong
                m.d.sync += [self.passed.eq(passed), self.failed.eq(self.failed | ~passed)]
                m.next = "REPORT"
            with m.State("REPORT"):
                m.next = "REPORTING"
            with m.State("REPORTING"), m.If(~self.report_busy):
                m.next = "CLEAR"


def grant_laps(m: Module, lap: int, whose: Any, sent: Value) -> Signal:
    """Grant a lap of so many words when few of those before are owed; how many are."""
    owed = Signal(signed((4 * lap).bit_length() + 1))
    m.d.comb += whose.grant.eq(whose.sending & (owed < 2 * lap))
    m.d.sync += owed.eq(owed + Mux(whose.grant, lap, 0) - sent)
    with m.If(whose.clear):
        m.d.sync += owed.eq(0)
    return owed


#: The signals of a node by their names.
Signals = Mapping[str, Any]


def delay(count: int) -> int:
    """Cycles from ``count`` bits to their sum."""
    return max(1, (count - 1).bit_length())


class Tally(wiring.Component):
    """The number of ``bits`` that were set ``delay`` cycles ago, added up by a tree."""

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
    """

    def __init__(self, nodes: int, members: int) -> None:
        self._nodes, self._members = nodes, members
        counts = {name: In(range(nodes + 1)) for name in ("entered", "released")}
        # How many have come in a cycle, and how many were released in the same; whether somebody is
        # released too early, or again.
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


def _times(count: int, value: Value) -> Value:
    """A multiple, added up by hand, since a synthesis tool would take a multiplier for it."""
    shifts = [bit for bit in range(count.bit_length()) if count >> bit & 1]
    return sum((value << bit for bit in shifts), Const(0))


def count(
    m: Module,
    words: Words | RoundWords,
    conductor: Conductor,
    givers: Sequence[Signals],
    judges: Sequence[Signals],
) -> None:
    """Add up what the givers and the judges of all streams signal."""
    count_events(m, words, conductor, ("right", "wrong", "extra"), givers, judges)
    expected: Value = Const(0)
    for some, sent in words.owed(givers).items():
        expected += _times(some, _tally(m, f"for_{some}", sent))
    m.d.sync += conductor.expected.eq(expected)
    if busy := [each["busy"] for each in givers if "busy" in each]:
        m.d.comb += conductor.busy.eq(_tally(m, "busy", busy).any())


def count_events(
    m: Module,
    words: Words | RoundWords,
    conductor: Any,
    events: Sequence[str],
    givers: Sequence[Signals],
    judges: Sequence[Signals],
) -> None:
    """Add up what is sent, these events of judges, and what is reported of operations."""
    for event in ("sent", *events):
        whose = givers if event == "sent" else judges
        total = _tally(m, event, (each[event].any() for each in whose))
        m.d.comb += getattr(conductor, event).eq(total)
    if isinstance(words, Words) and words.reported:
        _count_operations(m, words, conductor, givers, judges)


def _tally(m: Module, name: str, bits: Iterable[Any]) -> Value:
    """How many are set, a few cycles later."""
    listed = [*bits]
    m.submodules[f"tally_{name}"] = adder = Tally(len(listed))
    m.d.comb += adder.bits.eq(Cat(listed))
    total: Value = adder.sum
    return total


def _count_operations(
    m: Module,
    words: Words,
    conductor: Any,
    givers: Sequence[Signals],
    judges: Sequence[Signals],
) -> None:
    """Add up the alarms, and the words of each operation."""

    def of_operation(event: str, number: int) -> Value:
        whose = givers if event == "sent" else judges
        return _tally(m, f"{event}_{number}", (each[event][number] for each in whose))

    alarms = [
        _tally(m, name, (each[name].any() if name in each else Const(0) for each in givers))
        for name in ALARMS[:2]
    ]
    early: Value = Const(0)
    numbers: list[Value] = []
    for number, operation in enumerate(words.listed):
        numbers += [of_operation("sent", number), of_operation("right", number)]
        if operation.kind == "barrier":
            watch = BarrierWatch(len(givers), len(words.counted(number)))
            m.submodules[f"barrier_{number}"] = watch
            m.d.comb += [
                watch.clear.eq(conductor.clear),
                watch.entered.eq(numbers[-2]),
                watch.released.eq(of_operation("released", number)),
            ]
            early += watch.early
    more = [*alarms, early, *numbers]
    m.d.comb += [to.eq(of) for to, of in zip(conductor.more, more, strict=True)]
