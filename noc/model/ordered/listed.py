"""The ordered fabric with words and sinks from lists, compiled, and what such a run writes down."""

from typing import NamedTuple

import numpy as np

from noc.compiled import compiled_whole, inlined
from noc.model.common import DRAINED, FULL, LIMIT, NONE, STILL, write_arrival
from noc.model.feed import HUNGRY, Draw, Feed, hungry
from noc.model.ordered.kernel import offer, run_cycle
from noc.model.ordered.signals import watch_after, watch_before
from noc.model.ordered.state import Fixed, Registers
from noc.model.traffic import BoolArray, Words
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram

__all__ = ["Counts", "Log", "Offered", "advance", "feed_words"]


class Offered(NamedTuple):
    """The words of all sources, sorted by source, the sinks, and when to give up."""

    word: IntArray
    release: IntArray
    next: IntArray  # (sources): the next word that it offers
    end: IntArray  # (sources): the first word behind its own
    more: IntArray  # (sources): whether more of its words may come
    given: IntArray  # (sources): how many there have been
    ready: BoolArray  # (period, nodes)
    stop: int  # the first cycle that is not simulated


class Counts:
    """A record of what was counted so far."""

    cycle: int
    quiet: int  # cycles since anything moved
    injected: int  # transfers at inject streams
    hops: int  # at up and down streams
    ejected: int
    room: int  # for further events in the list
    watched: int  # cycles of which it was written what streams show


class Log(NamedTuple):
    """What a run counts and lists."""

    counts: Counts
    accepted: IntArray  # (words): the cycle; or none
    passed: IntArray  # (words): the cycle in which it left the root; or none
    arrival: IntArray  # (words, nodes), or none
    events: IntArray  # (room, 4): cycle, stream, word, its node; or none
    signals: IntArray  # (cycles, streams and three more): what they show; or none


def feed_words(program: OrderedProgram, draw: Draw[Words], bits: int) -> Feed[Words]:
    """The words of a run, each with its node in so many lowest bits."""

    def convert(words: Words, first: int) -> tuple[IntArray, ...]:
        number = np.arange(first, first + words.source.size, dtype=np.int64)
        return number << bits | words.source, words.release.clip(0).astype(np.int64)

    return Feed(program.sources, draw, convert)


@inlined
def _release(fixed: Fixed, offered: Offered, registers: Registers, source: int) -> int:
    """The release of a source's next word; NONE while it offers one, and if there is none."""
    place = offered.next[source]
    if registers.length[fixed.offering + source] or place == offered.end[source]:
        return NONE
    return int(offered.release[place])


@inlined
def _offer_released(fixed: Fixed, offered: Offered, registers: Registers, cycle: int) -> None:
    """Sources that offer no word offer one whose release has come."""
    for source in range(fixed.sources):
        if NONE < _release(fixed, offered, registers, source) <= cycle:
            offer(fixed, registers, source, offered.word[offered.next[source]])
            offered.next[source] += 1


@inlined
def _all_offered(fixed: Fixed, offered: Offered, registers: Registers, cycle: int) -> bool:
    """Whether no source will offer a word in this cycle, or later, that it did not before."""
    for source in range(fixed.sources):
        if _release(fixed, offered, registers, source) >= cycle:
            return False
    return True


@inlined
def _record(log: Log, stream: int, word: int, node: int) -> None:
    """Add an event to the list."""
    if log.events.shape[0]:
        place = log.events.shape[0] - log.counts.room
        log.events[place, 0] = log.counts.cycle
        log.events[place, 1] = stream
        log.events[place, 2] = word
        log.events[place, 3] = node
        log.counts.room -= 1


@inlined
def _moved(fixed: Fixed, registers: Registers, log: Log, stream: int) -> int:
    """The word that moved on a stream, or NONE; it is listed, and forgotten."""
    moved = registers.moved[stream]
    if moved == NONE:
        return NONE
    word = moved >> fixed.bits
    registers.moved[stream] = NONE
    _record(log, stream, word, moved & ((1 << fixed.bits) - 1))
    return int(word)


@inlined
def _write_down(fixed: Fixed, registers: Registers, log: Log) -> None:
    """Write down what moved in a cycle, and forget it."""
    counts, moved, quiet = log.counts, registers.moved, True
    for source in range(fixed.sources):
        word = _moved(fixed, registers, log, source)
        if word != NONE:
            quiet = False
            counts.injected += 1
            if log.accepted.size:
                log.accepted[word] = counts.cycle
    links = fixed.sources + fixed.node.size
    for stream in range(fixed.sources, links):
        word = _moved(fixed, registers, log, stream)
        if word != NONE:
            quiet = False
            counts.ejected += 1
            write_arrival(log.arrival, word, stream - fixed.sources, counts.cycle)
    for stream in range(links, fixed.streams):
        if _moved(fixed, registers, log, stream) != NONE:
            quiet = False
            counts.hops += 1
    if log.passed.size and moved[fixed.leave] != NONE:
        log.passed[moved[fixed.leave] >> fixed.bits] = counts.cycle
    for stream in range(fixed.streams, moved.size):
        quiet = quiet and moved[stream] == NONE
        moved[stream] = NONE
    counts.quiet = counts.quiet + 1 if quiet else 0


@inlined
def _gone(fixed: Fixed, registers: Registers, words: int) -> bool:
    """Whether every word was sent everywhere, and no queue holds one."""
    for fork in range(fixed.node.size):
        if registers.gone[fork] < words or registers.queue_length[fork]:
            return False
    return True


@inlined
def _run_watched(fixed: Fixed, registers: Registers, log: Log) -> None:
    """One cycle; and, if that is wanted, what streams show in it."""
    watched = log.signals.shape[0] > 0
    if watched:
        watch_before(fixed, registers, log.signals[log.counts.watched])
    run_cycle(fixed, registers)
    if watched:
        watch_after(fixed, registers, log.signals[log.counts.watched])
        log.counts.watched += 1


@compiled_whole
def advance(fixed: Fixed, offered: Offered, registers: Registers, log: Log) -> int:
    """Run until the run ends, or until the events of a cycle might find no room."""
    counts, period, given = log.counts, offered.ready.shape[0], offered.given.sum()
    while True:
        if hungry(offered):
            return HUNGRY
        if counts.injected == given and _gone(fixed, registers, given):
            return DRAINED
        if counts.cycle >= offered.stop:
            return LIMIT
        # Registers change only where words move.
        if counts.quiet >= period and _all_offered(fixed, offered, registers, counts.cycle):
            return STILL
        if log.events.shape[0] and counts.room < fixed.streams:
            return FULL
        if log.signals.shape[0] and counts.watched == log.signals.shape[0]:
            return FULL
        _offer_released(fixed, offered, registers, counts.cycle)
        sinks = offered.ready[counts.cycle % period]
        for node in range(sinks.size):
            registers.ready[node] = sinks[node]
        _run_watched(fixed, registers, log)
        _write_down(fixed, registers, log)
        counts.cycle += 1
