"""Hypercubes: a cube in oblique projection, and cubes side by side for more than three bits."""

import numpy as np

from noc.layouts.points import Points, turned
from noc.networks import Network

__all__ = ["edges", "place"]

# Where the first three bits lead: a cube as one draws it on paper.
_CUBE = (1.0, 1j, 0.4 + 0.4j)

# The same for four bits: with these no link passes by a node.
_FOUR = (1.0, 1j, 0.24 + 0.56j, 1.48 + 0.37j)

# Cubes stand in rows and columns, blocks of four in these again; askew, so that a link to another
# block passes beside the nodes of its own.
_PITCH, _GROWTH, _ASKEW = 2.45, 2.35, -0.039


def edges(n: int) -> Points:
    """Where each bit leads."""
    lead = list(_FOUR if n == 4 else _CUBE[:n])
    for bit in range(len(lead), n):
        block, side = divmod(bit - 3, 2)
        askew = _ASKEW * (-1) ** (block + side)
        lead.append(complex(_PITCH * _GROWTH**block * turned(askew)) * (1.0, 1j)[side])
    return np.array(lead, dtype=np.complex128)


def place(network: Network) -> Points:
    """The corners of a hypercube, of two-way or one-way links."""
    n = int(network.parameters[0])
    node = np.arange(network.nodes)
    bits = (node[:, None] >> np.arange(n)) & 1
    return np.asarray(bits @ edges(n))
