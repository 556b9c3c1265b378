"""The bits of the self-test's words in hardware, as the layouts say them in numbers."""

from collections.abc import Callable
from functools import partial
from typing import Any

from amaranth.hdl import Cat, Const, Mux, Value

from noc.selftest.operation_words import ALTERNATING, LAP_BITS, OperationWords
from noc.selftest.words import SEED_BITS

__all__ = ["among", "pair", "repeated", "result"]


def repeated(bits: Any, count: int) -> Value:
    """So many bits, from the lowest up and again from the lowest."""
    return Cat(bits[place % len(bits)] for place in range(count))


def among(value: Any, numbers: tuple[int, ...]) -> Value:
    """Whether a value is one of some numbers."""
    return Cat(value == number for number in numbers).any() if numbers else Const(0)


def pair(words: OperationWords, number: Value, seed: Value, key: Value) -> tuple[Value, Value]:
    """The words *a* and *b*, as :meth:`OperationWords.pair` makes them."""
    width = words.width
    key = key if len(key) else Const(0, 1)
    other_seed = Cat(seed[(5 * bit + 3) % SEED_BITS] for bit in range(SEED_BITS))
    a = repeated(number, width) ^ repeated(seed, width) ^ repeated(key, width)
    turned = Cat(number[LAP_BITS - 1 - bit] for bit in range(LAP_BITS))
    shifted = Cat(key[1:], key[0])
    b = repeated(turned, width) ^ repeated(other_seed, width) ^ repeated(shifted, width)
    return a, b


def _chosen(a: Value, b: Value, *, least: bool, signed: bool = False) -> Value:
    """The least or the greatest of two words, by the borrow of their difference."""
    a_is_less = (a - b)[-1]
    if signed:
        # Of two words with unequal signs the greater number without a sign is the lesser.
        a_is_less = a_is_less ^ a[-1] ^ b[-1]
    return Mux(a_is_less, a, b) if least else Mux(a_is_less, b, a)


#: What becomes of two words. It shares nothing with the joins that are tested, not even the form:
#: what is wrong in one would otherwise be wrong in both, and agree.
_OF_TWO: dict[str, Callable[[Value, Value], Value]] = {
    "min": partial(_chosen, least=True),
    "max": partial(_chosen, least=False),
    "min_signed": partial(_chosen, least=True, signed=True),
    "max_signed": partial(_chosen, least=False, signed=True),
    "band": lambda a, b: ~(~a | ~b),
    "bor": lambda a, b: ~(~a & ~b),
}


def result(operator: str, members: int, a: Value, b: Value) -> Value:
    """What becomes of the contributions of so many members."""
    width = len(a)
    if operator not in ALTERNATING:
        # However often b is taken, it is taken once.
        return _OF_TWO[operator](a, b) if members > 1 else a
    plain, turned = members // 2, (members - 1) // 2
    if operator == "bxor":
        return a ^ (b if plain % 2 else 0) ^ (~b if turned % 2 else 0)
    # A word and its complement are -1.
    return (a + (b if plain > turned else 0) + Const(-turned % (1 << width), width))[:width]
