"""What the streams of the ordered fabric show in a cycle, compiled: see ``docs/ordered.md``.

Offered words are known from the registers before a cycle, and so is which input of a merge has its
way; whether buffers are ready is known after it. A stream that offers what words will become shows
the first of them.

Where it depends on a node's own word which way it goes, its stream says whether it is ready for the
word that it is offered, and nothing without one.
"""

from noc.compiled import inlined
from noc.model.common import NONE
from noc.model.ordered.kernel import is_mine, leads
from noc.model.ordered.state import Fixed, Registers
from noc.model.signals import signals_of
from noc.networks import IntArray

__all__ = ["watch_after", "watch_before"]


@inlined
def _show(fixed: Fixed, shown: IntArray, stream: int, word: int, ready: bool) -> None:
    shown[stream] = signals_of(NONE if word == NONE else word >> fixed.bits, ready)


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
    for side in range(2):
        word = _oldest(registers, fixed.input[buffer, side])
        passes = single or waits == (side == turn)
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
    if word != NONE and fixed.routed and not leads(fixed, buffer, word):
        word = NONE
    _show(fixed, shown, fixed.stream[buffer, 0], word, True)


@inlined
def _watch_eject(fixed: Fixed, registers: Registers, fork: int, shown: IntArray) -> None:
    """The eject stream of a node."""
    node, word = fixed.node[fork], NONE
    if fixed.queue:
        if registers.queue_length[node]:
            word = registers.queue_word[node, registers.queue_first[node]]
    elif registers.own[fork] == registers.gone[fork]:
        word = _oldest(registers, fixed.source[fork])
        if word != NONE and not is_mine(fixed, fork, word):
            word = NONE
    _show(fixed, shown, fixed.sources + node, word, registers.ready[node] != 0)


@inlined
def watch_before(fixed: Fixed, registers: Registers, shown: IntArray) -> None:
    """Write down what is known before a cycle, as if all buffers were ready."""
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
