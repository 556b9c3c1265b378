"""The registers that words are kept in."""

from typing import Any

from amaranth.hdl import Signal


def slot_like(word: Any, name: str) -> Any:
    """A register for a word, with the attributes that the layout of the word has for it."""
    attributes = getattr(word.shape(), "slot_attributes", {})
    return Signal.like(word, name=name, reset_less=True, attrs=attributes)
