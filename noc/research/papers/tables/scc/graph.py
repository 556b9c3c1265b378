"""What the SCC report states about the graph: degrees, faults, symmetry, diameter, routes."""

from collections.abc import Iterable, Iterator
from itertools import permutations
from math import factorial

import networkx as nx
import numpy as np

from noc.networks import Network
from noc.networks.cycles import LATERAL, RIGHT
from noc.research.papers.routes.printed import best_order, executions, tree_search
from noc.research.papers.routes.scc import best_word, word_length
from noc.research.papers.routes.star import (
    Permutation,
    cycles,
    distance,
    one_at_a_time_routes,
    swap,
)
from noc.research.papers.tables.scc.facts import (
    diameter,
    diameter_reason,
    equation_2,
    farthest,
    lemma_2,
    star_diameter,
)
from noc.research.papers.tables.table import Reason, Row, build, explained, misprint

__all__ = ["EXAMPLE", "after", "optimal_routes", "rows"]

#: The permutation of Figure 4, (1 5)(2 3 6)(4 7)(8): each symbol's own position holds the next
#: symbol of its cycle; and the order of laterals that the report gives.
EXAMPLE: Permutation = (5, 3, 6, 7, 1, 2, 4, 8)
EXAMPLE_WORD = (5, 6, 3, 2, 6, 7, 4, 7)


def _undirected(net: Network) -> "nx.Graph[int]":
    present = np.argwhere(net.neighbour >= 0)
    return nx.Graph((int(v), int(net.neighbour[v, p])) for v, p in present)


def _fault_tolerance(net: Network) -> int:
    return int(nx.node_connectivity(_undirected(net))) - 1


def _sizes() -> Iterator[Row]:
    for n in range(3, 9):
        yield Row(f"n = {n}, nodes (n-1)n!", (n - 1) * factorial(n), build(f"scc:{n}").nodes)


def _degrees() -> Iterator[Row]:
    # With n = 2 every ring is one node, and the graph is the star of two nodes.
    for n, spec, degree, faults in (
        (2, "star:2", 1, 0),
        (3, "scc:3", 2, 1),
        (4, "scc:4", 3, 2),
        (5, "scc:5", 3, None),
        (8, "scc:8", 3, None),
    ):
        yield Row(f"n = {n}, degree", degree, build(spec).degree)
        if faults is not None:
            what = f"n = {n}, fault tolerance, by node connectivity"
            yield Row(what, faults, _fault_tolerance(build(spec)))
    yield Row("star, n = 4, fault tolerance n-2", 2, _fault_tolerance(build("star:4")))
    yield Row("cube, n = 4, fault tolerance n-1", 3, _fault_tolerance(build("hypercube:4")))


def _section_2() -> Iterator[Row]:
    floors = all(diameter(f"star:{n}") == star_diameter(n) for n in range(2, 8))
    why = misprint("scc-section-2-diameter", floors)
    for n in range(3, 8):
        printed = -(-3 * (n - 1) // 2)
        what = f"star, n = {n}, diameter as printed in Section 2"
        yield explained(Row(what, printed, diameter(f"star:{n}")), why)


def _regular_group(net: Network) -> bool:
    """Whether the relabellings that keep all ports act regularly: one for each image of node 0."""
    images = np.array([net.translation(node) for node in range(net.nodes)])
    node = np.arange(net.nodes)
    moves_all = (images[1:] != node).all()
    composed = np.array([images[first][images] for first in range(net.nodes)])
    closed = all((images[product[:, 0]] == product).all() for product in composed)
    return bool((images[:, 0] == node).all() and moves_all and closed)


def _lemma_1() -> Iterator[Row]:
    why = misprint("scc-lemma-1", _regular_group(build("scc:4")))
    for n in range(3, 8):
        computed = "a Cayley graph" if build(f"scc:{n}").symmetric else "not a Cayley graph"
        yield explained(Row(f"n = {n}, Lemma 1", "not a Cayley graph", computed), why)


def _spec(n: int) -> str:
    return "star:2" if n == 2 else f"scc:{n}"


def _theorem_1() -> Iterator[Row]:
    for n in range(2, 10):
        row = Row(f"n = {n}, Theorem 1: diameter", equation_2(n), diameter(_spec(n)))
        yield explained(row, diameter_reason(n) if n % 2 and n > 5 else None)
    # Of c n² the second difference is 8 c, two sizes apart: odd and even ones grow alike.
    growth = {
        (diameter(_spec(n)) - 2 * diameter(_spec(n - 2)) + diameter(_spec(n - 4))) / 8
        for n in (8, 9)
    }
    yield Row("Theorem 2: growth of the diameter, times n²", "0.5", " and ".join(map(str, growth)))


def _lemma_2() -> Iterator[Row]:
    for n in range(3, 10):
        q = lemma_2(n)
        away = word_length(best_word(q, 2, 2), n - 1, 2, 2)
        why = Reason(
            f"for odd n I_a has to be {(n + 3) // 2}, opposite to 2; with I_a = 2 some cycles cost "
            "no more local links than the way there and back",
            n % 2 == 1 and farthest(n) == diameter(f"scc:{n}"),
        )
        what = f"n = {n}, Lemma 2: distance of the antipode, the diameter being"
        yield explained(Row(what, diameter(f"scc:{n}"), away), why)


def optimal_routes(q: Permutation) -> int:
    """How many shortest routes a star has from a permutation to the sorted one."""
    here = distance(q)
    if here == 0:
        return 1
    nearer = (swap(q, d) for d in range(2, len(q) + 1))
    return sum(optimal_routes(other) for other in nearer if distance(other) < here)


def _star_routes() -> Iterator[Row]:
    example = (2, 6, 5, 4, 3, 1, 8, 7)
    yield Row("cycles of 26543187", "(1, 2, 6) (3, 5) (7, 8)", " ".join(map(str, cycles(example))))
    short = (2, 1, 4, 5, 3)
    yield Row("21453, optimal routes T_p", 6, optimal_routes(short))
    nested = misprint(
        "scc-routes",
        optimal_routes(example) > one_at_a_time_routes(example)
        and optimal_routes(short) == one_at_a_time_routes(short),
    )
    printed = one_at_a_time_routes(example)
    row = Row("26543187, optimal routes T_p", printed, optimal_routes(example))
    yield explained(row, nested)


def after(q: Permutation, word: Iterable[int]) -> Permutation:
    """The permutation that a word of laterals leads to."""
    for lateral in word:
        q = swap(q, lateral)
    return q


def _label(q: Permutation) -> str:
    return "".join(map(str, q))


def _ascending_cycles() -> Iterator[Row]:
    """The report writes the symbols of a cycle as d1 < d2 < … < dr."""
    n = 4
    every = list(permutations(range(1, n + 1)))
    unlike = [q for q in every if any(c != tuple(sorted(c)) for c in cycles(q))]
    unsorted = [q for q in unlike if _by_ascending_cycles(q) != tuple(range(1, n + 1))]
    why = misprint("scc-cycles-ascending", unsorted == unlike)
    what = f"n = {n}, permutations with a cycle that is not in ascending order"
    yield Row(what, 0, len(unlike), why)


def _by_ascending_cycles(q: Permutation) -> Permutation:
    """Where a permutation is led by laterals that take the symbols of each cycle ascending."""
    words = (executions(tuple(sorted(cycle)))[0] for cycle in cycles(q))
    return after(q, [lateral for word in words for lateral in word])


def _links(word: list[int], q: Permutation, start: int, end: int) -> int:
    return word_length(word, len(q) - 1, start, end)


def _algorithm_3() -> Iterator[Row]:
    word = tree_search(EXAMPLE, 5, 6)[0]
    ends = [_label(after(EXAMPLE, laterals)) for laterals in (EXAMPLE_WORD, word)]
    exchanged = misprint("scc-figure-4", ends == ["16245378", "12345678"])
    what = "Figure 4: order of the laterals"
    yield Row(what, str(EXAMPLE_WORD)[1:-1], str(word)[1:-1], exchanged)
    shortest = _links(best_word(EXAMPLE, 5, 6), EXAMPLE, 5, 6)
    why = Reason(
        "cycles are executed one after the other; (4 7) begun inside (2 3 6) saves 2 local links",
        _links(best_order(EXAMPLE, 5, 6), EXAMPLE, 5, 6) == shortest + 2,
    )
    row = Row("Figure 4: links of this 'optimal' order", _links(word, EXAMPLE, 5, 6), shortest)
    yield explained(row, why)
    for n in range(3, 7):
        too_long, in_order = _longer_routes(n)
        why = misprint("scc-algorithm-3", too_long == in_order)
        what = f"n = {n}, sources from which Algorithm 3's route to node 0 is not the shortest"
        yield explained(Row(what, 0, too_long), why)


def _longer_routes(n: int) -> tuple[int, int]:
    """Sources whose route by Algorithm 3, and by the best order of cycles, is too long."""
    too_long = in_order = 0
    for q in permutations(range(1, n + 1)):
        for start in range(2, n + 1):
            least = _links(best_word(q, start, 2), q, start, 2)
            too_long += _links(tree_search(q, start, 2)[0], q, start, 2) > least
            in_order += _links(best_order(q, start, 2), q, start, 2) > least
    return too_long, in_order


def _ccc_diameter() -> Iterator[Row]:
    small = nx.diameter(_undirected(build("ccc:3")))
    why = Reason(
        "the formula of reference 19 holds from n = 4 up; a second search finds 6 for n = 3 too",
        small == diameter("ccc:3") == 6,
    )
    for n in range(3, 11):
        row = Row(f"CCC, n = {n}, diameter", 2 * n + n // 2 - 2, diameter(f"ccc:{n}"))
        yield explained(row, why if n == 3 else None)


def _shortest_cycle(net: Network, port: int) -> int:
    """The length of the shortest cycle through one link of node 0."""
    graph, there = _undirected(net), int(net.neighbour[0, port])
    graph.remove_edge(0, there)
    return int(nx.shortest_path_length(graph, 0, there)) + 1


def _edge_symmetry() -> Iterator[Row]:
    for n in range(3, 7):
        net = build(f"scc:{n}")
        lateral, local = (_shortest_cycle(net, port) for port in (LATERAL, RIGHT))
        # Links on cycles of different length are not alike; the links of one ring are.
        computed = "no" if lateral != local else "yes" if net.degree == 2 else "unknown"
        why = Reason("SCC 3 is one ring", lateral == local == net.nodes)
        yield explained(Row(f"n = {n}, edge symmetric", "no", computed), why)
    for n in (4, 5):
        what = f"n = {n}, kinds of links, lateral and local, under the relabellings"
        yield Row(what, 2, _kinds_of_links(build(f"scc:{n}")))


def _kinds_of_links(net: Network) -> int:
    """Classes of links that relabellings which keep the ports carry into one another."""
    kinds = nx.Graph()
    first = [frozenset((0, int(there))) for there in net.neighbour[0]]
    for node in range(net.nodes):
        image = net.translation(node)
        for link in first:
            kinds.add_edge(link, frozenset(int(image[end]) for end in link))
    return int(nx.number_connected_components(kinds))


def rows() -> list[Row]:
    """All of them, in the order of the report."""
    parts = (
        _sizes,
        _degrees,
        _section_2,
        _edge_symmetry,
        _lemma_1,
        _ascending_cycles,
        _star_routes,
        _algorithm_3,
        _theorem_1,
        _lemma_2,
    )
    return [row for part in (*parts, _ccc_diameter) for row in part()]
