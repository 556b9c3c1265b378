"""The order of a round: clear, run, drain, listen, report."""

from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.selftest.report import NUMBER_BITS
from noc.selftest.text import ALARMS, EACH, NUMBERS
from noc.selftest.words import Words

__all__ = ["Conductor", "Lengths"]

#: While words are missing and none has moved for so many cycles, none will.
STUCK_CYCLES = 4096

#: Cycles for which nothing must come after the last word.
LISTEN_CYCLES = 256


@dataclass(frozen=True)
class Lengths:
    """How long the parts of a round last.

    Parameters
    ----------
    phases : int
        How many phases a round has; in each another source sends, or in the only one all.
    cycles : int
        For how many cycles the sources send in each phase.
    sweep : int
        For how many cycles everything is cleared.
    settle : int
        Cycles after which a new word is certainly counted.
    """

    phases: int
    cycles: int
    sweep: int
    settle: int


class Conductor(wiring.Component):
    """Leads the endpoints through rounds, and counts.

    A round clears everything, lets the sources send, waits until every word has arrived
    everywhere or nothing moves any more, listens for what should not come, and has the result
    reported. With several phases, the sources send one after the other, each when the words of
    the one before have arrived.

    Parameters
    ----------
    words : Words
        What the nodes give.
    lengths : Lengths
        How long the parts of a round last.

    Members
    -------
    sent, right, wrong, extra : In(range(nodes + 1))
        How many words at once.
    expected : In(range(copies + 1))
        How many words are to arrive for those that were ``sent`` in the cycle before.
    more : In(range(nodes + 1)).array(more)
        By how much each further number grows: the alarms, with which no round passes, and what is
        reported of each operation.
    report_busy : In(1)
        A report is on its way.
    clear, sending, listening : Out(1)
        What is going on; ``listening`` asks for sinks that are always ready.
    grant : Out(1)
        The nodes may run one more lap.
    sweep : Out(range(lengths.sweep))
        Counts the cycles of ``clear``.
    phase : Out(range(phases))
        Which phase it is.
    report : Out(1)
        Report ``numbers`` and ``passed``, constant until the report is done.
    numbers : Out(NUMBER_BITS).array(len(NUMBERS) + more)
        The numbers of the round, as ``NUMBERS`` names them, and the further ones.
    passed, failed : Out(1)
        Whether the last round passed, and whether any failed.
    """

    def __init__(self, words: Words, lengths: Lengths) -> None:
        self._words, self._lengths = words, lengths
        reported, nodes = len(words.reported), words.nodes
        self._alarms = len(ALARMS) if reported else 0
        more = self._alarms + len(EACH) * reported
        copies = nodes * sum(max(words.copies(n).values()) for n in range(len(words.listed)))
        super().__init__(
            {
                **{name: In(range(nodes + 1)) for name in ("sent", "right", "wrong", "extra")},
                "expected": In(range(copies + 1)),
                "more": In(range(nodes + 1)).array(more),
                "report_busy": In(1),
                "clear": Out(1),
                "sending": Out(1),
                "listening": Out(1),
                "grant": Out(1),
                "sweep": Out(range(lengths.sweep)),
                "phase": Out(range(lengths.phases)),
                "report": Out(1),
                "numbers": Out(NUMBER_BITS).array(len(NUMBERS) + more),
                "passed": Out(1),
                "failed": Out(1),
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
        lap = self._words.words_of_lap
        owed = Signal(signed((4 * lap).bit_length() + 1))
        # As late as the words that are expected for them.
        sent = [Signal.like(self.sent, name=f"sent_{late}") for late in range(2)]
        m.d.sync += [late.eq(now) for late, now in zip(sent, (self.sent, *sent), strict=False)]
        m.d.comb += self.grant.eq(self.sending & (owed < 2 * lap))
        m.d.sync += owed.eq(owed + Mux(self.grant, lap, 0) - sent[1])
        with m.If(self.clear):
            m.d.sync += [count.eq(0) for count in (owed, *sent)]
        return owed == 0

    def _states(self, m: Module, total: Any, missing: Any, extra: Any) -> None:
        phases, cycles = self._lengths.phases, self._lengths.cycles
        longest = max(cycles, STUCK_CYCLES, LISTEN_CYCLES, self._lengths.settle)
        left, idle = Signal(range(longest + 1)), Signal(range(STUCK_CYCLES + 1))
        stuck, complete = Signal(), Signal()
        m.d.comb += complete.eq((missing <= 0) & self._laps(m))
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
                further = self.numbers[len(NUMBERS) :][: self._alarms]
                wrong = Cat(missing, extra, total["wrong"], *further).any() | stuck
                passed = total["sent"].any() & ~wrong
                m.d.sync += [self.passed.eq(passed), self.failed.eq(self.failed | ~passed)]
                m.next = "REPORT"
            with m.State("REPORT"):
                m.next = "REPORTING"
            with m.State("REPORTING"), m.If(~self.report_busy):
                m.next = "CLEAR"
