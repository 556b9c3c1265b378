"""``even``: a tree of the least height whose nodes share the work, and in-trees like it.

From the farthest nodes to the root, each node takes the parent one step nearer the root that has
the fewest nodes below it so far, the largest subtrees first.
"""

from dataclasses import dataclass

import numpy as np

from noc.networks import ABSENT, IntArray, Network
from noc.trees.algorithms import Algorithm
from noc.trees.bfs_levels import bfs_levels
from noc.trees.tree import NO_PARENT, Ports, Tree, scheduled


def build_even(network: Network, root: int, ports: Ports = "all") -> Tree:
    """The tree from a root."""
    around = bfs_levels(network, root)
    below = [1] * around.size
    choice = np.zeros(around.size, dtype=np.int64)
    for level in reversed(around.levels):
        for rank in sorted(range(level.start, level.stop), key=lambda rank: -below[rank]):
            senders = around.source[rank].tolist()
            in_ports = (port for port, sender in enumerate(senders) if sender != ABSENT)
            best = min(in_ports, key=lambda port: (below[senders[port]], port))
            below[senders[best]] += below[rank]
            choice[rank] = best
    return scheduled(network, "even", ports, root, *around.tree(choice))


def in_tree(down: Tree) -> tuple[IntArray, IntArray]:
    """Parent and out-port of every node on its way to the root; ``NO_PARENT`` at the root.

    Where each link of the out-tree can be taken back, words climb by the links by which they come
    down. Elsewhere they climb along a tree of the least height of the network with all links
    turned round.
    """
    same = _same_links(down)
    if same is not None:
        return same
    mirrored = build_even(down.network.reversed(), down.root)
    # The out-port of a link is the in-port of the turned link.
    return mirrored.parent, mirrored.arrival().astype(down.port.dtype)


def _same_links(down: Tree) -> tuple[IntArray, IntArray] | None:
    """The out-tree backwards, if every link has one that leads back."""
    network = down.network
    child = np.flatnonzero(down.parent != NO_PARENT)
    leads_back = network.neighbour[child] == down.parent[child, None]
    if not leads_back.any(axis=1).all():
        return None
    port = np.full(network.nodes, NO_PARENT, dtype=down.port.dtype)
    # Of several links the one under the same label, and else the first.
    back = network.arrival[down.parent[child], down.port[child]]
    at = np.arange(child.size), np.minimum(back, network.ports - 1)
    same = (back < network.ports) & leads_back[at]
    port[child] = np.where(same, back, leads_back.argmax(axis=1))
    return down.parent, port


ALGORITHMS = (
    Algorithm(
        name="even",
        summary="least height on any network, and subtrees of nearly the same size at every node",
        families=None,
        models=("all", "one"),
        build=build_even,
    ),
)


@dataclass(frozen=True, eq=False)
class Ways:
    """Along which links words come down from the root, and climb to it."""

    #: The out-tree.
    down: Tree
    #: The in-tree, as an out-tree of the network with all links turned round. Without, words climb
    #: by the links by which they come down, or, where these have no way back, by few links.
    up: Tree | None = None

    @property
    def climbing(self) -> tuple[IntArray, IntArray]:
        """Parent and out-port of every node on its way to the root; ``NO_PARENT`` at the root."""
        if self.up is None:
            return in_tree(self.down)
        # The out-port of a link is the in-port of the turned link.
        return self.up.parent, self.up.arrival().astype(self.down.port.dtype)
