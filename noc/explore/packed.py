"""Numbers in the form in which they are packed best."""

import numpy as np

from noc.networks import IntArray

__all__ = ["steps"]


def steps(values: IntArray, count: IntArray) -> list[int]:
    """Each value less the one before, and the first one of a stream as it is.

    A stream that moves at its full rate is a row of ones then, which is packed well.

    Parameters
    ----------
    values : array
        Stream by stream.
    count : array
        How many there are of each stream.
    """
    values = values.astype(np.int64)
    begins = np.zeros(values.size, dtype=bool)
    begins[(np.cumsum(count) - count)[count > 0]] = True
    result = np.diff(values, prepend=0)
    result[begins] = values[begins]
    steps_of: list[int] = result.tolist()
    return steps_of
