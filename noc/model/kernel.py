"""One cycle of all routers, compiled: what ``docs/router.md`` says, on arrays.

Slots 2 c and 2 c + 1 of a router are those of its virtual channel (VC) c. A cycle has two passes:
the first reads registers only and finds the word that each router is granted, the second updates
each router from its own grant and from those that its copies received.

The registers of a router are one row of an array, so that a router is one or two cache lines;
the constants in capitals name the columns. They stand in this file because numba notices a change
of a compiled function's own file only.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from noc.compiled import compiled
from noc.networks import IntArray

__all__ = [
    "DRAINED",
    "EJECT",
    "FULL",
    "LIMIT",
    "MOST_REQUESTERS",
    "MOST_SENDS",
    "NONE",
    "STILL",
    "TWICE",
    "Fixed",
    "Offered",
    "Registers",
    "advance",
]

_F = TypeVar("_F", bound=Callable[..., object])

#: No slot, no row, no word, no in-port; also the port of an eject event.
NONE = -1

#: What stands for the cycle of a delivery that happened more than once.
TWICE = -2

#: The bit of the eject among the pending copies of a word; the bit of send 0 comes next.
EJECT = 1

#: The most sends of one row: a bit each, the eject, and the sign.
MOST_SENDS = 62

#: Why a stretch of cycles ended.
FULL, DRAINED, STILL, LIMIT = range(4)

#: Columns of ``Fixed.wires``: the node and in-port at the far end, and that node's table.
THERE, ARRIVAL, FAR_TABLE = range(3)

#: Columns of ``Fixed.sends``.
PORT, CODE = range(2)

#: Columns of ``Offered.queue``: the row of the word at its source, not its tree.
QUEUED_WORD, QUEUED_ROW, RELEASE = range(3)

#: Columns of ``Registers.router``: the active VC; the turns of the in-ports and
#: of the VCs; the lap of the latter; which requesters were blocked; the oldest of the words that
#: wait for the sink, and how many do; how many slots are occupied, and how many words are in
#: relays; its words still to be offered; in this cycle, which ones request, which are blocked,
#: and which presented copies found room. Row and word of every slot follow, then for every VC the
#: slot of its head and the copies still to be sent, then for every requester the row, the word and
#: the slot that it requests.
ACTIVE, PORT_TURNS, VC_TURNS, LAP, BLOCKED, OLDEST, WAITING, HELD = range(8)
RELAYED, NEXT, END, REQUESTING, BLOCKS, COMPETING, SLOTS = range(8, 15)
ROW, WORD = range(2)
HEAD, PENDING = range(2)
REQUESTED_ROW, REQUESTED_WORD, REQUESTED_SLOT, REQUESTED = range(4)

#: Every so many turns, the arbiter of the VCs is fair.
LAPS = 4

#: The most requesters of one router: a bit each, and the sign.
MOST_REQUESTERS = 62

#: Columns of ``Registers.relays``: how many words are in the relay, then row and word of each.
IN_RELAY, FIRST = range(2)

#: Words that a relay can hold.
RELAY = 2

#: What lies in ``Registers.total``: cycles so far; slots occupied, in routers and relays; cycles
#: since anything moved; transfers at inject streams, at all in-ports, out of relays, at eject
#: streams and into queues; the check sum of the events and how many more the list can hold.
CYCLE, OCCUPIED, QUIET, INJECTED, TAKEN, PASSED, EJECTED, QUEUED = range(8)
CHECKSUM, ROOM, TOTALS = range(8, 11)


class Fixed(NamedTuple):
    """What never changes: wires and tables."""

    wires: IntArray  # (nodes, ports, 3)
    sends: IntArray  # (rows, slots, 2)
    copies: IntArray  # (rows): the bits of the eject and of all sends
    row_of_code: IntArray  # (tables, codes)
    row_vc: IntArray  # (rows)
    requester: IntArray  # (nodes, in-ports + 1): the number of an in-port among those used
    requesters: IntArray  # (nodes): how many are used
    vcs: int
    own: int  # the number of the node's own in-port
    one_port: bool
    one_source: bool
    relayed: bool  # whether a word waits in a relay of its in-port first; then K is 1
    queue: int  # words that wait for a sink


class Offered(NamedTuple):
    """The words of all sources, sorted by source, the sinks, and when to give up."""

    queue: IntArray  # (words, 3)
    ready: IntArray  # (period, nodes)
    stop: int  # the first cycle that is not simulated
    patience: int  # quiet cycles after which only a new word could move


class Registers(NamedTuple):
    """The registers of all routers, the grants of the cycle, and the totals."""

    router: IntArray  # (nodes, columns)
    granted: IntArray  # (nodes): the requester whose word is taken, or NONE
    queued: IntArray  # (nodes, queue, 2): row and word of those that wait for the sink
    relays: IntArray  # (nodes, in-ports, 5), or none
    total: IntArray


def _compiled(function: _F) -> _F:
    # All memory is allocated outside. Without the counting of references, and with everything
    # in one function, a cycle takes a fifth of the time.
    return compiled(function, forceinline=True, _nrt=False)


@_compiled
def _slot(number: int) -> int:
    """The column at which a slot begins."""
    return SLOTS + 2 * number


@_compiled
def _vc(fixed: Fixed, number: int) -> int:
    """The column at which what is known of a VC's head begins."""
    return SLOTS + 2 * (2 * fixed.vcs + number)


@_compiled
def _far_row(fixed: Fixed, node: int, row: int, copy: int) -> int:
    """The row of a copy at its receiver, whose table knows it by its code."""
    table = fixed.wires[node, fixed.sends[row, copy, PORT], FAR_TABLE]
    return int(fixed.row_of_code[table, fixed.sends[row, copy, CODE]])


@_compiled
def _requester(fixed: Fixed, number: int) -> int:
    """The column at which what a requester wants begins."""
    return SLOTS + 6 * fixed.vcs + REQUESTED * number


@_compiled
def _request(
    fixed: Fixed, registers: Registers, node: int, in_port: int, row: int, word: int
) -> bool:
    """Ask a router to take a word; whether it has room."""
    router = registers.router
    requester = fixed.requester[node, in_port]
    slot = 2 * fixed.row_vc[row]
    if router[node, _slot(slot) + ROW] != NONE:
        slot += 1
        if router[node, _slot(slot) + ROW] != NONE:
            slot = NONE
    if slot == NONE:
        if fixed.vcs == 1:
            return False
        router[node, BLOCKS] |= 1 << requester
    router[node, REQUESTING] |= ~router[node, BLOCKED] & 1 << requester
    requested = _requester(fixed, requester)
    router[node, requested + REQUESTED_ROW] = row
    router[node, requested + REQUESTED_WORD] = word
    router[node, requested + REQUESTED_SLOT] = slot
    return bool(slot != NONE)


@_compiled
def _winner(requesting: int, turns: int, requesters: int) -> int:
    """Who wins in the arbiter tree: at every pair the side whose turn it is, if it requests."""
    first, end = 0, requesters
    while end - first > 1:
        middle = first + (end - first + 1) // 2
        left = (requesting & ((1 << middle) - (1 << first))) != 0
        right = (requesting & ((1 << end) - (1 << middle))) != 0
        if right and (not left or turns >> middle & 1):
            first = middle
        else:
            end = middle
    return first


@_compiled
def _pass_turns(turns: int, requesters: int, winner: int) -> int:
    """The turns after a win: at each of its pairs the other side is next."""
    first, end = 0, requesters
    while end - first > 1:
        middle = first + (end - first + 1) // 2
        if winner >= middle:
            turns &= ~(1 << middle)
            first = middle
        else:
            turns |= 1 << middle
            end = middle
    return turns


@_compiled
def _grant(fixed: Fixed, registers: Registers, node: int) -> int:
    """The requester that is granted, or NONE."""
    router = registers.router
    requesting, requesters = router[node, REQUESTING], fixed.requesters[node]
    if not requesting:
        return NONE
    if fixed.one_source:
        requester = 0
        while not requesting >> requester & 1:
            requester += 1
    else:
        requester = _winner(requesting, router[node, PORT_TURNS], requesters)
        router[node, PORT_TURNS] = _pass_turns(router[node, PORT_TURNS], requesters, requester)
    return requester


@_compiled
def _taken(fixed: Fixed, registers: Registers, node: int) -> int:
    """The requester whose word is taken, or NONE."""
    router = registers.router
    requester = _grant(fixed, registers, node)
    if requester == NONE:
        return NONE
    return (
        requester if router[node, _requester(fixed, requester) + REQUESTED_SLOT] != NONE else NONE
    )


@_compiled
def _present(fixed: Fixed, registers: Registers, node: int) -> None:
    """Request a slot for every presented copy of the active VC's head."""
    router = registers.router
    head = _vc(fixed, router[node, ACTIVE])
    if router[node, head + HEAD] == NONE:
        return
    slot = _slot(router[node, head + HEAD])
    row, word = router[node, slot + ROW], router[node, slot + WORD]
    left, bit, copy, competing = router[node, head + PENDING] >> 1, EJECT << 1, 0, 0
    while left:
        if left & 1:
            port = fixed.sends[row, copy, PORT]
            there, arrival = fixed.wires[node, port, THERE], fixed.wires[node, port, ARRIVAL]
            far_row = _far_row(fixed, node, row, copy)
            if fixed.relayed:
                if registers.relays[there, arrival, IN_RELAY] < RELAY:
                    competing |= bit
            elif _request(fixed, registers, there, arrival, far_row, word):
                competing |= bit
            if fixed.one_port:
                break
        left, bit, copy = left >> 1, bit << 1, copy + 1
    router[node, COMPETING] = competing


@_compiled
def _inject(fixed: Fixed, offered: Offered, registers: Registers, node: int) -> None:
    """Request a slot for the word that the node itself offers."""
    first = registers.router[node, NEXT]
    if first < registers.router[node, END]:
        queue = offered.queue
        if queue[first, RELEASE] <= registers.total[CYCLE]:
            row, word = queue[first, QUEUED_ROW], queue[first, QUEUED_WORD]
            _request(fixed, registers, node, fixed.own, row, word)


@_compiled
def _offer_relayed(fixed: Fixed, registers: Registers, node: int) -> None:
    """Request a slot for the oldest word of every relay."""
    relays = registers.relays
    for in_port in range(fixed.own):
        if relays[node, in_port, IN_RELAY]:
            row, word = relays[node, in_port, FIRST], relays[node, in_port, FIRST + 1]
            _request(fixed, registers, node, in_port, row, word)


@_compiled
def _enter_relay(
    registers: Registers, events: IntArray, node: int, in_port: int, row: int, word: int
) -> None:
    """A word comes over a link into a relay."""
    relays, total = registers.relays, registers.total
    behind = FIRST + 2 * relays[node, in_port, IN_RELAY]
    relays[node, in_port, behind], relays[node, in_port, behind + 1] = row, word
    relays[node, in_port, IN_RELAY] += 1
    registers.router[node, RELAYED] += 1
    total[OCCUPIED] += 1
    total[TAKEN] += 1
    _record(registers, events, node, in_port, row, word)


@_compiled
def _leave_relay(registers: Registers, node: int, in_port: int) -> None:
    """The oldest word of a relay has been stored."""
    relays, total = registers.relays, registers.total
    for column in (FIRST, FIRST + 1):
        relays[node, in_port, column] = relays[node, in_port, column + 2]
    relays[node, in_port, IN_RELAY] -= 1
    registers.router[node, RELAYED] -= 1
    total[OCCUPIED] -= 1
    total[PASSED] += 1


@_compiled
def _record(
    registers: Registers, events: IntArray, node: int, port: int, row: int, word: int
) -> None:
    """Add an event to the check sum, which does not depend on their order, and to the list."""
    total = registers.total
    cycle = total[CYCLE]
    mix = (cycle * 0x2545F491 + node) * 0x5851F42D + port
    mix = ((mix ^ (mix >> 31)) * 0x14057B7F + row) * 0x369DEA0F + word
    total[CHECKSUM] += (mix ^ (mix >> 29)) * 0x1B873593
    if events.shape[0]:
        free = events.shape[0] - total[ROOM]
        events[free, 0] = cycle
        events[free, 1] = node
        events[free, 2] = port
        events[free, 3] = row
        events[free, 4] = word
        total[ROOM] -= 1


@_compiled
def _record_idle(registers: Registers, events: IntArray) -> None:
    """Add to the list, as an event at no node, that the network is empty from now on, or not."""
    total = registers.total
    free = events.shape[0] - total[ROOM]
    events[free, 0] = total[CYCLE]
    events[free, 1:] = NONE
    total[ROOM] -= 1


@_compiled
def _lost(fixed: Fixed, registers: Registers, node: int, row: int) -> int:
    """Which of the presented copies found room and were not granted."""
    lost, bit, copy = registers.router[node, COMPETING], EJECT << 1, 0
    competing = lost >> 1
    while competing:
        if competing & 1:
            port = fixed.sends[row, copy, PORT]
            there, arrival = fixed.wires[node, port, THERE], fixed.wires[node, port, ARRIVAL]
            if registers.granted[there] == fixed.requester[there, arrival]:
                lost &= ~bit
        competing, bit, copy = competing >> 1, bit << 1, copy + 1
    return int(lost)


@_compiled
def _fill_relays(
    fixed: Fixed, registers: Registers, events: IntArray, node: int, row: int, word: int
) -> None:
    """Put the presented copies that found room into the relays of the neighbours."""
    competing, copy = registers.router[node, COMPETING] >> 1, 0
    while competing:
        if competing & 1:
            port = fixed.sends[row, copy, PORT]
            there, arrival = fixed.wires[node, port, THERE], fixed.wires[node, port, ARRIVAL]
            far_row = _far_row(fixed, node, row, copy)
            _enter_relay(registers, events, there, arrival, far_row, word)
        competing, copy = competing >> 1, copy + 1


@_compiled
def _eject(
    registers: Registers, delivered: IntArray, events: IntArray, node: int, row: int, word: int
) -> None:
    total = registers.total
    total[EJECTED] += 1
    _record(registers, events, node, NONE, row, word)
    if delivered.shape[0]:
        twice = delivered[word, node] != NONE
        delivered[word, node] = TWICE if twice else total[CYCLE]


@_compiled
def _wait_for_sink(fixed: Fixed, registers: Registers, node: int, row: int, word: int) -> None:
    """Put a word at the end of the queue."""
    router = registers.router
    slot = (router[node, OLDEST] + router[node, WAITING]) % fixed.queue
    registers.queued[node, slot, ROW] = row
    registers.queued[node, slot, WORD] = word
    router[node, WAITING] += 1
    registers.total[QUEUED] += 1


@_compiled
def _leave_queue(
    fixed: Fixed, registers: Registers, delivered: IntArray, events: IntArray, node: int
) -> None:
    """Give the oldest word of the queue to the sink."""
    router = registers.router
    oldest = router[node, OLDEST]
    row, word = registers.queued[node, oldest, ROW], registers.queued[node, oldest, WORD]
    _eject(registers, delivered, events, node, row, word)
    router[node, OLDEST] = (oldest + 1) % fixed.queue
    router[node, WAITING] -= 1


@_compiled
def _send(
    fixed: Fixed,
    registers: Registers,
    sink: bool,
    delivered: IntArray,
    events: IntArray,
    node: int,
) -> bool:
    """Take away the copies of the active head that have left; whether it keeps the bus."""
    router = registers.router
    head = _vc(fixed, router[node, ACTIVE])
    if router[node, head + HEAD] == NONE:
        return False
    slot = _slot(router[node, head + HEAD])
    row, word = router[node, slot + ROW], router[node, slot + WORD]
    lost = 0
    if fixed.relayed:
        _fill_relays(fixed, registers, events, node, row, word)
    else:
        lost = _lost(fixed, registers, node, row)
    left = router[node, head + PENDING] & ~(router[node, COMPETING] ^ lost)
    if left & EJECT and sink:
        left ^= EJECT
        if fixed.queue:
            _wait_for_sink(fixed, registers, node, row, word)
        else:
            _eject(registers, delivered, events, node, row, word)
    router[node, head + PENDING] = left
    if left == 0:
        _finish(fixed, registers, node)
    return lost != 0 or left & EJECT != 0


@_compiled
def _finish(fixed: Fixed, registers: Registers, node: int) -> None:
    """Empty the slot of the active head; the other word of its VC is the next."""
    router = registers.router
    head = _vc(fixed, router[node, ACTIVE])
    slot = router[node, head + HEAD]
    router[node, _slot(slot) + ROW] = NONE
    router[node, HELD] -= 1
    registers.total[OCCUPIED] -= 1
    other = slot ^ 1
    row = router[node, _slot(other) + ROW]
    router[node, head + HEAD] = NONE if row == NONE else other
    router[node, head + PENDING] = 0 if row == NONE else fixed.copies[row]


@_compiled
def _store(fixed: Fixed, registers: Registers, events: IntArray, node: int, requester: int) -> int:
    """Put the granted word into the slot that was empty at the start of the cycle; its VC."""
    router, total = registers.router, registers.total
    requested = _requester(fixed, requester)
    row, word = router[node, requested + REQUESTED_ROW], router[node, requested + REQUESTED_WORD]
    slot = router[node, requested + REQUESTED_SLOT]
    router[node, _slot(slot) + ROW] = row
    router[node, _slot(slot) + WORD] = word
    router[node, HELD] += 1
    total[OCCUPIED] += 1
    vc = int(fixed.row_vc[row])
    head = _vc(fixed, vc)
    if router[node, head + HEAD] == NONE:
        router[node, head + HEAD] = slot
        router[node, head + PENDING] = fixed.copies[row]
    in_port = 0
    while fixed.requester[node, in_port] != requester:
        in_port += 1
    if in_port == fixed.own:
        router[node, NEXT] += 1
        total[INJECTED] += 1
    elif fixed.relayed:
        _leave_relay(registers, node, in_port)
        return vc
    total[TAKEN] += 1
    _record(registers, events, node, in_port, row, word)
    return vc


@_compiled
def _others(fixed: Fixed, registers: Registers, node: int) -> int:
    """The VCs with a head, but for the active one, a bit each."""
    router, others = registers.router, 0
    for vc in range(fixed.vcs):
        if router[node, _vc(fixed, vc) + HEAD] != NONE:
            others |= 1 << vc
    return int(others & ~(1 << router[node, ACTIVE]))


@_compiled
def _turn(fixed: Fixed, registers: Registers, node: int, others: int, stored: int) -> None:
    """Give the bus to another VC: one that had a head, else one that comes to an empty bus."""
    router = registers.router
    if others:
        turns, fair = router[node, VC_TURNS], router[node, LAP] == LAPS - 1
        active = _winner(others, turns if fair else 0, fixed.vcs)
        router[node, LAP] = (router[node, LAP] + 1) % LAPS
        if fair:
            router[node, VC_TURNS] = _pass_turns(turns, fixed.vcs, active)
        router[node, ACTIVE] = active
    elif stored != NONE and router[node, _vc(fixed, router[node, ACTIVE]) + HEAD] == NONE:
        router[node, ACTIVE] = stored


@_compiled
def _moves(registers: Registers) -> int:
    """How often anything has moved so far."""
    total = registers.total
    return int(total[TAKEN] + total[PASSED] + total[EJECTED] + total[QUEUED])


@_compiled
def _cycle(
    fixed: Fixed, offered: Offered, registers: Registers, delivered: IntArray, events: IntArray
) -> None:
    """All routers: first the registers' outputs and the grants, then the updates."""
    router, granted, total = registers.router, registers.granted, registers.total
    sinks = offered.ready[total[CYCLE] % offered.ready.shape[0]]
    occupied, moved = total[OCCUPIED], _moves(registers)
    for node in range(granted.size):
        router[node, COMPETING] = 0
        if router[node, HELD]:
            _present(fixed, registers, node)
        if router[node, RELAYED]:
            _offer_relayed(fixed, registers, node)
        _inject(fixed, offered, registers, node)
    for node in range(granted.size):
        granted[node] = _taken(fixed, registers, node)
        router[node, REQUESTING] = 0
        router[node, BLOCKED] = router[node, BLOCKS]
        router[node, BLOCKS] = 0
    for node in range(granted.size):
        stays, others, stored, sink = False, 0, NONE, sinks[node] != 0
        if fixed.queue:
            waiting = router[node, WAITING]
            if waiting and sink:
                _leave_queue(fixed, registers, delivered, events, node)
            sink = waiting < fixed.queue
        if router[node, HELD]:
            if fixed.vcs > 1:
                others = _others(fixed, registers, node)
            stays = _send(fixed, registers, sink, delivered, events, node)
        if granted[node] != NONE:
            stored = _store(fixed, registers, events, node, granted[node])
        if not stays:
            _turn(fixed, registers, node, others, stored)
    # A word without copies leaves without an event.
    still = _moves(registers) == moved and total[OCCUPIED] == occupied
    total[QUIET] = total[QUIET] + 1 if still else 0
    total[CYCLE] += 1


@_compiled
def _all_offered(offered: Offered, registers: Registers) -> bool:
    router = registers.router
    for node in range(router.shape[0]):
        first, more = router[node, NEXT], router[node, NEXT] < router[node, END]
        if more and offered.queue[first, RELEASE] >= registers.total[CYCLE]:
            return False
    return True


@_compiled
def advance(
    fixed: Fixed, offered: Offered, registers: Registers, delivered: IntArray, events: IntArray
) -> int:
    """Run until the run ends, or until the events of a cycle might find no room."""
    total = registers.total
    total[ROOM] = events.shape[0]
    # A router takes and ejects a word a cycle, and each of its relays takes one; and the network
    # becomes empty, or ceases to be.
    most = registers.granted.size * (fixed.own + 2 if fixed.relayed else 2) + 1
    while True:
        gone = total[OCCUPIED] == 0 and (fixed.queue == 0 or total[QUEUED] == total[EJECTED])
        if gone and total[INJECTED] == offered.queue.shape[0]:
            return DRAINED
        if total[CYCLE] >= offered.stop:
            return LIMIT
        if total[QUIET] >= offered.patience and _all_offered(offered, registers):
            return STILL
        if events.shape[0] and total[ROOM] < most:
            return FULL
        held = total[OCCUPIED] > 0
        _cycle(fixed, offered, registers, delivered, events)
        if fixed.one_source and events.shape[0] and held != (total[OCCUPIED] > 0):
            _record_idle(registers, events)
