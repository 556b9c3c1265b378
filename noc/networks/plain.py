"""Trees, in which every node has the same number of children, and complete graphs."""

import numpy as np

from noc.networks.grid import NumberLabels
from noc.networks.network import ABSENT, IntArray, Network
from noc.networks.spec import (
    MOST_NODES,
    Family,
    Parameters,
    Size,
    split,
    whole_number,
)

__all__ = ["FAMILIES", "UP"]

TREE_ALLOWED = "tree:ARITY,HEIGHT with both from 1 up"
COMPLETE_ALLOWED = "complete:n with n from 2 up"

# Arrays hold ports as 16-bit integers.
MOST_PORTS = 2**15 - 1

# The port that leads to the parent.
UP = 0


def _parse_tree(text: str) -> Parameters:
    spec = f"tree:{text}"
    arity, height = split(text, 2, spec=spec, allowed=TREE_ALLOWED)
    return (
        whole_number(arity, spec=spec, allowed=TREE_ALLOWED, most=MOST_PORTS - 1),
        whole_number(height, spec=spec, allowed=TREE_ALLOWED, most=MOST_NODES),
    )


def _tree_size(parameters: Parameters) -> Size:
    arity, height = (int(parameter) for parameter in parameters)
    # More levels than this only make more of what is too much already.
    levels = height if arity == 1 else min(height, 64)
    nodes = levels + 1 if arity == 1 else (arity ** (levels + 1) - 1) // (arity - 1)
    return nodes, arity + 1


def _build_tree(spec: str, parameters: Parameters) -> Network:
    """Nodes are numbered level by level from the root, which is 0: the children of v follow.

    The d-th child of v is arity times v plus d.
    """
    arity = int(parameters[0])
    nodes, ports = _tree_size(parameters)
    child = np.arange(1, nodes, dtype=np.int64)
    parent, port = (child - 1) // arity, (child - 1) % arity + 1
    neighbour = np.full((nodes, ports), ABSENT, dtype=np.int32)
    arrival = np.full(neighbour.shape, ABSENT, dtype=np.int16)
    neighbour[parent, port], arrival[parent, port] = child, UP
    neighbour[child, UP], arrival[child, UP] = parent, port
    names = ("up", *(f"down {d}" for d in range(1, arity + 1)))
    labels = NumberLabels(nodes)
    return Network(spec, "tree", parameters, neighbour, arrival, names, names, labels)


def _parse_complete(text: str) -> Parameters:
    spec = f"complete:{text}"
    (n,) = split(text, 1, spec=spec, allowed=COMPLETE_ALLOWED)
    most = MOST_PORTS + 1
    return (whole_number(n, spec=spec, allowed=COMPLETE_ALLOWED, least=2, most=most),)


def _complete_size(parameters: Parameters) -> Size:
    n = int(parameters[0])
    return n, n - 1


def _build_complete(spec: str, parameters: Parameters) -> Network:
    """Port d leads d nodes on, counted round, and so arrives at port n-d."""
    n = int(parameters[0])
    steps: IntArray = np.arange(1, n, dtype=np.int32)
    neighbour = np.arange(n, dtype=np.int32)[:, None] + steps
    neighbour %= n
    arrival = np.broadcast_to((n - 1 - steps).astype(np.int16), neighbour.shape)
    ports = tuple(str(d) for d in range(1, n))
    return Network(spec, "complete", parameters, neighbour, arrival, ports, ports, NumberLabels(n))


FAMILIES = (
    Family(
        name="tree",
        signature="ARITY,HEIGHT",
        allowed=TREE_ALLOWED,
        example="tree:2,3",
        summary="a full tree, its nodes numbered level by level from the root, which is 0",
        parse=_parse_tree,
        size=_tree_size,
        build=_build_tree,
    ),
    Family(
        name="complete",
        signature="n",
        allowed=COMPLETE_ALLOWED,
        example="complete:8",
        summary="a link between every two nodes; port d leads d nodes on, counted round",
        parse=_parse_complete,
        size=_complete_size,
        build=_build_complete,
    ),
)
