"""Random numbers of searches, the same with every release of Python and of numpy.

Python promises the sequence of ``random()`` for a seed, and numpy the raw stream of a bit
generator (NEP 19); neither promises what ``randrange``, ``integers`` or ``choice`` make of them. So
that is done here, as it was done where the first trees were found.
"""

from random import Random

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray

__all__ = ["Draws", "RawDraws"]

# random() joins the first so many bits of two words of 32 bits of the Mersenne Twister.
_FIRST, _SECOND = 27, 26

_WORD = 32


class Draws:
    """Whole numbers from Python's generator.

    Parameters
    ----------
    seed : int
        Names the sequence.
    """

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._second: int | None = None

    def below(self, end: int) -> int:
        """The next number from 0 to ``end`` - 1: as many bits as ``end`` has, until one is less.

        >>> draws = Draws(0)
        >>> [draws.below(100) for _ in range(5)]
        [49, 97, 53, 5, 33]
        """
        bits = end.bit_length()
        if not 0 < end < 1 << _SECOND:
            raise CheckError(f"numbers below {end} cannot be drawn")
        while True:
            number = self._bits(bits)
            if number < end:
                return number

    def _bits(self, count: int) -> int:
        """The first bits of the next word."""
        if self._second is not None:
            word, self._second = self._second, None
            return word >> (_SECOND - count)
        joined = int(self._random.random() * (1 << (_FIRST + _SECOND)))
        self._second = joined & ((1 << _SECOND) - 1)
        return joined >> _SECOND >> (_FIRST - count)


class RawDraws:
    """Whole numbers from the raw stream of numpy's PCG64.

    Parameters
    ----------
    seed : int
        Names the sequence.
    """

    def __init__(self, seed: int) -> None:
        self._stream = np.random.PCG64(seed)
        self._half: int | None = None

    def below(self, end: int) -> int:
        """The next number from 0 to ``end`` - 1, by Lemire's multiplication of half a word.

        >>> draws = RawDraws(0)
        >>> [draws.below(6) for _ in range(5)]
        [5, 3, 3, 1, 1]
        """
        most = 1 << _WORD
        while True:
            product = self._next_half() * end
            if product % most >= (most - end) % end:
                return product >> _WORD

    def wide(self, first: int, end: int) -> int:
        """The next number from ``first`` to ``end`` - 1, by the same on a whole word."""
        most, count = 1 << 2 * _WORD, end - first
        while True:
            product = int(self._stream.random_raw()) * count
            if product % most >= (most - count) % count:
                return first + (product >> 2 * _WORD)

    def several(self, end: int, count: int) -> IntArray:
        """So many numbers from 0 to ``end`` - 1; ``end`` is a power of two."""
        if end & (end - 1) or not 0 < end <= 1 << _WORD:
            raise CheckError(f"{end} is no power of two that half a word holds")
        before = [] if self._half is None else [self._half]
        words = self._stream.random_raw(-(-(count - len(before)) // 2))
        halves = np.stack([words & np.uint64((1 << _WORD) - 1), words >> np.uint64(_WORD)], axis=1)
        numbers = np.concatenate([np.array(before, dtype=np.uint64), halves.reshape(-1)])
        self._half = int(numbers[count]) if numbers.size > count else None
        shift = np.uint64(_WORD - (end - 1).bit_length())
        return (numbers[:count] >> shift).astype(np.int64)

    def _next_half(self) -> int:
        """The low half of the next word, and then its high half."""
        if self._half is not None:
            half, self._half = self._half, None
            return half
        word = int(self._stream.random_raw())
        self._half = word >> _WORD
        return word & ((1 << _WORD) - 1)
