"""The tree itself: what it knows, and that its check can fail."""

import json
import re
from dataclasses import replace

import networkx
import numpy as np
import pytest
from helpers import distances
from hypothesis import given, settings
from hypothesis import strategies as st

from noc.cli import main
from noc.errors import CheckError, InputError
from noc.networks import FAMILIES, build_network
from noc.trees import Algorithm, Ports, Tree, algorithms_on, build_tree, build_trees, to_networkx
from noc.trees.tree import earliest

EXAMPLES = [family.example for family in FAMILIES.values() if family.name != "file"]


@pytest.mark.ci
@given(st.sampled_from(EXAMPLES), st.sampled_from(["all", "one"]), st.data())
@settings(max_examples=30)
def test_shortest_has_the_height_of_the_eccentricity(spec: str, ports, data) -> None:
    net = build_network(spec)
    root = data.draw(st.integers(0, net.nodes - 1))
    built = build_tree(net, root=root, ports=ports)
    assert built.depth.tolist() == distances(net, root)
    assert built.root == root


LEAST_STEPS = [
    ("ring:9", 5), ("complete:8", 3), ("complete:9", 4), ("torus:4,4", 4), ("mesh:4,4", 6),
    ("mesh:2,2,2", 3), ("tree:1,5", 5), ("tree:3,2", 6), ("pancake:4", 5), ("bubble-sort:3", 3),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "steps"), LEAST_STEPS)
def test_fewest_steps_on_the_plain_families(spec: str, steps: int) -> None:
    """From a corner, the root or any node: known from the theory, or by the floor."""
    assert build_tree(build_network(spec), "fewest-steps", ports="one").steps == steps


#: On a small network of each family that it is defined on.
EVERY = [
    (spec, algorithm, ports)
    for spec in (*EXAMPLES, "scc:5", "ccc:4", "uhc:5", "incomplete-star:5,3", "arrangement:5,2")
    for algorithm in algorithms_on(build_network(spec))
    for ports in algorithm.models
    if (spec, algorithm.name) not in (("uhc:5", "adst"), ("scc:5", "independent"))
]


@pytest.mark.cases(15, ci=40)
@pytest.mark.parametrize(("spec", "algorithm", "ports"), EVERY)
def test_every_algorithm_from_any_root(spec: str, algorithm: Algorithm, ports: Ports) -> None:
    net = build_network(spec)
    first = build_trees(net, algorithm.name, ports=ports)
    for root in (1, net.nodes // 2, net.nodes - 1):
        family = build_trees(net, algorithm.name, root=root, ports=ports).check()
        assert {tree.root for tree in family.trees} == {root}
        assert family.trees[0].ports == ports
        # As many as links must fail to cut the root off, which may differ from root to root.
        assert len(family.trees) == len(first.trees) or algorithm.name in (
            "disjoint",
            "independent",
        )
        if net.symmetric:
            assert (family.steps, family.height) == (first.steps, first.height)
        for tree in family.trees:
            assert sum(tree.branch_sizes.values()) == net.nodes - 1


def broken(built: Tree, field: str, node: int, value: int) -> Tree:
    values = getattr(built, field).copy()
    values[node] = value
    return replace(built, **{field: values})


FAULTS = [
    ("parent", 5, -1, "1 nodes receive nothing"),
    ("parent", 5, 7, "follows no link"),
    ("port", 5, 2, "follows no link"),
    ("step", 5, 0, "before it has received"),
    ("step", 0, 1, "the root has"),
]


@pytest.mark.parametrize(("field", "node", "value", "message"), FAULTS)
def test_check_notices(field: str, node: int, value: int, message: str) -> None:
    built = build_tree(build_network("star:4"), "balanced")
    with pytest.raises(CheckError, match=message):
        broken(built, field, node, value).check()


def test_check_notices_a_circle() -> None:
    built = build_tree(build_network("hypercube:3"))
    parent, port, step = built.parent.copy(), built.port.copy(), built.step.copy()
    parent[[6, 7]], port[[6, 7]], step[[6, 7]] = [7, 6], 0, [9, 8]
    with pytest.raises(CheckError, match=r"a node sends before|not every node"):
        replace(built, parent=parent, port=port, step=step).check()


def test_check_notices_two_sends_in_one_step() -> None:
    with pytest.raises(CheckError, match="twice in one step"):
        replace(build_tree("star:4"), ports="one").check()


def naive_need(children: dict[int, list[int]], node: int) -> int:
    needs = sorted((naive_need(children, child) for child in children[node]), reverse=True)
    return max((turn + need for turn, need in enumerate(needs, start=1)), default=0)


@given(st.integers(1, 40), st.randoms(use_true_random=False))
def test_one_port_steps_are_the_fastest_for_the_tree(size: int, random) -> None:
    parent = np.array([-1] + [random.randrange(node) for node in range(1, size)])
    children = {node: np.flatnonzero(parent == node).tolist() for node in range(size)}
    assert earliest(parent, 0, "one").max() == naive_need(children, 0)


REFUSED = [
    ("star:4", "nope", "all", "^algorithm 'nope' is unknown; star:4 has: shortest"),
    ("scc:4", "balanced", "all", "^algorithm='balanced': is not defined on scc:4; it works"),
    ("uhc:4", "adst", "one", "^algorithm 'adst' has no one-port form; ports=.all. is allowed"),
    ("arrangement:4,2", "distributed", "all", "has no all-port form"),
    ("uhc:4", "adst", None, "^algorithm 'adst' gives 2 trees: build_trees builds th"),
    ("uhc:5", "adst", None, "^network 'uhc:5': adst needs an even n, because"),
]


@pytest.mark.parametrize(("spec", "algorithm", "ports", "message"), REFUSED)
def test_refused(spec: str, algorithm: str, ports, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build_tree(build_network(spec), algorithm, ports=ports)


def test_a_family_has_the_facts_of_its_worst_tree() -> None:
    family = build_trees("nk-star:4,2", "multiple")
    assert (len(family.trees), family.root) == (3, 0)
    assert family.height == max(member.height for member in family.trees)
    assert family.steps == max(member.steps for member in family.trees)
    assert family.balance == max(member.balance for member in family.trees) > 1


def test_one_tree_is_a_family_and_one_model_needs_no_word() -> None:
    (alone,) = build_trees("star:4").trees
    assert np.array_equal(alone.parent, build_tree("star:4").parent)
    assert build_tree("arrangement:4,2", "distributed").ports == "one"


@pytest.mark.parametrize(("spec", "algorithm"), [("uhc:4", "adst"), ("scc:3", "even")])
def test_trees_go_to_networkx_and_files(spec: str, algorithm: str, tmp_path, cli) -> None:
    family = build_trees(spec, algorithm)
    net, graph = family.network, to_networkx(family)
    assert graph.graph["root"] == net.label(family.root)
    for place, tree in enumerate(family.trees):
        edges = [edge for edge in graph.edges(data=True) if edge[2]["tree"] == place]
        alone = networkx.DiGraph((tail, head) for tail, head, _ in edges)
        assert networkx.is_arborescence(alone)
        assert len(alone) == net.nodes
        for tail, head, data in edges:
            node, child = net.node(tail), net.node(head)
            port = net.out_ports.index(data["out"])
            assert (tree.parent[child], tree.port[child], tree.step[child]) == (
                (node, port, data["step"])
            )
            assert net.neighbour[node, port] == child
            assert net.in_ports[net.arrival[node, port]] == data["in"]
    command = ["tree", spec, "--algorithm", algorithm]
    files = {end: tmp_path / f"tree.{end}" for end in ("json", "graphml", "dot")}
    for path in files.values():
        cli.out(*command, "-o", path)
    listed = json.loads(files["json"].read_text())
    assert listed.items() <= cli.facts(*command).items()
    read = networkx.read_graphml(files["graphml"], force_multigraph=True)
    assert sorted(read.edges(data="step")) == sorted(graph.edges(data="step"))
    drawn = re.findall(r'"(.+)" -> "(.+)" \[.*label="(\d+)"\]', files["dot"].read_text())
    assert sorted(drawn) == sorted((t, h, str(step)) for t, h, step in graph.edges(data="step"))
    assert main([*command, "--csv", "-o", str(files["dot"])]) == 2
