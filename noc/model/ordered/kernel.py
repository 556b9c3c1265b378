"""One cycle of the ordered fabric, compiled: what ``docs/ordered.md`` says, part by part."""

from noc.compiled import inlined
from noc.model.common import NONE
from noc.model.ordered.state import Fixed, Registers

__all__ = [
    "eject",
    "finish",
    "is_ready",
    "make_room",
    "merge",
    "offer",
    "pop",
    "push",
    "run_cycle",
]


@inlined
def push(registers: Registers, buffer: int, word: int) -> None:
    """A word enters a buffer."""
    registers.word[buffer, registers.length[buffer]] = word
    registers.length[buffer] += 1


@inlined
def pop(registers: Registers, buffer: int) -> int:
    """The oldest word, which leaves its buffer."""
    word = registers.word[buffer, 0]
    registers.length[buffer] -= 1
    for place in range(registers.length[buffer]):
        registers.word[buffer, place] = registers.word[buffer, place + 1]
    registers.left[buffer] = 1
    return int(word)


@inlined
def is_ready(fixed: Fixed, registers: Registers, buffer: int) -> bool:
    """Whether a buffer is ready: of several slots, by how many words it held before any left it."""
    held = registers.length[buffer]
    if fixed.slots[buffer] > 1:
        held += registers.left[buffer]
    registers.left[buffer] = 0
    registers.open[buffer] = held < fixed.slots[buffer]
    return bool(registers.open[buffer])


@inlined
def _take_from_fork(fixed: Fixed, registers: Registers, buffer: int) -> None:
    """Take the word of a fork, if it was not sent here before."""
    fork = fixed.fork[buffer]
    source = fixed.source[fork]
    if registers.length[source] == 0 or registers.taken[buffer] != registers.gone[fork]:
        return
    word = registers.word[source, 0]
    registers.taken[buffer] += 1
    registers.sent[fork] += 1
    push(registers, buffer, word)
    registers.moved[fixed.stream[buffer, 0]] = word


@inlined
def merge(fixed: Fixed, registers: Registers, buffer: int) -> None:
    """Take the word of the input that has the turn, or else that of the other."""
    turn = registers.turn[buffer]
    winner = turn
    if registers.length[fixed.input[buffer, turn]] == 0:
        winner = 1 - turn
        if registers.length[fixed.input[buffer, winner]] == 0:
            return
    word = pop(registers, fixed.input[buffer, winner])
    push(registers, buffer, word)
    registers.moved[fixed.stream[buffer, winner]] = word
    registers.moved[fixed.also[buffer, winner]] = word
    if buffer == fixed.top:
        registers.moved[fixed.enter] = word
    if winner == turn:
        registers.lasts[buffer] -= 1
        if registers.lasts[buffer] == 0:
            registers.turn[buffer] = 1 - turn
            registers.lasts[buffer] = fixed.weight[buffer, 1 - turn]


@inlined
def _fill(fixed: Fixed, registers: Registers, buffer: int) -> None:
    """Let a word enter a buffer."""
    if is_ready(fixed, registers, buffer):
        if fixed.fork[buffer] == NONE:
            merge(fixed, registers, buffer)
        else:
            _take_from_fork(fixed, registers, buffer)


@inlined
def _leave_queue(fixed: Fixed, registers: Registers, node: int) -> None:
    """The sink takes the oldest word of its queue."""
    first = registers.queue_first[node]
    registers.moved[fixed.sources + node] = registers.queue_word[node, first]
    registers.queue_length[node] -= 1
    registers.queue_first[node] = first + 1 if first + 1 < fixed.queue else 0


@inlined
def eject(fixed: Fixed, registers: Registers, node: int, word: int) -> None:
    """A word goes to the sink, or into its queue."""
    if fixed.queue:
        place = (registers.queue_first[node] + registers.queue_length[node]) % fixed.queue
        registers.queue_word[node, place] = word
        registers.queue_length[node] += 1
        registers.moved[fixed.other] = word
    else:
        registers.moved[fixed.sources + node] = word


@inlined
def _send_own(fixed: Fixed, registers: Registers, fork: int, room: bool) -> None:
    """The output of a fork to its own sink."""
    word = registers.word[fixed.source[fork], 0]
    dropped = word & ((1 << fixed.bits) - 1) == fixed.drops[fork]
    if dropped or room:
        registers.own[fork] += 1
        registers.sent[fork] += 1
    if room and not dropped:
        eject(fixed, registers, fixed.node[fork], word)


@inlined
def make_room(fixed: Fixed, registers: Registers, node: int) -> bool:
    """Let the sink take from its queue, if it has one; whether sink or queue is ready."""
    room = registers.ready[node] != 0
    if fixed.queue:
        waiting = registers.queue_length[node]
        if waiting and room:
            _leave_queue(fixed, registers, node)
        room = waiting < fixed.queue
    return bool(room)


@inlined
def finish(fixed: Fixed, registers: Registers, fork: int) -> None:
    """The end of a word that has been sent everywhere."""
    source = fixed.source[fork]
    if registers.sent[fork] == fixed.outputs[fork]:
        registers.sent[fork] = 0
        registers.gone[fork] += 1
        word = pop(registers, source)
        registers.moved[fixed.leave if source == fixed.top else fixed.other] = word


@inlined
def _fork(fixed: Fixed, registers: Registers, fork: int) -> None:
    """The own sink of a fork, and the end of a word that has been sent everywhere."""
    room = make_room(fixed, registers, fixed.node[fork])
    if registers.length[fixed.source[fork]] == 0:
        return
    if registers.own[fork] == registers.gone[fork]:
        _send_own(fixed, registers, fork, room)
    finish(fixed, registers, fork)


@inlined
def run_cycle(fixed: Fixed, registers: Registers) -> None:
    """All parts, from the sinks to the sources."""
    buffer = 0
    for fork in range(fixed.node.size):
        _fork(fixed, registers, fork)
        while buffer < fixed.end[fork]:
            _fill(fixed, registers, buffer)
            buffer += 1
    for rising in range(fixed.top, fixed.offering):
        _fill(fixed, registers, rising)


@inlined
def offer(fixed: Fixed, registers: Registers, source: int, word: int) -> None:
    """A source that offers none offers a word."""
    registers.word[fixed.offering + source, 0] = word
    registers.length[fixed.offering + source] = 1
