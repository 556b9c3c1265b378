"""Relabellings that keep ports: random Cayley graphs have them, spoilt ones do not."""

from itertools import permutations

import networkx
import numpy as np
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from noc.networks import arrays, symmetry

Element = tuple[int, ...]


def after(first: Element, second: Element) -> Element:
    return tuple(second[image] for image in first)


@st.composite
def cayley(draw, symbols: int = 4, fewest: int = 1) -> tuple[np.ndarray, np.ndarray, list[Element]]:
    """The network of a group of permutations: port p leads from v to v times generator p."""
    moving = sorted(permutations(range(symbols)))[1:]
    generators = draw(st.lists(st.sampled_from(moving), min_size=fewest, max_size=3))
    group = [tuple(range(symbols))]
    for element in group:
        group += sorted({after(g, element) for g in generators} - set(group))
    assert len(set(group)) == len(group)
    number = {element: node for node, element in enumerate(group)}
    neighbour = np.array([[number[after(g, v)] for g in generators] for v in group], np.int32)
    in_ports = draw(st.permutations(range(len(generators))))
    arrival = np.tile(np.array(in_ports, np.int16), (len(group), 1))
    return neighbour, arrival, group


def has_all_automorphisms(neighbour: np.ndarray, arrival: np.ndarray) -> bool:
    """By search: each port is a node between two, coloured by its number."""
    return all(by_search(neighbour, arrival, node) for node in range(neighbour.shape[0]))


def by_search(neighbour: np.ndarray, arrival: np.ndarray, image_of_0: int) -> bool:
    graphs = []
    for root in (0, image_of_0):
        graph = networkx.DiGraph()
        for node in range(neighbour.shape[0]):
            graph.add_node(node, colour=("node", node == root))
            for port, there in enumerate(neighbour[node].tolist()):
                link = (node, port)
                graph.add_node(link, colour=("link", port, int(arrival[node, port])))
                graph.add_edges_from([(node, link), (link, there)])
        graphs.append(graph)
    match = networkx.isomorphism.categorical_node_match("colour", None)
    return networkx.is_isomorphic(*graphs, node_match=match)


@given(cayley())
def test_cayley_graphs_are_symmetric_and_products_from_the_left_are_the_relabellings(
    result,
) -> None:
    neighbour, arrival, group = result
    assert symmetry.is_symmetric(neighbour, arrival)
    number = {element: node for node, element in enumerate(group)}
    for node, element in enumerate(group):
        expected = [number[after(other, element)] for other in group]
        assert symmetry.translation(neighbour, arrival, node).tolist() == expected


def strongly_connected(neighbour: np.ndarray) -> bool:
    return all(
        (arrays.distances_from(neighbour, root) >= 0).all() for root in range(neighbour.shape[0])
    )


@given(cayley(), st.data())
def test_one_link_led_elsewhere_spoils_it(result, data) -> None:
    """Some node then receives on one link more than the others."""
    neighbour, arrival, group = result
    node, port = (data.draw(st.integers(0, size - 1)) for size in neighbour.shape)
    head = data.draw(st.integers(0, len(group) - 1))
    assume(head != neighbour[node, port])
    neighbour[node, port] = head
    assume(strongly_connected(neighbour))
    assert not symmetry.is_symmetric(neighbour, arrival)


@given(cayley(), st.data())
def test_one_in_port_changed_spoils_it(result, data) -> None:
    neighbour, arrival, group = result
    node, port = (data.draw(st.integers(0, size - 1)) for size in neighbour.shape)
    arrival[node, port] = neighbour.shape[1]
    assert not symmetry.is_symmetric(neighbour, arrival)
    assert all(symmetry.translation(neighbour, arrival, to) is None for to in range(1, len(group)))


@given(cayley(), st.data())
def test_one_link_taken_away_spoils_it(result, data) -> None:
    neighbour, arrival, _ = result
    node, port = (data.draw(st.integers(0, size - 1)) for size in neighbour.shape)
    neighbour[node, port] = arrival[node, port] = -1
    assume(strongly_connected(neighbour))
    assert not symmetry.is_symmetric(neighbour, arrival)


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(cayley(symbols=3, fewest=2), st.data())
def test_two_links_exchanged_against_the_search(result, data) -> None:
    """Each node still receives as many words: the cheap conditions hold, the answer may be yes."""
    neighbour, arrival, group = result
    port = data.draw(st.integers(0, neighbour.shape[1] - 1))
    one, other = data.draw(st.permutations(range(len(group))))[:2]
    neighbour[[one, other], port] = neighbour[[other, one], port]
    assume(strongly_connected(neighbour))
    expected = has_all_automorphisms(neighbour, arrival)
    assert symmetry.is_symmetric(neighbour, arrival) == expected
