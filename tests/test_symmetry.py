"""Symmetry by port labels: what it means, and labels that are found for a graph without any."""

import json
import re
from itertools import permutations, product
from math import comb
from pathlib import Path
from random import Random

import networkx
import numpy as np
import pytest
from helpers import printed
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from test_imported import from_json

from noc.errors import CheckError
from noc.networks import Network, arrays, build_network, found_ports, from_edges, symmetry
from noc.programs import build_automaton

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


@pytest.mark.ci
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


@pytest.mark.cases(1)
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


@pytest.mark.cases(2)
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
    monkeypatch.setattr(arrays, "_batch_eccentricity", None)
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


# Every example writes the same file anew.
ON_FILES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def as_written(graph: networkx.Graph, seed: int = 0) -> dict[str, object]:
    """A graph without port labels, its nodes and links in an order of their own."""
    random = Random(seed)
    nodes, edges = sorted(map(str, graph)), sorted((str(u), str(v)) for u, v in graph.edges())
    random.shuffle(nodes)
    random.shuffle(edges)
    listed = [{"from": tail, "to": head} for tail, head in edges]
    return {"nodes": nodes, "links": listed, "two-way": not graph.is_directed()}


def unlabelled(spec: str) -> networkx.Graph:
    net = build_network(spec)
    graph = networkx.DiGraph()
    for node, port in np.argwhere(net.neighbour >= 0).tolist():
        graph.add_edge(net.label(node), net.label(int(net.neighbour[node, port])))
    return graph.to_undirected() if net.two_way else graph


FOUND = [
    "ring:16", "ring:5", "ring:200", "hypercube:3", "hypercube:6", "complete:5", "complete:12",
    "torus:4,4", "torus:2,3,4", "torus:3,3,3,3,3", "star:4", "star:5", "pancake:4", "pancake:5",
    "bubble-sort:4", "bubble-sort:5", "scc:3", "scc:4", "ccc:3", "ccc:4", "uhc:4", "uhc:6",
    "nk-star:4,2", "nk-star:5,2", "arrangement:4,2", "arrangement:5,3",
]  # fmt: skip


@pytest.mark.cases(22)
@pytest.mark.parametrize("spec", FOUND)
def test_found_for_families_without_their_ports(tmp_path, spec: str) -> None:
    graph = unlabelled(spec)
    net = from_json(tmp_path, as_written(graph))
    assert net.symmetric
    assert net.ports == net.degree
    arcs = {(net.label(v), net.label(int(u))) for v in range(net.nodes) for u in net.neighbour[v]}
    assert arcs == set(graph.to_directed().edges)
    assert net.two_way == (not graph.is_directed())


NONE = {
    "path": networkx.path_graph(6),
    "Petersen": networkx.petersen_graph(),
    "dodecahedron": networkx.dodecahedral_graph(),
    "Desargues": networkx.desargues_graph(),
    "line graph of K5": networkx.line_graph(networkx.complete_graph(5)),
    "Frucht": networkx.frucht_graph(),
    "Tutte": networkx.tutte_graph(),
}


@pytest.mark.parametrize("name", NONE)
def test_none_where_no_group_is_regular(tmp_path, name: str) -> None:
    net = from_json(tmp_path, as_written(NONE[name]))
    assert (net.symmetric, net.ports_found, found_ports.exist(net)) == (False, False, False)


@pytest.mark.ci
def test_what_takes_too_long_remains_open(tmp_path) -> None:
    """Of the 252,000 relabellings of this graph no 50 form a regular group."""
    net = from_json(tmp_path, as_written(networkx.hoffman_singleton_graph()))
    assert (net.symmetric, found_ports.exist(net)) == (False, None)


def test_a_large_graph_is_not_searched(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(found_ports, "regular_group", pytest.fail)
    net = from_json(tmp_path, as_written(networkx.grid_graph([25, 25], periodic=True)))
    assert (net.symmetric, found_ports.exist(net)) == (False, None)


def automorphisms(colour: np.ndarray) -> list[tuple[int, ...]]:
    nodes = len(colour)
    return [p for p in permutations(range(nodes)) if (colour[np.ix_(p, p)] == colour).all()]


def has_regular_group(colour: np.ndarray) -> bool:
    """By trying all sets of two that might make it: enough for groups of up to six elements."""
    maps, nodes = automorphisms(colour), len(colour)
    for pair in product(maps, repeat=2):
        group = {tuple(range(nodes))}
        while len(group) <= nodes:
            larger = group | {tuple(m[at] for at in g) for m in pair for g in group}
            if larger == group:
                break
            group = larger
        if len(group) == nodes and len({g[0] for g in group}) == nodes:
            return True
    return False


@pytest.mark.parametrize("nodes", range(2, 7))
def test_every_vertex_transitive_small_graph_against_all_groups(nodes: int) -> None:
    """Links by the distance round a ring, or any of many at random, one way or both."""
    random = Random(nodes)
    for _ in range(30):
        colour = np.zeros((nodes, nodes), np.int64)
        while not networkx.is_strongly_connected(networkx.DiGraph(colour)):
            spread = [random.choice([0, 0, 1, 2]) for _ in range(nodes)]
            colour = np.array(
                [[spread[(v - u) % nodes] for v in range(nodes)] for u in range(nodes)]
            )
            if random.random() < 0.5:
                colour = np.array([[random.choice([0, 1]) for _ in colour] for _ in colour])
            np.fill_diagonal(colour, 0)
        assert (found_ports.regular_group(colour) is not None) == has_regular_group(colour)


@ON_FILES
@given(result=cayley(), data=st.data())
def test_found_for_every_random_cayley_graph(tmp_path, result, data) -> None:
    """Each link one-way: with the same link several times, and returning ones, as they come."""
    neighbour, _, group = result
    order = data.draw(st.permutations(range(neighbour.size)))
    listed = [
        {"from": int(at // neighbour.shape[1]), "to": int(neighbour.flat[at])} for at in order
    ]
    graph = {"nodes": len(group), "links": listed, "two-way": False}
    net = from_json(tmp_path, graph)
    assert net.symmetric
    assert pairs_of(net) == sorted((entry["from"], entry["to"]) for entry in listed)


def pairs_of(net: Network) -> list[tuple[int, int]]:
    """The two ends of every arc, as often as there are arcs."""
    return sorted((node, int(there)) for node, row in enumerate(net.neighbour) for there in row)


def test_found_where_links_are_double(tmp_path) -> None:
    pairs = [(u, (u + 1) % 6) for u in range(6)] * 2 + [(u, u + 3) for u in range(3)] * 3
    listed = [{"from": tail, "to": head} for tail, head in pairs]
    net = from_json(tmp_path, {"nodes": 6, "links": listed})
    assert (net.symmetric, net.two_way, net.links, net.ports) == (True, True, 21, 7)
    assert pairs_of(net) == sorted(pairs + [(head, tail) for tail, head in pairs])


@ON_FILES
@given(result=cayley(fewest=2), both=st.booleans(), data=st.data())
def test_found_where_one_way_and_two_way_links_mix(tmp_path, result, both, data) -> None:
    neighbour, _, group = result
    links = [
        {"from": node, "to": int(there), "two-way": both == (port == 0)}
        for node, row in enumerate(neighbour)
        for port, there in enumerate(row)
    ]
    listed = data.draw(st.permutations(links))
    net = from_json(tmp_path, {"nodes": len(group), "links": listed})
    assert net.symmetric


def test_relabellings_that_form_no_group_are_noticed(tmp_path, monkeypatch) -> None:
    """What the search gives is not believed: the network is checked once more."""
    wrong = np.array([[0, 1, 2, 3], [1, 2, 3, 0], [2, 1, 0, 3], [3, 0, 1, 2]])
    monkeypatch.setattr(found_ports, "regular_group", lambda colour: wrong)  # noqa: ARG005
    found_ports._last_group.cache_clear()
    graph = {"nodes": 4, "links": [{"from": u, "to": (u + 1) % 4} for u in range(4)]}
    with pytest.raises(CheckError, match=r"found for the graph do not make it symmetric$"):
        from_json(tmp_path, graph)
    found_ports._last_group.cache_clear()


INFO = [
    (networkx.cycle_graph(16), True, "found", "yes, with port labels that were found"),
    (networkx.petersen_graph(), False, "none", "no, with these labels or any others"),
    pytest.param(
        *(networkx.hoffman_singleton_graph(), False, "unknown", "no, with these labels"),
        marks=pytest.mark.ci,
    ),
    (networkx.cycle_graph(9, create_using=networkx.DiGraph), True, "these", "yes"),
]


@pytest.mark.parametrize(("graph", "symmetric", "ports", "text"), INFO)
def test_info_says_which_labels(cli, tmp_path, graph, symmetric, ports, text: str) -> None:
    (tmp_path / "graph.json").write_text(json.dumps(as_written(graph)), encoding="utf-8")
    check_info(cli, f"file:{tmp_path / 'graph.json'}", symmetric, ports, text)


def test_info_says_that_others_would_do(cli) -> None:
    text = "no, with these labels; with others it would be"
    check_info(cli, "nk-star:4,2", False, "others", text)


def check_info(cli, spec: str, symmetric: bool, ports: str, text: str) -> None:
    facts = cli.facts("info", spec)
    assert (facts["symmetric"], facts["symmetric_ports"]) == (symmetric, ports)
    assert re.search(rf"^symmetric +{re.escape(text)}$", cli.out("info", spec), re.MULTILINE)


@pytest.mark.ci
def test_the_same_ports_whatever_order_sets_have(tmp_path: Path) -> None:
    graph = as_written(unlabelled("star:4"))
    (tmp_path / "graph.json").write_text(json.dumps(graph), encoding="utf-8")
    code = (
        "from noc.networks import build_network\n"
        f"net = build_network('file:{tmp_path / 'graph.json'}')\n"
        "print(net.neighbour.tolist(), net.out_ports)"
    )
    assert len(printed(code, hash_seeds=("0", "1", "2"))) == 1


def test_one_router_serves_all_nodes_of_a_graph_without_ports(tmp_path) -> None:
    net: Network = from_json(tmp_path, as_written(unlabelled("torus:3,4")))
    assert build_automaton(net).first_row.shape[0] == 1
