"""Networks of rings: the picture of a star graph or a hypercube, with a ring at each node."""

import numpy as np

from noc.layouts import cubes
from noc.layouts.permuted import place_symbols
from noc.layouts.points import Points, circle, nearest
from noc.networks import Network
from noc.networks.permutations import arrangements

__all__ = ["place_ccc", "place_scc"]

# Between two rings, in links of a ring.
_GAP = 1.6


def place_scc(network: Network) -> Points:
    """Star-connected cycles: a ring of n-1 nodes for each permutation of n symbols."""
    n = int(network.parameters[0])
    return _place(network, place_symbols(arrangements(n, n), n), n - 1)


def place_ccc(network: Network) -> Points:
    """Cube-connected cycles: a ring of n nodes for each corner."""
    n = int(network.parameters[0])
    corner = np.arange(2**n)
    bits = (corner[:, None] >> np.arange(n)) & 1
    return _place(network, np.asarray(bits @ cubes.edges(n)), n)


def _place(network: Network, centre: Points, size: int) -> Points:
    """Each ring turned so that its lateral links are short; all the same way round."""
    ring = circle(size)
    radius = float(np.abs(ring).max())
    centre = centre * ((2 * radius + _GAP) / nearest(centre))
    # The lateral link is port 0, and the nodes of a ring follow each other.
    far = centre[network.neighbour[:, 0] // size].reshape(-1, size)
    toward = (far - centre[:, None]) / np.abs(far - centre[:, None])
    best = max((ring, np.conj(ring)), key=lambda way: float(np.abs(_pull(toward, way)).sum()))
    pull = _pull(toward, best)
    turn = np.where(np.abs(pull) > 1e-9, pull / np.maximum(np.abs(pull), 1e-9), 1.0)
    return np.asarray((centre[:, None] + turn[:, None] * best).reshape(-1))


def _pull(toward: np.ndarray, ring: Points) -> Points:
    """For each ring where its links would turn it."""
    return np.asarray((toward * np.conj(ring)).sum(axis=1))
