"""Networks of rings: each node of a star or a hypercube replaced by a ring of 3-port nodes."""

from math import factorial

import numpy as np

from noc.networks import permutations
from noc.networks.arrays import ABSENT, IntArray, Labels, PortGraph, no_node, two_way_graph
from noc.networks.cube import BinaryLabels
from noc.networks.permutations import PermutationLabels
from noc.networks.spec import NetworkFamily, Number, numbers

LATERAL, RIGHT, LEFT = range(3)
PORTS = ("lateral", "right", "left")


class RingLabels:
    """Labels ``I:RING``: the position I on a ring, and the label of the ring's own node."""

    def __init__(self, rings: Labels, positions: range, allowed: str) -> None:
        self._rings, self._positions, self._allowed = rings, positions, allowed

    def text(self, node: int) -> str:
        """The label of a node."""
        ring, index = divmod(node, len(self._positions))
        return f"{self._positions[index]}:{self._rings.text(ring)}"

    def node(self, text: str) -> int:
        """The node of a label."""
        position, colon, ring = text.partition(":")
        proper = colon and position.isascii() and position.isdigit()
        if not (proper and int(position) in self._positions):
            raise no_node(text, f"{self._allowed} is allowed, as in {self.text(0)}")
        index = self._positions.index(int(position))
        return self._rings.node(ring) * len(self._positions) + index


def _ringed(far: IntArray, size: int, labels: Labels) -> PortGraph:
    """A network of rings of a size; ``far[node]`` is at the other end of the lateral link.

    The nodes of a ring follow each other; right leads to the next and left to the one before. A
    ring of two nodes has one link, not two: it is named right at both ends, and no node has a
    left port.
    """
    node = np.arange(far.size, dtype=np.int64)
    position = node % size
    right, left = (node - position + (position + step) % size for step in (1, -1))
    columns = [(far, LATERAL), (right, LEFT), (left, RIGHT)]
    if size == 2:
        columns[1:] = [(right, RIGHT), (np.full_like(node, ABSENT), ABSENT)]
    return two_way_graph(far.size, columns, PORTS, labels)


def _build_scc(n: int) -> PortGraph:
    symbols = permutations.arrangements(n, n)
    far = np.empty((symbols.shape[1], n - 1), dtype=np.int64)
    for position in range(n - 1):
        ring = permutations.rank(permutations.swapped(symbols, 0, position + 1), n)
        far[:, position] = ring * (n - 1) + position
    allowed = f"I:permutation with I from 2 to {n}"
    labels = RingLabels(PermutationLabels(n, n), range(2, n + 1), allowed)
    return _ringed(far.reshape(-1), n - 1, labels)


def _build_ccc(n: int) -> PortGraph:
    corner, position = np.divmod(np.arange(n * 2**n, dtype=np.int64), n)
    far = (corner ^ (1 << position)) * n + position
    allowed = f"I:bits with I below {n} and {n} bits"
    return _ringed(far, n, RingLabels(BinaryLabels(n), range(n), allowed))


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
