"""Classes of equal subtrees: hash-consing of port-labelled trees from the leaves up."""

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray
from noc.trees import Tree
from noc.trees.tree import NO_PARENT, by_level

__all__ = ["LEAF", "SubtreeClasses", "send_slots"]

#: The class of a node that sends nothing.
LEAF = 0


def send_slots(tree: Tree) -> IntArray:
    """The slot of each node among the sends of its parent.

    With one port it is the order of the sends, which is part of the program; with all ports, where
    the sends have no order, it is the port itself.
    """
    if tree.ports == "all":
        return tree.port
    order = np.lexsort((tree.step, tree.parent))
    parent = tree.parent[order]
    slot = np.empty(order.size, dtype=np.int32)
    slot[order] = np.arange(order.size) - np.searchsorted(parent, parent)
    return slot


def _heights(tree: Tree) -> IntArray:
    """Hops from each node down to its farthest descendant."""
    height = np.zeros(tree.network.nodes, dtype=np.int32)
    for child in by_level(tree.depth)[:0:-1]:
        np.maximum.at(height, tree.parent[child], height[child] + 1)
    return height


class SubtreeClasses:
    """The distinct subtrees of any number of trees, numbered from the leaf up.

    A class is a row of sends: in each slot the out-port and the class of the child, or nothing.
    Two nodes have the same class if and only if the trees below them are the same, port by port
    (and send by send in one-port use).

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
        """For each class and slot the out-port and the child's class; -1 where nothing is sent."""
        code = np.stack(self._rows) - 1
        port = np.where(code < 0, -1, code % self.ports)
        return port, np.where(code < 0, -1, code // self.ports)

    def classify(self, tree: Tree) -> IntArray:
        """The class of the subtree below every node."""
        if tree.network.ports != self.ports:
            raise CheckError("trees that are classified together must have the same ports")
        slots, height = send_slots(tree), _heights(tree)
        result = np.full(tree.network.nodes, LEAF, dtype=np.int32)
        inner = np.flatnonzero(height)
        # Only nodes that send have a row: most nodes of a tree are leaves.
        row_of = np.full(tree.network.nodes, -1, dtype=np.int32)
        row_of[inner] = np.arange(inner.size)
        rows = np.zeros((inner.size, self.ports), dtype=np.int32)
        for level, node in enumerate(by_level(height)):
            if level:
                result[node] = self._intern(rows[row_of[node]])
            child = node[tree.parent[node] != NO_PARENT]
            above = row_of[tree.parent[child]]
            rows[above, slots[child]] = 1 + tree.port[child] + self.ports * result[child]
        return result

    def _intern(self, rows: IntArray) -> IntArray:
        distinct, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        # Number new classes in the order in which the nodes have them.
        numbers = np.empty(first.size, dtype=np.int32)
        for place in np.argsort(first):
            row = distinct[place]
            number = self._numbers.setdefault(row.tobytes(), len(self._rows))
            if number == len(self._rows):
                self._rows.append(row)
            numbers[place] = number
        return numbers[which.reshape(-1)]
