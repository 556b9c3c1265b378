"""What the SCC report states about the graph: diameters, degrees, faults, symmetry."""

from collections.abc import Iterator
from functools import cache
from math import factorial

import networkx as nx
import numpy as np

from noc.networks import Network
from noc.networks.cycles import LATERAL, RIGHT
from noc.research.papers.routes.algorithms import (
    Permutation,
    best_order,
    best_word,
    permutation,
    word_length,
)
from noc.research.papers.tables.table import Reason, Row, Rows, build, reason

TEXT = Rows()


@cache
def diameter(spec: str) -> int:
    """The diameter of a star, cube, SCC or CCC: they are symmetric, so one search is enough."""
    return build(spec).eccentricity(0)


def star_diameter(n: int) -> int:
    """The diameter of a star, as the report has it everywhere but in Section 2."""
    return 3 * (n - 1) // 2


def equation_2(n: int) -> int:
    """Theorem 1's diameter of SCC, with its exception."""
    if n == 3:
        return 6
    return 2 * ((n - 1) // 2) ** 2 + star_diameter(n) + 2 * (n // 2) - 2


def lemma_2(n: int) -> Permutation:
    """The permutation of Lemma 2: as many swaps of opposite ring positions as there can be."""
    half, first = n // 2, 1 + n % 2
    return permutation(n, [(low, low + half) for low in range(first, first + half)])


def farthest(n: int) -> int:
    """Links from Lemma 2's permutation, entered opposite to 2, to node (2, 12…n); for odd n."""
    opposite = (n + 3) // 2
    return word_length(best_word(lemma_2(n), opposite, 2), n - 1, opposite, 2)


@cache
def diameter_reason(n: int) -> Reason:
    """Why Equation 2 is too large for odd n from 7 up."""
    k, q = (n - 1) // 2, lemma_2(n)
    in_order, nested = (word_length(f(q, 2, 2), n - 1, 2, 2) for f in (best_order, best_word))
    links = 2 * k * k + 4 * k
    too_long = max(nested, links) < in_order == equation_2(n)
    holds = too_long and farthest(n) == links == diameter(f"scc:{n}")
    return reason("scc-equation-2", holds, nested=nested, links=links)


def undirected(net: Network) -> "nx.Graph[int]":
    """The graph of a network's links."""
    present = np.argwhere(net.neighbour >= 0)
    return nx.Graph((int(v), int(net.neighbour[v, p])) for v, p in present)


def _fault_tolerance(spec: str) -> int:
    return int(nx.node_connectivity(undirected(build(spec)))) - 1


@TEXT.each(range(3, 9), "n = {}, ")
def _sizes(n: int) -> Iterator[Row]:
    yield Row("nodes (n-1)n!", (n - 1) * factorial(n), build(f"scc:{n}").nodes)


@TEXT.add
def _degrees() -> Iterator[Row]:
    for n, degree, faults in ((2, 1, 0), (3, 2, 1), (4, 3, 2), (5, 3, None), (8, 3, None)):
        # With n = 2 every ring is one node, and the graph is the star of two nodes.
        spec = "star:2" if n == 2 else f"scc:{n}"
        yield Row(f"n = {n}, degree", degree, build(spec).degree)
        if faults is not None:
            what = f"n = {n}, fault tolerance, by node connectivity"
            yield Row(what, faults, _fault_tolerance(spec))
    yield Row("star, n = 4, fault tolerance n-2", 2, _fault_tolerance("star:4"))
    yield Row("cube, n = 4, fault tolerance n-1", 3, _fault_tolerance("hypercube:4"))


@TEXT.each(range(3, 8), "star, n = {}, ")
def _section_2(n: int) -> Iterator[Row]:
    floors = all(diameter(f"star:{m}") == star_diameter(m) for m in range(2, 8))
    why, printed = reason("scc-section-2-diameter", floors), -(-3 * (n - 1) // 2)
    yield Row("diameter as printed in Section 2", printed, diameter(f"star:{n}"), why)


def _shortest_cycle(net: Network, port: int) -> int:
    """The length of the shortest cycle through one link of node 0."""
    graph, neighbour = undirected(net), int(net.neighbour[0, port])
    graph.remove_edge(0, neighbour)
    return int(nx.shortest_path_length(graph, 0, neighbour)) + 1


def _kinds_of_links(net: Network) -> int:
    """Classes of links that relabellings which keep the ports carry into one another."""
    kinds = nx.Graph()
    first = [frozenset((0, int(neighbour))) for neighbour in net.neighbour[0]]
    for node in range(net.nodes):
        image = net.translation(node)
        kinds.add_edges_from((link, frozenset(map(int, image[[*link]]))) for link in first)
    return int(nx.number_connected_components(kinds))


@TEXT.add
def _edge_symmetry() -> Iterator[Row]:
    for n in range(3, 7):
        net = build(f"scc:{n}")
        lateral, local = (_shortest_cycle(net, port) for port in (LATERAL, RIGHT))
        # Links on cycles of different length are not alike; the links of one ring are.
        computed = "no" if lateral != local else "yes" if net.degree == 2 else "unknown"
        why = reason("scc-3-ring", lateral == local == net.nodes)
        yield Row(f"n = {n}, edge symmetric", "no", computed, why)
    for n in (4, 5):
        what = f"n = {n}, kinds of links, lateral and local, under the relabellings"
        yield Row(what, 2, _kinds_of_links(build(f"scc:{n}")))


def _regular_group(net: Network) -> bool:
    """Whether the relabellings that keep all ports act regularly: one for each image of node 0."""
    images = np.array([net.translation(node) for node in range(net.nodes)])
    node = np.arange(net.nodes)
    moves_all = (images[1:] != node).all()
    composed = np.array([images[first][images] for first in range(net.nodes)])
    closed = all((images[product[:, 0]] == product).all() for product in composed)
    return bool((images[:, 0] == node).all() and moves_all and closed)


@TEXT.add
def _lemma_1() -> Iterator[Row]:
    why = reason("scc-lemma-1", _regular_group(build("scc:4")))
    for n in range(3, 8):
        computed = "a Cayley graph" if build(f"scc:{n}").symmetric else "not a Cayley graph"
        yield Row(f"n = {n}, Lemma 1", "not a Cayley graph", computed, why)
