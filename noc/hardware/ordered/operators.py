"""The operators that combine two words."""

from collections.abc import Callable

from amaranth.hdl import Mux, Value

__all__ = ["COMBINE"]


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
