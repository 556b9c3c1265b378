"""When each node of a tree receives: the earliest steps that a model allows."""

import numpy as np

from noc.networks import IntArray, Network
from noc.trees.tree import NO_PARENT, Ports, Tree, depths

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
    by_depth = np.argsort(depth, kind="stable")
    starts = np.searchsorted(depth[by_depth], np.arange(int(depth.max()) + 2))
    need = np.zeros(parent.size, dtype=np.int32)
    turn = np.zeros(parent.size, dtype=np.int32)
    for level in range(int(depth.max()), 0, -1):
        child = by_depth[starts[level] : starts[level + 1]]
        child = child[np.lexsort((port[child], -need[child], parent[child]))]
        elder = np.empty(child.size, dtype=bool)
        elder[0] = True
        elder[1:] = parent[child[1:]] != parent[child[:-1]]
        place = np.arange(child.size)
        turn[child] = place - np.maximum.accumulate(np.where(elder, place, 0)) + 1
        np.maximum.at(need, parent[child], need[child] + turn[child])
    step = np.zeros(parent.size, dtype=np.int32)
    for level in range(1, int(depth.max()) + 1):
        child = by_depth[starts[level] : starts[level + 1]]
        step[child] = step[parent[child]] + turn[child]
    step[parent == NO_PARENT] = 0
    return step
