"""What the giver and the judge of the self-test have in common, and the results of operators."""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value

from noc.selftest.words import ALTERNATING, Words

__all__ = ["among", "expected", "held", "result"]


def among(value: Any, numbers: tuple[int, ...]) -> Value:
    """Whether a value is one of some numbers."""
    return Cat(value == number for number in numbers).any() if numbers else Const(0)


def held(domain: Any, prefix: str, **values: Value) -> SimpleNamespace:
    """Registers of a domain for some values, or other names for them where it is ``comb``."""
    result = {name: Signal(len(each), name=f"{prefix}_{name}") for name, each in values.items()}
    domain += [result[name].eq(each) for name, each in values.items()]
    return SimpleNamespace(**result)


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
    """What becomes of one *a* and as many *b* as there are other members."""
    width = len(a)
    if operator not in ALTERNATING:
        # However often b is taken, it is taken once.
        return _OF_TWO[operator](a, b) if members > 1 else a
    plain, turned = members // 2, (members - 1) // 2
    if operator == "bxor":
        return a ^ (b if plain % 2 else 0) ^ (~b if turned % 2 else 0)
    # A word and its complement are -1.
    return (a + (b if plain > turned else 0) + Const(-turned % (1 << width), width))[:width]


def expected(words: Words, operation: int, number: Value, seed: Value, key: Value) -> Value:
    """The result of an operation that has this number; its key tells the node that it is for."""
    if words.tabled(operation):
        table = [Const(word, words.width) for word in words.table(operation)]
        row: Value = Array(table)[words.choice(number, seed, key)]
        return row
    members = len(words.members(operation))
    return result(words.listed[operation].operator, members, *words.pair(number, seed, key))
