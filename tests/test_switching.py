"""Routes and sorting networks of the SCC report: shortest paths, switches and their sequences."""

from itertools import chain, pairwise, permutations, product
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noc.errors import InputError
from noc.networks import build_network
from noc.networks.cycles import LEFT, RIGHT
from noc.research.papers.routes import algorithms, route
from noc.research.papers.tables.scc.switching import kept_stages
from noc.trees import build_tree, rings
from noc.trees.rings import star_word


def end_of(net, node: int, ports: list[int]) -> int:
    for port in ports:
        node = int(net.neighbour[node, port])
        assert node >= 0
    return node


def check_routes(net, nodes, destination: int) -> None:
    hops = net.distances(destination)
    for node in nodes:
        way = route(net, node, destination)
        assert end_of(net, node, list(way.ports)) == destination
        assert way.router == "labels"
        assert way.length == hops[node]


@pytest.mark.parametrize(
    "spec", [*(f"star:{n}" for n in range(2, 7)), *(f"scc:{n}" for n in range(3, 7))]
)
def test_routes_are_shortest(spec) -> None:
    net = build_network(spec)
    check_routes(net, range(net.nodes), net.nodes // 3)


SCC_7 = build_network("scc:7")


@given(st.integers(0, SCC_7.nodes - 1), st.lists(st.integers(0, SCC_7.nodes - 1), max_size=20))
def test_scc_routes_between_any_two_nodes(destination, nodes) -> None:
    check_routes(SCC_7, nodes, destination)


@given(st.integers(2, 12), st.data())
def test_ring_routes_are_shortest(size, data) -> None:
    here, there = (data.draw(st.integers(0, size - 1)) for _ in range(2))
    ports = algorithms.ring_route(size, here, there)
    assert (here + ports.count(RIGHT) - ports.count(LEFT)) % size == there
    assert len(ports) == min((there - here) % size, (here - there) % size)


def test_half_way_round_as_algorithm_2_decides() -> None:
    assert algorithms.ring_route(6, 0, 3) == [RIGHT] * 3
    assert algorithms.ring_route(6, 3, 0) == [LEFT] * 3


@given(st.permutations(range(1, 7)))
def test_star_distance_is_a_search(symbols) -> None:
    net = build_network("star:6")
    node = net.node("".join(map(str, symbols)))
    assert algorithms.distance(tuple(symbols)) == net.distances(0)[node]


def test_relative_keeps_the_laterals() -> None:
    source, destination = (3, 1, 4, 2), (2, 3, 1, 4)
    moved = algorithms.relative(algorithms.swap(source, 3), destination)
    assert moved == algorithms.swap(algorithms.relative(source, destination), 3)
    assert algorithms.relative(destination, destination) == (1, 2, 3, 4)


def sorts(q, word: list[int]) -> bool:
    for lateral in word:
        q = algorithms.swap(q, lateral)
    return q == tuple(range(1, len(q) + 1))


# Source position, permutation, destination position; links of the best route, of the best that
# finishes each cycle before the next, and of those that the printed rule leaves.
PRINTED_RULE = [
    ((2, (1, 4, 5, 2, 3), 2), 14, 16, {16}),
    ((2, (1, 2, 5, 6, 3, 4), 2), 16, 18, {18}),
    ((2, (1, 2, 3, 5, 6, 4), 4), 10, 10, {10, 11}),
]


@pytest.mark.parametrize(("case", "best", "in_order", "left"), PRINTED_RULE)
def test_printed_rule_is_not_always_optimal(case, best, in_order, left) -> None:
    start, q, end = case

    def links(word: list[int]) -> int:
        return algorithms.word_length(word, len(q) - 1, start, end)

    assert links(algorithms.best_word(q, start, end)) == best
    assert links(algorithms.best_order(q, start, end)) == in_order
    assert {links(word) for word in algorithms.tree_search(q, start, end)} == left


@given(st.permutations(range(1, 7)), st.integers(2, 6), st.integers(2, 6))
def test_tree_search_finds_the_best_order(symbols, start, end) -> None:
    q = tuple(symbols)
    words = [*algorithms.tree_search(q, start, end), algorithms.best_order(q, start, end)]
    assert all(sorts(q, word) for word in words)
    lengths = [algorithms.word_length(word, 5, start, end) for word in words]
    assert lengths[0] == lengths[-1]


def optimal_routes(q) -> list[list[int]]:
    """All shortest routes on the star, by trying every lateral."""
    here = algorithms.distance(q)
    if here == 0:
        return [[]]
    return [
        [d, *rest]
        for d in range(2, len(q) + 1)
        if algorithms.distance(algorithms.swap(q, d)) < here
        for rest in optimal_routes(algorithms.swap(q, d))
    ]


def test_six_routes_of_the_printed_example() -> None:
    expected = {"23453", "24534", "25345", "34532", "45342", "53452"}
    assert {"".join(map(str, r)) for r in optimal_routes((2, 1, 4, 5, 3))} == expected
    assert algorithms.one_at_a_time_routes((2, 1, 4, 5, 3)) == 6


@pytest.mark.parametrize("n", [3, 4, 5])
def test_one_at_a_time_routes_are_at_most_all(n) -> None:
    more = 0
    for q in permutations(range(1, n + 1)):
        counted, all_routes = algorithms.one_at_a_time_routes(q), len(optimal_routes(q))
        assert counted <= all_routes
        more += counted < all_routes
    assert (more > 0) == (n > 4)


@pytest.mark.parametrize("spec", ["uhc:5", "uhc:4,negative", "mesh:3,4", "scc:4", "nk-star:4,2"])
def test_a_search_serves_every_network(spec) -> None:
    net = build_network(spec)
    for node in range(0, net.nodes, 5):
        way = route(net, node, net.nodes // 3, "shortest")
        assert way.nodes == tuple(end_of(net, node, way.ports[:k]) for k in range(way.length + 1))
        assert way.length == way.distance == net.distances(node)[net.nodes // 3]


def test_what_a_network_has_no_router_for_is_named() -> None:
    with pytest.raises(InputError, match=r"^router 'labels' is not defined on it; .* shortest$"):
        route(build_network("uhc:4"), 0, 1, "labels")
    with pytest.raises(InputError, match=r"^router 'best' is unknown; .* labels, report, shortest"):
        route(build_network("star:4"), 0, 1, "best")


def sorts_by_comparison(stages, n: int) -> bool:
    """By the 0-1 principle: comparators that sort zeros and ones sort everything."""
    for bits in product((0, 1), repeat=n):
        row = [0, *bits]
        for i, j in (switch for stage in stages for switch in stage):
            row[i], row[j] = min(row[i], row[j]), max(row[i], row[j])
        if row != sorted(row):
            return False
    return True


def settings_reach(stages, n: int) -> int:
    """How many permutations some setting of the switches gives."""
    reached = {tuple(range(n))}
    for i, j in (switch for stage in stages for switch in stage):
        swapped = [list(q) for q in reached]
        for q in swapped:
            q[i - 1], q[j - 1] = q[j - 1], q[i - 1]
        reached |= {tuple(q) for q in swapped}
    return len(reached)


@pytest.mark.parametrize("n", range(2, 9))
def test_halving_gives_every_permutation(n) -> None:
    assert settings_reach(rings.halving_stages(n), n) == factorial(n)


# The report's rule for other n, by the positions that are kept: permutations from the settings of
# the switches, and rings that the sequence reaches, because parts of a switch's three laterals can
# serve as well.
KEPT = [
    ((1, 2, 3), 6, 6),
    ((1, 2, 3, 4, 5), 84, 84),
    ((1, 3, 5, 7, 8), 120, 120),
    ((1, 2, 3, 4, 5, 6), 560, 720),
    ((1, 2, 3, 4, 5, 8), 296, 624),
    ((1, 2, 3, 4, 5, 6, 7), 5040, 5040),
]


@pytest.mark.parametrize(("kept", "settings", "rings"), KEPT)
def test_which_positions_are_kept_decides(kept, settings, rings) -> None:
    stages, star = kept_stages(kept), build_network(f"star:{len(kept)}")
    informed = np.arange(star.nodes) == 0
    for d in star_word(stages):
        informed[star.neighbour[informed, d - 2]] = True
    assert settings_reach(stages, len(kept)) == settings
    assert informed.sum() == rings


@pytest.mark.parametrize("n", range(2, 13))
def test_neighbour_network_sorts(n) -> None:
    stages = rings.neighbour_stages(n)
    assert sorts_by_comparison(stages, n)
    assert sum(map(len, stages)) == n * (n - 1) // 2


@pytest.mark.parametrize("n", [5, 7])
def test_odd_neighbour_network_needs_its_last_stage(n) -> None:
    assert not sorts_by_comparison(rings.neighbour_stages(n)[:-1], n)
    assert settings_reach(rings.neighbour_stages(n)[:-1], n) < factorial(n)


def test_second_stage_starts_at_the_outer_pair() -> None:
    assert rings.neighbour_stages(8)[1] == [(2, 3), (4, 5), (6, 7), (1, 8)]


def local_steps(word: list[int], ring: int) -> int:
    return sum(min((b - a) % ring, (a - b) % ring) for a, b in pairwise(word))


@pytest.mark.parametrize("stages", [rings.halving_stages(4), rings.neighbour_stages(4)])
def test_ring_word_is_the_best_order(stages) -> None:
    def orders(stage):
        if not stage:
            return [[]]
        return [
            [*form, *rest]
            for k, (i, j) in enumerate(stage)
            for form in ([[j - 2]] if i == 1 else [[i - 2, j - 2, i - 2], [j - 2, i - 2, j - 2]])
            for rest in orders(stage[:k] + stage[k + 1 :])
        ]

    words = [list(chain(*parts)) for parts in product(*map(orders, stages))]
    best = min(local_steps(word, 3) for word in words)
    assert local_steps(rings.ring_word(stages, 3), 3) == best


# Algorithm, n, lateral steps and all steps of the sequence, nodes that it leaves uninformed,
# and the step at which the last node receives with the pass that ends it.
TREES = [
    ("switching-nlogn", 3, 3, 5, 2, 6),
    ("switching-nlogn", 4, 12, 21, 0, 20),
    ("switching-nlogn", 5, 14, 28, 18, 30),
    ("switching-nlogn", 6, 26, 61, 0, 54),
    ("switching-nlogn", 7, 35, 84, 0, 77),
    ("switching-nlogn", 8, 50, 132, 0, 123),
    ("switching-n2", 3, 5, 7, 2, 8),
    ("switching-n2", 4, 12, 21, 0, 20),
    ("switching-n2", 5, 24, 45, 0, 34),
    ("switching-n2", 6, 35, 67, 0, 51),
    ("switching-n2", 7, 55, 110, 0, 86),
    ("switching-n2", 8, 70, 142, 0, 96),
]
STAGES = {"switching-nlogn": rings.halving_stages, "switching-n2": rings.neighbour_stages}


@pytest.mark.parametrize(("name", "n", "lateral", "length", "missed", "steps"), TREES)
def test_sequences(name, n, lateral, length, missed, steps) -> None:
    moves = rings.walk(n - 1, rings.ring_word(STAGES[name](n), n - 1))
    result = build_tree(build_network(f"scc:{n}"), name, ports="one")
    assert (rings.lateral_steps(moves), len(moves)) == (lateral, length)
    assert (result.step > length).sum() == missed
    assert result.steps == steps
