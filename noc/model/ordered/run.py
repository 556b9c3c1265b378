"""Runs of the ordered fabric's cycle model."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from noc.model.common import (
    DRAINED,
    NONE,
    STILL,
    last_cycle,
    new_arrival,
    new_record,
    refuse_doubled,
    run_in_parts,
)
from noc.model.ordered.listed import Counts, Log, advance, offer_words
from noc.model.ordered.state import lay_out, reset
from noc.model.ordered.streams import OrderedStream, ordered_streams
from noc.model.signals import Signals, watch_in_parts
from noc.model.traffic import Traffic
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram

__all__ = ["OrderedEnd", "OrderedEvents", "OrderedRun", "simulate_ordered", "watch_ordered"]

#: Why a run ended, see :class:`OrderedRun`.
OrderedEnd = Literal["drained", "starved", "limit"]

# No events, and no signals of streams.
_UNLISTED = np.zeros((0, 3), dtype=np.int32)
_UNWATCHED = np.zeros((0, 0), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class OrderedEvents:
    """Every transfer of a run, sorted by cycle, then stream.

    Parameters
    ----------
    streams : tuple of OrderedStream
        The streams by number.
    table : array (events, 3)
        Cycle, stream, and word of the traffic.
    """

    COLUMNS: ClassVar[int] = 3

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

    def tuples(self) -> list[tuple[int, int, int]]:
        """(cycle, stream, word) of every event."""
        return [(cycle, stream, word) for cycle, stream, word in self.table.tolist()]


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
    traffic: Traffic,
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
    traffic.check(program)
    fixed, counts = lay_out(program), new_record(Counts)
    offered, registers = offer_words(program, traffic, fixed, last_cycle(cycles)), reset(fixed)
    accepted, passed = (np.full(traffic.words, NONE, dtype=np.int64) for _ in range(2))
    taken = new_arrival(traffic, program.network, wanted=arrival)
    code, table = run_in_parts(
        lambda part: advance(
            fixed, offered, registers, Log(counts, accepted, passed, taken, part, _UNWATCHED)
        ),
        counts,
        fixed.streams,
        OrderedEvents.COLUMNS,
        events=events,
    )
    refuse_doubled(taken, program.network)
    ends: dict[int, OrderedEnd] = {DRAINED: "drained", STILL: "starved"}
    return OrderedRun(
        program=program,
        traffic=traffic,
        end=ends.get(code, "limit"),
        cycles=int(counts.cycle),
        injected=int(counts.injected),
        hops=int(counts.hops),
        delivered=int(counts.ejected),
        accepted=accepted,
        passed=passed,
        events=OrderedEvents(ordered_streams(program), table) if events else None,
        arrival=taken if arrival else None,
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
    traffic.check(program)
    fixed, counts = lay_out(program), new_record(Counts)
    offered, registers = offer_words(program, traffic, fixed, last_cycle(cycles)), reset(fixed)
    accepted, passed = (np.full(traffic.words, NONE, dtype=np.int64) for _ in range(2))
    unwanted = new_arrival(traffic, program.network, wanted=False)

    def advance_watched(part: IntArray) -> int:
        log = Log(counts, accepted, passed, unwanted, _UNLISTED, part)
        return advance(fixed, offered, registers, log)

    signals = watch_in_parts(advance_watched, counts, (fixed.other + 1,))
    return signals.of(fixed.streams)
