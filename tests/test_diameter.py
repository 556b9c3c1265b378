"""Diameters by few searches: those of networkx, whatever the searches leave to be searched."""

from math import comb

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noc.networks import arrays, build_network, from_edges, symmetry


@st.composite
def graphs(draw) -> networkx.DiGraph:
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
@given(graph=graphs())
def test_diameters_of_networkx(patience: int, graph: networkx.DiGraph) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrays, "PATIENCE", patience)
        assert arrays.diameter(*both_ways(graph)) == networkx.diameter(graph)


@given(graph=graphs())
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
