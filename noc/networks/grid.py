"""Meshes, tori and rings of any number of dimensions, full trees and complete graphs."""

from collections.abc import Iterable
from functools import partial
from math import prod

import numpy as np

from noc.errors import InputError
from noc.networks.arrays import ABSENT, IntArray, Labels, PortGraph, no_node, two_way_graph
from noc.networks.spec import (
    MOST_NODES,
    MOST_PORTS,
    NetworkFamily,
    Number,
    Parameters,
    Size,
    numbers,
    whole_number,
)

WHERE = "one size from 1 up for each dimension, and at least 2 nodes"

# More sizes than 2 to this power has nodes could only be of size 1.
MOST_DIMENSIONS = 31

# Between the coordinates of a label.
SEPARATOR = "."

#: The port of ``tree:ARITY,HEIGHT`` that leads to the parent.
UP = 0


class GridLabels:
    """Labels ``x.y.z``: the coordinates, each from 0, the last of which counts fastest."""

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self.sizes = sizes

    def text(self, node: int) -> str:
        """The label of a node."""
        coordinates = []
        for size in reversed(self.sizes):
            node, coordinate = divmod(node, size)
            coordinates.append(str(coordinate))
        return SEPARATOR.join(reversed(coordinates))

    def node(self, text: str) -> int:
        """The node of a label."""
        parts = text.split(SEPARATOR)
        proper = len(parts) == len(self.sizes) and all(p.isascii() and p.isdigit() for p in parts)
        if not (proper and all(int(p) < s for p, s in zip(parts, self.sizes, strict=True))):
            last = SEPARATOR.join(str(size - 1) for size in self.sizes)
            raise no_node(text, f"coordinates from {self.text(0)} to {last} are allowed")
        return int(np.ravel_multi_index(tuple(map(int, parts)), self.sizes))


class NumberLabels:
    """Labels that are the numbers of the nodes, from 0."""

    def __init__(self, nodes: int) -> None:
        self.nodes = nodes

    def text(self, node: int) -> str:
        """The label of a node."""
        return str(node)

    def node(self, text: str) -> int:
        """The node of a label."""
        if not (text.isascii() and text.isdigit() and int(text[:12]) < self.nodes):
            raise no_node(text, f"numbers from 0 to {self.nodes - 1} are allowed")
        return int(text)


def dimension_names(count: int) -> tuple[str, ...]:
    """x, y, z; with more dimensions d1, d2, and so on.

    >>> dimension_names(2), dimension_names(4)
    (('x', 'y'), ('d1', 'd2', 'd3', 'd4'))
    """
    if count <= 3:
        return ("x", "y", "z")[:count]
    return tuple(f"d{number}" for number in range(1, count + 1))


def _parse_sizes(family: NetworkFamily, text: str) -> Parameters:
    parts = text.split(",")
    if len(parts) > MOST_DIMENSIONS:
        raise InputError(
            f"network {family.name}: {len(parts)} sizes given; at most {MOST_DIMENSIONS} are "
            "allowed"
        )
    sizes = tuple(whole_number(family, text, part, Number(1, MOST_NODES)) for part in parts)
    if prod(sizes) < 2:
        spec = f"{family.name}:{text}"
        raise InputError(f"network {spec!r}: it has one node only: {family.allowed}")
    return sizes


def _torus_size(*sizes: int) -> Size:
    return prod(sizes), sum((size > 1) + (size > 2) for size in sizes)


def _grid(
    sizes: tuple[int, ...], names: Iterable[tuple[str, str]], labels: Labels, *, wraps: bool
) -> PortGraph:
    """A grid, with the names of its ports: of each dimension the one forward, then the one back.

    A dimension of size 1 has no ports. Round one of size 2 there is one link, not two: its port
    is the one forward at both ends.
    """
    columns: list[tuple[IntArray, int]] = []
    ports: list[str] = []
    node = np.arange(prod(sizes), dtype=np.int32)
    for dimension, (size, pair) in enumerate(zip(sizes, names, strict=True)):
        stride, port = prod(sizes[dimension + 1 :]), len(ports)
        at, round_off = node // stride % size, (size - 1) * stride
        # One step forward and one step back, if need be round the edge.
        forward = np.where(at == size - 1, node - round_off if wraps else ABSENT, node + stride)
        back = np.where(at == 0, node + round_off if wraps else ABSENT, node - stride)
        if size > 2 or (size == 2 and not wraps):
            columns += [(forward, port + 1), (back, port)]
            ports += pair
        elif size == 2:
            columns.append((forward, port))
            ports.append(pair[0])
    return two_way_graph(prod(sizes), columns, tuple(ports), labels)


def _build_grid(*sizes: int, wraps: bool) -> PortGraph:
    names = ((f"{name}+", f"{name}-") for name in dimension_names(len(sizes)))
    return _grid(sizes, names, GridLabels(sizes), wraps=wraps)


def _build_ring(n: int) -> PortGraph:
    return _grid((n,), [("right", "left")], NumberLabels(n), wraps=True)


def _tree_size(arity: int, height: int) -> Size:
    # More levels than this only make more of what is too much already.
    levels = height if arity == 1 else min(height, 64)
    nodes = levels + 1 if arity == 1 else (arity ** (levels + 1) - 1) // (arity - 1)
    return nodes, arity + 1


def _build_tree(arity: int, height: int) -> PortGraph:
    return _full_tree(arity, _tree_size(arity, height)[0])


def _full_tree(arity: int, nodes: int) -> PortGraph:
    """A tree whose levels are full but for the last, which is filled from its first node on.

    Nodes are numbered level by level from the root, which is 0: the d-th child of v is arity times
    v plus d.
    """
    child = np.arange(1, nodes, dtype=np.int64)
    parent, port = (child - 1) // arity, (child - 1) % arity + 1
    neighbour = np.full((nodes, arity + 1), ABSENT, dtype=np.int32)
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


#: The most children of an inner node, by what is least with them, as measured in
#: docs/performance.md: more children are fewer cycles and fewer nodes that store words on their way
#: up, and at some number a slower clock.
_CHILDREN = {"ns": 8, "luts": 6}


def _parse_best(family: NetworkFamily, text: str) -> Parameters:
    number, _, form = text.partition(",")
    nodes = whole_number(family, text, number, Number(2, MOST_NODES))
    if form in ("", "ns", "luts"):
        return (nodes, form) if form == "luts" else (nodes,)
    return nodes, whole_number(family, text, form, Number(1, MOST_PORTS - 1))


def _arity(nodes: int, form: int | str = "ns") -> int:
    if isinstance(form, int):
        return min(form, nodes - 1)
    most = min(_CHILDREN[form], nodes - 1)
    if form == "luts":
        return most
    # More than the height needs cost a slower clock for nothing.
    height = _height(nodes, most)
    return next(few for few in range(1, most + 1) if _height(nodes, few) == height)


def _height(nodes: int, children: int) -> int:
    """Of the tree whose inner nodes all have so many children, but for the last."""
    height, below = 0, 1
    while below < nodes:
        height, below = height + 1, below * children + 1
    return height


FAMILIES = (
    NetworkFamily(
        name="mesh",
        signature="SIZE,…",
        where=WHERE,
        example="mesh:4,4",
        summary="a grid of any number of dimensions; ports x+, x-, y+, y-, …",
        parse=_parse_sizes,
        size=lambda *sizes: (prod(sizes), 2 * sum(size > 1 for size in sizes)),
        build=partial(_build_grid, wraps=False),
    ),
    NetworkFamily(
        name="torus",
        signature="SIZE,…",
        where=WHERE,
        example="torus:4,4",
        summary="a mesh whose edges are joined; one link round a dimension of size 2",
        parse=_parse_sizes,
        size=_torus_size,
        build=partial(_build_grid, wraps=True),
    ),
    NetworkFamily(
        name="ring",
        signature="n",
        where="n from 2 up",
        example="ring:8",
        summary="n nodes round a ring of two-way links; ports right and left",
        parse=numbers(Number(2, MOST_NODES)),
        size=_torus_size,
        build=_build_ring,
    ),
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
    NetworkFamily(
        name="best",
        signature="n[,luts|c]",
        where="n from 2 up, c children of each inner node",
        example="best:64",
        summary="the tree of n nodes that is fastest in ns, or smallest in LUTs, by measurement",
        parse=_parse_best,
        size=lambda nodes, *form: (nodes, _arity(nodes, *form) + 1),
        build=lambda nodes, *form: _full_tree(_arity(nodes, *form), nodes),
    ),
)
