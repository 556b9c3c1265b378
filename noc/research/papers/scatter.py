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
from noc.networks import ABSENT, IntArray, Network
from noc.trees import Ports, Tree, algorithms_on, build_tree
from noc.trees.tree import by_level

__all__ = ["Order", "Scatter", "all_to_all_bound", "lower_bound", "quickest_tree", "scatter"]

#: Algorithms whose trees share their nodes out among the ports of the root.
_BALANCED = ("even", "balanced")

#: In which order the root sends the words that take the same port.
Order = Literal["furthest-first", "nearest-first", "numbered"]


@dataclass(frozen=True)
class Scatter:
    """What a scatter along a tree takes.

    Parameters
    ----------
    tree : Tree
        The tree; its communication model is the scatter's.
    order : str
        The order in which the root sends the words that take the same port.
    received : array (nodes)
        The step at which each node has its word; 0 at the root.
    load : dict
        For each out-port of the root in use, how many words it carries.
    lower_bound : int
        The steps below which no scatter from this root can stay, on whatever tree.
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
    """Send every node its own word along a tree.

    Parameters
    ----------
    tree : Tree
        Any tree of any network; its ``ports`` decide whether the root may use all its links in
        one step.
    order : "furthest-first", "nearest-first" or "numbered"
        The order of the words that share a port; by node number among equals. Furthest first is
        the fastest on every tree.
    """
    place = {
        "furthest-first": -tree.depth,
        "nearest-first": tree.depth,
        "numbered": np.zeros_like(tree.depth),
    }.get(order)
    if place is None:
        raise InputError(
            f"order {order!r} is unknown; allowed: furthest-first, nearest-first, numbered"
        )
    received = _turns(tree, place) + tree.depth - 1
    received[tree.root] = 0
    bound = lower_bound(tree.network, tree.root, tree.ports)
    return Scatter(tree, order, received, tree.branch_sizes, bound)


def quickest_tree(network: Network, root: int, ports: Ports) -> Tree:
    """Of the trees that share their nodes out evenly, one with the fewest steps in a scatter.

    >>> from noc.networks import build_network
    >>> scatter(quickest_tree(build_network("star:5"), 0, "all")).steps
    32

    Parameters
    ----------
    network : Network
        The network.
    root : int
        The node that sends.
    ports : "all" or "one"
        The communication model.
    """
    usable = [each for each in algorithms_on(network) if each.name in _BALANCED]
    trees = [
        build_tree(network, each.name, root=root, ports=ports)
        for each in sorted(usable, key=lambda each: _BALANCED.index(each.name))
        if ports in each.models
    ]
    return min(trees, key=lambda tree: scatter(tree).steps)


def _turns(tree: Tree, place: IntArray) -> IntArray:
    """The step at which the root sends the word of each node, least ``place`` first."""
    queue = _branch(tree) if tree.ports == "all" else np.zeros_like(tree.depth)
    child = np.flatnonzero(np.arange(tree.network.nodes) != tree.root)
    child = child[np.lexsort((place[child], queue[child]))]
    turn = np.zeros(tree.network.nodes, dtype=np.int32)
    turn[child] = np.arange(1, child.size + 1) - np.searchsorted(queue[child], queue[child])
    return turn


def _branch(tree: Tree) -> IntArray:
    """The out-port of the root behind which each node lies, passed down level by level."""
    branch = tree.port.copy()
    for node in by_level(tree.depth)[2:]:
        branch[node] = branch[tree.parent[node]]
    return branch


def lower_bound(network: Network, root: int, ports: Ports, *, words: int = 1) -> int:
    """The steps below which no scatter from a root can stay.

    The root sends at most one word a port and step, and what has d hops to go must leave d-1
    steps before the end. For d = 1 this is ⌈(nodes - 1) / degree⌉.

    Parameters
    ----------
    network : Network
        The network.
    root : int
        The node that sends.
    ports : "all" or "one"
        The communication model.
    words : int
        How many there are for each node.
    """
    sends = 1 if ports == "one" else int(np.count_nonzero(network.neighbour[root] != ABSENT))
    at_distance = np.bincount(network.distances(root))
    further = np.cumsum(at_distance[::-1])[::-1]
    return max(-(-words * int(further[d]) // sends) + d - 1 for d in range(1, further.size))


def all_to_all_bound(
    network: Network, ports: Ports, *, segments: int = 1, combine: bool = False
) -> int:
    """The steps below which no all-to-all broadcast can stay, on whatever trees.

    A node takes at most a segment a link and step, and those from d hops away come in step d at the
    earliest: to take them is a scatter backwards. Every segment crosses a link for each other node.
    If segments are combined, only distance counts and, with one port, that the nodes which have
    a segment can no more than double in a step.

    Parameters
    ----------
    network : Network
        The network.
    ports : "all" or "one"
        The communication model.
    segments : int
        Into how many parts each message is cut.
    combine : bool
        Whether all segments that wait for one link travel in one packet.
    """
    if combine:
        return max(network.diameter(), (network.nodes - 1).bit_length() if ports == "one" else 0)
    links = network.arcs if ports == "all" else network.nodes
    crossings = segments * network.nodes * (network.nodes - 1)
    back, receivers = network.reversed(), range(1 if network.symmetric else network.nodes)
    takes = (lower_bound(back, node, ports, words=segments) for node in receivers)
    return max(-(-crossings // links), *takes)
