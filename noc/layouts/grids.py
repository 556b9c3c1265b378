"""Meshes and tori as grids, with more dimensions as grids of grids; rings as circles."""

import numpy as np

from noc.layouts.points import Points, circle, turned
from noc.networks import Network

__all__ = ["place", "place_round"]

# Between blocks of two dimensions, in steps; a little askew, as cubes are.
_MARGIN, _ASKEW = 1.0, 0.02

# A third dimension of so few steps leads into the depth, as on paper.
_MOST_DEEP, _DEPTH = 3, 0.9 + 0.65j


def place(network: Network) -> Points:
    """The first dimension to the right and the second upwards, then blocks of these likewise."""
    sizes = [int(size) for size in network.parameters]
    at = np.array(np.unravel_index(np.arange(network.nodes), sizes))
    points = np.zeros(network.nodes, dtype=np.complex128)
    extent, lead = [1.0, 1.0], [1.0 + 0j, 1j]
    for dimension, size in enumerate(sizes):
        side = dimension % 2
        if dimension == 2 == len(sizes) - 1 and size <= _MOST_DEEP:
            lead[side] = _DEPTH / size
        elif dimension >= 2:
            lead[side] = (extent[side] + _MARGIN) * complex(turned(_ASKEW)) * (1.0, 1j)[side]
            extent[side] += (size - 1) * (extent[side] + _MARGIN)
        else:
            extent[side] = float(size)
        points += at[dimension] * lead[side]
    return points


def place_round(network: Network) -> Points:
    """Round a circle, the first at the top and the others clockwise after it."""
    return 1j * np.conj(circle(network.nodes))
