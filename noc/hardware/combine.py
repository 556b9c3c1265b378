"""What the package's own operators make of two words, and which word changes no other."""

from collections.abc import Callable

from amaranth.hdl import Mux, Value


def _least(less: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    return lambda a, b: Mux(less(a, b), a, b)


#: Each gives the combination of two words of equal width.
COMBINE: dict[str, Callable[[Value, Value], Value]] = {
    "sum": lambda a, b: (a + b)[: len(a)],
    "min": _least(lambda a, b: a < b),
    "max": _least(lambda a, b: a > b),
    "min_signed": _least(lambda a, b: a.as_signed() < b.as_signed()),
    "max_signed": _least(lambda a, b: a.as_signed() > b.as_signed()),
    "band": lambda a, b: a & b,
    "bor": lambda a, b: a | b,
    "bxor": lambda a, b: a ^ b,
}


def neutral(operator: str, width: int) -> int:
    """What changes no word of so many bits that it is combined with."""
    ones, sign = (1 << width) - 1, 1 << (width - 1)
    others = {"min": ones, "band": ones, "min_signed": ones - sign, "max_signed": sign}
    return others.get(operator, 0)
