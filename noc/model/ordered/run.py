"""Runs of the ordered fabric's cycle model."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from noc.errors import InputError
from noc.model.faults import NO_FAULTS, Faults
from noc.model.ordered.data import FIRST_RESULT
from noc.model.ordered.events import OrderedEvents
from noc.model.ordered.listed import Counts, Log, advance
from noc.model.ordered.results import OrderedEnd, OrderedRun
from noc.model.ordered.state import SENT, Layout, reset
from noc.model.ordered.traffic import AnyCollective, CollectiveTraffic, Given, as_traffic
from noc.model.runs import (
    DRAINED,
    LIMIT,
    NONE,
    STILL,
    Chunk,
    Feed,
    Model,
    Signals,
    last_cycle,
    new_record,
)
from noc.model.traffic import LongTraffic, Traffic, Words, check_stalls
from noc.networks import IntArray
from noc.programs.latency import Parties, count_cycles
from noc.programs.operations import BROADCAST, Operation
from noc.programs.ordered import OrderedProgram

_ENDS: dict[int, OrderedEnd] = {DRAINED: "drained", STILL: "starved", LIMIT: "limit"}

#: Broadcasts, or words with operations.
AnyTraffic = Traffic | LongTraffic | AnyCollective

#: Room for results of joins at a time, or for those of one cycle if they are more.
JOINS_AT_A_TIME = 1 << 16

_UNLISTED = np.zeros((3, 0), dtype=np.int64)


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
        The most cycles to simulate.
    events : bool
        Whether to list every event.
    rounds : int
        How often each node gives all its words; their releases are those of the first time.
    """
    traffic = traffic.whole
    if rounds > 1 and events:
        raise InputError("rounds: one only, where events are listed")
    model = OrderedModel(program, traffic, cycles, rounds=rounds, width=width)
    parts = [(end, table.T, model.joins) for end, table in model.run(events=events)]
    ends, tables, joins = zip(*parts, strict=True)
    counts = model.counts
    listed = OrderedEvents(program, np.concatenate(tables, axis=1).T, np.concatenate(joins))
    return OrderedRun(
        program=program,
        traffic=traffic,
        width=width,
        end=_ENDS[ends[-1]],
        cycles=int(counts.cycle),
        injected=int(counts.injected),
        delivered=int(counts.ejected),
        passed=int(counts.passed),
        listed=listed if events else None,
    )


def stream_ordered(
    program: OrderedProgram,
    traffic: AnyTraffic,
    *,
    width: int | None = None,
    cycles: int | None = None,
    faults: Faults = NO_FAULTS,
) -> Iterator[Chunk]:
    """The same in constant memory: the events of some cycles after the other.

    Parameters
    ----------
    program, traffic, width, cycles
        As :func:`simulate_ordered` takes them.
    faults : Faults
        What dies.
    """
    # The data of words that have a seed need not be kept.
    model = OrderedModel(program, traffic, cycles, width=width, root=False, faults=faults)
    kept = not isinstance(traffic, Traffic | LongTraffic)
    for code, table in model.run(events=True):
        yield Chunk(
            OrderedEvents(program, table, model.joins),
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
    model = OrderedModel(program, traffic.whole, cycles)
    return model.watch(model.fixed.other + 1, model.fixed.streams)


def measure_cycles(
    program: OrderedProgram, operation: Operation, parties: Parties, words: int
) -> int:
    """Cycles from the first words, given in one cycle, to the last that a node takes.

    By the program or else by a run in which nothing else moves.

    Parameters
    ----------
    program, operation, parties, words
        As ``noc.programs.latency.count_cycles`` takes them.
    """
    counted = count_cycles(program, operation, parties, words)
    if counted is not None:
        return counted
    number = program.operations.listed.index(operation)
    given: list[list[Given]] = [[] for _ in range(program.network.nodes)]
    named = sorted(program.numbers[node] for node in parties.receivers)
    for node in parties.givers:
        for to in named if operation.to_node else [0]:
            given[node] += [Given(0, number, to)] * words
    ends = (
        chunk.events.of_kind("eject").cycle.max(initial=0)
        for chunk in stream_ordered(program, as_traffic(program, given))
    )
    return int(max(ends))


class OrderedModel(Model):
    """The compiled model with words and sinks, and what it has listed."""

    counts: Counts

    def __init__(
        self,
        program: OrderedProgram,
        traffic: AnyTraffic,
        cycles: int | None,
        *,
        rounds: int = 1,
        width: int | None = None,
        root: bool = True,
        faults: Faults = NO_FAULTS,
    ) -> None:
        if isinstance(traffic, Traffic | LongTraffic):
            traffic.check(program)
        else:
            traffic.check(program, width)
        check_stalls(traffic.ready, program.config)
        layout = Layout(program)
        self.fixed, self._root = layout.fixed(faults), root
        self._registers = reset(self.fixed)
        self._registers.returns[:] = traffic.ready.any(axis=0)
        most = self.fixed.other + 1 + self.fixed.alarm.size
        super().__init__(new_record(Counts), most, _UNLISTED)
        # Registers change only where words move; on their way through an operator they do unseen,
        # and what stops the root does too.
        patience = max(traffic.ready.shape[0], program.config.watchdog + 1)
        patience += program.config.sink_timeout
        patience += int(self.fixed.stages.max(initial=0)) + self.fixed.stop_to.size
        nodes = range(program.network.nodes)
        self._program, self._header = program, self.fixed.header
        # For each node and operation the buffer in which its words are offered.
        listed, numbers = program.operations.listed, range(len(program.operations.listed))
        goes = [program.operations.group_of(n) if listed[n].joined else SENT for n in numbers]
        self._ways = np.array([[layout.ways.get((n, way), NONE) for way in goes] for n in nodes])
        sources = [node for node in nodes if program.plan_of(node).injects]
        # Behind the sinks, who is away.
        stand_ins = len(program.stand_ins)
        away = getattr(traffic, "away", None)
        if away is None:
            away = np.zeros((len(traffic.ready), stand_ins), dtype=np.bool_)
        rest = np.hstack([traffic.ready, away]), patience, last_cycle(cycles)
        self.feed: Feed[Any] = Feed(sources, traffic.draw(), self._columns, rest)
        if rounds > 1:
            # All words are drawn, and stay.
            self.feed.more[:] = 0
            self._registers.rounds[self.feed.drawn > 0] = rounds - 1

    def _columns(
        self, part: Words | CollectiveTraffic, numbers: IntArray
    ) -> tuple[IntArray, IntArray]:
        if isinstance(part, CollectiveTraffic):
            fields = {name: getattr(part, name) for name in ("operation", "last", "node", "void")}
        else:
            broadcast = self._program.operations.listed.index(BROADCAST)
            fields = {"operation": np.full_like(part.source, broadcast)}
        words = self._header.pack(numbers, {"source": part.source, **fields})
        return words, self._find_ways(part.source, fields)

    def _find_ways(self, source: IntArray, fields: Mapping[str, IntArray]) -> IntArray:
        listed = self._program.operations.listed
        known = fields["operation"] < len(listed)
        operation = np.where(known, fields["operation"], 0)
        way = np.where(known, self._ways[source, operation], NONE)
        if self._program.operations.names_nodes and "node" in fields:
            named = np.array([each.to_node for each in listed])[operation]
            way[known & named & (fields["node"] >= self._program.network.nodes)] = NONE
        return way

    def advance(self, events: IntArray, signals: IntArray) -> int:
        """Go on, and list the words of joins beside."""
        results, joins = self._registers.results, self.fixed.alarm.size
        room = max(JOINS_AT_A_TIME, joins) if events.size and joins else 0
        listed = np.empty((room, 2), dtype=np.int64)
        # Not by the kernel, which goes on with the same list when a source runs out of words.
        results[1] = results[0]
        log = Log(self.counts, events, listed, signals, self._root)
        end = self.feed.go_on(lambda offered: advance(self.fixed, offered, self._registers, log))
        self.joins = listed[: results[0] - results[1]]
        return end

    def oldest(self) -> tuple[int, int]:
        """The first word, and the first result, that a node still holds or offers later."""
        registers, fixed = self._registers, self.fixed
        slots, queued = np.arange(registers.word.shape[1]), np.arange(fixed.queue)
        behind = (slots > 0) & (slots < fixed.stages[:, None]) & (registers.word != NONE)
        depth = fixed.depth[:, None]
        waiting = np.mod(queued - registers.queue_first[:, None], np.maximum(1, depth))
        held = np.concatenate(
            [
                registers.word[(slots < registers.length[:, None]) | behind],
                registers.queue_word[
                    (queued < depth) & (waiting < registers.queue_length[:, None])
                ],
                self._registers.kept[self._registers.kept != NONE],
                self.feed.left,
            ]
        )
        numbers = self._header.numbers(held)
        results = FIRST_RESULT - numbers[numbers <= FIRST_RESULT]
        made = int(registers.results[0])
        return int(numbers[numbers >= 0].min(initial=self.feed.words)), int(
            results.min(initial=made)
        )
