"""Trees without a common node on the ways to any node: against networkx, and low."""

from itertools import combinations

import networkx
import numpy as np
import pytest
from helpers import strong_graphs
from hypothesis import given, settings

from noc.errors import InputError
from noc.networks import ABSENT, Network, build_network
from noc.trees import Tree, build_trees
from noc.trees.independent import most_ways

pytest.importorskip("pysat")


def way(tree: Tree, node: int) -> set[int]:
    """The nodes between the root and a node."""
    above = int(tree.parent[node])
    return set() if above == tree.root else way(tree, above) | {above}


def check(network: Network, root: int) -> int:
    """The trees from a root meet nowhere; how many there are."""
    trees = build_trees(network, "independent", root=root).check().trees
    for node in range(network.nodes):
        if node != root:
            for one, other in combinations(trees, 2):
                assert not way(one, node) & way(other, node)
                links = [(int(each.parent[node]), int(each.port[node])) for each in (one, other)]
                assert links[0] != links[1]
    return len(trees)


@pytest.mark.parametrize(
    ("spec", "trees", "height"),
    [
        ("star:4", 3, 6),
        ("uhc:4", 2, 6),
        ("uhc:6", 3, 8),
        ("hypercube:4", 4, 5),
        ("mesh:4,4", 2, 6),
        ("complete:5", 4, 2),
        pytest.param("hypercube:6", 6, 7, marks=pytest.mark.ci),
        pytest.param("star:5", 4, 8, marks=pytest.mark.ci),
        pytest.param("star:6", 5, 9, marks=pytest.mark.slow),
    ],
)
def test_they_are_as_many_and_as_low_as_can_be(spec: str, trees: int, height: int) -> None:
    network = build_network(spec)
    assert check(network, 0) == most_ways(network, 0) == trees
    assert build_trees(spec, "independent").height == height


@pytest.mark.parametrize("spec", ["star:5", "uhc:6", "torus:4,4", "complete:5", "hypercube:4"])
def test_a_turn_is_a_map_onto_itself_that_passes_all_links_of_the_root(spec: str) -> None:
    network = build_network(spec)
    turn = network.find_turn(3)
    assert turn is not None
    nodes, _ = turn
    assert nodes[3] == 3
    graph = networkx.DiGraph(
        (node, int(end)) for node in range(network.nodes) for end in network.neighbour[node]
    )
    assert {(nodes[one], nodes[other]) for one, other in graph.edges} == set(graph.edges)
    cycle = [first := next(iter(graph[3]))]
    while (following := nodes[cycle[-1]]) != first:
        cycle.append(following)
    assert set(cycle) == set(graph[3])


@pytest.mark.parametrize("spec", ["pancake:4", "bubble-sort:4", "mesh:3,3"])
def test_of_others_there_is_none(spec: str) -> None:
    assert build_network(spec).find_turn(1) is None


def test_what_is_too_large_is_refused() -> None:
    with pytest.raises(InputError, match="star:7 is too large for an exact search; use"):
        build_trees("star:7", "independent")


@given(strong_graphs())
@settings(max_examples=15)
def test_any_graph_has_some_from_any_root(network: Network) -> None:
    simple = networkx.DiGraph(
        (node, int(network.neighbour[node, port]))
        for node, port in np.argwhere(network.neighbour != ABSENT).tolist()
    )
    for root in (0, network.nodes - 1):
        count = check(network, root)
        assert 1 <= count <= most_ways(network, root)
        for node in set(range(network.nodes)) - {root, *simple[root]}:
            assert count <= networkx.node_connectivity(simple, root, node)
