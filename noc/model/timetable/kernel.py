"""One cycle of all routers, compiled: what ``docs/rounds.md`` says, step by step.

Sinks take what waits in their queues. What came by the links in the cycle before is ejected, or put
into the queues. Then, unless all nodes stand still, the words of the phase are given and sent.
Where rounds need the words of all, nodes put words into queues at first. Where a node has one eject
stream, what came waits until its round is whole, and then for its turn.

Which word is where follows from the tables, and whether its source gave one. Only where links die
it is followed from link to link what came by them.
"""

from typing import NamedTuple

from noc.compiled import compiled_whole, inlined
from noc.model import runs
from noc.model.runs import DRAINED, FULL, HUNGRY, LIMIT, NONE, STILL, Offered, all_offered, runs_out
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
    lane: IntArray  # the eject stream by which it leaves; NONE for a transfer before; or its place
    first_flow: IntArray  # (round + 1): where those of each phase begin in the next one
    flows: IntArray  # (flows): all, by the phase in which they are given
    phase: IntArray  # (flows): the phase of each
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
    kept: int  # for the words of how many rounds inject streams have queues; 0 for none
    begins: int  # the phase before which none of a round is taken
    stream_node: IntArray  # (inject streams)
    stream_port: IntArray
    first_own: IntArray  # (inject streams + 1): where those of each begin in the next one
    own: IntArray  # (flows): all, by stream, in the order in which they are taken
    rooms: int  # for how many rounds nodes with one eject stream have room; 0 if each has several
    words: IntArray  # (nodes): of those how many words of a round come to each
    numbers: (
        IntArray  # (nodes, most words): what each is known by, in the order in which they leave
    )
    # Where something dies; else of no rows and parts:
    dies: IntArray  # (rows): from which cycle on nothing comes by the link of each
    first_part: IntArray  # (rows + 1): where what each is made of begins in the next two
    part: IntArray  # (parts): the row of what came before; or ~flow of an own word
    part_age: IntArray  # (parts): how many rounds ago that was
    sink_dies: IntArray  # (nodes): from which cycle on a sink takes nothing


class State(NamedTuple):
    """What changes."""

    given: IntArray  # (rounds, flows and sums): what was taken in each, by turns
    word: IntArray  # (eject streams, room): the words of each queue, round and round
    phase: IntArray  # (eject streams, room): and the phases in which they came
    oldest: IntArray  # (eject streams)
    length: IntArray  # (eject streams)
    full: IntArray  # (delay): whether a queue was, of the cycles of which the pacer does not know
    goes: IntArray  # (delay): whether all are to move on, of those of which nodes do not know
    opens: IntArray  # (delay): whether the round has words, of the same cycles
    filled: IntArray  # (delay): the rounds for which all have had words; the pacer does not know
    entered: IntArray  # (inject streams): words that came into each queue
    left: IntArray  # (inject streams): and that were taken out of it
    inject: IntArray  # (inject streams, room): the words of each queue, round and round
    there: (
        IntArray  # (rounds, rows): whether there was a word in each row, by turns; where links die
    )
    number: IntArray  # (rounds): which one with words each is, as ``given`` has them; or NONE
    # Of nodes with one eject stream, whose words are counted on from round to round:
    waits: IntArray  # (nodes, rounds, most words): what waits, by its round and place there
    came: IntArray  # (nodes, rounds): how many words of a round have come
    whole: IntArray  # (nodes): of how many rounds all have
    named: IntArray  # (nodes): which word is looked up next
    read: IntArray  # (nodes): which one has been, and is not offered yet; or NONE
    shown: IntArray  # (nodes): which one is offered; or NONE
    taken: IntArray  # (nodes): how many have left


class Counts(runs.Counts):
    """The counts of a run."""

    phase: int
    came: int  # whether nodes moved on in the cycle before
    left: int  # cycles of the round that all are still to be told to move on in
    asked: int  # whether a round is to begin then
    under_way: int  # ejects that are still to come of words that were taken
    after: int  # the cycle after the last event
    rounds: int  # how many have ended
    ahead: int  # the phase of which the pacer decides
    open: int  # whether the round of which it decides has words
    filled: int  # for how many all have had their words, and room
    opened: int  # how many have had words by its decision
    begun: int  # and by the nodes' phases
    owed: int  # words that are still to be taken for those
    told: int  # whether nodes are told that they take words when they move on next
    takes: int  # and whether they were told so when they did last


@inlined
def _row(state: State, counts: Counts, late: int) -> int:
    """Where it is written down what was taken in the round so many ago."""
    return int((counts.rounds - late) % state.given.shape[0])


@inlined
def _note(
    counts: Counts, events: IntArray, node: int, port: int, word: int, phase: int, number: int
) -> None:
    """List an event, and of which round it is, where they are listed."""
    counts.after = counts.cycle + 1
    if events.shape[1]:
        place = events.shape[1] - counts.room
        events[0, place], events[1, place], events[2, place] = counts.cycle, node, port
        events[3, place], events[4, place], events[5, place] = word, phase, number
        counts.room -= 1


@inlined
def _comes(fixed: Fixed, state: State, counts: Counts, row: int) -> bool:
    """Whether there is a word in a row, where links die, if one was given: of any of its parts."""
    begin, end, here = fixed.first_part[row], fixed.first_part[row + 1], False
    given, turn = _row(state, counts, fixed.late[row]), counts.rounds % state.there.shape[0]
    for place in range(begin, end):
        part = fixed.part[place]
        if part < 0:
            here |= state.given[given, ~part] != NONE
        else:
            before = (counts.rounds - fixed.part_age[place]) % state.there.shape[0]
            here |= state.there[before, part] != 0
    here &= counts.cycle < fixed.dies[row]
    state.there[turn, row] = here
    return bool(here)


@inlined
def _takes(fixed: Fixed, offered: Offered, counts: Counts, node: int, turn: int) -> bool:
    """Whether a sink of a node takes a word; they have its pattern, one cycle after the other."""
    dead = fixed.sink_dies.size and counts.cycle >= fixed.sink_dies[node]
    return bool(offered.ready[(counts.cycle + turn) % offered.ready.shape[0], node] and not dead)


@inlined
def _eject(counts: Counts, events: IntArray, node: int, port: int, word: int, phase: int) -> None:
    """A word leaves the network."""
    counts.ejected += 1
    counts.under_way -= 1
    _note(counts, events, node, port, word, phase, counts.rounds)


@inlined
def _serve_queues(
    fixed: Fixed, offered: Offered, state: State, counts: Counts, events: IntArray
) -> bool:
    """Let sinks take the oldest words; whether it is known by now that a queue was full."""
    room, full = state.word.shape[1], False
    for lane in range(fixed.lane_node.size):
        length, node = state.length[lane], fixed.lane_node[lane]
        full |= length >= fixed.queue
        if length and _takes(fixed, offered, counts, node, fixed.turn[lane]):
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
def _serve_nodes(
    fixed: Fixed, offered: Offered, state: State, counts: Counts, events: IntArray
) -> None:
    """Let the sink of each node take the word that is offered, and offer the next one."""
    for node in range(fixed.words.size):
        words, shown = fixed.words[node], state.shown[node]
        if not words or (shown != NONE and not _takes(fixed, offered, counts, node, 0)):
            continue
        if shown != NONE:
            turn, place = (shown // words) % fixed.rooms, shown % words
            port, number = fixed.lane_port[0], fixed.numbers[node, place]
            _eject(counts, events, node, port, state.waits[node, turn, place], number)
            state.taken[node] += 1
        # Where one is read, the next is looked up, if its round is whole.
        state.shown[node], state.read[node] = state.read[node], NONE
        if state.named[node] < state.whole[node] * words:
            state.read[node] = state.named[node]
            state.named[node] += 1


@inlined
def _keep(fixed: Fixed, state: State, node: int, place: int, number: int, word: int) -> None:
    """A word waits for those of its round, by its number among those with words."""
    turn = number % fixed.rooms
    state.waits[node, turn, place] = word
    state.came[node, turn] += 1
    if state.came[node, turn] == fixed.words[node]:
        state.came[node, turn] = 0
        state.whole[node] += 1


@inlined
def _count_filled(fixed: Fixed, state: State) -> int:
    """For how many rounds all streams have had their words, and all nodes room for others'."""
    rounds = 1 << 62
    for stream in range(fixed.stream_node.size):
        words = fixed.first_own[stream + 1] - fixed.first_own[stream]
        rounds = min(rounds, state.entered[stream] // words)
    for node in range(fixed.words.size):
        if fixed.words[node]:
            rounds = min(rounds, fixed.rooms + state.taken[node] // fixed.words[node])
    return rounds


@inlined
def _has_room(fixed: Fixed, state: State, stream: int) -> bool:
    """Whether a word may come into the queue of an inject stream."""
    words = fixed.first_own[stream + 1] - fixed.first_own[stream]
    return bool(state.entered[stream] - state.left[stream] < fixed.kept * words)


@inlined
def _enter(fixed: Fixed, offered: Offered, state: State, counts: Counts, events: IntArray) -> None:
    """Words that are offered wait in the queues of their streams."""
    for stream in range(fixed.stream_node.size):
        word = offered.next[stream]
        if word == offered.end[stream] or offered.release[word] > counts.cycle:
            continue
        if not _has_room(fixed, state, stream):
            continue
        entered, first = state.entered[stream], fixed.first_own[stream]
        words = fixed.first_own[stream + 1] - first
        flow = fixed.own[first + entered % words]
        state.inject[stream, entered % state.inject.shape[1]] = offered.word[word]
        node, port = fixed.stream_node[stream], fixed.stream_port[stream]
        phase, number = fixed.phase[flow], entered // words + fixed.waits[flow]
        _note(counts, events, node, port, offered.word[word], phase, number)
        state.entered[stream] = entered + 1
        offered.next[stream] += 1
        counts.injected += 1


@inlined
def _open_rounds(fixed: Fixed, state: State, counts: Counts, goes: bool) -> None:
    """Decide whether the next round has words, where all have them; and tell of this one."""
    filled = state.filled[counts.cycle % state.filled.size]
    state.filled[counts.cycle % state.filled.size] = counts.filled
    counts.told = _delay(state.opens, counts.cycle, bool(counts.open))
    if goes:
        counts.ahead += 1
        if counts.ahead == fixed.first.shape[1] - 1:
            counts.ahead = 0
            counts.open = filled > counts.opened
            counts.opened += counts.open
            counts.owed += counts.open * fixed.flows.size


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
    if fixed.kept:
        counts.filled = _count_filled(fixed, state)
        _open_rounds(fixed, state, counts, goes)
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
        if fixed.dies.size and not _comes(fixed, state, counts, row):
            counts.under_way -= 1
            continue
        if fixed.queue:
            slot = (state.oldest[lane] + state.length[lane]) % room
            state.word[lane, slot], state.phase[lane, slot] = word, phase
            state.length[lane] += 1
        elif fixed.rooms:
            number = state.number[_row(state, counts, fixed.late[row])]
            _keep(fixed, state, fixed.node[row], lane, number, word)
        else:
            _eject(counts, events, fixed.node[row], fixed.port[row], word, phase)


@inlined
def _take(fixed: Fixed, offered: Offered, state: State, counts: Counts, stream: int) -> int:
    """The next word of an inject stream, out of its queue if it has one; NONE if there is none."""
    if fixed.kept:
        word = state.inject[stream, state.left[stream] % state.inject.shape[1]]
        state.left[stream] += 1
        counts.owed -= 1
        return int(word)
    own = offered.next[stream]
    if own == offered.end[stream] or offered.release[own] > counts.cycle:
        return NONE
    offered.next[stream] += 1
    counts.injected += 1
    return int(offered.word[own])


@inlined
def _give(fixed: Fixed, offered: Offered, state: State, counts: Counts) -> None:
    """Take the words of a phase from the streams that have one."""
    for turn in range(fixed.first_flow[counts.phase], fixed.first_flow[counts.phase + 1]):
        flow = fixed.flows[turn]
        row = _row(state, counts, fixed.waits[flow])
        if state.number[row] == NONE:
            continue
        word = _take(fixed, offered, state, counts, fixed.inject[flow])
        if word == NONE:
            continue
        state.given[row, flow] = word
        counts.under_way += fixed.receivers[flow]
        for place in range(fixed.first_sum[flow], fixed.first_sum[flow + 1]):
            total = fixed.sums[place]
            if state.given[row, total] == NONE:
                # By its number all know what it is made of.
                sums = state.given.shape[1] - fixed.waits.size
                number = state.number[row] * sums + total - fixed.waits.size
                state.given[row, total] = FIRST_SUM - number
                counts.under_way += fixed.receivers[total]


@inlined
def _go_on(fixed: Fixed, offered: Offered, state: State, counts: Counts, events: IntArray) -> None:
    """What happens in a phase, and the next one."""
    phase = counts.phase
    if not phase and not fixed.kept:
        state.number[_row(state, counts, 0)] = counts.rounds
    elif phase == fixed.begins and counts.takes:
        state.number[_row(state, counts, 0)] = counts.begun
        counts.begun += 1
    counts.takes = counts.told
    _give(fixed, offered, state, counts)
    for row in range(fixed.first[0, phase], fixed.first[0, phase + 1]):
        word = state.given[_row(state, counts, fixed.late[row]), fixed.flow[row]]
        # By a loop nothing is seen to come.
        seen = not fixed.dies.size or (
            _comes(fixed, state, counts, row) and fixed.port[row] != NONE
        )
        if word != NONE and seen:
            _note(counts, events, fixed.node[row], fixed.port[row], word, phase, counts.rounds)
    counts.phase = phase + 1
    if counts.phase == fixed.first.shape[1] - 1:
        counts.phase = 0
        counts.rounds += 1
        row = _row(state, counts, 0)
        for value in range(state.given.shape[1]):
            state.given[row, value] = NONE
        state.number[row] = NONE


@inlined
def _waits(fixed: Fixed, offered: Offered, state: State, counts: Counts) -> bool:
    """Whether a stream has words that it still offers, or will, and that may be taken.

    In queues those are not which others lack words to go with.
    """
    waits = False
    for stream in range(offered.next.size):
        takes = not fixed.kept or _has_room(fixed, state, stream)
        waits |= takes and offered.next[stream] < offered.end[stream]
    if fixed.kept:
        waits |= counts.owed > 0 or counts.filled > counts.opened
    return waits


@compiled_whole
def advance(
    fixed: Fixed, offered: Offered, state: State, counts: Counts, most: int, events: IntArray
) -> int:
    """Go on until the list of events may not hold those of a cycle, or the run ends: say why."""
    while True:
        if runs_out(offered):
            return HUNGRY
        if not counts.under_way and not _waits(fixed, offered, state, counts):
            return DRAINED
        if counts.cycle >= offered.stop:
            return LIMIT
        still = fixed.sink_dies.size and counts.quiet >= offered.patience
        if still and all_offered(offered, counts.cycle):
            return STILL
        if events.shape[1] and counts.room < most:
            return FULL
        if fixed.kept:
            _enter(fixed, offered, state, counts, events)
        stops = False
        if fixed.queue:
            stops = _serve_queues(fixed, offered, state, counts, events)
        elif fixed.rooms:
            _serve_nodes(fixed, offered, state, counts, events)
        if counts.came:
            _give_away(fixed, state, counts, events)
        counts.came = _moves_on(fixed, state, counts, stops)
        if counts.came:
            _go_on(fixed, offered, state, counts, events)
        counts.cycle += 1
        counts.quiet = 0 if counts.after == counts.cycle else counts.quiet + 1
