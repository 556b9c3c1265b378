"""The trees of the (n,k)-star paper: heights, distances, parents, the n - 1 turned trees."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noc.networks import build_network
from noc.networks.permutations import arrangements
from noc.research.papers.tables.nk_star.runs import diameter, dimensions, rotated_trees
from noc.trees.nk_star import greedy, multiple
from noc.trees.tree import NO_PARENT

SIZES = [(n, k) for n in range(2, 8) for k in range(1, n)]
sizes = st.sampled_from(SIZES)


@pytest.mark.parametrize(("n", "k"), SIZES)
@pytest.mark.parametrize("ports", ["all", "one"])
def test_greedy_is_a_shortest_path_tree_from_any_root(n, k, ports) -> None:
    net = build_network(f"nk-star:{n},{k}")
    for root in {0, net.nodes - 1, *np.random.default_rng(n * k).integers(0, net.nodes, 3)}:
        built = greedy(net, int(root), ports)
        assert (built.depth == net.distances(int(root))).all()
        assert built.height == diameter(n, k) == net.eccentricity(int(root))


def _distance_as_printed(label: str, k: int) -> int:
    """Cycle by cycle on the string, with 1…k the root's symbols: no arrays, no shared code."""
    place = {int(symbol): index + 1 for index, symbol in enumerate(label)}
    hops, with_first, external, seen = 0, "none", 0, set()
    for start in [position for position in range(1, k + 1) if int(label[position - 1]) > k]:
        chain = [start]
        while chain[-1] in place:
            chain.append(place[chain[-1]])
        seen |= set(chain)
        external += 1
        hops += len(chain) + 1
        with_first = "external" if 1 in chain else with_first
    for start in set(range(1, k + 1)) - seen:
        cycle = [start]
        while (following := place[cycle[-1]]) != start:
            cycle.append(following)
        if len(cycle) > 1 and start == min(cycle):
            hops += len(cycle) + 1
            with_first = "internal" if 1 in cycle else with_first
    first = {"none": external > 0, "internal": (external > 0) - 2, "external": -1}
    return hops + int(first[with_first])


@pytest.mark.parametrize(("n", "k"), [(5, 2), (5, 3), (5, 4), (6, 4)])
def test_distances_by_cycles_on_strings(n, k) -> None:
    net = build_network(f"nk-star:{n},{k}")
    by_string = [_distance_as_printed(net.label(node), k) for node in range(net.nodes)]
    assert by_string == net.distances(0).tolist()


PARENTS = [
    # First symbol at home: it goes to the first wrong position (condition 1).
    ("nk-star:4,3", "132", "312"),
    # A home symbol in front goes home (condition 2).
    ("nk-star:4,3", "312", "213"),
    ("nk-star:4,2", "24", "42"),
    # n = k + 1: the one outside symbol is fetched (condition 3).
    ("nk-star:4,3", "412", "312"),
    # A stranger in front fetches the symbol that another stranger keeps away (condition 4):
    # 2 for position 2, and 1, which closes the first position's own cycle, only at the end.
    ("nk-star:4,2", "34", "24"),
    ("nk-star:4,2", "42", "12"),
    ("nk-star:7,3", "567", "267"),
    ("nk-star:7,3", "527", "327"),
]


@pytest.mark.parametrize(("spec", "label", "parent"), PARENTS)
def test_definition_3_by_hand(spec, label, parent) -> None:
    net = build_network(spec)
    built = greedy(net, 0, "all")
    assert net.label(int(built.parent[net.node(label)])) == parent


@given(sizes, st.data())
@settings(max_examples=40)
def test_greedy_follows_the_proof_of_theorem_6(size, data) -> None:
    net = build_network(f"nk-star:{size[0]},{size[1]}")
    root = data.draw(st.integers(0, net.nodes - 1))
    node = data.draw(st.integers(0, net.nodes - 1).filter(lambda drawn: drawn != root))
    symbols = arrangements(*size)
    here, there = symbols[:, node].tolist(), symbols[:, root].tolist()
    parent = symbols[:, int(greedy(net, root, "all").parent[node])].tolist()
    if here[0] in there:
        home = there.index(here[0])
        wrong = [p for p in range(1, size[1]) if here[p] != there[p]]
        swap = home or wrong[0]
        here[0], here[swap] = here[swap], here[0]
        assert parent == here
    else:
        assert parent[1:] == here[1:]
        assert parent[0] in there


@given(sizes, st.data())
@settings(max_examples=30)
def test_turned_trees_are_the_rotated_trees_from_one_root(size, data) -> None:
    net = build_network(f"nk-star:{size[0]},{size[1]}")
    root = data.draw(st.integers(0, net.nodes - 1))
    family = multiple(net, root, "all")
    assert len(family.trees) == size[0] - 1
    assert family.height <= 2 * diameter(*size)
    for turned, rotated in zip(family.trees, rotated_trees(net, root, "all"), strict=True):
        assert turned.root == root
        assert _links(turned) == _links(rotated)


def _links(built) -> set[frozenset[int]]:
    child = np.flatnonzero(built.parent != NO_PARENT)
    return {frozenset(pair) for pair in zip(child.tolist(), built.parent[child], strict=True)}


CONGESTION = [(4, 1, 1, 1), (4, 2, 2, 2), (4, 3, 2, 2), (5, 3, 2, 3), (6, 3, 2, 3), (7, 4, 3, 3)]


@pytest.mark.parametrize(("n", "k", "rotated", "turned"), CONGESTION)
def test_congestion(n, k, rotated, turned) -> None:
    net = build_network(f"nk-star:{n},{k}")
    family = multiple(net, 0, "all")
    uses = np.zeros(net.neighbour.shape, dtype=int)
    for built in rotated_trees(net, 0, "all"):
        child = np.flatnonzero(built.parent != NO_PARENT)
        np.add.at(uses, (built.parent[child], built.port[child]), 1)
    assert (uses.max(), family.congestion) == (rotated, turned)


@pytest.mark.parametrize(("n", "k"), SIZES)
def test_in_a_dimension_everybody_sends_and_receives_once(n, k) -> None:
    net = build_network(f"nk-star:{n},{k}")
    dimension = dimensions(net)
    for which in range(n - 1):
        sender, port = np.nonzero(dimension == which)
        assert (sender == np.arange(net.nodes)).all()
        assert (np.sort(net.neighbour[sender, port]) == np.arange(net.nodes)).all()


def test_a_large_one() -> None:
    net = build_network("nk-star:9,6")
    built = greedy(net, net.nodes // 3, "all")
    assert (net.nodes, built.height) == (60480, 10)
    assert (built.depth == net.distances(built.root)).all()
