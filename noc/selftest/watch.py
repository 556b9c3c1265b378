"""What counts on one chip of several, which no other tells when rounds begin or end."""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.selftest.conductor import Lengths, count_alarms, grant_laps, leading
from noc.selftest.report import LINK, NUMBER_BITS, NUMBERS, WATCHED
from noc.selftest.words import Words

#: What judges tell of words on a chip.
WATCHED_EVENTS = ("right", "wrong", "missing", "extra", "silent")


class Watch(wiring.Component):
    """Counts in rounds of equal length, while words go on without end.

    It watches one stream after the other: the next when all nodes that should have got a word of it
    have. Until all streams have come, and all links are there, the other chips may be missing.
    """

    def __init__(self, words: Words, lengths: Lengths, *, lap: int, links: int) -> None:
        self._words, self._lengths, self._lap = words, lengths, lap
        # Words do not end, so that nothing is listened for.
        super().__init__(
            leading(words, lengths, WATCHED_EVENTS, [*WATCHED, *LINK * links])
            | {
                # Of each link.
                "down": In(links),
                "faulty": In(links),
                # The stream that is watched, from ``again`` on.
                "watched": Out(words.stream_bits),
                "again": Out(1),
                # In place of ``passed`` while others are missing.
                "waits": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Clear once, then count."""
        m = Module()
        left, ends, runs = Signal(range(self._lengths.cycles + 1)), Signal(), Signal()
        m.d.comb += [self.clear.eq(~runs), self.sending.eq(runs)]
        with m.If(~runs):
            m.d.sync += [self.sweep.eq(self.sweep + 1), left.eq(self._lengths.cycles)]
            with m.If(self.sweep == self._lengths.sweep - 1):
                m.d.sync += [self.sweep.eq(0), runs.eq(1)]
        m.d.comb += ends.eq(runs & (left == 0) & ~self.report_busy & ~self.report)
        with m.If(ends):
            m.d.sync += left.eq(self._lengths.cycles)
        with m.Elif(left != 0):
            m.d.sync += left.eq(left - 1)
        m.d.sync += self.report.eq(ends)
        if self._words.laps:
            grant_laps(m, self._lap, self, self.sent)
        late = left < self._lengths.cycles // 2
        self._judge(m, ends, self._watch(m, ends, runs, late))
        self._count(m, ends, runs)
        return m

    def _watch(self, m: Module, ends: Signal, runs: Signal, late: Value) -> tuple[Value, Value]:
        """Whether the same stream is silent for half a round; and whether all have come once.

        What was heard early in a round says nothing of its end. In half a round all can be heard.
        """
        wait, moved, lapped = Signal(range(self._lengths.settle + 1)), Signal(), Signal()
        goes_on = runs & (wait == 0) & (self.silent == 0)
        silent = Mux(moved, 0, self.silent)
        # Then ``watched`` is the new one.
        m.d.sync += self.again.eq(~runs | goes_on)
        m.d.sync += [moved.eq(goes_on & late | moved & ~ends), wait.eq(Mux(wait == 0, 0, wait - 1))]
        with m.If(~runs | goes_on):
            m.d.sync += wait.eq(self._lengths.settle)
        with m.If(goes_on):
            m.d.sync += [self.watched.eq(self.watched + 1)]
            m.d.sync += lapped.eq(lapped | self.watched.all())
        with m.If(ends):
            place = len(NUMBERS)
            m.d.sync += [self.numbers[place].eq(silent), self.numbers[place + 1].eq(self.watched)]
        return silent.any(), lapped

    def _judge(self, m: Module, ends: Signal, heard: tuple[Value, Value]) -> None:
        """The verdict of a round."""
        (silent, lapped), started = heard, Signal()
        bad, down = Signal(), Signal()
        alarms = [alarm.any() for alarm in [*self.more][: count_alarms(self._words)]]
        now = Cat(self.wrong, self.missing, self.extra, *alarms).any()
        m.d.sync += [bad.eq(now | bad & ~ends), down.eq(self.down.any() | down & ~ends)]
        lacks = down | silent
        fails = bad | lacks & started
        passes = ~bad & ~lacks & lapped
        with m.If(ends):
            m.d.sync += [self.passed.eq(passes), self.waits.eq(~fails & ~passes)]
            m.d.sync += [self.failed.eq(self.failed | fails), started.eq(started | passes)]
        with m.If(self.clear):
            m.d.sync += [bad.eq(0), down.eq(0)]

    def _count(self, m: Module, ends: Signal, runs: Signal) -> None:
        """Show the numbers of the round that ends, and count on."""
        totals = [getattr(self, name) for name in NUMBERS[2:]]
        links: list[Value] = []
        for place in range(len(self.down)):
            links += [self.down[place], self.faulty[place]]
        by: list[Any] = [runs, *totals, *links, *self.more]
        shown = [*self.numbers[1 : len(NUMBERS)], *self.numbers[len(NUMBERS) + len(WATCHED) :]]
        with m.If(ends):
            m.d.sync += self.numbers[0].eq(self.numbers[0] + 1)
        for place, (number, more) in enumerate(zip(shown, by, strict=True)):
            count = Signal(NUMBER_BITS, name=f"count_{place}")
            m.d.sync += count.eq(Mux(ends | ~runs, 0, count) + more)
            with m.If(ends):
                m.d.sync += number.eq(count)
