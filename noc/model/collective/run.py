"""Runs of the cycle model of networks with operations."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from noc.errors import InputError
from noc.model.collective.events import CollectiveEvents, EventBuilder, list_events
from noc.model.collective.listed import (
    CollectiveCounts,
    CollectiveOffered,
    advance,
    feed_collectives,
    find_ways,
)
from noc.model.collective.reference import CollectiveFabric
from noc.model.collective.state import MOST_BITS, lay_out_collectives
from noc.model.collective.streams import collective_streams, fields_of, word_format
from noc.model.collective.traffic import AnyCollective, CollectiveTraffic
from noc.model.collective.words import unpack
from noc.model.common import (
    DRAINED,
    LIMIT,
    STILL,
    Chunk,
    last_cycle,
    new_record,
    run_in_parts,
)
from noc.model.ordered.state import reset
from noc.model.ordered.streams import OrderedStream
from noc.model.signals import Signals, watch_in_parts
from noc.networks import IntArray
from noc.programs.operators import BUILT_IN
from noc.programs.ordered import OrderedProgram
from noc.programs.word_format import WordFormat

__all__ = [
    "CollectiveEvent",
    "CollectiveRun",
    "simulate_collectives",
    "simulate_parts",
    "stream_collectives",
    "watch_collectives",
    "watch_parts",
]

_ENDS = {DRAINED: "drained", STILL: "starved", LIMIT: "limit"}

#: Cycles of a chunk, part by part.
_CYCLES_OF_PARTS = 1000

_UNLISTED, _UNWATCHED = np.empty((0, 3), dtype=np.int64), np.empty((0, 0), dtype=np.int32)


@dataclass(frozen=True)
class CollectiveEvent:
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
class CollectiveRun:
    """What a run gave.

    Parameters
    ----------
    program : OrderedProgram
        What ran.
    format : WordFormat
        The fields of its words.
    traffic : CollectiveTraffic
        With which words and sinks.
    end : str
        Why it ended. ``drained``: every word was accepted, and no node holds one. ``starved``: no
        word moves again, because a sink that is asked is never ready, or because words that others
        wait for are not given. ``limit``: the cycles that were asked for are over.
    cycles : int
        Number of cycles simulated.
    injected, delivered, passed : int
        Transfers at inject and at eject streams, and words that passed the root.
    streams : tuple of OrderedStream
        All streams and alarms, by number.
    events : CollectiveEvents
        What happened in each cycle, or nothing if that was not asked for.
    order : list of (int, int)
        The cycle in which each word passed the root, and its bits there, as on a link.
    """

    program: OrderedProgram = field(repr=False)
    format: WordFormat = field(repr=False)
    traffic: CollectiveTraffic = field(repr=False)
    end: str
    cycles: int
    injected: int
    delivered: int
    passed: int
    streams: tuple[OrderedStream, ...] = field(repr=False)
    events: CollectiveEvents = field(repr=False)
    order: list[tuple[int, int]] = field(repr=False)

    def named(self) -> list[CollectiveEvent]:
        """All events, with their fields by name."""
        fields = [fields_of(stream, self.format) for stream in self.streams]
        return [
            CollectiveEvent(cycle, self.streams[stream], unpack(bits, fields[stream]))
            for cycle, stream, bits in self.events
        ]

    def at(self, kind: str, node: int, group: int = 0) -> list[tuple[int, dict[str, int]]]:
        """The cycle of each event at one stream or alarm, and the fields of its word."""
        numbers = [
            number
            for number, stream in enumerate(self.streams)
            if (stream.kind, stream.node, stream.group) == (kind, node, group)
        ]
        return [
            (cycle, unpack(bits, fields_of(self.streams[stream], self.format)))
            for cycle, stream, bits in self.events
            if stream in numbers
        ]


def simulate_collectives(
    program: OrderedProgram,
    width: int,
    traffic: AnyCollective,
    *,
    cycles: int | None = None,
    events: bool = True,
    rounds: int = 1,
) -> CollectiveRun:
    """Run until every word has arrived, or none can move, or the cycles are over.

    Where a word on a link has more than ``MOST_BITS`` bits, or a user's operator joins words,
    this is a thousand times slower.

    Parameters
    ----------
    program : OrderedProgram
        What runs; it has operations.
    width : int
        Bits of a word's data.
    traffic : CollectiveTraffic
        Words and sinks.
    cycles : int, optional
        Simulate at most so many cycles.
    events : bool
        Whether to list every event, and every word that passes the root.
    rounds : int
        How often each node gives all its words; their releases are those of the first time.
    """
    traffic = traffic.whole
    if _needs_parts(program, width):
        if rounds > 1:
            raise InputError(
                f"rounds: one only, where a word has more than {MOST_BITS} bits or an operator is "
                "a user's"
            )
        return simulate_parts(program, width, traffic, cycles=cycles)
    model = _Model(program, width, traffic, cycles, rounds)
    *parts, (code, last) = model.run(events=events)
    table = np.concatenate([*(part for _, part in parts), last])
    counts, passing = model.counts, table[:, 1] == model.fixed.plain.leave
    return CollectiveRun(
        program=program,
        format=word_format(program, width),
        traffic=traffic,
        end=_ENDS[code],
        cycles=int(counts.cycle),
        injected=int(counts.injected),
        delivered=int(counts.ejected),
        passed=int(counts.passed),
        streams=collective_streams(program),
        events=EventBuilder(program, width).build([traffic], table[~passing], rounds=rounds),
        order=list(map(tuple, table[passing][:, [0, 2]].tolist())),
    )


def stream_collectives(
    program: OrderedProgram, width: int, traffic: AnyCollective, *, cycles: int | None = None
) -> Iterator[Chunk]:
    """The same in constant memory: the events of some cycles after the other.

    Where this is slow it keeps all words, though not their transfers.

    Parameters
    ----------
    program, width, traffic, cycles
        As :func:`simulate_collectives` takes them.
    """
    if _needs_parts(program, width):
        yield from _stream_parts(program, width, traffic.whole, last_cycle(cycles))
        return
    model, builder = _Model(program, width, traffic, cycles), EventBuilder(program, width)
    for code, table in model.run(events=True):
        parts = model.feed.take_fresh()
        moved = table[table[:, 1] != model.fixed.plain.leave]
        yield Chunk(
            builder.build([part for _, part in parts], moved),
            None,
            parts,
            int(model.counts.cycle),
            int(model.counts.injected),
            _ENDS.get(code),
        )


def _stream_parts(
    program: OrderedProgram, width: int, traffic: CollectiveTraffic, stop: int
) -> Iterator[Chunk]:
    traffic.check(program, width)
    fabric, parts, injected = CollectiveFabric(program, width, traffic), [(0, traffic)], 0
    injects = [stream.kind == "inject" for stream in collective_streams(program)]
    end = None
    while end is None:
        until = min(stop, fabric.cycle + _CYCLES_OF_PARTS)
        end = fabric.run(until)
        end = None if end == "limit" and until < stop else end
        injected += sum(injects[stream] for _, stream, _ in fabric.events)
        yield Chunk(list_events(fabric.events), None, parts, fabric.cycle, injected, end)
        parts = []
        fabric.events.clear()
        fabric.order.clear()


def watch_collectives(
    program: OrderedProgram, width: int, traffic: CollectiveTraffic, cycles: int
) -> Signals:
    """What all streams show in every cycle of a run, by their numbers, whatever the data.

    A word is 0: it is the next that moves on its stream.

    Parameters
    ----------
    program, width, traffic
        As :func:`simulate_collectives` takes them.
    cycles : int
        As many as the run had.
    """
    if _has_own_operators(program):
        return watch_parts(program, width, traffic, cycles)
    # Words without data move as those with any.
    model = _Model(program, 1, replace(traffic, data=(0,) * traffic.words), cycles)
    signals = watch_in_parts(
        lambda part: model.advance(_UNLISTED, part), model.counts, (model.fixed.plain.other + 1,)
    )
    return signals.of(model.fixed.plain.streams)


class _Model:
    """The compiled form with everything that it works on."""

    def __init__(
        self,
        program: OrderedProgram,
        width: int,
        traffic: AnyCollective,
        cycles: int | None,
        rounds: int = 1,
    ) -> None:
        traffic.check(program, width)
        self.fixed, ways = lay_out_collectives(program, width)
        self.feed = feed_collectives(program, width, traffic.draw(), ways)
        self.counts, self._registers = new_record(CollectiveCounts), reset(self.fixed.plain)
        again = np.where(self.feed.given > 0, rounds - 1, 0)
        if rounds > 1:
            # All words are here, and stay.
            self.feed.more[:] = 0
        self._rest = find_ways(program, ways), again, traffic.ready, last_cycle(cycles)

    def run(self, *, events: bool) -> Iterator[tuple[int, IntArray]]:
        """Why it ended, and its events, part by part."""
        return run_in_parts(
            lambda part: self.advance(part, _UNWATCHED),
            *(self.counts, self.fixed.plain.other + 1, 3),
            events=events,
            kind=np.int64,
        )

    def advance(self, events: IntArray, signals: IntArray) -> int:
        """Go on until one of these is full, or the run ends."""
        return self.feed.go_on(
            lambda feed: advance(
                self.fixed,
                feed.offered(CollectiveOffered, *self._rest),
                *(self._registers, self.counts, events, signals),
            )
        )


def watch_parts(
    program: OrderedProgram, width: int, traffic: CollectiveTraffic, cycles: int
) -> Signals:
    """The same, part by part.

    Parameters
    ----------
    program, width, traffic, cycles
        As :func:`watch_collectives` takes them.
    """
    fabric = CollectiveFabric(program, width, traffic)
    changes, last = [], dict.fromkeys(fabric.number.values(), (False, False))
    for cycle in range(cycles):
        shown = fabric.shown()
        for stream, (offers, ready) in shown.items():
            if last[stream] != (offers, ready):
                changes.append((stream, cycle, offers - 1, int(ready)))
        last |= shown
        fabric.step()
    columns = np.array(sorted(changes), dtype=np.int64).reshape(-1, 4)
    return Signals(*columns.T)


def _has_own_operators(program: OrderedProgram) -> bool:
    """Whether a user's operators join words."""
    return not {each.operator for each in program.operations.listed} - {""} <= {*BUILT_IN}


def _needs_parts(program: OrderedProgram, width: int) -> bool:
    """Whether there is what the compiled form does not know: a user's operators, and many bits.

    Those are the bits of words, and those that tell of missing ones.
    """
    if _has_own_operators(program):
        return True
    joins = max((len(p.joins) for plan in program.plans for p in plan.joins), default=0)
    watched = 2 * joins if program.config.watchdog else 0
    return max(sum(word_format(program, width).inside.values()), watched) > MOST_BITS


def simulate_parts(
    program: OrderedProgram,
    width: int,
    traffic: CollectiveTraffic,
    *,
    cycles: int | None = None,
) -> CollectiveRun:
    """The same, part by part: plain to read, and slow.

    Parameters
    ----------
    program, width, traffic, cycles
        As :func:`simulate_collectives` takes them.
    """
    traffic.check(program, width)
    fabric = CollectiveFabric(program, width, traffic)
    end = fabric.run(last_cycle(cycles))
    streams = collective_streams(program)
    kinds = Counter(streams[stream].kind for _, stream, _ in fabric.events)
    return CollectiveRun(
        program=program,
        format=word_format(program, width),
        traffic=traffic,
        end=end,
        cycles=fabric.cycle,
        injected=kinds["inject"],
        delivered=kinds["eject"],
        passed=len(fabric.order),
        streams=streams,
        events=list_events(fabric.events),
        order=[(cycle, fabric.bits(word)) for cycle, word in fabric.order],
    )
