"""``shared``: one tree for all roots, each of which sees it from its own node.

A router has one row for each of its links then, and two classes are enough for all sources at
once: words on their way to the middle of the network, and words on their way from it. The price
is that a word goes up to twice as far as along a tree of its own.
"""

from weakref import WeakKeyDictionary

import numpy as np

from noc.networks import IntArray, Network
from noc.trees.algorithms import Algorithm
from noc.trees.layers import layers
from noc.trees.schedule import scheduled
from noc.trees.tiebreak import Rule, apply
from noc.trees.tree import NO_PARENT, Ports, Tree

__all__ = ["ALGORITHMS", "middle"]

#: Parent and out-port of every node, seen from the middle.
_known: WeakKeyDictionary[Network, tuple[IntArray, IntArray]] = WeakKeyDictionary()


def middle(network: Network) -> int:
    """A node near the middle: halfway between two nodes that are far apart.

    >>> from noc.networks import network
    >>> middle(network("star:4"))
    0
    """
    if network.symmetric:
        return 0
    begin = int(network.distances(0).argmax())
    hops = network.distances(begin)
    end = int(hops.argmax())
    between = hops + network.distances(end)
    halfway = hops == hops[end] // 2
    return int(np.where(halfway, between, network.nodes * 2).argmin())


def _from_middle(network: Network) -> tuple[IntArray, IntArray]:
    """Every node takes the first of its ports that lead nearer to the middle.

    No other choice that was tried makes fewer different routers.
    """
    if network not in _known:
        around = layers(network, middle(network))
        rule = Rule.plain(network, from_root=False)
        _known[network] = around.tree(apply(rule, around))
    return _known[network]


def _build(network: Network, root: int, ports: Ports) -> Tree:
    parent, port = (array.copy() for array in _from_middle(network))
    # The links between the root and the middle are used the other way round.
    node, above, by = NO_PARENT, root, NO_PARENT
    while above != NO_PARENT:
        following, out_port = int(parent[above]), int(port[above])
        parent[above], port[above] = node, by
        # A two-way link has one port label at each end.
        by = int(network.arrival[following, out_port]) if following != NO_PARENT else NO_PARENT
        node, above = above, following
    return scheduled(network, "shared", ports, root, parent, port)


ALGORITHMS = (
    Algorithm(
        name="shared",
        summary="the same links for all roots: the least tables, and two classes for all sources",
        families=None,
        models=("all", "one"),
        build=_build,
        shared=True,
    ),
)
