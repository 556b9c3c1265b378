"""One cycle of the ordered fabric, compiled, part by part as its documents describe it."""

from noc.compiled import inlined
from noc.model.ordered.data import FIRST_RESULT
from noc.model.ordered.state import Fixed, Registers
from noc.model.runs import NONE, signals_of
from noc.networks import IntArray


@inlined
def _push(registers: Registers, buffer: int, word: int) -> None:
    """A word enters a buffer."""
    registers.word[buffer, registers.length[buffer]] = word
    registers.length[buffer] += 1


@inlined
def _pop(registers: Registers, buffer: int) -> int:
    """The oldest word, which leaves its buffer."""
    word = registers.word[buffer, 0]
    registers.length[buffer] -= 1
    for slot in range(registers.length[buffer]):
        registers.word[buffer, slot] = registers.word[buffer, slot + 1]
    registers.left[buffer] = 1
    return int(word)


@inlined
def _is_ready(fixed: Fixed, registers: Registers, buffer: int) -> bool:
    """Whether a buffer is ready: of several slots, by how many words it held before any left it."""
    held = registers.length[buffer]
    if fixed.slots[buffer] > 1:
        held += registers.left[buffer]
    registers.left[buffer] = 0
    registers.open[buffer] = held < fixed.slots[buffer]
    return bool(registers.open[buffer])


@inlined
def _operation(fixed: Fixed, word: int) -> int:
    return (word >> fixed.header.operation.first) & fixed.header.operation.ones


@inlined
def _node(fixed: Fixed, word: int) -> int:
    return (word >> fixed.header.node.first) & fixed.header.node.ones


@inlined
def _leads(fixed: Fixed, buffer: int, word: int) -> bool:
    """Whether an output of a fork leads to any node for which a word is."""
    operation = _operation(fixed, word)
    if fixed.named[operation]:
        return bool(fixed.lowest[buffer] <= _node(fixed, word) <= fixed.highest[buffer])
    return bool(fixed.leads[buffer, operation] != 0)


@inlined
def _is_own(fixed: Fixed, fork: int, word: int) -> bool:
    """Whether a word is for the node of a fork."""
    operation = _operation(fixed, word)
    if fixed.routed == 0:
        return bool(word & fixed.header.source.ones != fixed.drops[fork, operation])
    if fixed.named[operation]:
        return bool(_node(fixed, word) == fixed.number[fork])
    source = word & fixed.header.source.ones
    return bool(fixed.member[fork, operation] != 0 and source != fixed.drops[fork, operation])


@inlined
def _is_void(fixed: Fixed, word: int) -> bool:
    """Whether a word that is joined is void."""
    return bool((word >> fixed.header.void.first) & fixed.header.void.ones)


@inlined
def _is_lost(fixed: Fixed, registers: Registers, buffer: int) -> bool:
    """Whether the oldest word of a buffer is a result of void words alone, at the root."""
    word = registers.word[buffer, 0]
    return bool(fixed.drains[buffer] and registers.length[buffer] and _is_void(fixed, word))


@inlined
def _offers(fixed: Fixed, registers: Registers, buffer: int, side: int) -> bool:
    """Whether a word is offered at an input of a buffer: by a stream that is dead none is."""
    stream, also = fixed.stream[buffer, side], fixed.also[buffer, side]
    source = fixed.input[buffer, side]
    waits = registers.length[source] > 0 and not _is_lost(fixed, registers, source)
    return bool(waits and not registers.dead[stream] and not registers.dead[also])


@inlined
def _tell(fixed: Fixed, registers: Registers, stream: int, word: int) -> None:
    """A word is transferred; what a stand-in gives was on no stream of the node's own words."""
    # That there are none is asked first: runs without stand-ins take twice as long otherwise.
    if fixed.void.size == 0 or word >= 0 or stream >= fixed.sources:
        registers.moved[stream] = word
    else:
        registers.moved[fixed.other] = word


@inlined
def _take_from_fork(fixed: Fixed, registers: Registers, buffer: int, room: bool) -> None:
    """Take the word of a fork, if it has not yet, or count it as taken."""
    fork = fixed.fork[buffer]
    source = fixed.source[fork]
    if registers.length[source] == 0 or registers.taken[buffer] != registers.gone[fork]:
        return
    word = registers.word[source, 0]
    if fixed.routed and not _leads(fixed, buffer, word):
        registers.taken[buffer] += 1
        registers.sent[fork] += 1
    elif registers.dead[fixed.stream[buffer, 0]]:
        # Where it cannot wait, the word is lost.
        registers.taken[buffer] += fixed.loses
        registers.sent[fork] += fixed.loses
    elif room:
        registers.taken[buffer] += 1
        registers.sent[fork] += 1
        _push(registers, buffer, word)
        registers.moved[fixed.stream[buffer, 0]] = word


@inlined
def _is_bare(fixed: Fixed, buffer: int) -> bool:
    """Whether it is a merge without a buffer."""
    return bool(fixed.slots[buffer] == 0 and buffer < fixed.offering)


@inlined
def _winner(fixed: Fixed, registers: Registers, merge: int) -> int:
    """Which input of a merge offers a word: that which has the turn, or else the other."""
    turn = registers.turn[merge]
    return int(turn if _offers(fixed, registers, merge, turn) else 1 - turn)


@inlined
def _offer_bare(fixed: Fixed, registers: Registers) -> None:
    """Merges without a buffer offer what they would take, as if they held it."""
    for buffer in range(fixed.offering - 1, fixed.top - 1 if fixed.bare else fixed.offering, -1):
        if fixed.slots[buffer] == 0:
            winner = _winner(fixed, registers, buffer)
            registers.length[buffer] = _offers(fixed, registers, buffer, winner)
            registers.word[buffer, 0] = registers.word[fixed.input[buffer, winner], 0]


@inlined
def _merge(fixed: Fixed, registers: Registers, buffer: int) -> None:
    """Take the word of the input that has the turn, or else that of the other."""
    source = buffer
    while True:
        merge = source
        winner = _winner(fixed, registers, merge)
        source = fixed.input[merge, winner]
        if not _offers(fixed, registers, merge, winner):
            return
        word = registers.word[source, 0]
        _tell(fixed, registers, fixed.stream[merge, winner], word)
        _tell(fixed, registers, fixed.also[merge, winner], word)
        if winner == registers.turn[merge]:
            registers.lasts[merge] -= 1
            if registers.lasts[merge] == 0:
                registers.turn[merge] = 1 - winner
                registers.lasts[merge] = fixed.weight[merge, 1 - winner]
        if not _is_bare(fixed, source):
            break
    _push(registers, buffer, _pop(registers, source))
    if buffer == fixed.top:
        registers.moved[fixed.enter] = word


@inlined
def _open_bare(fixed: Fixed, registers: Registers, buffer: int) -> None:
    """Merges without a buffer before one that is ready are ready, and hold nothing any more."""
    for side in range(2):
        source = fixed.input[buffer, side]
        if _is_bare(fixed, source):
            registers.open[source] = registers.open[buffer]
            registers.length[source] = 0


@inlined
def _watch(fixed: Fixed, registers: Registers, join: int, first: bool, second: bool) -> None:
    """Count for how long the word of one stream has been missing."""
    if fixed.watchdog == 0:
        return
    waited = registers.waited[join] + 1 if first != second else 0
    if waited == fixed.watchdog:
        registers.moved[fixed.other + 1 + join] = 1 if first else 2
        waited = 0
    registers.waited[join] = waited


@inlined
def _joined(
    fixed: Fixed, registers: Registers, joins: IntArray, buffer: int, join: int, room: bool
) -> int:
    """The result of the words of both inputs, if both offer one and there is room; or NONE."""
    moved = registers.moved
    one, other = fixed.input[buffer, 0], fixed.input[buffer, 1]
    _watch(fixed, registers, join, registers.length[one] == 0, registers.length[other] == 0)
    if registers.length[one] == 0 or registers.length[other] == 0:
        return NONE
    differ = registers.word[one, 0] ^ registers.word[other, 0]
    void = _is_void(fixed, registers.word[one, 0])
    either = void or _is_void(fixed, registers.word[other, 0])
    if not either and differ & fixed.match[_operation(fixed, registers.word[one, 0])]:
        moved[fixed.alarm[join]] = 0
    if not room or registers.dead[fixed.result[join]]:
        return NONE
    first, second = _pop(registers, one), _pop(registers, other)
    for side, word in enumerate((first, second)):
        _tell(fixed, registers, fixed.stream[buffer, side], word)
        _tell(fixed, registers, fixed.also[buffer, side], word)
    number = registers.results[0]
    if joins.shape[0]:
        row = number - registers.results[1]
        joins[row, 0] = first
        joins[row, 1] = second
    registers.results[0] = number + 1
    header = (second if void else first) & ((1 << fixed.header.bits) - 1)
    result = (FIRST_RESULT - number) << fixed.header.bits | header
    moved[fixed.result[join]] = result
    return int(result)


@inlined
def _move_stages(
    fixed: Fixed, registers: Registers, joins: IntArray, buffer: int, join: int
) -> None:
    """All stages of operators move on, if nothing is in the last, or that has left."""
    registers.left[buffer] = 0
    room = registers.length[buffer] == 0
    registers.open[buffer] = room
    result = _joined(fixed, registers, joins, buffer, join, room)
    if room:
        for stage in range(fixed.stages[buffer] - 1):
            registers.word[buffer, stage] = registers.word[buffer, stage + 1]
        registers.word[buffer, fixed.stages[buffer] - 1] = result
        registers.length[buffer] = registers.word[buffer, 0] != NONE


@inlined
def _fill_rising(fixed: Fixed, registers: Registers, joins: IntArray, buffer: int) -> None:
    """Let a word, or a result, enter a buffer on the way up."""
    join = fixed.join[buffer]
    # Unless another has left it in this cycle.
    if registers.left[buffer] == 0 and _is_lost(fixed, registers, buffer):
        registers.moved[fixed.other] = _pop(registers, buffer)
    if _is_bare(fixed, buffer):
        _open_bare(fixed, registers, buffer)
    elif join == NONE:
        if _is_ready(fixed, registers, buffer):
            _merge(fixed, registers, buffer)
        _open_bare(fixed, registers, buffer)
    elif fixed.stages[buffer]:
        _move_stages(fixed, registers, joins, buffer, join)
    else:
        room = _is_ready(fixed, registers, buffer)
        result = _joined(fixed, registers, joins, buffer, join, room)
        if result != NONE:
            _push(registers, buffer, result)


@inlined
def _fill_falling(fixed: Fixed, registers: Registers, buffer: int) -> None:
    """Let a word enter a buffer on the way down."""
    room = _is_ready(fixed, registers, buffer)
    if fixed.fork[buffer] == NONE:
        if room:
            _merge(fixed, registers, buffer)
    elif room or fixed.routed:
        _take_from_fork(fixed, registers, buffer, room)


@inlined
def _takes(fixed: Fixed, registers: Registers, node: int) -> bool:
    """Whether a sink, or the guard before it, takes a word in this cycle."""
    if fixed.timeout and (
        registers.kept[node] != NONE or registers.refused[node] + 1 == fixed.timeout
    ):
        return True
    return bool(registers.ready[node] != 0)


@inlined
def _give(fixed: Fixed, registers: Registers, node: int, word: int) -> None:
    """A word that is taken goes to the sink; or it was refused for too long, or is lost."""
    registers.refused[node] = 0
    if fixed.timeout and registers.kept[node] != NONE:
        registers.moved[fixed.absent[node]] = 3
    elif registers.ready[node]:
        registers.moved[fixed.sources + node] = word
    else:
        registers.kept[node] = word


@inlined
def _make_room(fixed: Fixed, registers: Registers, node: int) -> bool:
    """Let the sink take from its queue, if it has one; whether sink or queue is ready."""
    room = _takes(fixed, registers, node)
    if fixed.queue:
        waiting = registers.queue_length[node]
        if waiting and room:
            first = registers.queue_first[node]
            _give(fixed, registers, node, registers.queue_word[node, first])
            registers.queue_length[node] -= 1
            registers.queue_first[node] = first + 1 if first + 1 < fixed.depth[node] else 0
        elif waiting and fixed.timeout:
            registers.refused[node] += 1
        room = waiting < fixed.depth[node]
    return bool(room)


@inlined
def _return(fixed: Fixed, registers: Registers, node: int) -> None:
    """A sink that was given no words takes the one that it had refused."""
    if registers.moved[fixed.absent[node]] != NONE and registers.ready[node]:
        registers.moved[fixed.sources + node] = registers.kept[node]
        registers.kept[node] = NONE


@inlined
def _eject(fixed: Fixed, registers: Registers, node: int, word: int) -> None:
    """A word goes to the sink, or into its queue."""
    if fixed.queue:
        slot = (registers.queue_first[node] + registers.queue_length[node]) % fixed.depth[node]
        registers.queue_word[node, slot] = word
        registers.queue_length[node] += 1
        registers.moved[fixed.other] = word
    else:
        _give(fixed, registers, node, word)


@inlined
def _fork(fixed: Fixed, registers: Registers, fork: int) -> None:
    """The sink of a fork's node, and the fork; a sink that is given no words may come back."""
    node = fixed.node[fork]
    if fixed.timeout and registers.kept[node] != NONE:
        registers.moved[fixed.absent[node]] = 1
    _end_fork(fixed, registers, fork, _make_room(fixed, registers, node))
    if fixed.timeout:
        _return(fixed, registers, node)


@inlined
def _end_fork(fixed: Fixed, registers: Registers, fork: int, room: bool) -> None:
    """The own sink of a fork, and the end of a word that has been sent everywhere."""
    node, source = fixed.node[fork], fixed.source[fork]
    if registers.length[source] == 0:
        return
    if registers.own[fork] == registers.gone[fork]:
        word = registers.word[source, 0]
        own = _is_own(fixed, fork, word)
        if room or not own:
            registers.own[fork] += 1
            registers.sent[fork] += 1
        if room and own:
            _eject(fixed, registers, node, word)
        elif own and fixed.timeout and not fixed.queue:
            registers.refused[node] += 1
    if registers.sent[fork] == fixed.outputs[fork]:
        registers.sent[fork] = 0
        registers.gone[fork] += 1
        word = _pop(registers, source)
        at_root = fork == fixed.node.size - 1
        registers.moved[fixed.leave if at_root else fixed.other] = word


@inlined
def _pass_stops(fixed: Fixed, registers: Registers) -> bool:
    """Stops move on, each a register, from queues that hold as many words as are allowed.

    Whether the root is stopped in this cycle.
    """
    stopped = registers.stop[0] != 0
    # From the root on: those that a stop goes to have passed on their own.
    for place in range(fixed.stop_to.size):
        node, before = fixed.stop_node[place], registers.stop[place]
        registers.stop[place] = node != NONE and registers.queue_length[node] >= fixed.limit
        if before and fixed.stop_to[place] != NONE:
            registers.stop[fixed.stop_to[place]] = 1
    return bool(stopped)


@inlined
def _hold_root(fixed: Fixed, registers: Registers) -> None:
    """The buffer at the root takes no word."""
    registers.left[fixed.top] = registers.open[fixed.top] = 0
    _open_bare(fixed, registers, fixed.top)


@inlined
def _stand_in(fixed: Fixed, registers: Registers) -> None:
    """What stand-ins offer: the node's own word, if it offers one, or a void one."""
    first = fixed.offering + fixed.ways[fixed.sources]
    for number in range(fixed.void.size):
        own, stands = fixed.stands_for[number], registers.stands[number]
        registers.length[first + number] = 1 if stands else registers.length[own]
        word = fixed.void[number] if stands else registers.word[own, 0]
        registers.word[first + number, 0] = word


@inlined
def _end_stand_in(fixed: Fixed, registers: Registers) -> None:
    """What was taken of stand-ins has left, and those of which nothing waits may change."""
    first = fixed.offering + fixed.ways[fixed.sources]
    for number in range(fixed.void.size):
        if registers.length[first + number] == 0:
            if registers.stands[number] == 0:
                registers.length[fixed.stands_for[number]] = 0
            registers.stands[number] = registers.away[number]


@inlined
def run_cycle(fixed: Fixed, registers: Registers, joins: IntArray) -> None:
    """All parts, from the sinks to the sources; what is joined is listed, one behind the other."""
    _stand_in(fixed, registers)
    _offer_bare(fixed, registers)
    stopped = _pass_stops(fixed, registers) if fixed.limit else False
    buffer = 0
    for fork in range(fixed.node.size):
        _fork(fixed, registers, fork)
        while buffer < fixed.end[fork]:
            _fill_falling(fixed, registers, buffer)
            buffer += 1
    for rising in range(fixed.top, fixed.offering):
        if stopped and rising == fixed.top:
            _hold_root(fixed, registers)
        else:
            _fill_rising(fixed, registers, joins, rising)
    _end_stand_in(fixed, registers)


@inlined
def offer(fixed: Fixed, registers: Registers, way: int, word: int) -> None:
    """A node that offers none offers a word, which goes one of its ways."""
    registers.word[fixed.offering + way, 0] = word
    registers.length[fixed.offering + way] = 1


# What streams show in a cycle. Offered words are known from the registers before it, and so is
# which input of a merge passes; whether buffers are ready is known after it. A stream that offers
# what several words will become shows the first of them. Where it depends on a node's own word
# which way it goes, its stream says whether it is ready for the word that it is offered, and
# nothing without one.


@inlined
def _show(fixed: Fixed, shown: IntArray, stream: int, word: int, ready: bool) -> None:
    shown[stream] = signals_of(NONE if word == NONE else word >> fixed.header.bits, ready)


@inlined
def _oldest(registers: Registers, buffer: int) -> int:
    """The word that a buffer offers, or NONE."""
    return int(registers.word[buffer, 0]) if registers.length[buffer] else NONE


@inlined
def _depends(fixed: Fixed, stream: int, word: int) -> bool:
    """Whether a stream shows nothing of a buffer, since no word is there that would go to it."""
    return bool(word == NONE and stream < fixed.sources and fixed.certain[stream] == 0)


@inlined
def _watch_merge(fixed: Fixed, registers: Registers, buffer: int, shown: IntArray) -> None:
    """Both inputs of a merge: what they offer, and whether the merge passes their words on."""
    turn = registers.turn[buffer]
    waits = registers.length[fixed.input[buffer, turn]] > 0
    single = fixed.input[buffer, 1] == fixed.slots.size - 1
    # Of one without a buffer the merge behind it has said so before.
    passed = registers.open[buffer] != 0 if _is_bare(fixed, buffer) else True
    for side in range(2):
        source = fixed.input[buffer, side]
        word = _oldest(registers, source)
        passes = passed and (single or waits == (side == turn))
        if _is_bare(fixed, source):
            registers.open[source] = passes
        for stream in (fixed.stream[buffer, side], fixed.also[buffer, side]):
            if not _depends(fixed, stream, word):
                _show(fixed, shown, stream, word, passes)


@inlined
def _watch_join(fixed: Fixed, registers: Registers, buffer: int, shown: IntArray) -> None:
    """What both inputs become may be on a link; they themselves are stored in the node."""
    word = _oldest(registers, fixed.input[buffer, 0])
    if registers.length[fixed.input[buffer, 1]] == 0:
        word = NONE
    _show(fixed, shown, fixed.result[fixed.join[buffer]], word, True)


@inlined
def _watch_fork(fixed: Fixed, registers: Registers, buffer: int, shown: IntArray) -> None:
    """The output of a fork to a buffer."""
    fork = fixed.fork[buffer]
    word = NONE
    if registers.taken[buffer] == registers.gone[fork]:
        word = _oldest(registers, fixed.source[fork])
    if word != NONE and fixed.routed and not _leads(fixed, buffer, word):
        word = NONE
    _show(fixed, shown, fixed.stream[buffer, 0], word, True)


@inlined
def _watch_eject(fixed: Fixed, registers: Registers, fork: int, shown: IntArray) -> None:
    """The eject stream of a node."""
    node, word = fixed.node[fork], registers.kept[fixed.node[fork]]
    if word != NONE:
        pass
    elif fixed.queue:
        if registers.queue_length[node]:
            word = registers.queue_word[node, registers.queue_first[node]]
    elif registers.own[fork] == registers.gone[fork]:
        word = _oldest(registers, fixed.source[fork])
        if word != NONE and not _is_own(fixed, fork, word):
            word = NONE
    _show(fixed, shown, fixed.sources + node, word, registers.ready[node] != 0)


@inlined
def watch_before(fixed: Fixed, registers: Registers, shown: IntArray) -> None:
    """Write down what is known before a cycle, as if all buffers were ready."""
    _stand_in(fixed, registers)
    _offer_bare(fixed, registers)
    for fork in range(fixed.node.size):
        _watch_eject(fixed, registers, fork, shown)
    for buffer in range(fixed.offering):
        if fixed.fork[buffer] != NONE:
            _watch_fork(fixed, registers, buffer, shown)
        elif fixed.join[buffer] != NONE:
            _watch_join(fixed, registers, buffer, shown)
        else:
            _watch_merge(fixed, registers, buffer, shown)


@inlined
def watch_after(fixed: Fixed, registers: Registers, shown: IntArray) -> None:
    """Streams into buffers that were not ready in the cycle were not either."""
    for buffer in range(fixed.offering):
        if registers.open[buffer]:
            continue
        if fixed.join[buffer] != NONE:
            shown[fixed.result[fixed.join[buffer]]] &= ~1
        for side in range(2):
            # A node's own stream may offer its word to another part.
            held = registers.length[fixed.input[buffer, side]] > 0
            for stream in (fixed.stream[buffer, side], fixed.also[buffer, side]):
                if held or stream >= fixed.sources or fixed.certain[stream]:
                    shown[stream] &= ~1
