"""The trees of uni-directional hypercubes, against their recursive construction."""

from collections.abc import Iterator

import numpy as np
import pytest
from helpers import count_subtrees, distances
from hypothesis import given
from hypothesis import strategies as st

from noc.errors import CheckError
from noc.networks import Network, build_network
from noc.trees import Tree, TreeFamily, build_tree, build_trees
from noc.trees.growth import Growth, Receipts, Rule, Sends, grow
from noc.trees.uhc import bt2_rule, six_bt3

NAMES = ["bt1", "bt2", "bt3"]
POLARITIES = ["", ",negative"]


def recursive(net: Network, source: int, name: str, low: int, high: int) -> dict[int, int]:
    """The parents in a tree over out-ports ``low`` to ``high - 1``, by divide and conquer."""

    def by(node: int, port: int) -> int:
        return int(net.neighbour[node, port])

    if high == low:
        return {}
    top = high - 1
    if name == "bt3" and high - low >= 3:
        parent = recursive(net, source, "bt2", high - 3, high)
        across = source ^ 0b111111 << 2 * (high - 3)
        parent[by(across, top)] = across
        high -= 3
    else:
        first = by(source, top)
        parent = {first: source, by(first, top): first}
        last = by(source, top - 1) if name == "bt2" and top > low else by(first, top)
        parent[by(last, top)] = last
        high -= 1
    for sub_root in [source, *parent]:
        parent = parent | recursive(net, sub_root, name, low, high)
    return parent


def parents(name: str, spec: str, root: int = 0) -> dict[int, int]:
    built = build_tree(build_network(spec), name, root=root)
    return {v: int(up) for v, up in enumerate(built.parent) if v != root}


@pytest.mark.parametrize("spec", ["uhc:2", "uhc:4", "uhc:6", "uhc:8,negative", "uhc:10", "uhc:12"])
@pytest.mark.parametrize("name", NAMES)
def test_distributed_rule_gives_the_recursive_tree(name: str, spec: str) -> None:
    net = build_network(spec)
    assert parents(name, spec) == recursive(net, 0, name, 0, net.ports)


@given(st.sampled_from(["uhc:4", "uhc:6,negative", "uhc:8"]), st.sampled_from(NAMES), st.data())
def test_even_rule_from_any_source_is_the_translate(spec: str, name: str, data) -> None:
    net = build_network(spec)
    root = data.draw(st.integers(0, net.nodes - 1))
    assert parents(name, spec, root) == recursive(net, root, name, 0, net.ports)


@pytest.mark.ci
@given(st.sampled_from([9, 11, 13]), st.sampled_from(POLARITIES), st.data())
def test_odd_halves_are_the_even_trees(n: int, polarity: str, data) -> None:
    net = build_network(f"uhc:{n}{polarity}")
    root = data.draw(st.integers(0, net.nodes - 1))
    name = data.draw(st.sampled_from(NAMES))
    got = parents(name, net.spec, root)
    (far,) = [v for v, up in got.items() if (v ^ up) >> (n - 1)]
    assert got.pop(far) in (root, int(net.neighbour[root, n // 2 - 1]))
    halves = [recursive(net, source, name, 0, n // 2) for source in (root, far)]
    assert got == halves[0] | halves[1]


@given(st.integers(2, 10), st.sampled_from(POLARITIES), st.data())
def test_bt2_is_as_low_as_any_tree(n: int, polarity: str, data) -> None:
    net = build_network(f"uhc:{n}{polarity}")
    root = data.draw(st.integers(0, net.nodes - 1))
    assert build_tree(net, "bt2", root=root).height == max(distances(net, root))


@pytest.mark.parametrize("name", ["bt1", "bt2"])
@pytest.mark.parametrize("n", [2, 4, 6, 8])
def test_states(name: str, n: int) -> None:
    assert count_subtrees(build_tree(build_network(f"uhc:{n}"), name)) == 3 * n // 2 + 1


def test_six_bt3_differs_from_six_bt2_in_one_node() -> None:
    bt2, bt3 = parents("bt2", "uhc:6"), parents("bt3", "uhc:6")
    moved = {node: (bt2[node], bt3[node]) for node in bt2 if bt2[node] != bt3[node]}
    assert moved == {0b101111: (0b101110, 0b111111)}
    assert six_bt3()[0b111111] == 0b101


def attempt(n: int, rule: Rule) -> Growth:
    growth = Growth.empty(2**n)
    grow(build_network(f"uhc:{n}"), 0, 2 ** (n // 2) - 1, n, rule, growth)
    return growth


def test_algorithm_1_needs_the_missing_case() -> None:
    corrected = bt2_rule(build_network("uhc:6"), 0)

    def as_printed(received: Receipts) -> Sends:
        sends = corrected(received)
        return Sends(np.where(received.tag == received.in_port - 1, 0, sends.ports), sends.tag)

    assert (attempt(6, as_printed).parent < 0).sum() > 1
    assert (attempt(6, corrected).parent < 0).sum() == 1


@pytest.mark.parametrize(("ports", "message"), [(0b11, "receives twice"), (0b100, "it lacks")])
def test_growth_notices(ports: int, message: str) -> None:
    def rule(received: Receipts) -> Sends:
        return Sends(np.full_like(received.node, ports), received.tag)

    with pytest.raises(CheckError, match=message):
        attempt(5, rule)


def test_growth_notices_two_receipts_in_one_round() -> None:
    ports = np.zeros(16, dtype=np.int32)
    ports[[0b0100, 0b0001, 0b0011, 0b0110]] = [0b01, 0b01, 0b01, 0b10]

    with pytest.raises(CheckError, match="uhc:4: 0010 receives twice"):
        attempt(4, lambda received: Sends(ports[received.node], received.tag))


SMALL = ["uhc:2", "uhc:4", "uhc:6", "uhc:8", "uhc:4,negative", "uhc:6,negative"]


def family(spec: str, root: int = 0) -> TreeFamily:
    return build_trees(spec, "adst", root=root)


def arcs_of(built: Tree) -> Iterator[tuple[int, int]]:
    return ((int(built.parent[v]), v) for v in range(built.network.nodes) if v != built.root)


def inner_nodes(built: Tree, node: int) -> set[int]:
    """The nodes between the root and a node."""
    between = set()
    while (node := int(built.parent[node])) != built.root:
        between.add(node)
    return between


@pytest.mark.ci
@given(st.sampled_from(SMALL), st.data())
def test_disjoint_from_every_root(spec: str, data) -> None:
    root = data.draw(st.integers(0, build_network(spec).nodes - 1))
    trees = family(spec, root).trees
    used = [link for member in trees for link in arcs_of(member)]
    assert len(set(used)) == len(used)
    for node in set(range(build_network(spec).nodes)) - {root}:
        between = [inner for member in trees for inner in inner_nodes(member, node)]
        assert len(set(between)) == len(between)


def bt1_of_subcube(net: Network, source: int, ports: list[int]) -> dict[int, int]:
    """BT1 over some out-ports, the first of them first."""
    parent: dict[int, int] = {}
    for place, port in enumerate(ports):
        node = source
        for _ in range(3):
            parent[int(net.neighbour[node, port])] = node
            node = int(net.neighbour[node, port])
            parent |= bt1_of_subcube(net, node, ports[place + 1 :])
    return parent


@pytest.mark.parametrize("spec", SMALL)
def test_members_are_built_as_the_text_says(spec: str) -> None:
    net = build_network(spec)
    for j, member in enumerate(family(spec).trees):
        below = [port % net.ports for port in range(j + net.ports - 1, j, -1)]
        parent, node = {}, 0
        for _ in range(3):
            node, before = int(net.neighbour[node, j]), node
            parent |= {node: before} | bt1_of_subcube(net, node, below)
        own = [v for v in range(1, net.nodes) if v >> 2 * j & 3 == 0]
        parent |= {v: u for u in parent for v in own if net.neighbour[u, j] == v}
        assert {v: u for u, v in arcs_of(member)} == parent


@pytest.mark.parametrize(("n", "states"), [(2, 4), (4, 12), (6, 21), (8, 30), (10, 39)])
def test_states_of_arc_disjoint_trees(n: int, states: int) -> None:
    assert {count_subtrees(member) for member in family(f"uhc:{n}").trees} == {states}
