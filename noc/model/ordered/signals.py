"""What the streams of the ordered fabric show in a cycle, compiled: see ``docs/ordered.md``.

Offered words are known from the registers before a cycle, and so is which input of a merge has its
way; whether buffers are ready is known after it.
"""

from noc.compiled import inlined
from noc.model.common import NONE
from noc.model.ordered.state import Fixed, Registers
from noc.model.signals import signals_of
from noc.networks import IntArray

__all__ = ["watch_after", "watch_before"]


@inlined
def _oldest(fixed: Fixed, registers: Registers, buffer: int) -> int:
    """The word that a buffer offers, or NONE."""
    if registers.length[buffer] == 0:
        return NONE
    return int(registers.word[buffer, 0] >> fixed.bits)


@inlined
def _watch_merge(fixed: Fixed, registers: Registers, buffer: int, shown: IntArray) -> None:
    """Both inputs of a merge: what they offer, and whether the merge passes their words on."""
    turn = registers.turn[buffer]
    waits = registers.length[fixed.input[buffer, turn]] > 0
    single = fixed.input[buffer, 1] == fixed.slots.size - 1
    for side in range(2):
        word = _oldest(fixed, registers, fixed.input[buffer, side])
        passes = single or waits == (side == turn)
        shown[fixed.stream[buffer, side]] = signals_of(word, passes)
        shown[fixed.also[buffer, side]] = signals_of(word, passes)


@inlined
def _watch_fork(fixed: Fixed, registers: Registers, buffer: int, shown: IntArray) -> None:
    """The output of a fork to a buffer."""
    fork = fixed.fork[buffer]
    word = NONE
    if registers.taken[buffer] == registers.gone[fork]:
        word = _oldest(fixed, registers, fixed.source[fork])
    shown[fixed.stream[buffer, 0]] = signals_of(word, True)


@inlined
def _watch_eject(fixed: Fixed, registers: Registers, fork: int, shown: IntArray) -> None:
    """The eject stream of a node."""
    node, source, word = fixed.node[fork], fixed.source[fork], NONE
    if fixed.queue:
        if registers.queue_length[node]:
            word = registers.queue_word[node, registers.queue_first[node]] >> fixed.bits
    elif registers.length[source] and registers.own[fork] == registers.gone[fork]:
        held = registers.word[source, 0]
        if held & ((1 << fixed.bits) - 1) != fixed.drops[fork]:
            word = held >> fixed.bits
    shown[fixed.sources + node] = signals_of(word, registers.ready[node] != 0)


@inlined
def watch_before(fixed: Fixed, registers: Registers, shown: IntArray) -> None:
    """Write down what is known before a cycle, as if all buffers were ready."""
    for fork in range(fixed.node.size):
        _watch_eject(fixed, registers, fork, shown)
    for buffer in range(fixed.offering):
        if fixed.fork[buffer] == NONE:
            _watch_merge(fixed, registers, buffer, shown)
        else:
            _watch_fork(fixed, registers, buffer, shown)


@inlined
def watch_after(fixed: Fixed, registers: Registers, shown: IntArray) -> None:
    """Streams into buffers that were not ready in the cycle were not either."""
    for buffer in range(fixed.offering):
        if not registers.open[buffer]:
            for side in range(2):
                shown[fixed.stream[buffer, side]] &= ~1
                shown[fixed.also[buffer, side]] &= ~1
