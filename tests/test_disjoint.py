"""Trees from one root without a common link: as many as can be, against networkx, and low."""

from itertools import combinations, product
from random import Random

import networkx
import numpy as np
import pytest
from helpers import strong_graphs
from hypothesis import given, settings

from noc.networks import ABSENT, Network, build_network
from noc.research.papers.faults import broadcast_blocks
from noc.trees import NO_PARENT, TreeFamily, build_trees
from noc.trees.disjoint import least_height, most_trees

SPECS = (
    *("star:3", "star:4", "uhc:4", "uhc:5", "uhc:4,negative", "hypercube:4", "scc:3", "ccc:3"),
    *("mesh:3,4", "torus:3,3", "nk-star:4,2", "arrangement:4,2", "incomplete-star:4,3"),
    *("tree:2,2", "best:9", "complete:5", "ring:2", "pancake:4"),
)


def links_of(trees: TreeFamily) -> list[tuple[int, int]]:
    """Every link of every tree."""
    return [
        (int(tree.parent[node]), int(tree.port[node]))
        for tree in trees.trees
        for node in np.flatnonzero(tree.parent != NO_PARENT)
    ]


def fewest_that_part(network: Network, root: int) -> int:
    """How many links must fail before some node is cut off from the root, by networkx."""
    graph = networkx.DiGraph()
    for node, port in np.argwhere(network.neighbour != ABSENT).tolist():
        ends = node, int(network.neighbour[node, port])
        known = graph.get_edge_data(*ends, {"capacity": 0})["capacity"]
        graph.add_edge(*ends, capacity=known + 1)
    others = (node for node in range(network.nodes) if node != root)
    return min(networkx.maximum_flow_value(graph, root, node) for node in others)


def check(network: Network, root: int) -> TreeFamily:
    """The trees from a root, which share no link and are as many as can be."""
    trees = build_trees(network, "disjoint", root=root).check()
    links = links_of(trees)
    assert len(set(links)) == len(links) == len(trees.trees) * (network.nodes - 1)
    assert len(trees.trees) == most_trees(network, root) == fewest_that_part(network, root)
    assert trees.height >= least_height(network, root, len(trees.trees))
    return trees


@pytest.mark.cases(14)
@pytest.mark.parametrize("spec", SPECS)
def test_there_are_as_many_trees_as_links_that_have_to_fail(spec: str) -> None:
    network = build_network(spec)
    for root in {0, network.nodes - 1}:
        check(network, root)


@pytest.mark.ci
@given(strong_graphs())
@settings(max_examples=40)
def test_any_graph_has_as_many_from_any_root(network: Network) -> None:
    for root in range(network.nodes):
        check(network, root)


@given(strong_graphs())
@settings(max_examples=20)
def test_no_trees_are_lower_than_the_floor(network: Network) -> None:
    """All pairs of trees of small graphs."""
    if network.nodes > 5 or most_trees(network, 0) < 2:
        return
    into = [np.argwhere(network.neighbour == node).tolist() for node in range(1, network.nodes)]
    single = [links for links in product(*into) if height(network, links) is not None]
    heights = [
        max(height(network, one), height(network, other))
        for one, other in combinations(single, 2)
        if not {tuple(link) for link in one} & {tuple(link) for link in other}
    ]
    assert least_height(network, 0, 2) <= min(heights) <= build_trees(network, "disjoint").height


def height(network: Network, links: tuple[list[int], ...]) -> int | None:
    """Of the tree from node 0 whose other nodes receive over these links; None if it is none."""
    parents = [0, *(start for start, _ in links)]
    depths = []
    for node in range(network.nodes):
        depth, at = 0, node
        while at and depth <= network.nodes:
            depth, at = depth + 1, parents[at]
        depths.append(depth)
    return max(depths) if max(depths) < network.nodes else None


@pytest.mark.parametrize(
    ("spec", "trees", "lowest"),
    [
        # As low as can be: the floor is met.
        ("star:3", 2, 5),
        ("star:4", 3, 6),
        ("uhc:4", 2, 6),
        # The paper's have heights 10 and 12.
        ("uhc:6", 3, 8),
        pytest.param("uhc:8", 4, 11, marks=pytest.mark.slow),
        ("hypercube:4", 4, 5),
        ("hypercube:6", 6, 7),
        ("mesh:8,8", 2, 14),
        pytest.param("star:5", 4, 9, marks=pytest.mark.slow),
    ],
)
def test_they_are_low(spec: str, trees: int, lowest: int) -> None:
    built = build_trees(spec, "disjoint")
    assert (len(built.trees), built.height) == (trees, lowest)


def test_those_of_uhc_are_no_higher_than_the_papers() -> None:
    for n in (4, 6):
        ours, papers = (build_trees(f"uhc:{n}", name) for name in ("disjoint", "adst"))
        assert len(ours.trees) == len(papers.trees)
        assert ours.height <= papers.height


@pytest.mark.parametrize("spec", ["star:4", "hypercube:4", "mesh:4,4", "arrangement:4,2"])
def test_copies_on_all_of_them_survive_dead_links_of_one_less(spec: str) -> None:
    network = build_network(spec)
    trees = build_trees(network, "disjoint")
    arcs = np.argwhere(network.neighbour != ABSENT)
    chance = Random(1)
    for _ in range(20):
        dead = [tuple(arcs[at]) for at in chance.sample(range(len(arcs)), len(trees.trees) - 1)]
        assert broadcast_blocks(trees, len(dead), faulty_nodes=[], faulty_links=dead).complete


def test_faults_are_played_on_them_where_no_paper_has_any(cli) -> None:
    shown = cli.facts("steps", "faults", "star:4", "--faulty-link", "1234", "2134")
    assert (shown["algorithm"], shown["ready"], shown["complete"]) == ("disjoint", 2, True)
    assert shown["fewest_copies"] == 2


def test_the_command_prints_the_floor(cli) -> None:
    shown = cli.facts("tree", "star:4", "--algorithm", "disjoint")
    assert (shown["height"], shown["floor"], shown["congestion"]) == (6, 6, 1)
    assert len(shown["trees"]) == 3
    assert "floor       6" in cli.out("tree", "uhc:4", "--algorithm", "adst", "--no-edges")
