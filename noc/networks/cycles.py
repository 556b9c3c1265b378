"""Networks of rings: each node of a star or a hypercube replaced by a ring of 3-port nodes."""

from math import factorial

import numpy as np

from noc.errors import InputError
from noc.networks import permutations
from noc.networks.arrays import ABSENT, IntArray
from noc.networks.network import PortGraph
from noc.networks.permutations import PermutationLabels
from noc.networks.spec import NetworkFamily, Number, numbers

__all__ = ["FAMILIES", "LATERAL", "LEFT", "RIGHT"]

LATERAL, RIGHT, LEFT = range(3)
PORTS = ("lateral", "right", "left")


def _wired(far: IntArray, ring: int) -> tuple[IntArray, IntArray]:
    """The arrays of a network of rings.

    ``far[node]`` is the node at the other end of the lateral link. The nodes of a ring follow
    each other; right leads to the next and left to the one before. A ring of two nodes has one
    link, not two: it is named right at both ends, and no node has a left port.
    """
    nodes = far.size
    node = np.arange(nodes, dtype=np.int64)
    base, place = node - node % ring, node % ring
    neighbour = np.full((nodes, 3), ABSENT, dtype=np.int32)
    neighbour[:, LATERAL] = far
    neighbour[:, RIGHT] = base + (place + 1) % ring
    arrivals = [LATERAL, RIGHT, ABSENT]
    if ring > 2:
        neighbour[:, LEFT] = base + (place - 1) % ring
        arrivals = [LATERAL, LEFT, RIGHT]
    arrival = np.broadcast_to(np.array(arrivals, dtype=np.int16), neighbour.shape)
    return neighbour, arrival


class SccLabels:
    """Labels ``I:permutation``: the ring position I of 2…n and the ring's permutation."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._rings = PermutationLabels(n, n)

    def text(self, node: int) -> str:
        """The label of a node."""
        ring, place = divmod(node, self.n - 1)
        return f"{place + 2}:{self._rings.text(ring)}"

    def node(self, text: str) -> int:
        """The node of a label."""
        place, colon, ring = text.partition(":")
        if not (colon and place.isascii() and place.isdigit() and 2 <= int(place) <= self.n):
            raise InputError(
                f"label {text!r} is no node: I:permutation with I from 2 to {self.n} is allowed, "
                f"as in {self.text(0)}"
            )
        return self._rings.node(ring) * (self.n - 1) + int(place) - 2


def _build_scc(n: int) -> PortGraph:
    symbols = permutations.arrangements(n, n)
    far = np.empty((symbols.shape[1], n - 1), dtype=np.int64)
    for place in range(n - 1):
        ring = permutations.rank(permutations.swapped(symbols, 0, place + 1), n)
        far[:, place] = ring * (n - 1) + place
    neighbour, arrival = _wired(far.reshape(-1), n - 1)
    return PortGraph(neighbour, arrival, PORTS, PORTS, SccLabels(n))


class CccLabels:
    """Labels ``I:bits``: the ring position I of 0…n-1 and the ring's corner of the cube."""

    def __init__(self, n: int) -> None:
        self.n = n

    def text(self, node: int) -> str:
        """The label of a node."""
        corner, place = divmod(node, self.n)
        return f"{place}:{corner:0{self.n}b}"

    def node(self, text: str) -> int:
        """The node of a label."""
        place, _, corner = text.partition(":")
        proper = place.isascii() and place.isdigit() and int(place) < self.n
        if not (proper and len(corner) == self.n and set(corner) <= {"0", "1"}):
            raise InputError(
                f"label {text!r} is no node: I:bits with I below {self.n} and {self.n} bits is "
                f"allowed, as in {self.text(0)}"
            )
        return int(corner, 2) * self.n + int(place)


def _build_ccc(n: int) -> PortGraph:
    node = np.arange(n * 2**n, dtype=np.int64)
    corner, place = node // n, node % n
    far = (corner ^ (1 << place)) * n + place
    neighbour, arrival = _wired(far, n)
    return PortGraph(neighbour, arrival, PORTS, PORTS, CccLabels(n))


FAMILIES = (
    NetworkFamily(
        name="scc",
        signature="n",
        where="n from 3 up",
        example="scc:4",
        summary="star-connected cycles: star n with a ring of n-1 nodes for every node",
        parse=numbers(Number(3)),
        size=lambda n: ((n - 1) * factorial(n), 3),
        build=_build_scc,
    ),
    NetworkFamily(
        name="ccc",
        signature="n",
        where="n from 2 up",
        example="ccc:3",
        summary="cube-connected cycles: hypercube n with a ring of n nodes for every node",
        parse=numbers(Number(2)),
        size=lambda n: (n * 2**n, 3),
        build=_build_ccc,
    ),
)
