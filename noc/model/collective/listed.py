"""Networks with operations with words and sinks from lists, compiled."""

from typing import NamedTuple

import numpy as np

from noc.compiled import compiled_whole, inlined
from noc.model.collective.kernel import run_collective_cycle
from noc.model.collective.parts import SENT
from noc.model.collective.signals import watch_after, watch_before
from noc.model.collective.state import CollectiveFixed, Ways, place_of
from noc.model.collective.streams import collective_streams, operations_of, word_format
from noc.model.collective.traffic import CollectiveTraffic
from noc.model.common import DRAINED, FULL, LIMIT, NONE, STILL
from noc.model.feed import HUNGRY, Draw, Feed, hungry
from noc.model.ordered.state import Registers
from noc.model.traffic import BoolArray
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram
from noc.programs.word_format import Fields

__all__ = [
    "CollectiveCounts",
    "CollectiveOffered",
    "advance",
    "feed_collectives",
    "find_ways",
]


class CollectiveOffered(NamedTuple):
    """The words of all nodes, sorted by node, the sinks, and when to give up."""

    word: IntArray
    way: IntArray  # the place of the buffer that it is offered in; NONE if it is dropped
    release: IntArray
    next: IntArray  # (sources): the next word that it offers
    end: IntArray  # (sources): the first word behind its own
    more: IntArray  # (sources): whether more of its words may come
    given: IntArray  # (sources): how many there have been
    ways: IntArray  # (sources and one more): where its buffers begin, and those before end
    rounds: IntArray  # (sources): how often it gives its words again, where all are here
    ready: BoolArray  # (period, nodes)
    stop: int  # the first cycle that is not simulated


class CollectiveCounts:
    """A record of what was counted so far."""

    cycle: int
    quiet: int  # cycles since anything moved
    injected: int  # transfers at inject streams
    ejected: int
    passed: int  # words that passed the root
    room: int  # for further events in the list
    watched: int  # cycles of which it was written what streams show


def feed_collectives(
    program: OrderedProgram, width: int, draw: Draw[CollectiveTraffic], ways: Ways
) -> Feed[CollectiveTraffic]:
    """The words of a run."""

    def convert(traffic: CollectiveTraffic, _: int) -> tuple[IntArray, ...]:
        word, way = _inside(program, width, traffic, ways)
        return word, way, traffic.release.clip(0).astype(np.int64)

    return Feed(_injecting(program), draw, convert)


def find_ways(program: OrderedProgram, ways: Ways) -> IntArray:
    """Where the buffers of each source begin, and those before end."""
    nodes = _injecting(program)
    begins = [min(place for (node, _), place in ways.items() if node == here) for here in nodes]
    return np.array([*begins, len(ways)])


def _injecting(program: OrderedProgram) -> list[int]:
    return [stream.node for stream in collective_streams(program) if stream.kind == "inject"]


def _inside(
    program: OrderedProgram, width: int, traffic: CollectiveTraffic, ways: Ways
) -> tuple[IntArray, IntArray]:
    """The bits of each word where it goes first, and the place of its buffer."""
    words, operations = word_format(program, width), operations_of(program)
    numbers = np.array(program.numbers, dtype=np.int64)
    columns = {
        "data": np.array(traffic.data, dtype=np.int64),
        "source": numbers[traffic.source],
        "operation": traffic.operation,
        "last": traffic.last,
        "node": traffic.node,
    }
    bits, way = np.zeros((2, traffic.words), dtype=np.int64)
    way[:] = NONE
    for number, operation in enumerate(operations.listed):
        fields, target = words.inside, SENT if not operation.joined else operations.group_of(number)
        if operation.joined:
            joined = words.join(int(target))
            fields = {n: b for n, b in fields.items() if n in ("operation", *joined)}
        mine = traffic.operation == number
        bits[mine] = _pack(columns, fields, words.inside)[mine]
        wrong = (traffic.node >= program.network.nodes) & operation.to_node
        for (node, of), place in ways.items():
            if of == target:
                way[mine & ~wrong & (traffic.source == node)] = place
    return bits, way


def _pack(columns: dict[str, IntArray], fields: Fields, inside: Fields) -> IntArray:
    """The bits of some fields at their places on a link."""
    bits = np.zeros_like(columns["data"])
    for name in fields:
        bits |= columns[name] << place_of(name, inside)[0]
    return bits


@inlined
def _release(
    fixed: CollectiveFixed, offered: CollectiveOffered, registers: Registers, source: int
) -> int:
    """The release of a source's next word; NONE while it offers one, and if there is none."""
    for way in range(offered.ways[source], offered.ways[source + 1]):
        if registers.length[fixed.plain.offering + way]:
            return NONE
    if offered.next[source] == offered.end[source]:
        if offered.rounds[source] == 0:
            return NONE
        offered.rounds[source] -= 1
        offered.next[source] = offered.end[source] - offered.given[source]
    return int(offered.release[offered.next[source]])


@inlined
def _offer_released(
    fixed: CollectiveFixed, offered: CollectiveOffered, registers: Registers, cycle: int
) -> None:
    """Sources that offer no word offer one whose release has come; some of them are dropped."""
    for source in range(fixed.plain.sources):
        if NONE < _release(fixed, offered, registers, source) <= cycle:
            place = offered.next[source]
            offered.next[source] += 1
            if offered.way[place] == NONE:
                registers.moved[source] = offered.word[place]
                registers.moved[fixed.dropped[source]] = 0
            else:
                buffer = fixed.plain.offering + offered.way[place]
                registers.word[buffer, 0] = offered.word[place]
                registers.length[buffer] = 1


@inlined
def _all_offered(
    fixed: CollectiveFixed, offered: CollectiveOffered, registers: Registers, cycle: int
) -> bool:
    """Whether no source will offer a word in this cycle, or later, that it did not before."""
    for source in range(fixed.plain.sources):
        if _release(fixed, offered, registers, source) >= cycle:
            return False
    return True


@inlined
def _empty(fixed: CollectiveFixed, offered: CollectiveOffered, registers: Registers) -> bool:
    """Whether no buffer and no queue holds a word, nor will get one."""
    for source in range(fixed.plain.sources):
        if offered.next[source] < offered.end[source] or offered.rounds[source]:
            return False
    held = 0
    for buffer in range(registers.length.size):
        held += registers.length[buffer]
    for node in range(registers.queue_length.size):
        held += registers.queue_length[node]
    return bool(held == 0)


@inlined
def _write_down(
    fixed: CollectiveFixed, registers: Registers, counts: CollectiveCounts, events: IntArray
) -> None:
    """Write down what moved in a cycle, and forget it."""
    plain, moved = fixed.plain, registers.moved
    counts.quiet += 1
    for stream in range(moved.size):
        word = moved[stream]
        if word == NONE:
            continue
        moved[stream] = NONE
        # Words that do not match may be offered for ever.
        if not fixed.told <= stream < plain.streams:
            counts.quiet = 0
        counts.injected += stream < plain.sources
        counts.ejected += plain.sources <= stream < plain.sources + plain.node.size
        counts.passed += stream == plain.leave
        if events.shape[0] and (stream < plain.streams or stream == plain.leave):
            place = events.shape[0] - counts.room
            events[place, 0] = counts.cycle
            events[place, 1] = stream
            events[place, 2] = word
            counts.room -= 1


@inlined
def _run_watched(
    fixed: CollectiveFixed, registers: Registers, counts: CollectiveCounts, signals: IntArray
) -> None:
    """One cycle; and, if that is wanted, what streams show in it."""
    watched = signals.shape[0] > 0
    if watched:
        watch_before(fixed, registers, signals[counts.watched])
    run_collective_cycle(fixed, registers)
    if watched:
        watch_after(fixed, registers, signals[counts.watched])
        counts.watched += 1


@compiled_whole
def advance(
    fixed: CollectiveFixed,
    offered: CollectiveOffered,
    registers: Registers,
    counts: CollectiveCounts,
    events: IntArray,
    signals: IntArray,
) -> int:
    """Run until the run ends, or until the events of a cycle might find no room."""
    period = offered.ready.shape[0]
    while True:
        if hungry(offered):
            return HUNGRY
        if _empty(fixed, offered, registers):
            return DRAINED
        if counts.cycle >= offered.stop:
            return LIMIT
        # Registers change only where words move.
        if counts.quiet >= max(period, fixed.watchdog + 1) and _all_offered(
            fixed, offered, registers, counts.cycle
        ):
            return STILL
        if events.shape[0] and counts.room < registers.moved.size:
            return FULL
        if signals.shape[0] and counts.watched == signals.shape[0]:
            return FULL
        _offer_released(fixed, offered, registers, counts.cycle)
        sinks = offered.ready[counts.cycle % period]
        for node in range(sinks.size):
            registers.ready[node] = sinks[node]
        _run_watched(fixed, registers, counts, signals)
        _write_down(fixed, registers, counts, events)
        counts.cycle += 1
