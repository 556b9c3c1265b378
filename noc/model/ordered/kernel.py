"""One cycle of the ordered fabric, compiled: what ``docs/ordered.md`` says, on arrays.

Everything that stores a word on its way is a *stage*: a buffer with what may enter it, which is the
winner of two buffers, one buffer, or an output of a fork. Stages take words; a stage is processed
after the one that takes its own words, so that a buffer of one slot knows whether its word has
left, and a word never moves twice. The word that a source offers lies in a buffer, too.

All compiled functions stand in this file because numba notices a change of a compiled function's
own file only.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np

from noc.compiled import compiled
from noc.model.mixing import UInt64Array
from noc.networks import IntArray

__all__ = [
    "DRAINED",
    "FULL",
    "LIMIT",
    "LOST",
    "NONE",
    "REORDERED",
    "STILL",
    "TWICE",
    "Fixed",
    "Load",
    "Offered",
    "Registers",
    "State",
    "advance",
    "advance_load",
]

_F = TypeVar("_F", bound=Callable[..., object])

#: No word, no fork, no cycle.
NONE = -1

#: What stands for the cycle of a delivery that happened more than once.
TWICE = -2

#: Why a stretch of cycles ended.
FULL, DRAINED, STILL, LIMIT = range(4)

#: Why a run under load ended, if not by its limit: a word did not enter the root after the one that
#: its source sent before, or did so before another was everywhere that left long ago; or a sink
#: took another word than the next one in the order of the root.
LOST, REORDERED = range(4, 6)

#: Columns of ``Fixed.stage``: its buffer and how many slots that has; the fork from which it takes
#: words, or NONE; else the buffers from which it takes them, with the weight of each; for a fork
#: and for each buffer, two streams on which taking is a transfer; and a stream for all of them.
BUFFER, SLOTS, FORK, INTO = range(4)
FIRST, FIRST_WEIGHT, FIRST_STREAM, FIRST_TOO = range(4, 8)
SECOND, SECOND_WEIGHT, SECOND_STREAM, SECOND_TOO = range(8, 12)
STAGE = 12

#: Columns of ``Fixed.fork``: the node; the buffer that is its source; how many outputs it has; the
#: node whose words its own sink does not get, or NONE; its eject stream; and the first of the
#: stages that bring words down to the node, and the first behind them.
NODE, SOURCE, OUTPUTS, DROPPED, EJECT, BEGIN, END, FORKS = range(8)

#: Columns of ``Registers.buffer``: how many words it held at the beginning of the cycle, or holds
#: since; whether one has left since; the oldest word and the next one; of its merge, whether the
#: second stream has the turn, and for how many words; of a stage that takes from a fork, for how
#: many words it has done so, modulo 2; of a fork whose source it is, how many outputs have got the
#: word, how many words have left, modulo 2, and how many the own sink was done with, modulo 2.
COUNT, LEFT, OLDEST, NEXT, TURN, LASTS, TAKEN, SENT, GONE, OWN, COLUMNS = range(11)

#: Columns of ``Offered.queue``, and of ``Offered.source``: the first of its words and the first
#: behind them.
WORD, RELEASE = range(2)
FIRST_WORD, END_WORD = range(2)

#: Places of ``total``: cycles so far; words in buffers and queues; cycles since anything moved;
#: transfers at inject streams, up and down streams, and eject streams; room in the list of events.
CYCLE, HELD, QUIET, INJECTED, HOPS, EJECTED, ROOM, TOTALS = range(8)

#: Columns of ``Load.source``: the node; how many words it has offered, and how many of them have
#: entered the buffer at the root; the cycle in which its next word comes; the longest wait.
SENDER, OFFERED, ENTERED, DUE, LONGEST, SENDERS = range(6)

#: Of a word on its way up: the cycle in which it came; how many words had passed the root when it
#: was first offered; the cycle in which it was accepted.
CAME, BEFORE, ACCEPTED, STAMPS = range(4)

#: Of a word from the root on: the word, the sinks that it has still to reach, and as above.
ORDERED, SINKS, ORDERED_CAME, ORDERED_ACCEPTED, PLACES = range(5)

#: Columns of ``Load.sink``: which word in the order of the root it takes next, and for how many
#: cycles it stalls.
EXPECTED, STALLS, SINK = range(3)

#: Columns of ``Load.counted``, of each node, all after the warm-up: words that it injected, words
#: of it that reached their last sink, and words that its sink took.
INJECTS, REACHED, TAKES, COUNTED = range(4)

#: Places of the totals under load: the cycle; words that have entered the buffer at the root, and
#: that have left it, and of the latter those after the warm-up; the sums of the two latencies.
NOW, INSIDE, PASSED, PASSES, LATENCY, SINCE_CAME, LOAD_TOTALS = range(7)

# SplitMix64, as in noc.model.mixing.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_A, _B, _C, _HALF = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


class Fixed(NamedTuple):
    """What never changes.

    The streams have their numbers; behind them are those of words that enter the buffer at the
    root, of words that leave it, and of all others that are no events.
    """

    stage: IntArray  # (stages, STAGE): down, from the leaves to the root; up, from there to leaves
    fork: IntArray  # (nodes, FORKS): from the leaves to the root
    rising: int  # the first stage on the way up
    sources: int  # inject streams, and the buffers in which their words are offered
    nodes: int  # eject streams
    streams: int
    queue: int  # words that wait for a sink
    bits: int  # a word is its number, and in so many bits behind it the node that sent it


class Registers(NamedTuple):
    """The registers of all parts, and what moved in a cycle."""

    buffer: IntArray  # (buffers, COLUMNS)
    waiting: IntArray  # (nodes, 2): in the queue at a sink, how many words, and place of the oldest
    queued: IntArray  # (nodes, queue)
    moved: IntArray  # (streams + 3): the word on each stream, or NONE
    ready: IntArray  # (nodes): the sinks


class Offered(NamedTuple):
    """The words of all sources, sorted by source, the sinks, and when to give up."""

    queue: IntArray  # (words, 2)
    source: IntArray  # (sources, 2)
    ready: IntArray  # (period, nodes)
    stop: int  # the first cycle that is not simulated


class Load(NamedTuple):
    """Sources and sinks that act at random, for ever."""

    source_key: UInt64Array  # (sources): name their random numbers
    sink_key: UInt64Array  # (nodes)
    source_of: IntArray  # (nodes): the number of the source there
    drops: IntArray  # (nodes): 1 where own words are dropped
    chance: int  # that a word comes, in 2**32 parts
    stall_chance: int  # that a sink begins to stall
    longest_stall: int
    warm_up: int  # the first cycle that counts
    stop: int  # the first cycle that is not simulated


class State(NamedTuple):
    """What is kept of sources, words and sinks under load, and what is counted."""

    source: IntArray  # (sources, SENDERS)
    rising: IntArray  # (sources, words, STAMPS): words by their number modulo a power of two
    order: IntArray  # (words, PLACES): by their place in the order, modulo a power of two
    sink: IntArray  # (nodes, SINK)
    counted: IntArray  # (nodes, COUNTED)
    latency: IntArray  # (cycles): words by the cycles from acceptance to the last sink
    since_came: IntArray  # (cycles): by those since they came
    total: IntArray


def _compiled(function: _F) -> _F:
    # All memory is allocated outside. Without the counting of references, and with everything
    # in one function, a cycle takes a fraction of the time.
    return compiled(function, forceinline=True, _nrt=False)


@_compiled
def _pop(buffer: IntArray, number: int) -> int:
    """The oldest word, which leaves."""
    word = buffer[number, OLDEST]
    buffer[number, OLDEST] = buffer[number, NEXT]
    buffer[number, COUNT] -= 1
    buffer[number, LEFT] = 1
    return int(word)


@_compiled
def _from_fork(fixed: Fixed, registers: Registers, stage: int) -> int:
    """Take the word of a fork, if it was not taken before; how many words that adds."""
    row, buffer = fixed.stage[stage], registers.buffer
    number, source = row[BUFFER], fixed.fork[row[FORK], SOURCE]
    if buffer[source, COUNT] == 0 or buffer[number, TAKEN] != buffer[source, GONE]:
        return 0
    word = buffer[source, OLDEST]
    buffer[source, SENT] += 1
    buffer[number, TAKEN] ^= 1
    buffer[number, OLDEST + buffer[number, COUNT]] = word
    buffer[number, COUNT] += 1
    registers.moved[row[FIRST_STREAM]] = word
    return 1


@_compiled
def _from_buffers(fixed: Fixed, registers: Registers, stage: int) -> None:
    """Take the word of the buffer that has the turn, or else that of the other."""
    row, buffer, moved = fixed.stage[stage], registers.buffer, registers.moved
    number = row[BUFFER]
    turn = buffer[number, TURN]
    winner = turn
    if buffer[row[SECOND if turn else FIRST], COUNT] == 0:
        winner = 1 - turn
    side = SECOND if winner else FIRST
    if buffer[row[side], COUNT] == 0:
        return
    word = _pop(buffer, row[side])
    buffer[number, OLDEST + buffer[number, COUNT]] = word
    buffer[number, COUNT] += 1
    moved[row[side + FIRST_STREAM - FIRST]] = word
    moved[row[side + FIRST_TOO - FIRST]] = word
    moved[row[INTO]] = word
    if winner == turn:
        buffer[number, LASTS] -= 1
        if buffer[number, LASTS] == 0:
            buffer[number, TURN] = 1 - turn
            buffer[number, LASTS] = row[FIRST_WEIGHT if turn else SECOND_WEIGHT]


@_compiled
def _enter(fixed: Fixed, registers: Registers, stage: int) -> int:
    """Let a word enter a stage; how many words that adds."""
    buffer, number = registers.buffer, fixed.stage[stage, BUFFER]
    held = buffer[number, COUNT]
    if fixed.stage[stage, SLOTS] == 2:
        held += buffer[number, LEFT]
    buffer[number, LEFT] = 0
    if held >= fixed.stage[stage, SLOTS]:
        return 0
    if fixed.stage[stage, FORK] != NONE:
        return _from_fork(fixed, registers, stage)
    _from_buffers(fixed, registers, stage)
    return 0


@_compiled
def _fork(fixed: Fixed, registers: Registers, place: int) -> int:
    """The own output of a fork, and the end of a word that is sent everywhere; words added."""
    row, buffer = fixed.fork[place], registers.buffer
    node, source, added = row[NODE], row[SOURCE], 0
    room = registers.ready[node] != 0
    if fixed.queue:
        waiting, oldest = registers.waiting[node, 0], registers.waiting[node, 1]
        if waiting and room:
            registers.moved[row[EJECT]] = registers.queued[node, oldest]
            registers.waiting[node, 0] -= 1
            registers.waiting[node, 1] = oldest + 1 if oldest + 1 < fixed.queue else 0
            added -= 1
        room = waiting < fixed.queue
    if buffer[source, COUNT] == 0:
        return added
    if buffer[source, OWN] == buffer[source, GONE]:
        word = buffer[source, OLDEST]
        dropped = word & ((1 << fixed.bits) - 1) == row[DROPPED]
        if dropped or room:
            buffer[source, OWN] ^= 1
            buffer[source, SENT] += 1
        if room and not dropped:
            if fixed.queue:
                last = registers.waiting[node, 1] + registers.waiting[node, 0]
                registers.queued[node, last % fixed.queue] = word
                registers.waiting[node, 0] += 1
                registers.moved[fixed.streams + 2] = word
                added += 1
            else:
                registers.moved[row[EJECT]] = word
    if buffer[source, SENT] == row[OUTPUTS]:
        buffer[source, SENT] = 0
        buffer[source, GONE] ^= 1
        word = _pop(buffer, source)
        at_root = place == fixed.nodes - 1
        registers.moved[fixed.streams + 1 if at_root else fixed.streams + 2] = word
        added -= 1
    return added


@_compiled
def _cycle(fixed: Fixed, registers: Registers) -> int:
    """All nodes, from the sinks to the sources; how many words more they hold."""
    added = 0
    for place in range(fixed.nodes):
        added += _fork(fixed, registers, place)
        for stage in range(fixed.fork[place, BEGIN], fixed.fork[place, END]):
            added += _enter(fixed, registers, stage)
    for stage in range(fixed.rising, fixed.stage.shape[0]):
        _enter(fixed, registers, stage)
    return added


@_compiled
def _release(offered: Offered, registers: Registers, number: int) -> int:
    """The release of a source's next word; NONE while it offers one, and if there is none."""
    first = offered.source[number, FIRST_WORD]
    if registers.buffer[number, COUNT] or first == offered.source[number, END_WORD]:
        return NONE
    return int(offered.queue[first, RELEASE])


@_compiled
def _offer(fixed: Fixed, offered: Offered, registers: Registers, cycle: int) -> None:
    """Words whose release has come, into the buffers of sources that offer none."""
    for number in range(fixed.sources):
        if NONE < _release(offered, registers, number) <= cycle:
            first = offered.source[number, FIRST_WORD]
            registers.buffer[number, OLDEST] = offered.queue[first, WORD]
            registers.buffer[number, COUNT] = 1
            offered.source[number, FIRST_WORD] += 1


@_compiled
def _expects(fixed: Fixed, offered: Offered, registers: Registers, cycle: int) -> bool:
    """Whether a source will offer a word in this cycle, or later, that it did not before."""
    latest = NONE
    for number in range(fixed.sources):
        latest = max(latest, _release(offered, registers, number))
    return latest >= cycle


@_compiled
def _note(
    fixed: Fixed,
    registers: Registers,
    total: IntArray,
    accepted: IntArray,
    passed: IntArray,
    arrival: IntArray,
    events: IntArray,
) -> None:
    """Write down what moved in a cycle, and forget it."""
    moved, cycle, quiet = registers.moved, total[CYCLE], True
    ejects, hops = fixed.sources, fixed.sources + fixed.nodes
    for stream in range(fixed.streams):
        if moved[stream] == NONE:
            continue
        word = moved[stream] >> fixed.bits
        moved[stream] = NONE
        quiet = False
        if stream >= hops:
            total[HOPS] += 1
        elif stream >= ejects:
            total[EJECTED] += 1
            if arrival.shape[0]:
                twice = arrival[word, stream - ejects] != NONE
                arrival[word, stream - ejects] = TWICE if twice else cycle
        else:
            total[INJECTED] += 1
            total[HELD] += 1
            accepted[word] = cycle
        if events.shape[0]:
            place = events.shape[0] - total[ROOM]
            events[place, 0] = cycle
            events[place, 1] = stream
            events[place, 2] = word
            total[ROOM] -= 1
    if moved[fixed.streams + 1] != NONE:
        passed[moved[fixed.streams + 1] >> fixed.bits] = cycle
    for stream in range(fixed.streams, fixed.streams + 3):
        quiet = quiet and moved[stream] == NONE
        moved[stream] = NONE
    total[QUIET] = total[QUIET] + 1 if quiet else 0


@_compiled
def advance(
    fixed: Fixed,
    offered: Offered,
    registers: Registers,
    total: IntArray,
    accepted: IntArray,
    passed: IntArray,
    arrival: IntArray,
    events: IntArray,
) -> int:
    """Run until the run ends, or until the events of a cycle might find no room."""
    period = offered.ready.shape[0]
    total[ROOM] = events.shape[0]
    while True:
        cycle = total[CYCLE]
        if total[HELD] == 0 and total[INJECTED] == offered.queue.shape[0]:
            return DRAINED
        if cycle >= offered.stop:
            return LIMIT
        # Registers change only where words move.
        if total[QUIET] >= period and not _expects(fixed, offered, registers, cycle):
            return STILL
        if events.shape[0] and total[ROOM] < fixed.streams:
            return FULL
        _offer(fixed, offered, registers, cycle)
        for node in range(fixed.nodes):
            registers.ready[node] = offered.ready[cycle % period, node]
        total[HELD] += _cycle(fixed, registers)
        _note(fixed, registers, total, accepted, passed, arrival, events)
        total[CYCLE] += 1


@_compiled
def _draw(key: np.uint64, cycle: int) -> np.uint64:
    """The number of a cycle: ``noc.model.mixing.draws`` for the same key."""
    bits = key + np.uint64(cycle + 1) * _STEP
    bits = (bits ^ (bits >> _A)) * _FIRST
    bits = (bits ^ (bits >> _B)) * _SECOND
    return bits ^ (bits >> _C)


@_compiled
def _next_due(load: Load, number: int, cycle: int) -> int:
    """The first cycle from this one on in which a word comes to a source."""
    while cycle < load.stop:
        if np.int64(_draw(load.source_key[number], cycle) >> _HALF) < load.chance:
            break
        cycle += 1
    return cycle


@_compiled
def _bring(fixed: Fixed, load: Load, registers: Registers, state: State, cycle: int) -> None:
    """Words that have come, into the buffers of sources that offer none."""
    source = state.source
    for number in range(fixed.sources):
        if registers.buffer[number, COUNT] == 0 and source[number, DUE] <= cycle:
            place = source[number, OFFERED] & (state.rising.shape[1] - 1)
            state.rising[number, place, CAME] = source[number, DUE]
            state.rising[number, place, BEFORE] = state.total[PASSED]
            word = source[number, OFFERED] << fixed.bits | source[number, SENDER]
            registers.buffer[number, OLDEST] = word
            registers.buffer[number, COUNT] = 1
            source[number, OFFERED] += 1
            source[number, DUE] = _next_due(load, number, source[number, DUE] + 1)


@_compiled
def _stall(fixed: Fixed, load: Load, registers: Registers, state: State, cycle: int) -> None:
    """Which sinks are ready."""
    for node in range(fixed.nodes):
        if state.sink[node, STALLS] == 0:
            bits = _draw(load.sink_key[node], cycle)
            if np.int64(bits >> _HALF) < load.stall_chance:
                state.sink[node, STALLS] = 1 + np.int64(bits & _LOW) % load.longest_stall
        registers.ready[node] = state.sink[node, STALLS] == 0
        if state.sink[node, STALLS]:
            state.sink[node, STALLS] -= 1


@_compiled
def _skip_own(fixed: Fixed, load: Load, state: State, node: int) -> None:
    """A sink expects no own words of its node, where these are dropped."""
    if not load.drops[node]:
        return
    mask, size = (1 << fixed.bits) - 1, state.order.shape[0]
    expected = state.sink[node, EXPECTED]
    while expected < state.total[INSIDE]:
        if state.order[expected & (size - 1), ORDERED] & mask != node:
            break
        expected += 1
    state.sink[node, EXPECTED] = expected


@_compiled
def _enter_root(fixed: Fixed, load: Load, state: State, word: int) -> bool:
    """A word gets its place in the order; whether it is the next one of its source."""
    node, sequence = word & ((1 << fixed.bits) - 1), word >> fixed.bits
    number = load.source_of[node]
    stamps = state.rising[number, sequence & (state.rising.shape[1] - 1)]
    place = state.order[state.total[INSIDE] & (state.order.shape[0] - 1)]
    if sequence != state.source[number, ENTERED] or place[SINKS]:
        return False
    state.source[number, ENTERED] += 1
    place[ORDERED] = word
    place[SINKS] = fixed.nodes - load.drops[node]
    place[ORDERED_CAME] = stamps[CAME]
    place[ORDERED_ACCEPTED] = stamps[ACCEPTED]
    state.total[INSIDE] += 1
    _skip_own(fixed, load, state, node)
    return True


@_compiled
def _pass_root(fixed: Fixed, load: Load, state: State, word: int, cycle: int) -> None:
    """A word leaves the root."""
    number, sequence = load.source_of[word & ((1 << fixed.bits) - 1)], word >> fixed.bits
    state.total[PASSED] += 1
    if cycle >= load.warm_up:
        state.total[PASSES] += 1
    before = state.rising[number, sequence & (state.rising.shape[1] - 1), BEFORE]
    state.source[number, LONGEST] = max(state.source[number, LONGEST], state.total[PASSED] - before)


@_compiled
def _take(fixed: Fixed, load: Load, state: State, node: int, word: int, cycle: int) -> bool:
    """A sink takes a word; whether it is the one that comes next in the order of the root."""
    total = state.total
    expected = state.sink[node, EXPECTED]
    place = state.order[expected & (state.order.shape[0] - 1)]
    if expected >= total[INSIDE] or place[ORDERED] != word:
        return False
    state.sink[node, EXPECTED] += 1
    _skip_own(fixed, load, state, node)
    place[SINKS] -= 1
    if cycle >= load.warm_up:
        state.counted[node, TAKES] += 1
    if place[SINKS] == 0 and place[ORDERED_ACCEPTED] >= load.warm_up:
        state.counted[word & ((1 << fixed.bits) - 1), REACHED] += 1
        latency, since_came = cycle - place[ORDERED_ACCEPTED], cycle - place[ORDERED_CAME]
        total[LATENCY] += latency
        total[SINCE_CAME] += since_came
        state.latency[min(latency, state.latency.size - 1)] += 1
        state.since_came[min(since_came, state.since_came.size - 1)] += 1
    return True


@_compiled
def _follow(fixed: Fixed, load: Load, registers: Registers, state: State, cycle: int) -> int:
    """Follow the words that moved in a cycle, and forget that; LIMIT if all is right."""
    moved, wrong = registers.moved, LIMIT
    for number in range(fixed.sources):
        word = moved[number]
        if word != NONE:
            place = (word >> fixed.bits) & (state.rising.shape[1] - 1)
            state.rising[number, place, ACCEPTED] = cycle
            if cycle >= load.warm_up:
                state.counted[state.source[number, SENDER], INJECTS] += 1
            moved[number] = NONE
    word = moved[fixed.streams]
    if word != NONE and not _enter_root(fixed, load, state, word):
        wrong = LOST
    for node in range(fixed.nodes):
        word = moved[fixed.sources + node]
        if word != NONE:
            if not _take(fixed, load, state, node, word, cycle):
                wrong = REORDERED
            moved[fixed.sources + node] = NONE
    word = moved[fixed.streams + 1]
    if word != NONE:
        _pass_root(fixed, load, state, word, cycle)
    moved[fixed.streams] = NONE
    moved[fixed.streams + 1] = NONE
    return wrong


@_compiled
def advance_load(fixed: Fixed, load: Load, registers: Registers, state: State) -> int:
    """Run for so many cycles, or until something is wrong."""
    total = state.total
    if total[NOW] == 0:
        for number in range(fixed.sources):
            state.source[number, DUE] = _next_due(load, number, 0)
    while total[NOW] < load.stop:
        _bring(fixed, load, registers, state, total[NOW])
        _stall(fixed, load, registers, state, total[NOW])
        _cycle(fixed, registers)
        wrong = _follow(fixed, load, registers, state, total[NOW])
        if wrong != LIMIT:
            return wrong
        total[NOW] += 1
    return LIMIT
