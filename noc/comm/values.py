"""Values of programs as words, and back."""

import operator
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from noc.errors import InputError

__all__ = ["Array", "Values", "decode", "encode"]

#: What words become: a row of whole numbers.
Array: TypeAlias = np.ndarray[tuple[int], np.dtype[Any]]

#: What a program can give: a whole number, or a row of them.
Values: TypeAlias = int | Sequence[int] | np.ndarray[Any, np.dtype[Any]]


def encode(values: Values, width: int, *, signed: bool) -> tuple[int, ...]:
    """The words of some values.

    >>> encode([1, -1], 8, signed=True)
    (1, 255)
    """
    numbers = _whole_numbers(values)
    least, end = (-(1 << width - 1), 1 << width - 1) if signed else (0, 1 << width)
    for number in numbers:
        if not least <= number < end:
            hint = "" if signed or number >= 0 else "; comm.signed takes numbers with a sign"
            fit = f"{least} to {end - 1} are allowed{hint}"
            raise InputError(f"{number} does not fit a word of {width} bits: {fit}")
    if not numbers:
        raise InputError("a message has at least one word")
    return tuple(number & ((1 << width) - 1) for number in numbers)


def _whole_numbers(values: Values) -> list[int]:
    try:
        if isinstance(values, Iterable):
            return [operator.index(value) for value in values]
        return [operator.index(values)]
    except TypeError:
        raise InputError(
            f"a whole number or a row of them is needed, not {type(values).__name__} {values!r}"
        ) from None


def decode(words: Sequence[int], width: int, *, signed: bool) -> Array:
    """The values of some words, in int64 where all numbers of the width fit.

    >>> decode([1, 255], 8, signed=True).tolist()
    [1, -1]
    """
    dtype: Any = np.int64 if width + (not signed) <= 64 else np.uint64 if width == 64 else object
    if signed:
        sign = 1 << width - 1
        words = [(word ^ sign) - sign for word in words]
    return np.array(words, dtype=dtype)
