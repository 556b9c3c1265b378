"""Networks of permutations: the nodes with one last symbol are a part, placed likewise within.

To put every symbol in the place of the one before turns the whole picture, since it is the same
as to turn the parts into each other.
"""

import numpy as np

from noc.layouts.points import Points, circle, turned
from noc.networks import IntArray, Network
from noc.networks.permutations import Symbols, arrangements
from noc.networks.star import incomplete_star_symbols

__all__ = ["place", "place_symbols"]

# How much wider the circle of the parts is than they need.
_GAP = 1.12

# Round the ring of six permutations of three symbols, each turned into the next by a port.
_RING = ("123", "321", "231", "132", "312", "213")
_RING_OF = {"bubble-sort": ("123", "213", "231", "321", "312", "132")}

# Each part is turned in itself by the one of so many turns with which its links out are shortest.
_TURNS = 24


def place(network: Network) -> Points:
    """The nodes of a network whose labels are strings of different symbols."""
    n, k = (*map(int, network.parameters), 0)[:2]
    if network.family == "incomplete-star":
        symbols = incomplete_star_symbols(n, k)
    else:
        symbols = arrangements(n, k or n)
    return place_symbols(symbols, n, network.family)


def place_symbols(symbols: Symbols, n: int, family: str = "star") -> Points:
    """A place for each column; with the last symbol n at the top."""
    ring = _RING_OF.get(family, _RING)
    return 1j * _nested(symbols.astype(np.int64), n, ring)[0]


def _nested(symbols: IntArray, n: int, ring: tuple[str, ...]) -> tuple[Points, float]:
    """The places, and the radius that they take."""
    k = symbols.shape[0]
    if k == 1:
        return circle(n)[symbols[0] % n], (0.5 / np.sin(np.pi / n) if n > 1 else 0.0) + 0.5
    if k == n == 3:
        spot = {text: place for place, text in enumerate(ring)}
        named = ["".join(map(str, column)) for column in symbols.T.tolist()]
        return circle(6)[[spot[text] for text in named]], 1.5
    last = symbols[-1]
    # The symbols as they are in the part that stands at the right.
    inner, radius = _nested((symbols[:-1] - last) % n, n - 1, ring)
    out = _GAP * radius / np.sin(np.pi / n)
    around = turned(last / n)
    first = symbols[0]

    def length(turn: Points) -> float:
        """How far nodes are from the parts that their links lead to."""
        return float(np.abs(around * (out + turn * inner) - out * turned(first / n)).sum())

    turn = min(turned(np.arange(_TURNS) / _TURNS), key=length)
    return around * (out + turn * inner), out + radius
