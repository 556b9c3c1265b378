"""Scatter, or personalised broadcast: the root sends every other node a word of its own.

Each word goes down the tree to its one receiver, a hop a step. A link carries one word a step;
with one port a node also sends one word a step, and receives one. Words then only ever wait at
the root: on any link below it they arrive one a step at most, and each goes on at once. So the
step at which the root sends a word decides when it arrives.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from noc.errors import InputError
from noc.networks import IntArray, Network
from noc.trees import Ports, Tree, algorithms_on, build_tree
from noc.trees.bounds import scatter_bound
from noc.trees.tree import by_level

#: Algorithms whose trees share their nodes out among the ports of the root.
_BALANCED = ("even", "balanced")

#: In which order the root sends the words that take the same port.
Order = Literal["furthest-first", "nearest-first", "numbered"]


@dataclass(frozen=True)
class Scatter:
    """What a scatter takes along a tree, whose communication model is the scatter's.

    ``received`` is the step at which each node has its word, 0 at the root; ``load`` the words
    that each out-port of the root carries; and no scatter from this root takes fewer steps than
    ``lower_bound``, on whatever tree.
    """

    tree: Tree
    order: Order
    received: IntArray = field(repr=False)
    load: dict[int, int]
    lower_bound: int

    @property
    def steps(self) -> int:
        """The step at which the last node has its word."""
        return int(self.received.max())

    @property
    def hops(self) -> int:
        """How many times a link carries a word, over all links."""
        return int(self.tree.depth.sum(dtype=np.int64))


def scatter(tree: Tree, order: Order = "furthest-first") -> Scatter:
    """Send every node its own word along any tree of any network.

    Words that share a port of the root leave it in this order, by node number among equals.
    Furthest first is the fastest on every tree.
    """
    first = {
        "furthest-first": -tree.depth,
        "nearest-first": tree.depth,
        "numbered": np.zeros_like(tree.depth),
    }.get(order)
    if first is None:
        raise InputError(
            f"order {order!r} is unknown; allowed: furthest-first, nearest-first, numbered"
        )
    received = _turns(tree, first) + tree.depth - 1
    received[tree.root] = 0
    bound = scatter_bound(tree.network, tree.root, tree.ports)
    return Scatter(tree, order, received, tree.branch_sizes, bound)


def quickest_tree(network: Network, root: int, ports: Ports) -> Tree:
    """Of the trees that share their nodes out evenly, one with the fewest steps in a scatter.

    >>> from noc.networks import build_network
    >>> scatter(quickest_tree(build_network("star:5"), 0, "all")).steps
    32
    """
    models = {algorithm.name: algorithm.models for algorithm in algorithms_on(network)}
    names = [name for name in _BALANCED if ports in models.get(name, ())]
    trees = [build_tree(network, name, root=root, ports=ports) for name in names]
    return min(trees, key=lambda tree: scatter(tree).steps)


def _turns(tree: Tree, first: IntArray) -> IntArray:
    """The step at which the root sends the word of each node, in ascending order of ``first``."""
    queue = np.zeros_like(tree.depth)
    if tree.ports == "all":
        # The out-port of the root behind which each node is, passed down level by level.
        queue = tree.port.copy()
        for node in by_level(tree.depth)[2:]:
            queue[node] = queue[tree.parent[node]]
    child = np.flatnonzero(np.arange(tree.network.nodes) != tree.root)
    child = child[np.lexsort((first[child], queue[child]))]
    turn = np.zeros(tree.network.nodes, dtype=np.int32)
    turn[child] = np.arange(1, child.size + 1) - np.searchsorted(queue[child], queue[child])
    return turn
