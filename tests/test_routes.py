"""Routes: Algorithms 1, 2 and 3 of the SCC report, against breadth-first search."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noc.errors import InputError
from noc.networks import build_network
from noc.networks.cycles import LEFT, RIGHT
from noc.research.papers.routes import algorithms, route


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


@pytest.mark.parametrize("spec", [f"star:{n}" for n in range(2, 7)])
def test_star_routes_are_shortest(spec) -> None:
    net = build_network(spec)
    check_routes(net, range(net.nodes), net.nodes // 3)


@pytest.mark.parametrize("spec", [f"scc:{n}" for n in range(3, 7)])
def test_scc_routes_are_shortest(spec) -> None:
    net = build_network(spec)
    check_routes(net, range(net.nodes), 0)


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


# (1 5)(2 3 6)(4 7)(8), where each symbol's own position holds the next one of its cycle.
EXAMPLE = (5, 3, 6, 7, 1, 2, 4, 8)


def sorts(q, word: list[int]) -> bool:
    for lateral in word:
        q = algorithms.swap(q, lateral)
    return q == tuple(range(1, len(q) + 1))


def test_worked_example_of_algorithm_3() -> None:
    words = algorithms.tree_search(EXAMPLE, 5, 6)
    assert words[0] == [5, 6, 2, 3, 6, 7, 4, 7]
    assert sorts(EXAMPLE, words[0])
    assert not sorts(EXAMPLE, [5, 6, 3, 2, 6, 7, 4, 7])
    assert algorithms.word_length(words[0], 7, 5, 6) == 24


def test_worked_example_has_a_shorter_route() -> None:
    word = algorithms.best_word(EXAMPLE, 5, 6)
    assert sorts(EXAMPLE, word)
    assert len(word) == 8
    assert algorithms.word_length(word, 7, 5, 6) == 22
    net = build_network("scc:8")
    assert net.distances(net.node("6:12345678"))[net.node("5:53671248")] == 22


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


def test_the_report_does_not_always_find_the_shortest() -> None:
    net = build_network("scc:8")
    ends = net.node("5:53671248"), net.node("6:12345678")
    ways = [route(net, *ends, router) for router in ("report", "labels")]
    assert [(way.length, way.distance) for way in ways] == [(24, 22), (22, 22)]


def test_what_a_network_has_no_router_for_is_named() -> None:
    with pytest.raises(InputError, match=r"^router 'labels' is not defined on it; .* shortest$"):
        route(build_network("uhc:4"), 0, 1, "labels")
    with pytest.raises(InputError, match=r"^router 'best' is unknown; .* labels, report, shortest"):
        route(build_network("star:4"), 0, 1, "best")
