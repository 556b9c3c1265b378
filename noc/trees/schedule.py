"""When each node of a tree receives: the earliest steps that a model allows."""

import numpy as np

from noc.networks import IntArray, Network
from noc.trees.tree import Ports, Tree, by_level, depths

__all__ = ["earliest", "scheduled"]


def scheduled(
    network: Network, algorithm: str, ports: Ports, root: int, parent: IntArray, port: IntArray
) -> Tree:
    """The tree with these parents, each send as early as the model allows, and verified."""
    step = earliest(parent, root, ports, port)
    return Tree(network, algorithm, ports, root, parent, port, step).check()


def earliest(parent: IntArray, root: int, ports: Ports, port: IntArray | None = None) -> IntArray:
    """The steps of the fastest broadcast along a given tree.

    With all ports the step is the depth. With one port a node serves its children in the order
    of the time that their subtrees still need, longest first, which is optimal for a tree.
    Equally long ones are served in the order of their ``port``, so that equal subtrees are
    served alike.
    """
    depth = depths(parent, root)
    if depth is None:
        # Tree.check() names the fault; any steps will do until then.
        return np.zeros(parent.size, dtype=np.int32)
    if ports == "all":
        return depth
    return _one_port(parent, depth, np.zeros_like(parent) if port is None else port)


def _one_port(parent: IntArray, depth: IntArray, port: IntArray) -> IntArray:
    levels = by_level(depth)[1:]
    need = np.zeros(parent.size, dtype=np.int32)
    turn = np.zeros(parent.size, dtype=np.int32)
    for level in reversed(levels):
        child = level[np.lexsort((port[level], -need[level], parent[level]))]
        turn[child] = np.arange(1, child.size + 1) - np.searchsorted(parent[child], parent[child])
        np.maximum.at(need, parent[child], need[child] + turn[child])
    step = np.zeros(parent.size, dtype=np.int32)
    for level in levels:
        step[level] = step[parent[level]] + turn[level]
    return step
