"""Trees, in which every node has the same number of children, and complete graphs."""

import numpy as np

from noc.networks.arrays import ABSENT, IntArray
from noc.networks.grid import NumberLabels
from noc.networks.network import PortGraph
from noc.networks.spec import (
    MOST_NODES,
    MOST_PORTS,
    NetworkFamily,
    Number,
    Size,
    numbers,
)

__all__ = ["FAMILIES", "UP"]

# The port that leads to the parent.
UP = 0


def _tree_size(arity: int, height: int) -> Size:
    # More levels than this only make more of what is too much already.
    levels = height if arity == 1 else min(height, 64)
    nodes = levels + 1 if arity == 1 else (arity ** (levels + 1) - 1) // (arity - 1)
    return nodes, arity + 1


def _build_tree(arity: int, height: int) -> PortGraph:
    """Nodes are numbered level by level from the root, which is 0: the children of v follow.

    The d-th child of v is arity times v plus d.
    """
    nodes, ports = _tree_size(arity, height)
    child = np.arange(1, nodes, dtype=np.int64)
    parent, port = (child - 1) // arity, (child - 1) % arity + 1
    neighbour = np.full((nodes, ports), ABSENT, dtype=np.int32)
    arrival = np.full(neighbour.shape, ABSENT, dtype=np.int16)
    neighbour[parent, port], arrival[parent, port] = child, UP
    neighbour[child, UP], arrival[child, UP] = parent, port
    names = ("up", *(f"down {d}" for d in range(1, arity + 1)))
    return PortGraph(neighbour, arrival, names, names, NumberLabels(nodes))


def _build_complete(n: int) -> PortGraph:
    """Port d leads d nodes on, counted round, and so arrives at port n-d."""
    steps: IntArray = np.arange(1, n, dtype=np.int32)
    neighbour = np.arange(n, dtype=np.int32)[:, None] + steps
    neighbour %= n
    arrival = np.broadcast_to((n - 1 - steps).astype(np.int16), neighbour.shape)
    ports = tuple(str(d) for d in range(1, n))
    return PortGraph(neighbour, arrival, ports, ports, NumberLabels(n))


FAMILIES = (
    NetworkFamily(
        name="tree",
        signature="ARITY,HEIGHT",
        where="both from 1 up",
        example="tree:2,3",
        summary="a full tree, its nodes numbered level by level from the root, which is 0",
        parse=numbers(Number(1, MOST_PORTS - 1), Number(1, MOST_NODES)),
        size=_tree_size,
        build=_build_tree,
    ),
    NetworkFamily(
        name="complete",
        signature="n",
        where="n from 2 up",
        example="complete:8",
        summary="a link between every two nodes; port d leads d nodes on, counted round",
        parse=numbers(Number(2, MOST_PORTS + 1)),
        size=lambda n: (n, n - 1),
        build=_build_complete,
    ),
)
