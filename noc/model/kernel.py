"""One cycle of all routers, compiled: what ``docs/router.md`` says, on arrays.

Places 0 to K-1 of a router are the homes of its classes, place K is the spare. A cycle has two
passes: the first reads registers only and finds the word that each router is granted, the second
updates each router from its own grant and from those that its copies received.

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

#: No place, no row, no word, no in-port; also the port of an eject event.
NONE = -1

#: What stands for the cycle of a delivery that happened more than once.
TWICE = -2

#: The bit of the eject among the pending copies of a word; the bit of send 0 comes next.
EJECT = 1

#: The most sends of one row: a bit each, the eject, and the sign.
MOST_SENDS = 62

#: Why a stretch of cycles ended.
FULL, DRAINED, STILL, LIMIT = range(4)

#: Columns of ``Fixed.wires``: the node and in-port at the far end, and that in-port's first row.
THERE, ARRIVAL, FAR_ROW = range(3)

#: Columns of ``Fixed.sends``.
PORT, STATE = range(2)

#: Columns of ``Offered.queue``: the row of the word at its source, not its tree.
QUEUED_WORD, QUEUED_ROW, RELEASE = range(3)

#: Columns of ``Registers.router``: its colour; the active class; the in-port granted last; how
#: many places are occupied; its words still to be offered; what was granted in this cycle and
#: goes where; which presented copies were not stalled. Row and word of every place follow, then
#: for every class the place of its head and the copies still to be sent.
COLOUR, ACTIVE, LAST, HELD, NEXT, END = range(6)
GRANTED_ROW, GRANTED_WORD, GRANTED_PLACE, COMPETING, PLACES = range(6, 11)
ROW, WORD = range(2)
HEAD, PENDING = range(2)

#: Places of ``Registers.total``: cycles so far; places occupied; cycles since anything moved;
#: transfers at inject streams, at all in-ports, at eject streams; the check sum of the events
#: and how many more the list can hold.
CYCLE, OCCUPIED, QUIET, INJECTED, TAKEN, EJECTED, CHECKSUM, ROOM, TOTALS = range(9)


class Fixed(NamedTuple):
    """What never changes: wires, rows and classes."""

    wires: IntArray  # (nodes, ports, 3)
    sends: IntArray  # (rows, slots, 2)
    copies: IntArray  # (rows): the bits of the eject and of all sends
    of_row: IntArray  # (colours, rows): the class
    classes: int
    in_ports: int  # the node's own included
    one_port: bool


class Offered(NamedTuple):
    """The words of all sources, sorted by source, the sinks, and when to give up."""

    queue: IntArray  # (words, 3)
    ready: IntArray  # (period, nodes)
    stop: int  # the first cycle that is not simulated
    patience: int  # quiet cycles after which only a new word could move


class Registers(NamedTuple):
    """The registers of all routers, the grants of the cycle, and the totals."""

    router: IntArray  # (nodes, columns)
    granted: IntArray  # (nodes): the in-port that is granted, or NONE
    total: IntArray


def _compiled(function: _F) -> _F:
    # All memory is allocated outside. Without the counting of references, and with everything
    # in one function, a cycle takes a fifth of the time.
    return compiled(function, forceinline=True, _nrt=False)


@_compiled
def _place(number: int) -> int:
    """The column at which a place begins."""
    return PLACES + 2 * number


@_compiled
def _class(fixed: Fixed, number: int) -> int:
    """The column at which what is known of a class's head begins."""
    return PLACES + 2 * (fixed.classes + 1 + number)


@_compiled
def _class_of(fixed: Fixed, registers: Registers, node: int, row: int) -> int:
    return int(fixed.of_row[registers.router[node, COLOUR], row])


@_compiled
def _wait(fixed: Fixed, registers: Registers, node: int, in_port: int) -> int:
    """How many in-ports come before this one, counted from the one after the last granted."""
    first = registers.router[node, LAST] + 1
    return int(in_port - first) + (fixed.in_ports if in_port < first else 0)


@_compiled
def _request(
    fixed: Fixed, registers: Registers, node: int, in_port: int, row: int, word: int
) -> bool:
    """Ask a router to take a word; whether it can. The first in-port in turn is kept."""
    router, granted = registers.router, registers.granted
    place = _class_of(fixed, registers, node, row)
    if router[node, _place(place) + ROW] != NONE:
        place = fixed.classes
        if router[node, _place(place) + ROW] != NONE:
            return False
    best = granted[node]
    if best == NONE or (
        _wait(fixed, registers, node, in_port) < _wait(fixed, registers, node, best)
    ):
        granted[node] = in_port
        router[node, GRANTED_ROW] = row
        router[node, GRANTED_WORD] = word
        router[node, GRANTED_PLACE] = place
    return True


@_compiled
def _present(fixed: Fixed, registers: Registers, node: int) -> None:
    """Request a place for every presented copy of the active class's head."""
    router = registers.router
    head = _class(fixed, router[node, ACTIVE])
    if router[node, head + HEAD] == NONE:
        return
    place = _place(router[node, head + HEAD])
    row, word = router[node, place + ROW], router[node, place + WORD]
    left, bit, slot, competing = router[node, head + PENDING] >> 1, EJECT << 1, 0, 0
    while left:
        if left & 1:
            port = fixed.sends[row, slot, PORT]
            there, arrival = fixed.wires[node, port, THERE], fixed.wires[node, port, ARRIVAL]
            far_row = fixed.wires[node, port, FAR_ROW] + fixed.sends[row, slot, STATE]
            if _request(fixed, registers, there, arrival, far_row, word):
                competing |= bit
            if fixed.one_port:
                break
        left, bit, slot = left >> 1, bit << 1, slot + 1
    router[node, COMPETING] = competing


@_compiled
def _inject(fixed: Fixed, offered: Offered, registers: Registers, node: int) -> None:
    """Request a place for the word that the node itself offers."""
    first = registers.router[node, NEXT]
    if first < registers.router[node, END]:
        queue = offered.queue
        if queue[first, RELEASE] <= registers.total[CYCLE]:
            row, word = queue[first, QUEUED_ROW], queue[first, QUEUED_WORD]
            _request(fixed, registers, node, fixed.in_ports - 1, row, word)


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
        place = events.shape[0] - total[ROOM]
        events[place, 0] = cycle
        events[place, 1] = node
        events[place, 2] = port
        events[place, 3] = row
        events[place, 4] = word
        total[ROOM] -= 1


@_compiled
def _lost(fixed: Fixed, registers: Registers, node: int, row: int) -> int:
    """Which of the presented copies could have been taken and were not granted."""
    lost, bit, slot = registers.router[node, COMPETING], EJECT << 1, 0
    competing = lost >> 1
    while competing:
        if competing & 1:
            port = fixed.sends[row, slot, PORT]
            there, arrival = fixed.wires[node, port, THERE], fixed.wires[node, port, ARRIVAL]
            if registers.granted[there] == arrival:
                lost &= ~bit
        competing, bit, slot = competing >> 1, bit << 1, slot + 1
    return int(lost)


@_compiled
def _eject(registers: Registers, delivered: IntArray, node: int, word: int) -> None:
    total = registers.total
    total[EJECTED] += 1
    if delivered.shape[0]:
        twice = delivered[word, node] != NONE
        delivered[word, node] = TWICE if twice else total[CYCLE]


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
    head = _class(fixed, router[node, ACTIVE])
    if router[node, head + HEAD] == NONE:
        return False
    place = _place(router[node, head + HEAD])
    row, word = router[node, place + ROW], router[node, place + WORD]
    lost = _lost(fixed, registers, node, row)
    left = router[node, head + PENDING] & ~(router[node, COMPETING] ^ lost)
    if left & EJECT and sink:
        left ^= EJECT
        _eject(registers, delivered, node, word)
        _record(registers, events, node, NONE, row, word)
    router[node, head + PENDING] = left
    if left == 0:
        _finish(fixed, registers, node)
    return lost != 0 or left & EJECT != 0


@_compiled
def _finish(fixed: Fixed, registers: Registers, node: int) -> None:
    """Empty the place of the active head; the other word of its class is the next."""
    router, spare = registers.router, fixed.classes
    active = router[node, ACTIVE]
    head = _class(fixed, active)
    place = router[node, head + HEAD]
    router[node, _place(place) + ROW] = NONE
    router[node, head + HEAD] = NONE
    router[node, HELD] -= 1
    registers.total[OCCUPIED] -= 1
    other = spare if place == active else active
    row = router[node, _place(other) + ROW]
    if row != NONE and _class_of(fixed, registers, node, row) == active:
        router[node, head + HEAD] = other
        router[node, head + PENDING] = fixed.copies[row]


@_compiled
def _store(fixed: Fixed, registers: Registers, events: IntArray, node: int, in_port: int) -> None:
    """Put the granted word into the place that was empty at the start of the cycle."""
    router, total = registers.router, registers.total
    row, word = router[node, GRANTED_ROW], router[node, GRANTED_WORD]
    place = router[node, GRANTED_PLACE]
    router[node, _place(place) + ROW] = row
    router[node, _place(place) + WORD] = word
    router[node, LAST] = in_port
    router[node, HELD] += 1
    total[OCCUPIED] += 1
    total[TAKEN] += 1
    head = _class(fixed, _class_of(fixed, registers, node, row))
    if router[node, head + HEAD] == NONE:
        router[node, head + HEAD] = place
        router[node, head + PENDING] = fixed.copies[row]
    if in_port == fixed.in_ports - 1:
        router[node, NEXT] += 1
        total[INJECTED] += 1
    _record(registers, events, node, in_port, row, word)


@_compiled
def _turn(fixed: Fixed, registers: Registers, node: int) -> None:
    """Give the bus to the next class that will have a head; the active one comes last."""
    router = registers.router
    active = router[node, ACTIVE]
    for _ in range(fixed.classes):
        active = active + 1 if active + 1 < fixed.classes else 0
        if router[node, _class(fixed, active) + HEAD] != NONE:
            router[node, ACTIVE] = active
            return


@_compiled
def _cycle(
    fixed: Fixed, offered: Offered, registers: Registers, delivered: IntArray, events: IntArray
) -> None:
    """All routers: first the registers' outputs and the grants, then the updates."""
    router, granted, total = registers.router, registers.granted, registers.total
    sinks = offered.ready[total[CYCLE] % offered.ready.shape[0]]
    occupied, moved = total[OCCUPIED], total[TAKEN] + total[EJECTED]
    granted[:] = NONE
    for node in range(granted.size):
        router[node, COMPETING] = 0
        if router[node, HELD]:
            _present(fixed, registers, node)
        _inject(fixed, offered, registers, node)
    for node in range(granted.size):
        stays = False
        if router[node, HELD]:
            stays = _send(fixed, registers, sinks[node] != 0, delivered, events, node)
        if granted[node] != NONE:
            _store(fixed, registers, events, node, granted[node])
        if not stays and router[node, HELD]:
            _turn(fixed, registers, node)
    # A word without copies leaves without an event.
    still = total[TAKEN] + total[EJECTED] == moved and total[OCCUPIED] == occupied
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
    while True:
        if total[OCCUPIED] == 0 and total[INJECTED] == offered.queue.shape[0]:
            return DRAINED
        if total[CYCLE] >= offered.stop:
            return LIMIT
        if total[QUIET] >= offered.patience and _all_offered(offered, registers):
            return STILL
        if events.shape[0] and total[ROOM] < 2 * registers.granted.size:
            return FULL
        _cycle(fixed, offered, registers, delivered, events)
