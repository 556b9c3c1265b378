"""The arc-disjoint trees: disjoint in links and in inner nodes, as low as printed, any root."""

from collections.abc import Iterator

import pytest
from helpers import count_subtrees
from hypothesis import given
from hypothesis import strategies as st

from noc.errors import InputError
from noc.networks import Network, build_network
from noc.trees import Tree, TreeFamily, build_tree, build_trees

HEIGHTS = [(2, 3), (4, 6), (6, 10), (8, 12), (10, 16), (12, 18), (14, 22)]
SMALL = ["uhc:2", "uhc:4", "uhc:6", "uhc:8", "uhc:4,negative", "uhc:6,negative"]


def family(spec: str, root: int = 0) -> TreeFamily:
    return build_trees(spec, "adst", root=root)


def links(built: Tree) -> Iterator[tuple[int, int]]:
    return ((int(built.parent[v]), v) for v in range(built.network.nodes) if v != built.root)


def inner_nodes(built: Tree, node: int) -> set[int]:
    """The nodes between the root and a node."""
    between = set()
    while (node := int(built.parent[node])) != built.root:
        between.add(node)
    return between


@pytest.mark.parametrize("polarity", ["", ",negative"])
@pytest.mark.parametrize(("n", "height"), HEIGHTS)
def test_height_and_number(n: int, height: int, polarity: str) -> None:
    built = family(f"uhc:{n}{polarity}")
    assert [member.height for member in built.trees] == [height] * (n // 2)
    assert built.congestion == 1


@given(st.sampled_from(SMALL), st.data())
def test_disjoint_from_every_root(spec: str, data) -> None:
    root = data.draw(st.integers(0, build_network(spec).nodes - 1))
    trees = family(spec, root).trees
    used = [link for member in trees for link in links(member)]
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
        assert {v: u for u, v in links(member)} == parent


@pytest.mark.parametrize(("n", "states"), [(2, 4), (4, 12), (6, 21), (8, 30), (10, 39)])
def test_states(n: int, states: int) -> None:
    assert {count_subtrees(member) for member in family(f"uhc:{n}").trees} == {states}


def test_odd_n_is_refused() -> None:
    with pytest.raises(InputError, match=r"^network 'uhc:5': adst needs an even n, because"):
        family("uhc:5")


def test_one_port_is_refused() -> None:
    with pytest.raises(InputError, match="has no one-port form; ports='all' is allowed"):
        build_tree(build_network("uhc:4"), "adst", ports="one")
