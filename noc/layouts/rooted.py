"""Trees: downwards from the root, or round it where there are many leaves."""

import numpy as np

from noc.layouts.points import Points, turned
from noc.networks import ABSENT, Network
from noc.networks.grid import UP

__all__ = ["place"]

# So many leaves stand side by side.
_MOST_LEAVES = 32

# Between two levels, in distances of leaves.
_LEVEL = 1.6


def place(network: Network) -> Points:
    """The nodes of ``tree:ARITY,HEIGHT``, which are numbered level by level."""
    arity, height = map(int, network.parameters)
    parent = network.neighbour[:, UP].astype(np.int64)
    depth = np.zeros(network.nodes, dtype=np.int64)
    for node in range(1, network.nodes):
        depth[node] = depth[parent[node]] + 1
    # Numbered level by level, so that those of a level stand side by side in this order.
    place_in_level = np.arange(network.nodes) - np.searchsorted(depth, depth)
    leaves = int(arity**height)
    middle = (place_in_level + 0.5) * (leaves / arity ** depth.astype(np.float64))
    assert (network.neighbour[1:, UP] != ABSENT).all()
    if leaves <= _MOST_LEAVES:
        return np.asarray(middle - 1j * _LEVEL * depth)
    ring = max(_LEVEL, leaves / (2 * np.pi * height))
    return np.asarray(ring * depth * turned(middle / leaves))
