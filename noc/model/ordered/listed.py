"""The ordered fabric with words and sinks from lists, compiled, and what such a run writes down."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from noc.compiled import compiled_whole, inlined
from noc.model.common import DRAINED, FULL, LIMIT, NONE, STILL
from noc.model.feed import HUNGRY, Draw, Feed, hungry
from noc.model.ordered.header import header_of
from noc.model.ordered.kernel import offer, run_cycle
from noc.model.ordered.parts import SENT
from noc.model.ordered.signals import watch_after, watch_before
from noc.model.ordered.state import Fixed, Registers, Ways
from noc.model.ordered.traffic import CollectiveTraffic
from noc.model.traffic import BoolArray, Words
from noc.networks import IntArray
from noc.programs.operations import BROADCAST
from noc.programs.ordered import OrderedProgram

__all__ = ["Counts", "Log", "Offered", "Part", "advance", "feed_words", "find_ways"]

#: Some words: of broadcasts, or of any operations.
Part = Words | CollectiveTraffic


class Offered(NamedTuple):
    """The words of all nodes, sorted by node, the sinks, and when to give up."""

    word: IntArray
    way: IntArray  # the buffer that it is offered in; NONE if it is dropped
    release: IntArray
    next: IntArray  # (sources): the next word that it offers
    end: IntArray  # (sources): the first word behind its own
    more: IntArray  # (sources): whether more of its words may come
    given: IntArray  # (sources): how many there have been
    ways: IntArray  # (sources and one more): where its buffers begin, and those before end
    rounds: IntArray  # (sources): how often it gives its words again, where all are here
    ready: BoolArray  # (period, nodes)
    patience: int  # cycles without a transfer after which there will be none
    stop: int  # the first cycle that is not simulated


class Counts:
    """A record of what was counted so far."""

    cycle: int
    quiet: int  # cycles since anything moved
    injected: int  # transfers at inject streams
    ejected: int
    passed: int  # words that passed the root
    room: int  # for further events in the list
    watched: int  # cycles of which it was written what streams show


class Log(NamedTuple):
    """What a run lists; arrays without rows of what it need not list."""

    events: IntArray  # (room, 3): cycle, stream, word
    joins: IntArray  # (room, 2): both words of each result
    signals: IntArray  # (cycles, streams and more): what they show
    root: int  # whether words that pass the root are events too


def feed_words(program: OrderedProgram, draw: Draw[Part], ways: Ways) -> Feed[Part]:
    """The words of a run."""
    words = _Packed(program, ways)
    sources = [node for node in range(program.network.nodes) if program.plan_of(node).injects]
    return Feed(sources, draw, words.columns)


def find_ways(ways: Ways) -> IntArray:
    """Where the buffers of each source begin, and those before end."""
    first: dict[int, int] = {}
    for (node, _), way in ways.items():
        first.setdefault(node, way)
    return np.array([*(first[node] for node in sorted(first)), len(ways)])


class _Packed:
    """From words as they are given to the columns that compiled code reads."""

    def __init__(self, program: OrderedProgram, ways: Ways) -> None:
        self._program, self._operations = program, program.operations
        self._header = header_of(program)
        # For each node and operation where a word goes.
        listed = self._operations.listed
        self._way = np.full((program.network.nodes, len(listed)), NONE, dtype=np.int64)
        for number, operation in enumerate(listed):
            goes = self._operations.group_of(number) if operation.joined else SENT
            for node in range(program.network.nodes):
                self._way[node, number] = ways.get((node, goes), NONE)

    def columns(self, part: Part, first: int) -> tuple[IntArray, ...]:
        fields = self._fields(part)
        numbers = np.arange(first, first + part.source.size, dtype=np.int64)
        words = self._header.pack(numbers, {"source": part.source, **fields})
        release = part.release.clip(0).astype(np.int64)
        return words, self._find_way(part.source, fields), release

    def _fields(self, part: Part) -> Mapping[str, IntArray]:
        if isinstance(part, CollectiveTraffic):
            return {name: getattr(part, name) for name in ("operation", "last", "node")}
        alone = np.zeros_like(part.source)
        return {"operation": alone + self._operations.listed.index(BROADCAST)}

    def _find_way(self, source: IntArray, fields: Mapping[str, IntArray]) -> IntArray:
        operation = fields["operation"]
        known = operation < self._way.shape[1]
        way = np.where(known, self._way[source, np.where(known, operation, 0)], NONE)
        if self._operations.names_nodes and "node" in fields:
            named = np.array([each.to_node for each in self._operations.listed])
            wrong = fields["node"] >= self._program.network.nodes
            way[known & wrong & named[np.where(known, operation, 0)]] = NONE
        return way


@inlined
def _release(fixed: Fixed, offered: Offered, registers: Registers, source: int) -> int:
    """The release of a source's next word; NONE while it offers one, and if there is none."""
    for way in range(offered.ways[source], offered.ways[source + 1]):
        if registers.length[fixed.offering + way]:
            return NONE
    if offered.next[source] == offered.end[source]:
        if offered.rounds[source] == 0:
            return NONE
        offered.rounds[source] -= 1
        offered.next[source] = offered.end[source] - offered.given[source]
    return int(offered.release[offered.next[source]])


@inlined
def _offer_released(fixed: Fixed, offered: Offered, registers: Registers, cycle: int) -> None:
    """Sources that offer no word offer one whose release has come; some of them are dropped."""
    for source in range(fixed.sources):
        if NONE < _release(fixed, offered, registers, source) <= cycle:
            row = offered.next[source]
            offered.next[source] += 1
            if offered.way[row] == NONE:
                registers.moved[source] = offered.word[row]
                registers.moved[fixed.dropped[source]] = 0
            else:
                offer(fixed, registers, offered.way[row], offered.word[row])


@inlined
def _all_offered(fixed: Fixed, offered: Offered, registers: Registers, cycle: int) -> bool:
    """Whether no source will offer a word in this cycle, or later, that it did not before."""
    for source in range(fixed.sources):
        if _release(fixed, offered, registers, source) >= cycle:
            return False
    return True


@inlined
def _empty(fixed: Fixed, offered: Offered, registers: Registers) -> bool:
    """Whether no buffer and no queue holds a word, nor will get one."""
    for source in range(fixed.sources):
        if offered.next[source] < offered.end[source] or offered.rounds[source]:
            return False
    held = 0
    for buffer in range(registers.length.size):
        held += registers.length[buffer]
        for stage in range(1, fixed.stages[buffer]):
            held += registers.word[buffer, stage] != NONE
    for node in range(registers.queue_length.size):
        held += registers.queue_length[node]
    return bool(held == 0)


@inlined
def _list(counts: Counts, events: IntArray, stream: int, word: int) -> None:
    """Add an event to the list, if there is one."""
    if events.shape[0]:
        row = events.shape[0] - counts.room
        events[row, 0] = counts.cycle
        events[row, 1] = stream
        events[row, 2] = word
        counts.room -= 1


@inlined
def _write_late(fixed: Fixed, registers: Registers, counts: Counts, events: IntArray) -> None:
    """Write down which joins have waited too long, and forget it."""
    for join in range(fixed.alarm.size):
        late = registers.moved[fixed.other + 1 + join]
        if late != NONE:
            registers.moved[fixed.other + 1 + join] = NONE
            _list(counts, events, fixed.late[join], fixed.late_place[join] << 2 | late)


@inlined
def _write_down(fixed: Fixed, registers: Registers, counts: Counts, log: Log) -> None:
    """Write down what moved in a cycle, and forget it."""
    moved, events, quiet = registers.moved, log.events, counts.quiet + 1
    ejects = fixed.sources + fixed.node.size
    for stream in range(fixed.streams):
        word = moved[stream]
        if word != NONE:
            moved[stream] = NONE
            _list(counts, events, stream, word)
            counts.injected += stream < fixed.sources
            counts.ejected += fixed.sources <= stream < ejects
            # Words that do not match may be offered for ever.
            if stream < fixed.alarms:
                quiet = 0
    if moved[fixed.leave] != NONE:
        counts.passed += 1
        if log.root:
            _list(counts, events, fixed.leave, moved[fixed.leave])
    for unseen in range(fixed.streams, fixed.other + 1):
        if moved[unseen] != NONE:
            moved[unseen] = NONE
            quiet = 0
    counts.quiet = quiet
    if fixed.watchdog:
        _write_late(fixed, registers, counts, events)


@inlined
def _run_watched(fixed: Fixed, registers: Registers, counts: Counts, log: Log) -> None:
    """One cycle; and, if that is asked for, what streams show in it."""
    watched = log.signals.shape[0] > 0
    if watched:
        watch_before(fixed, registers, log.signals[counts.watched])
    run_cycle(fixed, registers, log.joins)
    if watched:
        watch_after(fixed, registers, log.signals[counts.watched])
        counts.watched += 1


@inlined
def _is_full(fixed: Fixed, registers: Registers, counts: Counts, log: Log) -> bool:
    """Whether a list might have no room for what one more cycle adds."""
    if log.events.shape[0] and counts.room < registers.moved.size:
        return True
    listed = registers.results[0] - registers.results[1]
    if log.joins.shape[0] and log.joins.shape[0] - listed < fixed.alarm.size:
        return True
    return bool(log.signals.shape[0] and counts.watched == log.signals.shape[0])


@compiled_whole
def advance(fixed: Fixed, offered: Offered, registers: Registers, counts: Counts, log: Log) -> int:
    """Run until the run ends, or until a list might be too short for another cycle."""
    period = offered.ready.shape[0]
    while True:
        if hungry(offered):
            return HUNGRY
        if _empty(fixed, offered, registers):
            return DRAINED
        if counts.cycle >= offered.stop:
            return LIMIT
        # Registers change only where words move.
        if counts.quiet >= offered.patience and _all_offered(
            fixed, offered, registers, counts.cycle
        ):
            return STILL
        if _is_full(fixed, registers, counts, log):
            return FULL
        _offer_released(fixed, offered, registers, counts.cycle)
        sinks = offered.ready[counts.cycle % period]
        for node in range(sinks.size):
            registers.ready[node] = sinks[node]
        _run_watched(fixed, registers, counts, log)
        _write_down(fixed, registers, counts, log)
        counts.cycle += 1
