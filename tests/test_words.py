"""The step model: every word arrives once, links and ports are shared, faults lose copies."""

import numpy as np
import pytest
from helpers import children
from hypothesis import given
from hypothesis import strategies as st

from noc.errors import CheckError
from noc.model.steps import LOST, Word, run
from noc.networks import build_network
from noc.trees import build_tree

NETWORKS = ["star:4", "scc:3", "uhc:5", "hypercube:3", "nk-star:4,2"]


def naive(net, words) -> list[dict[int, int]]:
    """The all-port model with lists: each link takes the word that has waited longest."""
    received = [{word.tree.root: word.release} for word in words]
    queues = [children(word.tree) for word in words]
    step = 0
    while any(len(known) < net.nodes for known in received):
        step += 1
        busy: set[tuple[int, int]] = set()
        waiting = [
            (known[node], int(words[index].tree.step[child]), index, node, port, child)
            for index, known in enumerate(received)
            for node, sends in queues[index].items()
            for port, child in sends
            if node in known and known[node] < step and child not in known
        ]
        for _, _, index, node, port, child in sorted(waiting):
            if (node, port) not in busy:
                busy.add((node, port))
                received[index][child] = step
    return received


@given(st.sampled_from(NETWORKS), st.data())
def test_all_port_equals_the_naive_model(spec: str, data) -> None:
    net = build_network(spec)
    draw = data.draw(
        st.lists(
            st.tuples(st.integers(0, net.nodes - 1), st.integers(0, 3)), min_size=1, max_size=5
        )
    )
    words = [Word(build_tree(net, root=root), release) for root, release in draw]
    expected = naive(net, words)
    got = run(net, words, "all").received
    assert [dict(enumerate(row)) for row in got.tolist()] == [
        dict(sorted(known.items())) for known in expected
    ]


@given(st.sampled_from(NETWORKS), st.integers(1, 6), st.booleans())
def test_one_port_sends_and_receives_once_a_step(spec: str, count: int, combine: bool) -> None:
    net = build_network(spec)
    words = [Word(build_tree(net, root=root % net.nodes, ports="one")) for root in range(count)]
    got = run(net, words, "one", combine=combine)
    assert (got.received != LOST).all()
    sends, receipts = set(), set()
    for index, word in enumerate(words):
        for node in range(net.nodes):
            if node != word.tree.root:
                step = int(got.received[index, node])
                sends.add((int(word.tree.parent[node]), step, -1 if combine else index, node))
                receipts.add((node, step, -1 if combine else index))
    if not combine:
        assert len({(node, step) for node, step, _, _ in sends}) == len(sends)
        assert len({(node, step) for node, step, _ in receipts}) == len(receipts)


@given(st.sampled_from(NETWORKS), st.sampled_from(["all", "one"]))
def test_a_single_word_takes_the_steps_of_its_tree(spec: str, ports) -> None:
    net = build_network(spec)
    built = build_tree(net, ports=ports)
    assert run(net, [Word(built)], ports).steps == built.steps


def test_pipelined_words_follow_each_other() -> None:
    net = build_network("star:4")
    built = build_tree(net)
    got = run(net, [Word(built, release) for release in range(10)], "all")
    assert got.steps == built.height + 9
    assert np.array_equal(
        got.received - got.received[:1], np.repeat(np.arange(10), 24).reshape(10, 24)
    )


def test_loads_count_words_and_packets_count_steps() -> None:
    net = build_network("hypercube:3")
    words = [Word(build_tree(net)) for _ in range(4)]
    apart, together = (run(net, words, "all", combine=combine) for combine in (False, True))
    assert apart.load.sum() == together.load.sum() == 4 * 7
    assert (apart.packets.sum(), together.packets.sum()) == (28, 7)


@pytest.mark.parametrize("fault", [{"faulty_nodes": [6]}, {"faulty_links": [(0, 0)]}], ids=str)
def test_a_fault_cuts_off_what_is_behind_it(fault) -> None:
    net = build_network("star:4")
    built = build_tree(net)
    assert (net.label(6), built.parent[6], built.port[6]) == ("2134", 0, 0)
    got = run(net, [Word(built)], "all", **fault)
    assert (got.received == LOST).sum() == built.branch_sizes[0]


def test_a_foreign_tree_is_refused() -> None:
    with pytest.raises(CheckError, match="simulated network"):
        run(build_network("star:4"), [Word(build_tree(build_network("star:4")))], "all")
