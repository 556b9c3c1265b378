"""Algorithm 2 of the SCC report: the shorter way round a ring.

After Azevedo, Bagherzadeh and Latifi (1993).
"""

from noc.networks.cycles import LEFT, RIGHT

__all__ = ["distance", "route"]


def distance(ring: int, here: int, there: int) -> int:
    """Local links between two ring positions, as Equation 1 counts them.

    >>> distance(7, 0, 5)
    2
    """
    apart = abs(there - here)
    return min(apart, ring - apart)


def route(ring: int, here: int, there: int) -> list[int]:
    """The out-ports from one ring position to another on a shortest way.

    >>> route(7, 0, 5) == [LEFT, LEFT]
    True
    """
    if ring == 2:
        # One link joins a ring of two, and it is named right at both ends.
        return [RIGHT] * distance(ring, here, there)
    # With ring = n-1 the report divides by floor((n+1)/2): 1 where the way round is shorter.
    beyond_half = abs(there - here) // ((ring + 2) // 2)
    port = RIGHT if (there > here) == (beyond_half == 0) else LEFT
    return [port] * distance(ring, here, there)
