"""``even``: a tree of the least height whose nodes share the work, on any network.

From the farthest nodes to the root, each node takes the parent one step nearer the root that has
the fewest nodes below it so far, the largest subtrees first.
"""

import numpy as np

from noc.networks import ABSENT, Network
from noc.trees.algorithms import Algorithm
from noc.trees.bfs_levels import bfs_levels
from noc.trees.schedule import scheduled
from noc.trees.tree import Ports, Tree

__all__ = ["ALGORITHMS", "build_even"]


def build_even(network: Network, root: int, ports: Ports = "all") -> Tree:
    """The tree from a root."""
    around = bfs_levels(network, root)
    below = [1] * around.places
    choice = np.zeros(around.places, dtype=np.int64)
    for level in reversed(around.levels):
        for place in sorted(range(level.start, level.stop), key=lambda place: -below[place]):
            senders = around.source[place].tolist()
            candidates = (by for by, sender in enumerate(senders) if sender != ABSENT)
            best = min(candidates, key=lambda by: (below[senders[by]], by))
            below[senders[best]] += below[place]
            choice[place] = best
    parent, port = around.tree(choice)
    return scheduled(network, "even", ports, root, parent, port)


ALGORITHMS = (
    Algorithm(
        name="even",
        summary="least height on any network, and subtrees of nearly the same size at every node",
        families=None,
        models=("all", "one"),
        build=build_even,
    ),
)
