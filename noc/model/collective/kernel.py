"""One cycle of a network with operations, compiled: ``docs/collectives.md``, part by part."""

from noc.compiled import inlined
from noc.model.collective.state import CollectiveFixed
from noc.model.common import NONE
from noc.model.ordered.kernel import eject, finish, is_ready, make_room, merge, pop, push
from noc.model.ordered.state import Registers
from noc.programs.operators import BUILT_IN

__all__ = ["is_mine", "leads", "run_collective_cycle"]

_SUM, _MIN, _MAX, _MIN_SIGNED, _MAX_SIGNED, _BAND, _BOR, _BXOR = range(len(BUILT_IN))


@inlined
def _combine(operator: int, left: int, right: int, width: int) -> int:
    """The data of two words by an operator, by its place among them."""
    if operator == _SUM:
        return (left + right) & ((1 << width) - 1)
    if operator == _BAND:
        return left & right
    if operator == _BOR:
        return left | right
    if operator == _BXOR:
        return left ^ right
    # With the uppermost bit turned over, numbers with a sign have the order of those without.
    turned = 1 << (width - 1) if operator in (_MIN_SIGNED, _MAX_SIGNED) else 0
    left, right = left ^ turned, right ^ turned
    if operator in (_MIN, _MIN_SIGNED):
        return min(left, right) ^ turned
    return max(left, right) ^ turned


@inlined
def _operation(fixed: CollectiveFixed, word: int) -> int:
    return (word >> fixed.operation_place) & fixed.operation_ones


@inlined
def _watch(
    fixed: CollectiveFixed, registers: Registers, buffer: int, first: bool, second: bool
) -> None:
    """Count how long the word of one stream has been missing, and tell."""
    if fixed.watchdog == 0:
        return
    waited = registers.waited[buffer] + 1 if first != second else 0
    if waited == fixed.watchdog:
        told, place = fixed.late[buffer], fixed.late_place[buffer]
        bits = 1 if first else 2
        registers.moved[told] = max(registers.moved[told], 0) | bits << place
        waited = 0
    registers.waited[buffer] = waited


@inlined
def _join(fixed: CollectiveFixed, registers: Registers, buffer: int, room: bool) -> None:
    """Compare the words of both inputs, if both offer one, and take them if there is room."""
    plain, moved = fixed.plain, registers.moved
    one, other = plain.input[buffer, 0], plain.input[buffer, 1]
    _watch(fixed, registers, buffer, registers.length[one] == 0, registers.length[other] == 0)
    if registers.length[one] == 0 or registers.length[other] == 0:
        return
    operation = _operation(fixed, registers.word[one, 0])
    if (registers.word[one, 0] ^ registers.word[other, 0]) & fixed.match[operation]:
        moved[fixed.alarm[buffer]] = 0
    if not room:
        return
    first, second = pop(registers, one), pop(registers, other)
    moved[plain.stream[buffer, 0]] = first
    moved[plain.also[buffer, 0]] = first
    moved[plain.stream[buffer, 1]] = second
    moved[plain.also[buffer, 1]] = second
    ones = (1 << fixed.width) - 1
    data = _combine(fixed.operator[operation], first & ones, second & ones, fixed.width)
    result = (first & ~ones) | data
    push(registers, buffer, result)
    moved[fixed.result[buffer]] = result


@inlined
def leads(fixed: CollectiveFixed, buffer: int, word: int) -> bool:
    """Whether an output of a fork leads to any node for which a word is."""
    operation = _operation(fixed, word)
    if fixed.named[operation]:
        number = (word >> fixed.node_place) & fixed.node_ones
        return bool(fixed.lowest[buffer] <= number <= fixed.highest[buffer])
    return bool(fixed.leads[buffer, operation] != 0)


@inlined
def _take_from_fork(fixed: CollectiveFixed, registers: Registers, buffer: int, room: bool) -> None:
    """Take the word of a fork, if it was not sent here before, or count it as taken."""
    plain = fixed.plain
    fork = plain.fork[buffer]
    source = plain.source[fork]
    if registers.length[source] == 0 or registers.taken[buffer] != registers.gone[fork]:
        return
    word = registers.word[source, 0]
    wanted = leads(fixed, buffer, word)
    if room or not wanted:
        registers.taken[buffer] += 1
        registers.sent[fork] += 1
    if room and wanted:
        push(registers, buffer, word)
        registers.moved[plain.stream[buffer, 0]] = word


@inlined
def _fill(fixed: CollectiveFixed, registers: Registers, buffer: int) -> None:
    """Let a word enter a buffer."""
    room = is_ready(fixed.plain, registers, buffer)
    if fixed.plain.fork[buffer] != NONE:
        _take_from_fork(fixed, registers, buffer, room)
    elif fixed.alarm[buffer] != NONE:
        _join(fixed, registers, buffer, room)
    elif room:
        merge(fixed.plain, registers, buffer)


@inlined
def is_mine(fixed: CollectiveFixed, fork: int, word: int) -> bool:
    """Whether a word is for the node of a fork."""
    operation = _operation(fixed, word)
    if fixed.named[operation]:
        return bool((word >> fixed.node_place) & fixed.node_ones == fixed.number[fork])
    source = (word >> fixed.source_place) & fixed.source_ones
    return bool(fixed.mine[fork, operation] != 0 and source != fixed.drops[fork, operation])


@inlined
def _fork(fixed: CollectiveFixed, registers: Registers, fork: int) -> None:
    """The own sink of a fork, and the end of a word that has been sent everywhere."""
    plain = fixed.plain
    node, source = plain.node[fork], plain.source[fork]
    room = make_room(plain, registers, node)
    if registers.length[source] == 0:
        return
    if registers.own[fork] == registers.gone[fork]:
        word = registers.word[source, 0]
        mine = is_mine(fixed, fork, word)
        if room or not mine:
            registers.own[fork] += 1
            registers.sent[fork] += 1
        if room and mine:
            eject(plain, registers, node, word)
    finish(plain, registers, fork)


@inlined
def run_collective_cycle(fixed: CollectiveFixed, registers: Registers) -> None:
    """All parts, from the sinks to the sources."""
    buffer = 0
    for fork in range(fixed.plain.node.size):
        _fork(fixed, registers, fork)
        while buffer < fixed.plain.end[fork]:
            _fill(fixed, registers, buffer)
            buffer += 1
    for rising in range(fixed.plain.top, fixed.plain.offering):
        _fill(fixed, registers, rising)
