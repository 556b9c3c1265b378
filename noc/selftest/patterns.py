"""The data of the words of which both ends know the number, the round's seed, and a key.

Of those that are combined one node gives *a* and the others *b*: the result follows from the two.
To an operator of a user, of which nothing is known, each node gives a word of its own, one of few,
so that a table has the results.

What is computed from bits here takes numbers and signals alike.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from amaranth.hdl import Cat, Const, Mux, Value

__all__ = [
    "ALTERNATING",
    "LAP_BITS",
    "PAIRED",
    "SEED_BITS",
    "TABLE_BITS",
    "Patterns",
    "following",
    "result",
    "spread",
]

#: Bits of the round's seed.
SEED_BITS = 16

#: Operators that see each *b* even among others; with them every second is a complement, so that
#: the result needs no multiplication.
ALTERNATING = ("sum", "bxor")

#: The operator with which a second member gives *a* at times, if there are others.
PAIRED = "bor"

#: Bits of the number of a result among those for its node, and those of which the next is made. The
#: numbers follow each other as in a feedback shift register, with a period of 255: if they counted,
#: a member of a group of 16 would always have the same lowest bits when it gives *a*.
LAP_BITS, _TAPS = 8, (7, 5, 4, 3)

#: Bits that select the words of an operator of a user, and their result in a table.
TABLE_BITS = 4


def following(number: Any) -> Any:
    """The number of the result after one; the first is 0."""
    fed: Any = 1
    for tap in _TAPS:
        fed = fed ^ number >> tap
    return (number << 1 | fed & 1) & (1 << LAP_BITS) - 1


def spread(value: Any, bits: int, count: int, stride: int = 1, start: int = 0) -> Any:
    """``count`` bits out of the ``bits`` of a value, taken in turn.

    >>> bin(spread(0b011, 3, 8))
    '0b11011011'
    """
    chosen = [(stride * bit + start) % bits for bit in range(count)]
    if isinstance(value, int):
        return sum((value >> bit & 1) << place for place, bit in enumerate(chosen))
    return Cat(value[bit] for bit in chosen)


@dataclass(frozen=True)
class Patterns:
    """The data of words."""

    #: Bits of a word's data.
    width: int
    #: Bits of the key, which tells words of one number apart.
    key_bits: int
    #: Bits of the number of a node among those whose words are combined.
    rank_bits: int

    def pair(self, number: Any, seed: Any, key: Any) -> tuple[Any, Any]:
        """The words *a* and *b*; the node in the key is 0 where the result is for a group."""
        width, bits = self.width, self.key_bits
        a = spread(number, LAP_BITS, width) ^ spread(seed, SEED_BITS, width)
        # Bits of the seed in an order of which no part is one of the other.
        b = spread(number, LAP_BITS, width, -1, -1) ^ spread(seed, SEED_BITS, width, 5, 3)
        # No two keys, the one moved by a bit and not, have the same difference.
        moved = key >> 1 if isinstance(key, int) else Cat(key[1:bits], Const(0, 1))
        return a ^ spread(key, bits, width), b ^ spread(moved, bits, width)

    def choice(self, number: Any, seed: Any, key: Any) -> Any:
        """What selects the words of an operator of a user, and their result."""
        chosen = spread(number, LAP_BITS, TABLE_BITS) ^ spread(seed, SEED_BITS, TABLE_BITS)
        return chosen ^ spread(key, self.key_bits, TABLE_BITS)

    def chosen(self, choice: Any, rank: Any) -> Any:
        """The word of a member for an operator of a user."""
        bits = max(1, self.rank_bits)
        return spread(choice, TABLE_BITS, self.width) ^ spread(rank, bits, self.width)


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
