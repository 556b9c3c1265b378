"""In-trees: how words of all nodes reach the root of an out-tree."""

import numpy as np

from noc.networks import IntArray
from noc.trees.even import build_even
from noc.trees.tree import NO_PARENT, Tree

__all__ = ["in_tree"]


def in_tree(down: Tree) -> tuple[IntArray, IntArray]:
    """Parent and out-port of every node on its way to the root; ``NO_PARENT`` at the root.

    Where each link of the out-tree can be taken back, words climb by the links by which they come
    down. Elsewhere they climb along a tree of the least height of the network with all links
    turned round.
    """
    return _same_links(down) or _turned_round(down)


def _same_links(down: Tree) -> tuple[IntArray, IntArray] | None:
    """The out-tree backwards, if every link has one that leads back."""
    net = down.network
    child = np.flatnonzero(down.parent != NO_PARENT)
    leads_back = net.neighbour[child] == down.parent[child, None]
    if not leads_back.any(axis=1).all():
        return None
    port = np.full(net.nodes, NO_PARENT, dtype=down.port.dtype)
    # Of several links the one under the same label, and else the first.
    back = net.arrival[down.parent[child], down.port[child]]
    same = (back < net.ports) & leads_back[np.arange(child.size), np.minimum(back, net.ports - 1)]
    port[child] = np.where(same, back, leads_back.argmax(axis=1))
    return down.parent, port


def _turned_round(down: Tree) -> tuple[IntArray, IntArray]:
    net = down.network
    mirrored = build_even(net.reversed(), down.root)
    port = np.full(net.nodes, NO_PARENT, dtype=down.port.dtype)
    child = np.flatnonzero(mirrored.parent != NO_PARENT)
    # An out-port of the turned network is the in-port of the link, whose out-port is asked.
    port[child] = mirrored.arrival()[child]
    return mirrored.parent, port
