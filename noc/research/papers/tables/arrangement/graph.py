"""What the arrangement graph paper says of the graphs and of the operators on them."""

from itertools import permutations
from math import factorial, perm

import numpy as np

from noc.networks import ABSENT, Network, build_network
from noc.networks.choice import outside_symbols
from noc.networks.permutations import Symbols, arrangements
from noc.research.papers.tables.table import Row
from noc.trees.arrangement import out_port

__all__ = ["MEMBERS", "rows"]

MEMBERS = ((4, 2), (5, 2), (5, 3), (5, 4), (6, 3), (6, 4), (7, 4))


def column(text: str) -> Symbols:
    """The symbols of one label."""
    return np.array([[int(symbol)] for symbol in text], dtype=np.uint8)


def text_of(symbols: Symbols) -> str:
    """The label of one column."""
    return "".join(str(symbol) for symbol in symbols[:, 0])


def rows() -> list[Row]:
    """Definitions 1 to 5, Figure 1, degree, diameter and sizes."""
    result = [row for n, k in MEMBERS for row in _sizes(n, k)]
    return [*result, *_figure_1(), *_operators(), *_stars()]


def _sizes(n: int, k: int) -> list[Row]:
    net = build_network(f"arrangement:{n},{k}")
    name = f"A({n},{k})"
    degrees = set((net.neighbour != ABSENT).sum(axis=1).tolist())
    symbols = arrangements(n, k)
    fixed = {
        int((symbols == symbol).sum(axis=1)[i]) for symbol in range(1, n + 1) for i in range(k)
    }
    return [
        Row(f"{name}, nodes n!/(n-k)!", perm(n, k), net.nodes),
        Row(f"{name}, degree k(n-k) of every node", f"{k * (n - k)}", _one(degrees)),
        Row(f"{name}, diameter ⌊3k/2⌋", 3 * k // 2, net.diameter()),
        Row(
            f"{name}, nodes with a given symbol in a given position, (n-1)!/(n-k)!",
            f"{factorial(n - 1) // factorial(n - k)}",
            _one(fixed),
        ),
    ]


def _one(values: set[int]) -> str:
    """The value that all share; all of them if they differ."""
    return " ".join(str(value) for value in sorted(values))


def _figure_1() -> list[Row]:
    second = arrangements(4, 2)[1]
    sizes = np.unique(second, return_counts=True)[1]
    complete = build_network("arrangement:5,1")
    return [
        Row("Figure 1: parts of A(4,2) by the symbol in position 2", 4, sizes.size),
        Row("Figure 1: nodes of each part", "3", _one(set(sizes.tolist()))),
        Row("Theorem 2: A(n,1), here n = 5, is complete: degree", 4, complete.degree),
    ]


def _operators() -> list[Row]:
    outside = text_of(outside_symbols(column("245"), 5))
    orders = " ".join(a + b for a, b in permutations(outside))
    return [
        Row("after Definition 2: the labels p_out of 245 in A(5,3)", "13 31", orders),
        Row("after Definition 3: 123(45) g_15", "523", _after("123", "45", 1, 5)),
        Row("after Definition 3: 123(54) g_15", "423", _after("123", "54", 1, 5)),
        Row(
            "after Definition 5: 123(45) leads into the subgraph Elect_4 of level 2, first symbols",
            "14",
            _after("123", "45", 2, 4)[:2],
        ),
    ]


def _after(label: str, p_out: str, position: int, place: int) -> str:
    """The node that operator ``g_ij`` leads to."""
    net = build_network(f"arrangement:{len(label + p_out)},{len(label)}")
    port = int(out_port(column(p_out), position, place - len(label))[0])
    return net.label(int(net.neighbour[net.node(label), port]))


def _stars() -> list[Row]:
    """A(n,n-1) under the map that puts the one missing symbol in front."""
    result = []
    for n in (3, 4, 5):
        part, star = build_network(f"arrangement:{n},{n - 1}"), build_network(f"star:{n}")
        there = [_in_star(part, star, node) for node in range(part.nodes)]
        kept = sum(
            star.neighbour[there[node], port] == there[part.neighbour[node, port]]
            for node in range(part.nodes)
            for port in range(part.ports)
        )
        what = f"Section 1: the {n}-star is A({n},{n - 1}): links in common, both directions"
        result.append(Row(what, star.arcs, int(kept)))
    return result


def _in_star(part: Network, star: Network, node: int) -> int:
    label = part.label(node)
    (missing,) = set(star.label(0)) - set(label)
    return star.node(missing + label)
