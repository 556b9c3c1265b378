"""Relabellings that keep ports, and diameters by few searches, against networkx."""

from itertools import permutations
from math import comb

import networkx
import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from noc.networks import arrays, build_network, from_edges, symmetry

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


@pytest.mark.parametrize("fault", ["link led elsewhere", "in-port changed", "link taken away"])
@given(result=cayley(), data=st.data())
def test_one_fault_spoils_it(fault: str, result, data) -> None:
    """Led elsewhere, some node receives on one link more than the others."""
    neighbour, arrival, group = result
    node, port = (data.draw(st.integers(0, size - 1)) for size in neighbour.shape)
    if fault == "link led elsewhere":
        head = data.draw(st.integers(0, len(group) - 1))
        assume(head != neighbour[node, port])
        neighbour[node, port] = head
    elif fault == "in-port changed":
        arrival[node, port] = neighbour.shape[1]
    else:
        neighbour[node, port] = arrival[node, port] = -1
    assume(strongly_connected(neighbour))
    assert not symmetry.is_symmetric(neighbour, arrival)
    images = [symmetry.translation(neighbour, arrival, to) for to in range(1, len(group))]
    assert any(image is None for image in images)


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


@st.composite
def digraphs(draw) -> networkx.DiGraph:
    """Strongly connected: a ring of one-way or two-way links, and some more of either kind."""
    nodes = draw(st.integers(2, 24))
    pair = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    graph = networkx.DiGraph((node, (node + 1) % nodes) for node in range(nodes))
    if draw(st.booleans()):
        graph = graph.to_undirected().to_directed()
    graph.add_edges_from((one, other) for one, other in draw(st.lists(pair)) if one != other)
    both = draw(st.lists(pair, max_size=10))
    graph.add_edges_from((a, b) for ends in both for a, b in (ends, ends[::-1]) if a != b)
    return graph


def both_ways(graph: networkx.DiGraph) -> tuple[np.ndarray, np.ndarray]:
    """Where links lead, and where they come from."""
    both = []
    for way in (graph, graph.reverse()):
        most = max(degree for _, degree in way.out_degree)
        rows = [[*way[node], *[-1] * (most - len(way[node]))] for node in range(len(way))]
        both.append(np.array(rows, dtype=np.int32))
    return both[0], both[1]


@pytest.mark.parametrize("patience", [1, 2, 16])
@given(graph=digraphs())
def test_diameters_of_networkx(patience: int, graph: networkx.DiGraph) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "PATIENCE", patience)
        assert arrays.diameter(*both_ways(graph)) == networkx.diameter(graph)


@given(graph=digraphs())
def test_whole_networks_have_them_too(graph: networkx.DiGraph) -> None:
    net = from_edges([(str(a), str(b)) for a, b in graph.edges], two_way=False)
    assert net.diameter() == networkx.diameter(graph)


@pytest.mark.parametrize(
    ("spec", "diameter", "searches"),
    [("mesh:255,255", 508, 6), ("tree:3,8", 16, 6), ("mesh:9,10,11", 27, 24)],
)
def test_few_searches_settle_what_has_a_middle(
    monkeypatch, spec: str, diameter: int, searches: int
) -> None:
    net, begun, search = build_network(spec), [], arrays.distances_from
    monkeypatch.setattr(arrays, "_in_batches", None)
    monkeypatch.setattr(arrays, "distances_from", lambda *a: begun.append(a) or search(*a))
    assert net.diameter() == diameter
    assert len(begun) <= searches


ORBITS = [
    ("nk-star:5,2", 1),
    ("nk-star:6,3", 1),
    ("arrangement:6,3", 1),
    *((f"incomplete-star:5,{k}", comb(4, k - 1)) for k in range(2, 6)),
    ("uhc:5", 2),
    ("uhc:7,negative", 2),
]


@pytest.mark.parametrize(("spec", "orbits"), ORBITS)
def test_one_node_stands_for_those_that_relabellings_lead_to(spec: str, orbits: int) -> None:
    net = build_network(spec)
    roots = symmetry.representatives(net.neighbour, net.labels.relabellings())
    assert roots.size == orbits
    arcs = [(v, w) for v, row in enumerate(net.neighbour.tolist()) for w in row if w >= 0]
    assert net.diameter() == networkx.diameter(networkx.DiGraph(arcs))


@pytest.mark.parametrize("image", [[1, 0, 2, 3], [3, 3, 3, 3], [3, 2, 1, -1]])
def test_what_does_not_keep_the_links_stands_for_nothing(image: list[int]) -> None:
    """On a path of four nodes, which may only be turned round."""
    neighbour = build_network("mesh:4").neighbour
    wrong, right = np.array(image), np.array([3, 2, 1, 0])
    assert symmetry.representatives(neighbour, [wrong]).tolist() == [0, 1, 2, 3]
    assert symmetry.representatives(neighbour, [wrong, right]).tolist() == [0, 1]


@pytest.mark.parametrize(("spec", "most"), [("star:7", 4), ("torus:30,40", 4), ("ring:97", 1)])
def test_few_relabellings_show_a_network_symmetric(monkeypatch, spec: str, most: int) -> None:
    checked, keeps = [], symmetry._keeps_ports
    monkeypatch.setattr(symmetry, "_keeps_ports", lambda *a: checked.append(a) or keeps(*a))
    assert build_network(spec).symmetric
    assert 1 <= len(checked) <= most
