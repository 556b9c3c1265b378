"""What the streams of a network with operations show in a cycle, compiled.

As in :mod:`noc.model.ordered.signals`, offered words are known before a cycle, and whether buffers
are ready after it. Which word is offered is not written down: it is the next that moves there.

A node's own stream says whether it is ready for the word that it is offered, and nothing without
one: that depends on the operation.
"""

from noc.compiled import inlined
from noc.model.collective.kernel import is_mine, leads
from noc.model.collective.state import CollectiveFixed
from noc.model.common import NONE
from noc.model.ordered.state import Registers
from noc.model.signals import signals_of
from noc.networks import IntArray

__all__ = ["watch_after", "watch_before"]

#: Some word.
_SOME = 0


@inlined
def _show(shown: IntArray, stream: int, offers: bool, ready: bool) -> None:
    shown[stream] = signals_of(_SOME if offers else NONE, ready)


@inlined
def _show_input(
    fixed: CollectiveFixed,
    registers: Registers,
    buffer: int,
    side: int,
    passes: bool,
    shown: IntArray,
) -> None:
    """The streams of an input: what it offers, and whether it may pass."""
    plain = fixed.plain
    offers = registers.length[plain.input[buffer, side]] > 0
    if offers or plain.stream[buffer, side] >= plain.sources:
        _show(shown, plain.stream[buffer, side], offers, passes)
    if offers or plain.also[buffer, side] >= plain.sources:
        _show(shown, plain.also[buffer, side], offers, passes)


@inlined
def _watch_merge(
    fixed: CollectiveFixed, registers: Registers, buffer: int, shown: IntArray
) -> None:
    plain, turn = fixed.plain, registers.turn[buffer]
    waits = registers.length[plain.input[buffer, turn]] > 0
    single = plain.input[buffer, 1] == plain.slots.size - 1
    for side in range(2):
        _show_input(fixed, registers, buffer, side, single or waits == (side == turn), shown)


@inlined
def _watch_join(fixed: CollectiveFixed, registers: Registers, buffer: int, shown: IntArray) -> None:
    """What both inputs become may be on a link; they themselves are stored in the node."""
    first, second = fixed.plain.input[buffer, 0], fixed.plain.input[buffer, 1]
    both = registers.length[first] > 0 and registers.length[second] > 0
    _show(shown, fixed.result[buffer], both, True)


@inlined
def _watch_fork(fixed: CollectiveFixed, registers: Registers, buffer: int, shown: IntArray) -> None:
    plain = fixed.plain
    fork = plain.fork[buffer]
    source = plain.source[fork]
    offers = registers.length[source] > 0 and registers.taken[buffer] == registers.gone[fork]
    if offers:
        offers = leads(fixed, buffer, registers.word[source, 0])
    _show(shown, plain.stream[buffer, 0], offers, True)


@inlined
def _watch_eject(fixed: CollectiveFixed, registers: Registers, fork: int, shown: IntArray) -> None:
    plain = fixed.plain
    node, source = plain.node[fork], plain.source[fork]
    if plain.queue:
        offers = registers.queue_length[node] > 0
    else:
        offers = registers.length[source] > 0 and registers.own[fork] == registers.gone[fork]
        if offers:
            offers = is_mine(fixed, fork, registers.word[source, 0])
    _show(shown, plain.sources + node, offers, registers.ready[node] != 0)


@inlined
def watch_before(fixed: CollectiveFixed, registers: Registers, shown: IntArray) -> None:
    """Write down what is known before a cycle, as if all buffers were ready."""
    for fork in range(fixed.plain.node.size):
        _watch_eject(fixed, registers, fork, shown)
    for buffer in range(fixed.plain.offering):
        if fixed.plain.fork[buffer] != NONE:
            _watch_fork(fixed, registers, buffer, shown)
        elif fixed.alarm[buffer] != NONE:
            _watch_join(fixed, registers, buffer, shown)
        else:
            _watch_merge(fixed, registers, buffer, shown)


@inlined
def watch_after(fixed: CollectiveFixed, registers: Registers, shown: IntArray) -> None:
    """Streams into buffers that were not ready in the cycle were not either."""
    plain = fixed.plain
    for buffer in range(plain.offering):
        if registers.open[buffer]:
            continue
        shown[fixed.result[buffer]] &= ~1
        for side in range(2):
            # A node's own stream may offer its word to another part.
            held = registers.length[plain.input[buffer, side]] > 0
            if held or plain.stream[buffer, side] >= plain.sources:
                shown[plain.stream[buffer, side]] &= ~1
            if held or plain.also[buffer, side] >= plain.sources:
                shown[plain.also[buffer, side]] &= ~1
