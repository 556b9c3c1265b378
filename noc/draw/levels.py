"""Where to put the nodes of a tree drawn by levels: leaves side by side, parents above them."""

import numpy as np
import numpy.typing as npt

from noc.trees import Tree
from noc.trees.tree import NO_PARENT

__all__ = ["leaves", "positions"]


def leaves(tree: Tree) -> int:
    """How many nodes send nothing: the width of the drawing."""
    return tree.network.nodes - np.unique(tree.parent[tree.parent != NO_PARENT]).size


def positions(tree: Tree) -> npt.NDArray[np.float64]:
    """For every node x and depth. Children stand in port order; a parent in their middle."""
    children: list[list[int]] = [[] for _ in range(tree.network.nodes)]
    for child in np.argsort(tree.port, kind="stable").tolist():
        if child != tree.root:
            children[int(tree.parent[child])].append(child)
    place = np.zeros((tree.network.nodes, 2))
    place[:, 1] = tree.depth
    used = 0
    for node in _children_first(tree.root, children):
        if children[node]:
            ends = place[children[node][0], 0], place[children[node][-1], 0]
            place[node, 0] = sum(ends) / 2
        else:
            place[node, 0] = used
            used += 1
    return place


def _children_first(root: int, children: list[list[int]]) -> list[int]:
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(children[node])
    return order[::-1]
