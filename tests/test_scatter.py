"""Scatter along any tree, against the step model of single words and against every order."""

import json
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noc.cli import main
from noc.errors import InputError
from noc.model.steps import Word, run
from noc.networks import Network, build_network, from_edges
from noc.research.papers.scatter import Scatter, lower_bound, quickest_tree, scatter
from noc.trees import Tree, build_tree
from noc.trees.tree import NO_PARENT, scheduled

NETWORKS = (
    "star:4",
    "incomplete-star:5,2",
    "incomplete-star:4,3",
    "nk-star:5,2",
    "arrangement:4,2",
    "scc:4",
    "uhc:5",
    "uhc:4",
    "hypercube:5",
    "ccc:3",
)
ORDERS = ("furthest-first", "nearest-first", "numbered")


def single(net: Network, name: str, root: int = 0, ports: str = "all") -> Tree:
    return build_tree(net, name, root=root, ports=ports)


def random_tree(net: Network, root: int, ports: str, seed: int) -> Tree:
    """A spanning tree grown by adding random links."""
    rng = np.random.default_rng(seed)
    parent = np.full(net.nodes, NO_PARENT, dtype=np.int32)
    port, inside = parent.copy(), [root]
    while len(inside) < net.nodes:
        sender, out = int(rng.choice(inside)), int(rng.integers(net.ports))
        there = int(net.neighbour[sender, out])
        if there >= 0 and there != root and parent[there] == NO_PARENT:
            parent[there], port[there] = sender, out
            inside.append(there)
    return scheduled(net, "random", ports, root, parent, port)


def path_to(built: Tree, node: int) -> Tree:
    """The way of one word down the tree."""
    parent = np.full(built.parent.size, NO_PARENT, dtype=np.int32)
    port = parent.copy()
    while node != built.root:
        parent[node], port[node] = built.parent[node], built.port[node]
        node = int(parent[node])
    return Tree(built.network, "path", built.ports, built.root, parent, port, built.depth)


def order_of(sent: Scatter) -> list[int]:
    """The receivers in the order in which the root sends, by the steps that were computed."""
    node = np.flatnonzero(np.arange(sent.received.size) != sent.tree.root)
    left_root = (sent.received - sent.tree.depth)[node]
    return node[np.argsort(left_root, kind="stable")].tolist()


def finish(depths: tuple[int, ...]) -> int:
    """The last arrival of words that leave one a step and have this far to go."""
    return max(turn + depth for turn, depth in enumerate(depths))


@given(
    st.sampled_from(NETWORKS),
    st.sampled_from(("all", "one")),
    st.sampled_from(ORDERS),
    st.integers(0, 10**6),
)
@settings(max_examples=60, deadline=None)
def test_the_step_model_gives_the_same(spec: str, ports: str, order: str, seed: int) -> None:
    net = build_network(spec)
    built = random_tree(net, seed % net.nodes, ports, seed)
    sent = scatter(built, order)
    receivers = order_of(sent)
    outcome = run(net, [Word(path_to(built, node)) for node in receivers], ports)
    assert outcome.received[np.arange(len(receivers)), receivers].tolist() == [
        sent.received[node] for node in receivers
    ]
    assert outcome.steps == sent.steps
    assert sent.load == {p: outcome.load[built.root, p] for p in sent.load}
    assert sent.hops == outcome.load.sum()


@given(st.lists(st.integers(1, 5), min_size=1, max_size=6))
@settings(deadline=None)
def test_no_order_of_one_link_beats_furthest_first(depths: list[int]) -> None:
    best = min(finish(order) for order in permutations(depths))
    assert finish(tuple(sorted(depths, reverse=True))) == best


@given(st.sampled_from(NETWORKS), st.sampled_from(("all", "one")), st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_furthest_first_is_fastest_and_above_the_bound(spec: str, ports: str, seed: int) -> None:
    net = build_network(spec)
    root = seed % net.nodes
    steps = [scatter(random_tree(net, root, ports, seed), order).steps for order in ORDERS]
    least = 1 if ports == "one" else int((net.neighbour[root] >= 0).sum())
    assert lower_bound(net, root, ports) <= steps[0] <= min(steps)
    assert lower_bound(net, root, ports) >= max(
        -(-(net.nodes - 1) // least), net.eccentricity(root)
    )


@pytest.mark.parametrize("n", range(3, 8))
def test_the_balanced_tree_needs_as_many_steps_as_its_largest_branch_has_nodes(n: int) -> None:
    sent = scatter(single(build_network(f"star:{n}"), "balanced"))
    assert sent.steps == max(sent.load.values()) == sum(factorial(i) for i in range(1, n))
    assert sent.lower_bound == -(-(factorial(n) - 1) // (n - 1))


@pytest.mark.parametrize("n", range(3, 8))
def test_one_port_on_a_star_meets_the_bound(n: int) -> None:
    sent = scatter(single(build_network(f"star:{n}"), "balanced", ports="one"))
    assert sent.steps == sent.lower_bound == factorial(n) - 1


def test_star_3_by_hand() -> None:
    """Port 2 of 123 leads to 213, 312, 132; port 3 to 321, 231."""
    net = build_network("star:3")
    sent = scatter(single(net, "balanced"))
    assert sent.load == {0: 3, 1: 2}
    received = {net.label(node): int(sent.received[node]) for node in range(6)}
    assert received == {"123": 0, "132": 3, "312": 3, "213": 3, "231": 2, "321": 2}


def test_near_words_first_cost_steps() -> None:
    built = single(build_network("star:5"), "balanced")
    assert [scatter(built, order).steps for order in ORDERS] == [33, 38, 38]


def test_the_bound_counts_the_way_of_the_far_words() -> None:
    """Node 0 has a leaf and a path of three nodes, with five leaves at its far end.

    Nine words on two ports take 5 steps, but five of them have 4 hops to go: 3 + 3.
    """
    links = [(0, 1), (0, 2), (2, 3), (3, 4), *((4, leaf) for leaf in range(5, 10))]
    broom = from_edges(links, nodes=range(10))
    assert (lower_bound(broom, 0, "all"), lower_bound(broom, 0, "one")) == (6, 9)


def test_an_unknown_order_is_refused() -> None:
    built = single(build_network("star:3"), "shortest")
    with pytest.raises(InputError, match=r"^order 'random' is unknown; allowed: furthest-first"):
        scatter(built, "random")  # type: ignore[arg-type]


@pytest.mark.parametrize("ports", ["all", "one"])
@pytest.mark.parametrize("spec", ["star:4", "star:5", "incomplete-star:4,3", "uhc:4", "mesh:3,3"])
def test_the_quickest_tree_is_no_slower_than_others(spec: str, ports) -> None:
    net = build_network(spec)
    steps = scatter(quickest_tree(net, 1, ports)).steps
    names = ("shortest", "even", "balanced") if "star" in spec else ("shortest", "even")
    assert steps == min(scatter(single(net, name, 1, ports)).steps for name in names)


def test_the_command_takes_the_quickest_tree_and_tells_of_it(capsys) -> None:
    assert main(["steps", "scatter", "star:5", "--json"]) == 0
    out, told = capsys.readouterr()
    assert (json.loads(out)["steps"], json.loads(out)["algorithm"], told) == (32, "even", "")
    assert main(["steps", "scatter", "star:5", "--algorithm", "shortest"]) == 0
    assert capsys.readouterr().err == "hint: --algorithm even takes 32 steps instead of 60\n"
    assert (
        main(["steps", "scatter", "hypercube:3", "--algorithm", "shortest", "--ports", "one"]) == 0
    )
    assert capsys.readouterr().err == ""
