"""Runs of the ordered fabric's cycle model."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from noc.model.common import (
    DRAINED,
    LIMIT,
    NONE,
    STILL,
    Chunk,
    last_cycle,
    new_arrival,
    new_record,
    refuse_doubled,
    run_in_parts,
)
from noc.model.ordered.listed import Counts, Log, Offered, advance, feed_words
from noc.model.ordered.state import lay_out, reset
from noc.model.ordered.streams import OrderedStream, ordered_streams
from noc.model.signals import Signals, watch_in_parts
from noc.model.traffic import LongTraffic, Traffic
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram

__all__ = [
    "OrderedEnd",
    "OrderedEvents",
    "OrderedRun",
    "simulate_ordered",
    "stream_ordered",
    "watch_ordered",
]

#: Why a run ended, see :class:`OrderedRun`.
OrderedEnd = Literal["drained", "starved", "limit"]

_ENDS: dict[int, OrderedEnd] = {DRAINED: "drained", STILL: "starved", LIMIT: "limit"}

# No events, and no signals of streams.
_UNLISTED = np.zeros((0, 4), dtype=np.int32)
_UNWATCHED = np.zeros((0, 0), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class OrderedEvents:
    """Every transfer of a run, sorted by cycle, then stream.

    Parameters
    ----------
    streams : tuple of OrderedStream
        The streams by number.
    table : array (events, 4)
        Cycle, stream, word of the traffic, and the node that sent it.
    """

    COLUMNS: ClassVar[int] = 4

    streams: tuple[OrderedStream, ...] = field(repr=False)
    table: IntArray = field(repr=False)

    def __len__(self) -> int:
        return int(self.table.shape[0])

    @property
    def cycle(self) -> IntArray:
        """The cycle of each event; cycle 0 is the first after reset."""
        return self.table[:, 0]

    @property
    def stream(self) -> IntArray:
        """The number of its stream."""
        return self.table[:, 1]

    @property
    def word(self) -> IntArray:
        """The word, by its place in the traffic."""
        return self.table[:, 2]

    @property
    def source(self) -> IntArray:
        """The node that sent it."""
        return self.table[:, 3]

    def tuples(self) -> list[tuple[int, int, int]]:
        """(cycle, stream, word) of every event."""
        return [(cycle, stream, word) for cycle, stream, word in self.table[:, :3].tolist()]


@dataclass(frozen=True, eq=False)
class OrderedRun:
    """What a run gave.

    Parameters
    ----------
    program : OrderedProgram
        What ran.
    traffic : Traffic
        With which words and sinks.
    end : str
        Why it ended. ``drained``: every word was accepted, and no node holds one. ``starved``:
        no word moves again because the sinks that are asked are never ready. ``limit``: the cycles
        that were asked for are over.
    cycles : int
        Number of cycles simulated.
    injected, hops, delivered : int
        Transfers at inject streams, at up and down streams, and at eject streams.
    accepted : array (words)
        The cycle in which each word was accepted at its inject stream, or -1.
    passed : array (words)
        The cycle in which it passed the root, that is, left the buffer there, or -1.
    events : OrderedEvents or None
        Every transfer; None if it was not wanted.
    arrival : array (words, nodes) or None
        The cycle in which each node's sink took each word, or -1; None if it was not wanted.
    """

    program: OrderedProgram = field(repr=False)
    traffic: Traffic = field(repr=False)
    end: OrderedEnd
    cycles: int
    injected: int
    hops: int
    delivered: int
    accepted: IntArray = field(repr=False)
    passed: IntArray = field(repr=False)
    events: OrderedEvents | None = field(repr=False)
    arrival: IntArray | None = field(repr=False)

    @property
    def drained(self) -> bool:
        """Whether every word has arrived everywhere."""
        return self.end == "drained"

    @cached_property
    def order(self) -> IntArray:
        """The words that have passed the root, in their order."""
        words = np.flatnonzero(self.passed != NONE)
        return words[np.argsort(self.passed[words])]

    @cached_property
    def offered(self) -> IntArray:
        """The first cycle in which each word was offered, or -1.

        That is when it is released, and the word of its source before it has been accepted.
        """
        offered = np.full(self.traffic.words, NONE, dtype=np.int64)
        for source in self.program.sources:
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
        passes = np.sort(self.passed[self.passed != NONE])
        words = np.flatnonzero(self.offered != NONE)
        until = np.where(self.passed[words] == NONE, self.cycles, self.passed[words])
        waited = np.searchsorted(passes, until, side="right")
        waited -= np.searchsorted(passes, self.offered[words], side="left")
        longest = np.zeros(self.program.network.nodes, dtype=np.int64)
        np.maximum.at(longest, self.traffic.source[words], waited)
        return longest


def simulate_ordered(
    program: OrderedProgram,
    traffic: Traffic | LongTraffic,
    *,
    cycles: int | None = None,
    events: bool = True,
    arrival: bool = False,
) -> OrderedRun:
    """Run until every word has arrived, or none can move, or the cycles are over.

    Parameters
    ----------
    program : OrderedProgram
        What runs.
    traffic : Traffic
        Words and sinks.
    cycles : int, optional
        Simulate at most so many cycles.
    events : bool
        Whether to list every event.
    arrival : bool
        Whether to give the cycle of every delivery, an array (words, nodes).
    """
    traffic = traffic.whole
    model = _Model(program, traffic, cycles, arrays=True, arrival=arrival)
    *parts, (code, last) = model.run(events=events)
    table = np.concatenate([*(part for _, part in parts), last])
    refuse_doubled(model.arrival, program.network)
    counts = model.counts
    return OrderedRun(
        program=program,
        traffic=traffic,
        end=_ENDS[code],
        cycles=int(counts.cycle),
        injected=int(counts.injected),
        hops=int(counts.hops),
        delivered=int(counts.ejected),
        accepted=model.accepted,
        passed=model.passed,
        events=OrderedEvents(ordered_streams(program), table) if events else None,
        arrival=model.arrival if arrival else None,
    )


def stream_ordered(
    program: OrderedProgram, traffic: Traffic | LongTraffic, *, cycles: int | None = None
) -> Iterator[Chunk]:
    """The same in constant memory: the events of some cycles after the other.

    Parameters
    ----------
    program, traffic, cycles
        As :func:`simulate_ordered` takes them.
    """
    model, streams = _Model(program, traffic, cycles), ordered_streams(program)
    for code, table in model.run(events=True):
        yield Chunk(
            OrderedEvents(streams, table),
            None,
            model.feed.take_fresh(),
            int(model.counts.cycle),
            int(model.counts.injected),
            _ENDS.get(code),
        )


def watch_ordered(program: OrderedProgram, traffic: Traffic, cycles: int) -> Signals:
    """What all streams show in every cycle of a run, by their numbers.

    Parameters
    ----------
    program, traffic
        As :func:`simulate_ordered` takes them.
    cycles : int
        As many as the run had.
    """
    model = _Model(program, traffic, cycles)
    signals = watch_in_parts(
        lambda part: model.advance(_UNLISTED, part), model.counts, (model.fixed.other + 1,)
    )
    return signals.of(model.fixed.streams)


class _Model:
    """The compiled form with everything that it works on."""

    def __init__(
        self,
        program: OrderedProgram,
        traffic: Traffic | LongTraffic,
        cycles: int | None,
        *,
        arrays: bool = False,
        arrival: bool = False,
    ) -> None:
        traffic.check(program)
        self.fixed, self.counts = lay_out(program), new_record(Counts)
        self.feed = feed_words(program, traffic.draw(), self.fixed.bits)
        self._registers, self._ready, self._stop = (
            reset(self.fixed),
            traffic.ready,
            last_cycle(cycles),
        )
        words = traffic.words if arrays else 0
        self.accepted, self.passed = np.full((2, words), NONE, dtype=np.int64)
        self.arrival = new_arrival(traffic, program.network, wanted=arrival)

    def run(self, *, events: bool) -> Iterator[tuple[int, IntArray]]:
        """Why it ended, and its events, part by part."""
        return run_in_parts(
            lambda part: self.advance(part, _UNWATCHED),
            *(self.counts, self.fixed.streams, OrderedEvents.COLUMNS),
            events=events,
        )

    def advance(self, events: IntArray, signals: IntArray) -> int:
        """Go on until one of these is full, or the run ends."""
        log = Log(self.counts, self.accepted, self.passed, self.arrival, events, signals)
        return self.feed.go_on(
            lambda feed: advance(
                self.fixed,
                feed.offered(Offered, self._ready, self._stop),
                *(self._registers, log),
            )
        )
