"""What words are kept in, and streams that announce them."""

from typing import Any

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


def slot_like(word: Any, name: str) -> Any:
    """A register for a word, with the attributes that the layout of the word has for it."""
    attributes = getattr(word.shape(), "slot_attributes", {})
    return Signal.like(word, name=name, reset_less=True, attrs=attributes)


class Announced(wiring.Signature):
    """A stream whose payload is that of the word passed on in the cycle before, and otherwise 0.

    ``valid`` and ``ready`` are those of a stream.

    Parameters
    ----------
    shape : shape-like
        Of a word.

    Members
    -------
    valid : Out(1)
        Whether a word is offered; it is until it is taken.
    ready : In(1)
        Whether it is taken.
    payload : Out(shape)
        The word that was offered and taken in the cycle before, or 0 if none was.
    """

    def __init__(self, shape: Any) -> None:
        super().__init__({"valid": Out(1), "ready": In(1), "payload": Out(shape)})


def shown(payload: Any, when: Signal) -> Value:
    """A payload in the cycles in which it is to be seen, and 0 in others."""
    bits = Value.cast(payload)
    return bits & when.replicate(len(bits))


def a_cycle_later(m: Module, value: Value) -> Signal:
    """A signal in the cycle after."""
    later = Signal.like(value, name="later")
    m.d.sync += later.eq(value)
    return later
