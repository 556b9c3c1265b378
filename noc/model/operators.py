"""What an operator gives for two words, and for many pairs at once, as rows of numbers."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import numpy.typing as npt

from noc.programs.operators import OPERATORS

#: Numbers of any size: each a row of words of 32 bits, the lowest first.
Rows = npt.NDArray[np.uint32]

_BITS = 32


def rows_of(numbers: Sequence[int], width: int) -> Rows:
    """Whole numbers of some bits as rows.

    >>> rows_of([5, 1 << 32], 33).tolist()
    [[5, 0], [0, 1]]
    """
    columns = -(-width // _BITS)
    packed = b"".join(number.to_bytes(4 * columns, "little") for number in numbers)
    return np.frombuffer(packed, dtype="<u4").reshape(len(numbers), columns).astype(np.uint32)


def whole_numbers(rows: Rows) -> list[int]:
    """Rows as whole numbers."""
    return [int.from_bytes(row.tobytes(), "little") for row in rows.astype("<u4")]


def count_columns(width: int) -> int:
    """How many words of 32 bits hold so many."""
    return -(-width // _BITS)


def combine_rows(operator: str, left: Rows, right: Rows, width: int) -> Rows:
    """What an operator makes of the words of two lists, one by one."""
    model = OPERATORS[operator].model
    if model is not None:
        pairs = zip(whole_numbers(left), whole_numbers(right), strict=True)
        return rows_of([model(one, other, width) for one, other in pairs], width)
    return _BUILT_IN[operator](left, right, width)


def _sum(left: Rows, right: Rows, width: int) -> Rows:
    result, carry = np.empty_like(left), np.zeros(len(left), dtype=np.uint64)
    for column in range(left.shape[1]):
        carry += left[:, column].astype(np.uint64) + right[:, column]
        result[:, column] = (carry & np.uint64(2**_BITS - 1)).astype(np.uint32)
        carry >>= np.uint64(_BITS)
    result[:, -1] &= np.uint32(2 ** (width % _BITS or _BITS) - 1)
    return result


def _extreme(left: Rows, right: Rows, width: int, *, least: bool, signed: bool) -> Rows:
    """The lesser, or the greater, of two numbers; with their signs turned they have that order."""
    less = np.zeros(len(left), dtype=np.bool_)
    for column in range(left.shape[1]):
        one, other = left[:, column], right[:, column]
        if signed and column == left.shape[1] - 1:
            sign = np.uint32(1 << (width - 1) % _BITS)
            one, other = one ^ sign, other ^ sign
        less = (one < other) | ((one == other) & less)
    return np.where((less if least else ~less)[:, None], left, right)


_BUILT_IN: dict[str, Callable[[Rows, Rows, int], Rows]] = {
    "sum": _sum,
    "min": partial(_extreme, least=True, signed=False),
    "max": partial(_extreme, least=False, signed=False),
    "min_signed": partial(_extreme, least=True, signed=True),
    "max_signed": partial(_extreme, least=False, signed=True),
    "band": lambda left, right, _: left & right,
    "bor": lambda left, right, _: left | right,
    "bxor": lambda left, right, _: left ^ right,
}


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
