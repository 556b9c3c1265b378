"""Steps that no one-port broadcast can do without.

``floor`` is the plain bound. ``growth_bound`` knows how many sends a node has and how far from
the root its neighbours can lie: it grows the largest conceivable broadcast, in which no two
senders ever meet, and asks whether it holds enough nodes that are far enough away.
"""

import numpy as np
import numpy.typing as npt

from noc.compiled import compiled
from noc.networks import ABSENT, IntArray, Network

Mask = npt.NDArray[np.bool_]

# How a hop changes the distance from the root.
UP, LEVEL, DOWN = 0, 1, 2
ROOT = 3

# Distances and links of one node up to which the growth is computed. Beyond the first the
# eccentricity is hardly improved on; beyond the second it would take long.
LEVELS = 200
DEGREE = 32


def floor(network: Network, root: int) -> int:
    """The greater of ⌈log₂ N⌉ and the root's eccentricity."""
    return max((network.nodes - 1).bit_length(), network.eccentricity(root))


def growth_bound(network: Network, root: int) -> int:
    """A lower bound on the steps that is never below :func:`floor`.

    For every distance d, and for the even and the odd distances from d on apart where no link
    joins two nodes at distances of the same parity: the nodes there are at most those that the
    largest conceivable broadcast informs there.
    """
    hops = network.distances(root)
    sends = _sends_by_level(network, hops)
    size = np.bincount(hops).astype(np.int64)
    bound = floor(network, root)
    if size.size > LEVELS or network.degree > DEGREE:
        return bound
    level = np.arange(size.size)
    masks = [level >= first for first in range(size.size)]
    if network.two_way and not sends[:, LEVEL].any():
        masks += [mask & (level % 2 == first % 2) for first, mask in enumerate(masks)]
    for mask in masks:
        nodes = int(size[mask].sum())
        while _most_nodes(mask, sends, bound, network.two_way) < nodes:
            bound += 1
    return bound


def _sends_by_level(network: Network, hops: IntArray) -> IntArray:
    """For each distance, the most links of one node there that lead up, level, down, anywhere."""
    change = np.where(network.neighbour != ABSENT, hops[network.neighbour] - hops[:, None], 2)
    counts = np.empty((network.nodes, 4), dtype=np.int64)
    counts[:, UP] = (change == 1).sum(axis=1)
    counts[:, LEVEL] = (change == 0).sum(axis=1)
    counts[:, DOWN] = (change < 0).sum(axis=1)
    counts[:, 3] = counts[:, :3].sum(axis=1)
    most = np.zeros((int(hops.max()) + 1, 4), dtype=np.int64)
    np.maximum.at(most, hops, counts)
    return most


@compiled
def _most_nodes(counted: Mask, sends: IntArray, steps: int, two_way: bool) -> int:
    """The most nodes at counted distances that a broadcast from the root can inform.

    ``value[left, d, came]`` is that of a node at distance d, informed with ``left`` steps to go
    over a hop of kind ``came``; two-way links leave it one send less, the one back.
    """
    levels = counted.size
    # Beyond the last distance there is nothing.
    value = np.zeros((steps + 1, levels + 1, 4), dtype=np.int64)
    # A hop down may lead down several levels where links are one-way: the best of all below.
    lower = np.zeros((steps + 1, levels + 1), dtype=np.int64)
    for left in range(steps + 1):
        for level in range(levels):
            for came in range(4):
                up, same, down, total = sends[level]
                if two_way and came != ROOT:
                    up -= came == DOWN
                    same -= came == LEVEL
                    down -= came == UP
                    total -= 1
                value[left, level, came] = counted[level] + _best_sends(
                    value, lower, left, level, max(up, 0), max(same, 0), max(down, 0), total
                )
            lower[left, level + 1] = max(lower[left, level], value[left, level, DOWN])
    return int(value[steps, 0, ROOT])


@compiled
def _best_sends(
    value: IntArray,
    lower: IntArray,
    left: int,
    level: int,
    up: int,
    same: int,
    down: int,
    total: int,
) -> int:
    """The best order of sends up, level and down, at most ``total``, one in each step left."""
    best = np.full((up + 1, same + 1, down + 1), -1, dtype=np.int64)
    best[0, 0, 0] = 0
    most = 0
    for ups in range(up + 1):
        for sames in range(same + 1):
            for downs in range(min(down, total - ups - sames, left - ups - sames) + 1):
                after = left - ups - sames - downs
                top = best[ups, sames, downs]
                if ups > 0:
                    top = max(top, best[ups - 1, sames, downs] + value[after, level + 1, UP])
                if sames > 0:
                    top = max(top, best[ups, sames - 1, downs] + value[after, level, LEVEL])
                if downs > 0:
                    top = max(top, best[ups, sames, downs - 1] + lower[after, level])
                best[ups, sames, downs] = top
                most = max(most, top)
    return most
