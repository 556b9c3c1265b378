"""Equal subtrees are one state: hash-consing of port-labelled trees from the leaves up."""

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray
from noc.trees import Tree
from noc.trees.tree import NO_PARENT

__all__ = ["LEAF", "Shapes", "send_slots"]

#: The shape of a node that sends nothing.
LEAF = 0


def send_slots(tree: Tree) -> IntArray:
    """The place of each node among the sends of its parent.

    With one port it is the turn, which is part of the program; with all ports, where the sends
    have no order, it is the port itself.
    """
    if tree.ports == "all":
        return tree.port
    order = np.lexsort((tree.step, tree.parent))
    sorted_parent = tree.parent[order]
    place = np.arange(order.size)
    first = np.ones(order.size, dtype=bool)
    first[1:] = sorted_parent[1:] != sorted_parent[:-1]
    turn = np.empty(order.size, dtype=np.int32)
    turn[order] = place - np.maximum.accumulate(np.where(first, place, 0))
    return turn


def _heights(tree: Tree) -> IntArray:
    """Hops from each node down to its farthest descendant."""
    by_depth = np.argsort(tree.depth, kind="stable")
    starts = np.searchsorted(tree.depth[by_depth], np.arange(tree.height + 2))
    height = np.zeros(tree.network.nodes, dtype=np.int32)
    for level in range(tree.height, 0, -1):
        child = by_depth[starts[level] : starts[level + 1]]
        np.maximum.at(height, tree.parent[child], height[child] + 1)
    return height


def _distinct_rows(rows: IntArray) -> tuple[IntArray, IntArray]:
    """Indices of the first of each distinct row, and the distinct row of every row.

    Rows are compared by a 64-bit mix, which is then verified, so the answer is exact.
    """
    mix = np.zeros(rows.shape[0], dtype=np.uint64)
    for column in range(rows.shape[1]):
        mix = (mix ^ (mix >> np.uint64(29))) * np.uint64(0x9E3779B97F4A7C15)
        mix += rows[:, column].astype(np.uint64)
    _, first, which = np.unique(mix, return_index=True, return_inverse=True)
    if not np.array_equal(rows[first][which], rows):
        _, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return first, which.reshape(-1)


class Shapes:
    """The distinct subtrees of any number of trees, numbered from the leaf up.

    A shape is a row of sends: in each slot the out-port and the shape of the child, or nothing.
    Two nodes have the same shape if and only if the trees below them are the same, port by port
    (and turn by turn in one-port use).

    Parameters
    ----------
    ports : int
        Number of out-ports of the network; also the number of slots of a row.
    """

    def __init__(self, ports: int) -> None:
        self.ports = ports
        empty = np.zeros(ports, dtype=np.int32)
        self._numbers: dict[bytes, int] = {empty.tobytes(): LEAF}
        self._rows: list[IntArray] = [empty]

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def sends(self) -> tuple[IntArray, IntArray]:
        """For each shape and slot the out-port and the child's shape; -1 where nothing is sent."""
        code = np.stack(self._rows) - 1
        port = np.where(code < 0, -1, code % self.ports)
        return port, np.where(code < 0, -1, code // self.ports)

    def number(self, tree: Tree) -> IntArray:
        """The shape of the subtree below every node."""
        if tree.network.ports != self.ports:
            raise CheckError("all trees of one set of shapes must have the same ports")
        slots, height = send_slots(tree), _heights(tree)
        shape = np.full(tree.network.nodes, LEAF, dtype=np.int32)
        inner = np.flatnonzero(height)
        # Only nodes that send have a row: most nodes of a tree are leaves.
        row_of = np.full(tree.network.nodes, -1, dtype=np.int32)
        row_of[inner] = np.arange(inner.size)
        rows = np.zeros((inner.size, self.ports), dtype=np.int32)
        by_height = np.argsort(height, kind="stable")
        starts = np.searchsorted(height[by_height], np.arange(int(height.max()) + 2))
        for level in range(int(height.max()) + 1):
            node = by_height[starts[level] : starts[level + 1]]
            if level:
                shape[node] = self._intern(rows[row_of[node]])
            child = node[tree.parent[node] != NO_PARENT]
            above = row_of[tree.parent[child]]
            rows[above, slots[child]] = 1 + tree.port[child] + self.ports * shape[child]
        return shape

    def _intern(self, rows: IntArray) -> IntArray:
        first, which = _distinct_rows(rows)
        # Number new shapes in the order of their rows' first appearance: node order decides,
        # not the mix.
        numbers = np.empty(first.size, dtype=np.int32)
        for place in np.argsort(first):
            row = rows[first[place]]
            key = row.tobytes()
            number = self._numbers.setdefault(key, len(self._rows))
            if number == len(self._rows):
                self._rows.append(row)
            numbers[place] = number
        return numbers[which]
