"""The ordered fabric with sources and sinks that act at random, for ever: compiled, and checked."""

from typing import NamedTuple

import numpy as np

from noc.compiled import compiled_whole, inlined
from noc.model.mixing import UInt64Array
from noc.model.ordered.kernel import offer, run_cycle
from noc.model.ordered.state import Fixed, Registers
from noc.model.runs import NONE
from noc.networks import IntArray

#: How a run under load ended: all was right; a word did not enter the root after the one that its
#: source sent before, or did so before another was everywhere that left long ago; or a sink took
#: another word than the next one in the order of the root.
RIGHT, LOST, REORDERED = range(3)

# SplitMix64, as in noc.model.mixing.
_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_A, _B, _C, _HALF = np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


class Load(NamedTuple):
    """Sources and sinks that act at random, for ever."""

    source_key: UInt64Array  # (sources): name their random numbers
    sink_key: UInt64Array  # (nodes)
    source_of: IntArray  # (nodes): the number of its source
    drops: IntArray  # (nodes): 1 where own words are dropped
    chance: int  # that a word comes, in 2**32 parts
    stall_chance: int  # that a sink begins to stall
    longest_stall: int
    warm_up: int  # the first cycle that counts
    end: int  # the first that no longer does
    stop: int  # the first cycle that is not simulated
    joins: IntArray  # (0, 2): nothing is joined


class Counts:
    """A record of what was counted so far."""

    cycle: int
    inside: int  # words that have entered the buffer at the root
    passed: int  # and that have left it
    passed_warm: int  # in the cycles that count


class State(NamedTuple):
    """What is kept of sources, words and sinks, and what is counted of each.

    A word on its way up is known by its number at its source, and from the root on by its position
    in the order; both modulo the powers of two for which there is room.
    """

    node: IntArray  # (sources)
    offered: IntArray  # (sources): how many words it has offered
    entered: IntArray  # (sources): how many of them have entered the buffer at the root
    due: IntArray  # (sources): the cycle in which its next word comes
    longest: IntArray  # (sources): the longest wait
    rising_came: IntArray  # (sources, words): the cycle in which the word came
    rising_before: IntArray  # how many words had passed the root when it was first offered
    order_word: IntArray  # (positions)
    order_sinks: IntArray  # how many sinks it has still to reach
    order_came: IntArray
    expected: IntArray  # (nodes): the position of the word that the sink takes next
    stalls: IntArray  # (nodes): cycles for which it is still away
    injected: IntArray  # (nodes): words that it injected in the cycles that count
    ejected: IntArray  # (nodes): words that its sink took in these
    reached: IntArray  # (nodes): words of it that came in these, and have reached their last sink
    since_came: IntArray  # (cycles): those by the cycles that they took
    came: IntArray  # (batches): words that came in each part of the cycles that count
    finished: IntArray  # (batches): those of them that have reached their last sink
    taken: IntArray  # (batches): the cycles that these took, in all
    counts: Counts


@inlined
def _sender(fixed: Fixed, word: int) -> int:
    """The node that sent a word."""
    return int(word & fixed.header.source.ones)


@inlined
def _rising(state: State, number: int) -> int:
    """Where a word on its way up is kept."""
    return int(number & (state.rising_came.shape[1] - 1))


@inlined
def _ordered(state: State, position: int) -> int:
    """Where a word from the root on is kept."""
    return position & (state.order_word.size - 1)


@inlined
def _draw(key: np.uint64, cycle: int) -> np.uint64:
    """The number of a cycle: ``noc.model.mixing.draws`` for the same key."""
    bits = key + np.uint64(cycle + 1) * _STEP
    bits = (bits ^ (bits >> _A)) * _FIRST
    bits = (bits ^ (bits >> _B)) * _SECOND
    return bits ^ (bits >> _C)


@inlined
def _next_due(load: Load, source: int, cycle: int) -> int:
    """The first cycle from this one on in which a word comes to a source."""
    while cycle < load.stop:
        if np.int64(_draw(load.source_key[source], cycle) >> _HALF) < load.chance:
            break
        cycle += 1
    return cycle


@inlined
def _counts(load: Load, cycle: int) -> bool:
    """Whether a cycle counts."""
    return load.warm_up <= cycle < load.end


@inlined
def _batch(load: Load, state: State, came: int) -> int:
    """In which part of the cycles that count a word came."""
    return int((came - load.warm_up) * state.came.size // (load.end - load.warm_up))


@inlined
def _pass_due(load: Load, state: State, source: int) -> None:
    """The next word of a source has come; when another one will."""
    came = state.due[source]
    if _counts(load, came):
        state.came[_batch(load, state, came)] += 1
    state.due[source] = _next_due(load, source, came + 1)


@inlined
def _offer_due(fixed: Fixed, load: Load, registers: Registers, state: State, cycle: int) -> None:
    """Sources that offer no word offer one that has come."""
    for source in range(fixed.sources):
        if registers.length[fixed.offering + source] == 0 and state.due[source] <= cycle:
            number = state.offered[source]
            kept = _rising(state, number)
            state.rising_came[source, kept] = state.due[source]
            state.rising_before[source, kept] = state.counts.passed
            offer(fixed, registers, source, number << fixed.header.bits | state.node[source])
            state.offered[source] += 1
            _pass_due(load, state, source)


@inlined
def _stall(load: Load, registers: Registers, state: State, cycle: int) -> None:
    """Which sinks are ready."""
    for node in range(state.stalls.size):
        if state.stalls[node] == 0:
            bits = _draw(load.sink_key[node], cycle)
            if np.int64(bits >> _HALF) < load.stall_chance:
                state.stalls[node] = 1 + np.int64(bits & _LOW) % load.longest_stall
        registers.ready[node] = state.stalls[node] == 0
        if state.stalls[node]:
            state.stalls[node] -= 1


@inlined
def _skip_own(fixed: Fixed, load: Load, state: State, node: int) -> None:
    """A sink expects no own words of its node, where these are dropped."""
    if not load.drops[node]:
        return
    expected = state.expected[node]
    while expected < state.counts.inside:
        if _sender(fixed, state.order_word[_ordered(state, expected)]) != node:
            break
        expected += 1
    state.expected[node] = expected


@inlined
def _enter_root(fixed: Fixed, load: Load, state: State, word: int) -> bool:
    """A word gets its position in the order; whether it is the next one of its source."""
    node, number = _sender(fixed, word), word >> fixed.header.bits
    source, kept = load.source_of[node], _ordered(state, state.counts.inside)
    if number != state.entered[source] or state.order_sinks[kept]:
        return False
    state.entered[source] += 1
    state.order_word[kept] = word
    state.order_sinks[kept] = state.expected.size - load.drops[node]
    state.order_came[kept] = state.rising_came[source, _rising(state, number)]
    state.counts.inside += 1
    _skip_own(fixed, load, state, node)
    return True


@inlined
def _pass_root(fixed: Fixed, load: Load, state: State, word: int, cycle: int) -> None:
    """A word leaves the root."""
    counts, source = state.counts, load.source_of[_sender(fixed, word)]
    counts.passed += 1
    if _counts(load, cycle):
        counts.passed_warm += 1
    before = state.rising_before[source, _rising(state, word >> fixed.header.bits)]
    state.longest[source] = max(state.longest[source], counts.passed - before)


@inlined
def _take(fixed: Fixed, load: Load, state: State, node: int, word: int, cycle: int) -> bool:
    """A sink takes a word; whether it is the one that comes next in the order of the root."""
    kept = _ordered(state, state.expected[node])
    if state.expected[node] >= state.counts.inside or state.order_word[kept] != word:
        return False
    state.expected[node] += 1
    _skip_own(fixed, load, state, node)
    state.order_sinks[kept] -= 1
    if _counts(load, cycle):
        state.ejected[node] += 1
    came = state.order_came[kept]
    if state.order_sinks[kept] == 0 and _counts(load, came):
        # It has reached its last sink.
        since_came, batch = cycle - came, _batch(load, state, came)
        state.reached[_sender(fixed, word)] += 1
        state.finished[batch] += 1
        state.taken[batch] += since_came
        state.since_came[min(since_came, state.since_came.size - 1)] += 1
    return True


@inlined
def _follow(fixed: Fixed, load: Load, registers: Registers, state: State, cycle: int) -> int:
    """Follow the words that moved in a cycle, and forget that; whether all is right."""
    moved, end = registers.moved, RIGHT
    for source in range(fixed.sources):
        if moved[source] != NONE:
            state.injected[state.node[source]] += _counts(load, cycle)
            moved[source] = NONE
    if moved[fixed.enter] != NONE and not _enter_root(fixed, load, state, moved[fixed.enter]):
        end = LOST
    for node in range(fixed.node.size):
        word = moved[fixed.sources + node]
        if word != NONE:
            if not _take(fixed, load, state, node, word, cycle):
                end = REORDERED
            moved[fixed.sources + node] = NONE
    if moved[fixed.leave] != NONE:
        _pass_root(fixed, load, state, moved[fixed.leave], cycle)
    moved[fixed.enter] = NONE
    moved[fixed.leave] = NONE
    return end


@compiled_whole
def advance_load(fixed: Fixed, load: Load, registers: Registers, state: State) -> int:
    """Run to the last cycle, or until something is wrong."""
    counts = state.counts
    for source in range(fixed.sources):
        state.due[source] = _next_due(load, source, 0)
    while counts.cycle < load.stop:
        _offer_due(fixed, load, registers, state, counts.cycle)
        _stall(load, registers, state, counts.cycle)
        run_cycle(fixed, registers, load.joins)
        end = _follow(fixed, load, registers, state, counts.cycle)
        if end != RIGHT:
            return end
        counts.cycle += 1
    # Those that still wait at their sources have come too.
    for source in range(fixed.sources):
        while state.due[source] < load.stop:
            _pass_due(load, state, source)
    return RIGHT
