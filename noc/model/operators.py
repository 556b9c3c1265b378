"""What an operator gives for two words."""

from collections.abc import Callable

from noc.programs.operators import OPERATORS


def _signed(value: int, width: int) -> int:
    """The number that the bits stand for in two's complement."""
    return value - ((value >> (width - 1)) << width)


_RESULTS: dict[str, Callable[[int, int, int], int]] = {
    "sum": lambda left, right, width: (left + right) & ((1 << width) - 1),
    "min": lambda left, right, _: min(left, right),
    "max": lambda left, right, _: max(left, right),
    "min_signed": lambda left, right, width: min(left, right, key=lambda v: _signed(v, width)),
    "max_signed": lambda left, right, width: max(left, right, key=lambda v: _signed(v, width)),
    "band": lambda left, right, _: left & right,
    "bor": lambda left, right, _: left | right,
    "bxor": lambda left, right, _: left ^ right,
}


def combine(operator: str, left: int, right: int, width: int) -> int:
    """The data of a join's result.

    >>> combine("sum", 200, 100, 8), combine("min_signed", 200, 100, 8)
    (44, 200)
    """
    model = OPERATORS[operator].model or _RESULTS[operator]
    return model(left, right, width)
