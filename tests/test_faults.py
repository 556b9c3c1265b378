"""Blocks on arc-disjoint trees: any n/2-1 faults are survived, one more need not be."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noc.errors import InputError
from noc.networks import build_network
from noc.research.papers.faults import blocks_on, broadcast_blocks
from noc.trees import TreeFamily, build_trees


def family(spec: str, root: int = 0) -> TreeFamily:
    return build_trees(spec, "adst", root=root)


def all_links(built: TreeFamily) -> list[tuple[int, int]]:
    return [(v, p) for v in range(built.network.nodes) for p in range(built.network.ports)]


def test_every_block_is_on_as_many_trees_as_each_tree_has_blocks() -> None:
    assert [blocks_on(j, 4, 1) for j in range(4)] == [[0, 1], [1, 2], [2, 3], [3, 0]]
    assert [sorted(blocks_on(j, 3, 2)) for j in range(3)] == [[0, 1, 2]] * 3


@pytest.mark.parametrize("polarity", ["", ",negative"])
def test_uhc_4_survives_every_single_fault(polarity: str) -> None:
    built = family(f"uhc:4{polarity}")
    for link in all_links(built):
        assert broadcast_blocks(built, 1, faulty_links=[link]).complete
    for node in range(1, 16):
        assert broadcast_blocks(built, 1, faulty_nodes=[node]).complete


@given(st.sampled_from(["uhc:6", "uhc:8", "uhc:10", "uhc:6,negative"]), st.data())
def test_survives_as_many_faults_as_it_is_ready_for(spec: str, data) -> None:
    root = data.draw(st.integers(0, build_network(spec).nodes - 1))
    built = family(spec, root)
    faults = data.draw(st.integers(0, len(built.trees) - 1))
    healthy = [node for node in range(built.network.nodes) if node != root]
    either = st.one_of(st.sampled_from(healthy), st.sampled_from(all_links(built)))
    faulty = data.draw(st.lists(either, max_size=faults, unique=True))
    nodes = [fault for fault in faulty if isinstance(fault, int)]
    links = [fault for fault in faulty if not isinstance(fault, int)]
    got = broadcast_blocks(built, faults, faulty_nodes=nodes, faulty_links=links)
    assert got.missing == []
    assert (got.copies[:, nodes] == 0).all()


@pytest.mark.parametrize(("n", "faults"), [(2, 0), (4, 0), (4, 1), (6, 2), (8, 1), (10, 4)])
def test_without_faults_each_block_comes_once_by_each_of_its_trees(n: int, faults: int) -> None:
    built = family(f"uhc:{n}")
    got = broadcast_blocks(built, faults)
    assert (got.copies == faults + 1).all()
    assert got.steps == built.height


def test_two_links_can_defeat_readiness_for_one() -> None:
    built = family("uhc:4")
    defeats = [
        links
        for links in combinations(all_links(built), 2)
        if not broadcast_blocks(built, 1, faulty_links=links).complete
    ]
    assert ((0, 0), (0, 1)) in defeats
    assert 0 < len(defeats) < 496


@given(st.sampled_from(["uhc:6", "uhc:8"]), st.integers(1, 63), st.integers(0, 2))
def test_one_cut_on_each_path_of_a_block_defeats(spec: str, node: int, faults: int) -> None:
    built = family(spec)
    carriers = [j for j in range(len(built.trees)) if 0 in blocks_on(j, len(built.trees), faults)]
    cuts = [(int(built.trees[j].parent[node]), int(built.trees[j].port[node])) for j in carriers]
    assert len(cuts) == faults + 1
    assert (0, node) in broadcast_blocks(built, faults, faulty_links=cuts).missing
    assert broadcast_blocks(built, faults, faulty_links=cuts[1:]).complete


def test_missing_names_the_block_and_the_node() -> None:
    built = family("uhc:4")
    (link,) = [(int(t.parent[5]), int(t.port[5])) for t in built.trees[:1]]
    got = broadcast_blocks(built, 0, faulty_links=[link])
    assert (0, 5) in got.missing
    assert {block for block, _ in got.missing} == {0}
    assert np.flatnonzero(~got.healthy).size == 0


@pytest.mark.parametrize("faults", [2, -1])
def test_unready_for_so_many_faults(faults: int) -> None:
    with pytest.raises(InputError, match="2 trees of adst survive at most 1 faults"):
        broadcast_blocks(family("uhc:4"), faults)


def test_trees_that_share_links_are_refused() -> None:
    built = family("uhc:4")
    with pytest.raises(InputError, match="share their root and no link"):
        broadcast_blocks(replace(built, trees=built.trees[:1] * 2), 1)


BAD = [
    (
        *([0], []),
        "faulty_nodes='0000': the root must be healthy; choose another node, or another root",
    ),
    ([16], [], "faulty node 16: allowed are 0 to 15"),
    ([], [(3, 2)], "faulty link 3, 2: uhc:4 has no such node and port"),
    ([], [(-1, 0)], "faulty link -1, 0: uhc:4 has no such node and port"),
]


@pytest.mark.parametrize(("nodes", "links", "message"), BAD)
def test_faults_that_are_refused(nodes: list[int], links: list, message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        broadcast_blocks(family("uhc:4"), 1, faulty_nodes=nodes, faulty_links=links)
