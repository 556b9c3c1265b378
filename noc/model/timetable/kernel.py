"""One cycle of all routers, compiled: what ``docs/rounds.md`` says, step by step.

Sinks take what waits in their queues. What came by the links in the cycle before is ejected, or put
into the queues. Then, unless all nodes stand still, the words of the phase are given and sent.
"""

from typing import NamedTuple

from noc.compiled import compiled_whole, inlined
from noc.model import runs
from noc.model.runs import DRAINED, FULL, HUNGRY, LIMIT, NONE, Offered, runs_out
from noc.networks import IntArray

#: The number of the first sum of the first round; those of others are less.
FIRST_SUM = -2


class Fixed(NamedTuple):
    """What can happen in each phase: rows that are sorted by phase, node and port."""

    first: IntArray  # (2, round + 1): the first row of each phase; of transfers, of ejects
    node: IntArray
    port: IntArray
    flow: IntArray  # which word of a round it is, or which sum
    late: IntArray  # how many rounds ago the router took it, or the first of its words
    lane: IntArray  # the eject stream by which it leaves; NONE for a transfer before
    first_flow: IntArray  # (round + 1): where those of each phase begin in the next one
    flows: IntArray  # (flows): all, by the phase in which they are given
    inject: IntArray  # (flows): the stream of each
    waits: IntArray  # (flows): how many rounds begin before the first in which each is taken
    first_sum: IntArray  # (flows + 1): where the sums of each begin in the next one
    sums: IntArray  # (all): the sums that have each word
    receivers: IntArray  # (flows and sums): how many times each is ejected
    lane_node: IntArray  # (eject streams)
    lane_port: IntArray
    turn: IntArray  # (eject streams): which one of its node's it is
    queue: int  # words of a queue with which all nodes stand still; 0 for no queues
    pulses: int  # whether each round needs a pulse
    starts: IntArray  # (period): when there are pulses, repeated for ever


class State(NamedTuple):
    """What changes."""

    given: IntArray  # (rounds, flows and sums): what was taken in each, by turns
    word: IntArray  # (eject streams, room): the words of each queue, round and round
    phase: IntArray  # (eject streams, room): and the phases in which they came
    oldest: IntArray  # (eject streams)
    length: IntArray  # (eject streams)
    full: IntArray  # (delay): whether a queue was, of the cycles of which the pacer does not know
    goes: IntArray  # (delay): whether all are to move on, of those of which nodes do not know


class Counts(runs.Counts):
    """The counts of a run."""

    phase: int
    came: int  # whether nodes moved on in the cycle before
    left: int  # cycles of the round that all are still to be told to move on in
    asked: int  # whether a round is to begin then
    under_way: int  # ejects that are still to come of words that were taken
    after: int  # the cycle after the last event
    rounds: int  # how many have ended


@inlined
def _row(state: State, counts: Counts, late: int) -> int:
    """Where it is written down what was taken in the round so many ago."""
    return int((counts.rounds - late) % state.given.shape[0])


@inlined
def _note(counts: Counts, events: IntArray, node: int, port: int, word: int, phase: int) -> None:
    """List an event, where they are listed."""
    counts.after = counts.cycle + 1
    if events.shape[1]:
        place = events.shape[1] - counts.room
        events[0, place], events[1, place], events[2, place] = counts.cycle, node, port
        events[3, place], events[4, place], events[5, place] = word, phase, counts.rounds
        counts.room -= 1


@inlined
def _eject(counts: Counts, events: IntArray, node: int, port: int, word: int, phase: int) -> None:
    """A word leaves the network."""
    counts.ejected += 1
    counts.under_way -= 1
    _note(counts, events, node, port, word, phase)


@inlined
def _serve_queues(
    fixed: Fixed, offered: Offered, state: State, counts: Counts, events: IntArray
) -> bool:
    """Let sinks take the oldest words; whether it is known by now that a queue was full."""
    room, full = state.word.shape[1], False
    for lane in range(fixed.lane_node.size):
        length, node = state.length[lane], fixed.lane_node[lane]
        full |= length >= fixed.queue
        # The sinks of a node have its pattern, one cycle after the other.
        row = (counts.cycle + fixed.turn[lane]) % offered.ready.shape[0]
        if length and offered.ready[row, node]:
            slot = state.oldest[lane]
            word, phase = state.word[lane, slot], state.phase[lane, slot]
            state.oldest[lane], state.length[lane] = (slot + 1) % room, length - 1
            _eject(counts, events, node, fixed.lane_port[lane], word, phase)
    return _delay(state.full, counts.cycle, full)


@inlined
def _delay(ring: IntArray, cycle: int, value: bool) -> bool:
    """What was put in as many cycles before as the ring is long."""
    place = cycle % ring.size
    before = ring[place]
    ring[place] = value
    return bool(before)


@inlined
def _moves_on(fixed: Fixed, state: State, counts: Counts, stops: bool) -> bool:
    """Whether all nodes move on in this cycle; and whether they will, which is decided in it."""
    goes = not stops
    if fixed.pulses:
        goes = goes and counts.left > 0
        begins = counts.asked and (counts.left == 0 or (counts.left == 1 and goes))
        counts.left = fixed.first.shape[1] - 1 if begins else counts.left - goes
        pulse = fixed.starts[counts.cycle % fixed.starts.size]
        counts.asked = pulse or (counts.asked and not begins)
    return _delay(state.goes, counts.cycle, goes)


@inlined
def _give_away(fixed: Fixed, state: State, counts: Counts, events: IntArray) -> None:
    """Eject what came in the cycle before, or put it into the queues."""
    phase, room = counts.phase, state.word.shape[1]
    for row in range(fixed.first[1, phase], fixed.first[1, phase + 1]):
        word, lane = (
            state.given[_row(state, counts, fixed.late[row]), fixed.flow[row]],
            fixed.lane[row],
        )
        if word == NONE:
            continue
        if fixed.queue:
            slot = (state.oldest[lane] + state.length[lane]) % room
            state.word[lane, slot], state.phase[lane, slot] = word, phase
            state.length[lane] += 1
        else:
            _eject(counts, events, fixed.node[row], fixed.port[row], word, phase)


@inlined
def _give(fixed: Fixed, offered: Offered, state: State, counts: Counts) -> None:
    """Take the words of a phase from the streams that have one."""
    for turn in range(fixed.first_flow[counts.phase], fixed.first_flow[counts.phase + 1]):
        flow = fixed.flows[turn]
        stream = fixed.inject[flow]
        own, wait = offered.next[stream], fixed.waits[flow]
        if own == offered.end[stream] or offered.release[own] > counts.cycle:
            continue
        if counts.rounds < wait:
            continue
        offered.next[stream] += 1
        row = _row(state, counts, wait)
        state.given[row, flow] = offered.word[own]
        counts.injected += 1
        counts.under_way += fixed.receivers[flow]
        for place in range(fixed.first_sum[flow], fixed.first_sum[flow + 1]):
            total = fixed.sums[place]
            if state.given[row, total] == NONE:
                # By its number all know what it is made of.
                sums = state.given.shape[1] - fixed.waits.size
                number = (counts.rounds - wait) * sums + total - fixed.waits.size
                state.given[row, total] = FIRST_SUM - number
                counts.under_way += fixed.receivers[total]


@inlined
def _go_on(fixed: Fixed, offered: Offered, state: State, counts: Counts, events: IntArray) -> None:
    """What happens in a phase, and the next one."""
    _give(fixed, offered, state, counts)
    phase = counts.phase
    for row in range(fixed.first[0, phase], fixed.first[0, phase + 1]):
        word = state.given[_row(state, counts, fixed.late[row]), fixed.flow[row]]
        if word != NONE:
            _note(counts, events, fixed.node[row], fixed.port[row], word, phase)
    counts.phase = phase + 1
    if counts.phase == fixed.first.shape[1] - 1:
        counts.phase = 0
        counts.rounds += 1
        row = _row(state, counts, 0)
        for value in range(state.given.shape[1]):
            state.given[row, value] = NONE


@inlined
def _waits(offered: Offered) -> bool:
    """Whether a stream has words that it still offers, or will."""
    waits = False
    for stream in range(offered.next.size):
        waits |= offered.next[stream] < offered.end[stream]
    return waits


@compiled_whole
def advance(
    fixed: Fixed, offered: Offered, state: State, counts: Counts, most: int, events: IntArray
) -> int:
    """Go on until the list of events may not hold those of a cycle, or the run ends: say why."""
    while True:
        if runs_out(offered):
            return HUNGRY
        if not counts.under_way and not _waits(offered):
            return DRAINED
        if counts.cycle >= offered.stop:
            return LIMIT
        if events.shape[1] and counts.room < most:
            return FULL
        stops = False
        if fixed.queue:
            stops = _serve_queues(fixed, offered, state, counts, events)
        if counts.came:
            _give_away(fixed, state, counts, events)
        counts.came = _moves_on(fixed, state, counts, stops)
        if counts.came:
            _go_on(fixed, offered, state, counts, events)
        counts.cycle += 1
