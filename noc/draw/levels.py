"""Where to put the nodes of a tree drawn by levels: leaves side by side, parents above them."""

import numpy as np
import numpy.typing as npt

from noc.trees import Tree

__all__ = ["positions"]


def positions(tree: Tree) -> npt.NDArray[np.float64]:
    """For every node its column and its level; no line between levels runs over a node.

    The level is the depth, and children are in port order below the middle of their parent. The
    papers number the steps of one-port nodes, and there the level is the step: each node is
    above the child that it serves last, and the others are on its sides, the earlier the further
    out. A line then runs only over nodes that come later than its end, which are below it.
    """
    children: list[list[int]] = [[] for _ in range(tree.network.nodes)]
    for child in np.argsort(tree.port, kind="stable").tolist():
        if child != tree.root:
            children[int(tree.parent[child])].append(child)
    served_in_turn = tree.ports == "one"
    order = _parents_first(tree.root, children)
    if served_in_turn:
        sizes = _count_leaves(order, children)
        children = [_latest_inside(below, tree.step, sizes) for below in children]
        order = _parents_first(tree.root, children)
    place = np.zeros((tree.network.nodes, 2))
    place[:, 1] = tree.step if served_in_turn else tree.depth
    used = 0
    for node in reversed(order):
        below = children[node]
        if not below:
            place[node, 0] = used
            used += 1
        elif served_in_turn:
            place[node, 0] = place[max(below, key=lambda child: int(tree.step[child])), 0]
        else:
            place[node, 0] = (place[below[0], 0] + place[below[-1], 0]) / 2
    return place


def _latest_inside(children: list[int], step: npt.NDArray[np.int_], sizes: list[int]) -> list[int]:
    """Children from left to right: from the last one outwards, each on the narrower side."""
    left: list[int] = []
    right: list[int] = []
    widths = [0, 0]
    for child in sorted(children, key=lambda child: -int(step[child])):
        side = widths[1] < widths[0]
        (right if side else left).append(child)
        widths[side] += sizes[child]
    return left[::-1] + right


def _count_leaves(order: list[int], children: list[list[int]]) -> list[int]:
    """How many columns each node's subtree takes."""
    sizes = [0] * len(children)
    for node in reversed(order):
        sizes[node] = sum(sizes[child] for child in children[node]) or 1
    return sizes


def _parents_first(root: int, children: list[list[int]]) -> list[int]:
    order, stack = [], [root]
    while stack:
        node = stack.pop()
        order.append(node)
        stack.extend(children[node])
    return order
