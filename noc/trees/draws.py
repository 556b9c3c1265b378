"""Random numbers of searches, the same with every release of Python.

Python promises the sequence of ``random()`` for a seed, and not what ``randrange`` makes of it. So
that is done here, as it was done where the first trees were found.
"""

from random import Random

from noc.errors import CheckError

__all__ = ["Draws"]

# random() joins the first so many bits of two words of 32 bits of the Mersenne Twister.
_FIRST, _SECOND = 27, 26


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
