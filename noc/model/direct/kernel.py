"""One cycle of all routers, compiled: what ``docs/router.md`` says, step by step.

A cycle has three passes over all routers: words are offered and requested, then granted; then each
router sends what others accepted, and stores what it accepts itself.
"""

from noc.compiled import compiled_whole, inlined
from noc.model.direct.state import EJECT, RELAY, SLOTS, Counts, Fixed, Log, Routers
from noc.model.runs import (
    DRAINED,
    FULL,
    HUNGRY,
    LIMIT,
    NONE,
    STILL,
    Offered,
    all_offered,
    runs_out,
    signals_of,
)

#: The cycle of a delivery that happened more than once.
TWICE = -2


@inlined
def _request(routers: Routers, node: int, requester: int, row: int, word: int) -> bool:
    """Offer a word to a router; whether it has a free slot for that."""
    if routers.occupied[node] == SLOTS:
        return False
    routers.requesting[node] |= 1 << requester
    routers.requested_row[node, requester] = row
    routers.requested_word[node, requester] = word
    return True


@inlined
def _far_row(fixed: Fixed, node: int, row: int, copy: int) -> int:
    """The row of a copy at its receiver, whose table knows it by its code."""
    table = fixed.far_table[node, fixed.out_port[row, copy]]
    return int(fixed.row_of_code[table, fixed.code[row, copy]])


@inlined
def _stream(fixed: Fixed, node: int, port: int) -> int:
    """The number of a stream: those at in-ports, the inject and the eject stream of each node."""
    return node * (fixed.own_port + 2) + port


@inlined
def _offer(fixed: Fixed, routers: Routers, log: Log, node: int) -> None:
    """Offer the pending copies of the word on the bus to the neighbours that get them."""
    slot = routers.head[node]
    row, word = routers.slot_row[node, slot], routers.slot_word[node, slot]
    copy, sends, fits = 1, routers.pending[node] >> 1, 0
    while sends:
        if sends & 1:
            port = fixed.out_port[row, copy]
            far, requester = fixed.far_node[node, port], fixed.far_requester[node, port]
            if routers.dead[node, port]:
                room = fixed.loses
            elif fixed.relays:
                room = routers.relay_length[far, requester] < RELAY
            else:
                far_row = _far_row(fixed, node, row, copy)
                room = _request(routers, far, requester, far_row, word)
            if room:
                fits |= 1 << copy
            if log.signals.shape[0]:
                stream = _stream(fixed, far, fixed.in_port[far, requester])
                log.signals[log.counts.watched, stream] |= signals_of(word, False)
            if fixed.one_port:
                break
        copy, sends = copy + 1, sends >> 1
    routers.fits[node] = fits


@inlined
def _own_word(offered: Offered, node: int, cycle: int) -> int:
    """Where the word is listed that a node itself offers, or NONE."""
    row = offered.next[node]
    return int(row) if row < offered.end[node] and offered.release[row] <= cycle else NONE


@inlined
def _offer_all(fixed: Fixed, offered: Offered, routers: Routers, log: Log, node: int) -> None:
    """All that a node offers: to its neighbours, and from its relays and itself to its router."""
    routers.fits[node] = 0
    if routers.occupied[node]:
        _offer(fixed, routers, log, node)
    if routers.relayed[node]:
        for requester in range(fixed.requesters[node]):
            if routers.relay_length[node, requester]:
                row = routers.relay_row[node, requester, 0]
                _request(routers, node, requester, row, routers.relay_word[node, requester, 0])
    own = _own_word(offered, node, log.counts.cycle)
    if own != NONE:
        _request(routers, node, fixed.requesters[node] - 1, offered.way[own], offered.word[own])


@inlined
def _accept(routers: Routers, node: int) -> None:
    """Accept the word of the first requester."""
    requesting, requester = routers.requesting[node], NONE
    if requesting:
        requester = 0
        while not requesting >> requester & 1:
            requester += 1
    routers.accepted[node] = requester
    routers.requesting[node] = 0


@inlined
def _record(log: Log, node: int, port: int, row: int, word: int) -> None:
    """Add an event to the list."""
    if log.events.shape[1]:
        event = log.events.shape[1] - log.counts.room
        log.events[0, event] = log.counts.cycle
        log.events[1, event] = node
        log.events[2, event] = port
        log.events[3, event] = row
        log.events[4, event] = word
        log.counts.room -= 1


@inlined
def _enter_relay(
    fixed: Fixed, routers: Routers, log: Log, node: int, requester: int, row: int, word: int
) -> None:
    """A word comes over a link into a relay."""
    behind = routers.relay_length[node, requester]
    routers.relay_row[node, requester, behind] = row
    routers.relay_word[node, requester, behind] = word
    routers.relay_length[node, requester] += 1
    routers.relayed[node] += 1
    log.counts.occupied += 1
    log.counts.taken += 1
    _record(log, node, fixed.in_port[node, requester], row, word)


@inlined
def _leave_relay(routers: Routers, log: Log, node: int, requester: int) -> None:
    """The oldest word of a relay has been stored."""
    routers.relay_row[node, requester, 0] = routers.relay_row[node, requester, 1]
    routers.relay_word[node, requester, 0] = routers.relay_word[node, requester, 1]
    routers.relay_length[node, requester] -= 1
    routers.relayed[node] -= 1
    log.counts.occupied -= 1
    log.counts.passed += 1


@inlined
def _sent(fixed: Fixed, routers: Routers, log: Log, node: int, row: int, word: int) -> int:
    """Which of the copies that fit are sent: accepted, put into relays, or lost."""
    sent, copy, left = 0, 1, routers.fits[node] >> 1
    while left:
        if left & 1:
            port = fixed.out_port[row, copy]
            far, requester = fixed.far_node[node, port], fixed.far_requester[node, port]
            dead = routers.dead[node, port] != 0
            if fixed.relays and not dead:
                far_row = _far_row(fixed, node, row, copy)
                _enter_relay(fixed, routers, log, far, requester, far_row, word)
            if dead or fixed.relays or routers.accepted[far] == requester:
                sent |= 1 << copy
        copy, left = copy + 1, left >> 1
    return sent


@inlined
def _eject(log: Log, node: int, row: int, word: int) -> None:
    """Give a word to the sink."""
    log.counts.ejected += 1
    _record(log, node, NONE, row, word)
    if log.arrival.shape[0]:
        again = log.arrival[word, node] != NONE
        log.arrival[word, node] = TWICE if again else log.counts.cycle


@inlined
def _send(fixed: Fixed, routers: Routers, log: Log, node: int, ready: bool) -> None:
    """Send copies of the word on the bus; when the last has left, the other word comes there."""
    slot = routers.head[node]
    row, word = routers.slot_row[node, slot], routers.slot_word[node, slot]
    left = routers.pending[node] & ~_sent(fixed, routers, log, node, row, word)
    if left & EJECT and ready:
        left ^= EJECT
        if fixed.queue:
            last = (routers.queue_first[node] + routers.queue_length[node]) % fixed.queue
            routers.queue_row[node, last] = row
            routers.queue_word[node, last] = word
            routers.queue_length[node] += 1
            log.counts.queued += 1
        else:
            _eject(log, node, row, word)
    routers.pending[node] = left
    if left == 0:
        routers.slot_row[node, slot] = NONE
        routers.occupied[node] -= 1
        log.counts.occupied -= 1
        other = routers.slot_row[node, slot ^ 1]
        routers.head[node] = NONE if other == NONE else slot ^ 1
        routers.pending[node] = 0 if other == NONE else fixed.copies[other]


@inlined
def _store(fixed: Fixed, offered: Offered, routers: Routers, log: Log, node: int) -> None:
    """Store the word that is accepted."""
    requester = routers.accepted[node]
    row, word = routers.requested_row[node, requester], routers.requested_word[node, requester]
    # There is no head, or it stays: then the other slot is free.
    slot = 0 if routers.head[node] == NONE else routers.head[node] ^ 1
    routers.slot_row[node, slot] = row
    routers.slot_word[node, slot] = word
    routers.occupied[node] += 1
    log.counts.occupied += 1
    if routers.head[node] == NONE:
        routers.head[node] = slot
        routers.pending[node] = fixed.copies[row]
    port = fixed.in_port[node, requester]
    if port == fixed.own_port:
        offered.next[node] += 1
        log.counts.injected += 1
    elif fixed.relays:
        _leave_relay(routers, log, node, requester)
        return
    log.counts.taken += 1
    _record(log, node, port, row, word)


@inlined
def _update(
    fixed: Fixed, offered: Offered, routers: Routers, log: Log, node: int, ready: bool
) -> None:
    """What changes in a router at the end of a cycle."""
    if fixed.queue:
        waiting = routers.queue_length[node]
        if waiting and ready:
            first = routers.queue_first[node]
            _eject(log, node, routers.queue_row[node, first], routers.queue_word[node, first])
            routers.queue_first[node] = (first + 1) % fixed.queue
            routers.queue_length[node] -= 1
        ready = waiting < fixed.queue
    if routers.occupied[node]:
        _send(fixed, routers, log, node, ready)
    if routers.accepted[node] != NONE:
        _store(fixed, offered, routers, log, node)


@inlined
def _ejected(fixed: Fixed, routers: Routers, node: int) -> int:
    """The word that a router offers at its eject stream, or NONE."""
    if fixed.queue:
        waits = routers.queue_length[node] > 0
        return int(routers.queue_word[node, routers.queue_first[node]]) if waits else NONE
    slot = routers.head[node]
    if slot == NONE or not routers.pending[node] & EJECT:
        return NONE
    return int(routers.slot_word[node, slot])


@inlined
def _watch(
    fixed: Fixed, offered: Offered, routers: Routers, log: Log, node: int, ready: bool
) -> None:
    """Write down what the streams of a router show, but for words that it offers to others."""
    shown = log.signals[log.counts.watched]
    eject = _stream(fixed, node, fixed.own_port + 1)
    shown[eject] = signals_of(_ejected(fixed, routers, node), ready)
    for requester in range(fixed.requesters[node]):
        in_port = fixed.in_port[node, requester]
        stream, taken = _stream(fixed, node, in_port), routers.accepted[node] == requester
        if in_port == fixed.own_port:
            own = _own_word(offered, node, log.counts.cycle)
            if own != NONE:
                shown[stream] |= signals_of(offered.word[own], False)
        elif fixed.relays:
            taken = routers.relay_length[node, requester] < RELAY
        shown[stream] |= signals_of(NONE, taken)


@inlined
def _moves(counts: Counts) -> int:
    """How often anything has moved so far."""
    return int(counts.taken + counts.passed + counts.ejected + counts.queued)


@inlined
def _let_die(fixed: Fixed, routers: Routers, cycle: int) -> None:
    """Links and sinks that are dead from a cycle on."""
    for fault in range(fixed.dies.shape[0]):
        if fixed.dies[fault, 2] == cycle:
            routers.dead[fixed.dies[fault, 0], fixed.dies[fault, 1]] = 1


@inlined
def _takes(offered: Offered, routers: Routers, cycle: int, node: int) -> bool:
    """Whether a sink is ready."""
    ready = offered.ready[cycle % offered.ready.shape[0], node]
    return bool(ready and not routers.dead[node, -1])


@inlined
def _cycle(fixed: Fixed, offered: Offered, routers: Routers, log: Log) -> None:
    """One cycle of all routers."""
    counts, nodes = log.counts, routers.accepted.size
    _let_die(fixed, routers, counts.cycle)
    occupied, moves = counts.occupied, _moves(counts)
    for node in range(nodes):
        _offer_all(fixed, offered, routers, log, node)
    for node in range(nodes):
        _accept(routers, node)
    if log.signals.shape[0]:
        for node in range(nodes):
            _watch(fixed, offered, routers, log, node, _takes(offered, routers, counts.cycle, node))
        counts.watched += 1
    for node in range(nodes):
        _update(fixed, offered, routers, log, node, _takes(offered, routers, counts.cycle, node))
    # A word without copies leaves without an event.
    still = _moves(counts) == moves and counts.occupied == occupied
    counts.quiet = counts.quiet + 1 if still else 0
    counts.cycle += 1


@compiled_whole
def advance(fixed: Fixed, offered: Offered, routers: Routers, log: Log) -> int:
    """Run until the run ends, or until the events of a cycle might find no room."""
    counts, listed, drawn = log.counts, log.events.shape[1], offered.drawn.sum()
    # A router takes and ejects a word a cycle, and each of its relays takes one; and the network
    # becomes empty, or ceases to be.
    most = routers.accepted.size * (fixed.own_port + 2 if fixed.relays else 2) + 1
    while True:
        if runs_out(offered):
            return HUNGRY
        empty = counts.occupied == 0 and (fixed.queue == 0 or counts.queued == counts.ejected)
        if empty and counts.injected == drawn:
            return DRAINED
        if counts.cycle >= offered.stop:
            return LIMIT
        if counts.quiet >= offered.patience and all_offered(offered, counts.cycle):
            return STILL
        if listed and counts.room < most:
            return FULL
        if log.signals.shape[0] and counts.watched == log.signals.shape[0]:
            return FULL
        held = counts.occupied > 0
        _cycle(fixed, offered, routers, log)
        if held != (counts.occupied > 0):
            # Listed as an event at no node.
            _record(log, NONE, NONE, NONE, NONE)
