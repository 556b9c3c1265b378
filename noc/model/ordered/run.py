"""Runs of the ordered fabric's cycle model."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from noc.errors import CheckError, InputError
from noc.model import common
from noc.model.common import (
    DRAINED,
    FULL,
    LIMIT,
    NONE,
    STILL,
    Chunk,
    last_cycle,
    new_record,
)
from noc.model.ordered.data import Data
from noc.model.ordered.events import OrderedEvents, Values, bits_of
from noc.model.ordered.header import FIRST_RESULT
from noc.model.ordered.listed import Counts, Log, Offered, advance, feed_words, find_ways
from noc.model.ordered.state import Fixed, Layout, Registers, reset
from noc.model.ordered.streams import OrderedStream, fields_of
from noc.model.ordered.traffic import AnyCollective, CollectiveTraffic
from noc.model.ordered.words import unpack
from noc.model.signals import Signals, watch_in_parts
from noc.model.traffic import LongTraffic, Traffic
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram
from noc.programs.word_format import WordFormat

__all__ = [
    "AnyTraffic",
    "OrderedEnd",
    "OrderedEvent",
    "OrderedRun",
    "simulate_ordered",
    "stream_ordered",
    "watch_ordered",
]

#: Why a run ended, see :class:`OrderedRun`.
OrderedEnd = Literal["drained", "starved", "limit"]

_ENDS: dict[int, OrderedEnd] = {DRAINED: "drained", STILL: "starved", LIMIT: "limit"}

#: Broadcasts, or words with operations.
AnyTraffic = Traffic | LongTraffic | AnyCollective

#: Room for so many results of joins at a time, or for those of one cycle if they are more.
JOINS_AT_A_TIME = 1 << 16

_UNLISTED = np.zeros((0, 3), dtype=np.int64)
_UNJOINED = np.zeros((0, 2), dtype=np.int64)
_UNWATCHED = np.zeros((0, 0), dtype=np.int32)


@dataclass(frozen=True)
class OrderedEvent:
    """A transfer, or an alarm.

    Parameters
    ----------
    cycle : int
        When; cycle 0 is the first after reset.
    stream : OrderedStream
        Where.
    fields : dict
        The fields of the word, none of an alarm.
    """

    cycle: int
    stream: OrderedStream
    fields: dict[str, int]


@dataclass(frozen=True, eq=False)
class OrderedRun:
    """What a run gave.

    Parameters
    ----------
    program : OrderedProgram
        What ran.
    traffic : Traffic or CollectiveTraffic
        With which words and sinks.
    width : int or None
        Bits of a word's data, if the run knows them.
    end : str
        Why it ended. ``drained``: every word was accepted, and no node holds one. ``starved``: no
        word moves again, because a sink that is asked is never ready, or because words that others
        wait for are not given. ``limit``: the cycles that were asked for are over.
    cycles : int
        Number of cycles simulated.
    injected, delivered, passed : int
        Transfers at inject and at eject streams, and words that passed the root.
    listed : OrderedEvents or None
        What happened in each cycle; None if that was not asked for.
    """

    program: OrderedProgram = field(repr=False)
    traffic: Traffic | CollectiveTraffic = field(repr=False)
    width: int | None
    end: OrderedEnd
    cycles: int
    injected: int
    delivered: int
    passed: int
    listed: OrderedEvents | None = field(repr=False)

    @cached_property
    def events(self) -> OrderedEvents:
        """Every transfer at a stream, and every alarm."""
        return self._all.at_streams

    @cached_property
    def root(self) -> OrderedEvents:
        """Every word that passed the root."""
        return self._all.of_kind("root")

    @property
    def _all(self) -> OrderedEvents:
        if self.listed is None:
            raise ValueError("the run was not asked for its events")
        return self.listed

    @property
    def drained(self) -> bool:
        """Whether every word has arrived everywhere."""
        return self.end == "drained"

    @cached_property
    def accepted(self) -> IntArray:
        """The cycle in which each word was accepted at its inject stream, or -1."""
        return _cycles(self.traffic.words, self.events.of_kind("inject"))

    @cached_property
    def at_root(self) -> IntArray:
        """The cycle in which each word, unless it was joined, passed the root, or -1."""
        return _cycles(self.traffic.words, self.root)

    @cached_property
    def arrival(self) -> IntArray:
        """The cycle in which each node's sink took each word (words, nodes), or -1."""
        events, nodes = self.events.of_kind("eject"), self.program.network.nodes
        words, node = events.word, np.array([each.node for each in events.streams])[events.stream]
        place = (words * nodes + node)[words >= 0]
        if np.unique(place).size != place.size:
            raise CheckError(f"{self.program.network.spec}: a sink took a word twice")
        result = np.full((self.traffic.words, nodes), NONE, dtype=np.int64)
        result.flat[place] = events.cycle[words >= 0]
        return result

    @cached_property
    def order(self) -> IntArray:
        """The words that have passed the root, in their order."""
        return self.root.word

    @cached_property
    def offered(self) -> IntArray:
        """The first cycle in which each word was offered, or -1.

        That is when it is released, and the word of its source before it has been accepted.
        """
        offered = np.full(self.traffic.words, NONE, dtype=np.int64)
        for source in np.unique(self.traffic.source).tolist():
            words = np.flatnonzero(self.traffic.source == source)
            accepted = self.accepted[words]
            # What was not accepted holds up all that follows.
            before = np.concatenate([[-1], accepted[:-1]])
            first = np.maximum(self.traffic.release[words], before + 1)
            comes = (first < self.cycles) & ((before != NONE) | (np.arange(words.size) == 0))
            offered[words[comes]] = first[comes]
        return offered

    @cached_property
    def longest_wait(self) -> IntArray:
        """For each node the most words that passed the root while one of its own waited for that.

        Counted from the cycle in which the word is first offered to that of its passing, or to the
        end of the run, the word itself among them; 0 for nodes that offered none.
        """
        passes = np.sort(self.at_root[self.at_root != NONE])
        words = np.flatnonzero(self.offered != NONE)
        until = np.where(self.at_root[words] == NONE, self.cycles, self.at_root[words])
        waited = np.searchsorted(passes, until, side="right")
        waited -= np.searchsorted(passes, self.offered[words], side="left")
        longest = np.zeros(self.program.network.nodes, dtype=np.int64)
        np.maximum.at(longest, self.traffic.source[words], waited)
        return longest

    @cached_property
    def format(self) -> WordFormat:
        """The fields of words."""
        if self.width is None:
            raise ValueError("the run was not asked for the data of words: give width")
        return self.program.words(self.width)

    @cached_property
    def values(self) -> Values:
        """The fields of the word of every event at a stream."""
        return Values(self.events, self._data)

    @cached_property
    def bits(self) -> list[tuple[int, int, int]]:
        """Cycle, stream and bits of every event at a stream."""
        return bits_of(self.events, self.format, self._data)

    @cached_property
    def passing(self) -> list[tuple[int, int]]:
        """The cycle in which each word passed the root, and its bits there, as on a link."""
        words = bits_of(self.root, self.format, self._data)
        return [(cycle, bits) for cycle, _, bits in words]

    @cached_property
    def _data(self) -> Data:
        seed = self.traffic.seed if isinstance(self.traffic, Traffic) else None
        data = Data(self.program, self.format.width, seed)
        parts = [self.traffic] if isinstance(self.traffic, CollectiveTraffic) else []
        data.learn(parts, self.events.joins)
        return data

    def named(self) -> list[OrderedEvent]:
        """All events, with their fields by name."""
        streams = self.events.streams
        fields = [fields_of(stream, self.format) for stream in streams]
        return [
            OrderedEvent(cycle, streams[stream], unpack(bits, fields[stream]))
            for cycle, stream, bits in self.bits
        ]

    def at(self, kind: str, node: int, group: int = 0) -> list[tuple[int, dict[str, int]]]:
        """The cycle of each event at one stream or alarm, and the fields of its word."""
        streams = self.events.streams
        numbers = [
            number
            for number, stream in enumerate(streams)
            if (stream.kind, stream.node, stream.group) == (kind, node, group)
        ]
        return [
            (cycle, unpack(bits, fields_of(streams[stream], self.format)))
            for cycle, stream, bits in self.bits
            if stream in numbers
        ]


def _cycles(count: int, events: OrderedEvents) -> IntArray:
    """By word the cycle of its event, or NONE."""
    result, known = np.full(count, NONE, dtype=np.int64), events.word >= 0
    result[events.word[known]] = events.cycle[known]
    return result


def simulate_ordered(
    program: OrderedProgram,
    traffic: AnyTraffic,
    *,
    width: int | None = None,
    cycles: int | None = None,
    events: bool = True,
    rounds: int = 1,
) -> OrderedRun:
    """Run until every word has arrived, or none can move, or the cycles are over.

    Parameters
    ----------
    program : OrderedProgram
        What runs.
    traffic : Traffic, LongTraffic, CollectiveTraffic or LongCollective
        Words and sinks.
    width : int, optional
        Bits of a word's data, for whoever asks for these; they decide nothing.
    cycles : int, optional
        Simulate at most so many cycles.
    events : bool
        Whether to list every event.
    rounds : int
        How often each node gives all its words; their releases are those of the first time.
    """
    traffic = traffic.whole
    if rounds > 1 and events:
        raise InputError("rounds: one only, where events are listed")
    model = _Model(program, traffic, cycles, rounds=rounds, width=width)
    parts = list(model.run(events=events))
    counts = model.counts
    table = np.concatenate([table for _, table, _ in parts])
    joins = np.concatenate([joins for _, _, joins in parts])
    return OrderedRun(
        program=program,
        traffic=traffic,
        width=width,
        end=_ENDS[parts[-1][0]],
        cycles=int(counts.cycle),
        injected=int(counts.injected),
        delivered=int(counts.ejected),
        passed=int(counts.passed),
        listed=OrderedEvents(program, table, joins) if events else None,
    )


def stream_ordered(
    program: OrderedProgram,
    traffic: AnyTraffic,
    *,
    width: int | None = None,
    cycles: int | None = None,
) -> Iterator[Chunk]:
    """The same in constant memory: the events of some cycles after the other.

    Parameters
    ----------
    program, traffic, width, cycles
        As :func:`simulate_ordered` takes them.
    """
    # The data of words that have a seed need not be kept.
    model = _Model(program, traffic, cycles, width=width)
    kept = not isinstance(traffic, Traffic | LongTraffic)
    for code, table, joins in model.run(events=True, root=False):
        yield Chunk(
            OrderedEvents(program, table, joins),
            None,
            model.feed.take_fresh(),
            int(model.counts.cycle),
            int(model.counts.injected),
            _ENDS.get(code),
            model.oldest() if kept else (0, 0),
        )


def watch_ordered(program: OrderedProgram, traffic: AnyTraffic, cycles: int) -> Signals:
    """What all streams show in every cycle of a run, by their numbers.

    A stream that offers what several words will become shows the first of them.

    Parameters
    ----------
    program, traffic
        As :func:`simulate_ordered` takes them.
    cycles : int
        As many as the run had.
    """
    model = _Model(program, traffic.whole, cycles)
    signals = watch_in_parts(
        lambda part: model.advance(Log(_UNLISTED, _UNJOINED, part, False)),
        model.counts,
        (model.fixed.other + 1,),
    )
    return signals.of(model.fixed.streams)


class _Model:
    """The compiled form with everything that it works on."""

    def __init__(
        self,
        program: OrderedProgram,
        traffic: AnyTraffic,
        cycles: int | None,
        *,
        rounds: int = 1,
        width: int | None = None,
    ) -> None:
        if isinstance(traffic, Traffic | LongTraffic):
            traffic.check(program)
        else:
            traffic.check(program, width)
        layout = Layout(program)
        self.fixed = layout.fixed()
        self.feed = feed_words(program, traffic.draw(), layout.ways)
        self.counts, self._registers = new_record(Counts), reset(self.fixed)
        again = np.where(self.feed.given > 0, rounds - 1, 0)
        if rounds > 1:
            # All words are here, and stay.
            self.feed.more[:] = 0
        patience = max(traffic.ready.shape[0], program.config.watchdog + 1)
        # On their way through an operator words move unseen.
        patience += int(self.fixed.stages.max(initial=0))
        ways = find_ways(layout.ways)
        self._rest = ways, again, traffic.ready, patience, last_cycle(cycles)

    def run(self, *, events: bool, root: bool = True) -> Iterator[tuple[int, IntArray, IntArray]]:
        """Why it ended, its events, and the words of its joins, part by part."""
        joins = self.fixed.alarm.size
        rows = max(common.EVENTS_AT_A_TIME, self.fixed.other + 1 + joins) if events else 0
        pairs = max(JOINS_AT_A_TIME, joins) if events and joins else 0
        end = FULL
        while end == FULL:
            table = np.empty((rows, 3), dtype=np.int64)
            joined = np.empty((pairs, 2), dtype=np.int64)
            self.counts.room, begun = rows, int(self._registers.results[0])
            self._registers.results[1] = begun
            end = self.advance(Log(table, joined, _UNWATCHED, root))
            made = int(self._registers.results[0]) - begun if pairs else 0
            yield end, table[: rows - self.counts.room], joined[:made]

    def advance(self, log: Log) -> int:
        """Go on until a list is full, or the run ends."""
        return self.feed.go_on(
            lambda feed: advance(
                self.fixed, feed.offered(Offered, *self._rest), self._registers, self.counts, log
            )
        )

    def oldest(self) -> tuple[int, int]:
        """The first word, and the first result, that a node still holds or offers later."""
        feed, held = self.feed, _held(self._registers, self.fixed)
        if feed.columns:
            ends = zip(feed.next.tolist(), feed.end.tolist(), strict=True)
            held += [feed.columns[0][begin:end] for begin, end in ends]
        numbers = np.concatenate(held) >> self.fixed.bits
        results = FIRST_RESULT - numbers[numbers <= FIRST_RESULT]
        made = int(self._registers.results[0])
        return int(numbers[numbers >= 0].min(initial=feed.words)), int(results.min(initial=made))


def _held(registers: Registers, fixed: Fixed) -> list[IntArray]:
    """The words that buffers and queues hold."""
    slots, places = np.arange(registers.word.shape[1]), np.arange(fixed.queue)
    behind = (slots > 0) & (slots < fixed.stages[:, None]) & (registers.word != NONE)
    waiting = np.mod(places - registers.queue_first[:, None], max(1, fixed.queue))
    return [
        registers.word[(slots < registers.length[:, None]) | behind],
        registers.queue_word[waiting < registers.queue_length[:, None]],
    ]
