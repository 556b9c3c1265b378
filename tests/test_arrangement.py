"""The distributed broadcast against the paper's pseudo-code, run label by label."""

from collections import deque
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noc.errors import CheckError
from noc.networks import Network, build_network
from noc.trees import Tree, arrangement, build_tree
from noc.trees.arrangement import Header, Request, decide

MEMBERS = [(n, k) for n in range(2, 8) for k in range(1, n)]
Label = tuple[int, ...]


@cache
def member(n: int, k: int) -> Network:
    return build_network(f"arrangement:{n},{k}")


def distributed(net: Network, root: int = 0) -> Tree:
    return build_tree(net, "distributed", root=root, ports="one")


def exchanged(whole: Label, i: int, j: int) -> Label:
    """Operator g_ij on a label and its p_out together."""
    symbols = list(whole)
    symbols[i - 1], symbols[j - 1] = symbols[j - 1], symbols[i - 1]
    return tuple(symbols)


def as_printed(l, i, m, ident, n, k, phase_3):  # noqa: E741
    """The paper's Broadcasting_algorithm, statement by statement, as (i, j, l, i, m, ID)."""
    received_m, sent = m, []

    def phase_1(first):
        nonlocal m
        while True:
            m += 1
            i = first - 2 ** (m - 1)
            if i < l + 2:
                return
            sent.append((i, n, l, i, m, 1))

    def phase_2(place):
        nonlocal m
        while True:
            m += 1
            i = place(m)
            if i > n - 1:
                return
            sent.append((l + 1, i, l, i, m, 2))

    own = lambda m: k + 1 + (2 ** (m - 1) - 1) * (k - l)  # noqa: E731
    if ident == 0 and l <= k - 1:
        if l <= k - 2:
            phase_1(k + 1)
        m = 0
        phase_2(own)
        sent.append((l + 1, n, l + 1, 0, 0, 0))
    if ident == 1:
        big = i
        phase_1(big)
        sent.append((l + 1, n, l + 1, 0, 0, 0))
        m = 0
        phase_2(lambda m: k + big - l + (2 ** (m - 1) - 1) * (k - l))
        l, m = phase_3(big), 0  # noqa: E741
        if l < k:
            phase_1(k + 1)
            m = 0
            phase_2(own)
    if ident == 2:
        m, big = received_m, i
        phase_2(lambda m: big + 2 ** (m - 1) * (k - l))
        sent += as_printed(l + 1, 0, 0, 0, n, k, phase_3)
    return sent


def naive(n: int, k: int, source: Label, phase_3=lambda big: big - 1) -> dict[Label, tuple]:
    """For each node its parent and step, from a queue of messages."""
    received = {source[:k]: (None, 0)}
    queue = deque([(source, (0, 0, 0, 0))])
    while queue:
        whole, header = queue.popleft()
        step = received[whole[:k]][1]
        for turn, (i, j, *rest) in enumerate(as_printed(*header, n, k, phase_3), start=1):
            there = exchanged(whole, i, j)
            assert there[:k] not in received
            received[there[:k]] = (whole[:k], step + turn)
            queue.append((there, tuple(rest)))
    return received


def symbols(net: Network, node: int) -> Label:
    return tuple(int(symbol) for symbol in net.label(node))


@pytest.mark.ci
@given(st.sampled_from(MEMBERS), st.data())
def test_same_parents_and_steps_as_the_pseudo_code(size, data) -> None:
    net = member(*size)
    root = data.draw(st.integers(0, net.nodes - 1))
    rest = sorted(set(range(1, size[0] + 1)) - set(symbols(net, root)))
    expected = naive(*size, symbols(net, root) + tuple(rest))
    built = distributed(net, root)
    for node in range(net.nodes):
        parent = None if node == root else symbols(net, int(built.parent[node]))
        assert expected[symbols(net, node)] == (parent, built.step[node])


@pytest.mark.parametrize(
    ("n", "k", "steps"),
    [(5, 2, 6), (4, 2, 5), (5, 3, 9), (6, 3, 10), (6, 4, 13), (7, 4, 14), (8, 1, 4), (7, 6, 17)],
)
def test_steps(n: int, k: int, steps: int) -> None:
    assert distributed(member(n, k)).steps == steps


@given(st.sampled_from(MEMBERS), st.data())
def test_steps_are_the_same_from_every_root(size, data) -> None:
    net = member(*size)
    root = data.draw(st.integers(0, net.nodes - 1))
    assert distributed(net, root).check().steps == distributed(net).steps


@pytest.mark.parametrize(("n", "k", "missed"), [(5, 2, 2), (7, 4, 251)])
def test_phase_3_as_printed_misses_nodes(n: int, k: int, missed: int) -> None:
    reached = naive(n, k, tuple(range(1, n + 1)), phase_3=lambda big: big)
    assert member(n, k).nodes - len(reached) == missed


def test_labels_of_two_symbols_of_two_digits() -> None:
    net = build_network("arrangement:11,2")
    assert net.nodes == 110
    assert distributed(net, net.node("11.3")).steps == distributed(net).steps


def column(*symbols: int) -> np.ndarray:
    return np.array(symbols, dtype=np.uint8)[:, None]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            lambda sends: [send for send in sends for _ in range(2)],
            r": \d\d receives twice from 12$",
        ),
        (lambda sends: sends[:-1], "nodes receive nothing"),
    ],
)
def test_other_sends_are_noticed(monkeypatch, changed, message: str) -> None:
    def decided(request, label):
        p_out, sends = decide(request, label)
        return p_out, changed(sends)

    monkeypatch.setattr(arrangement, "decide", decided)
    with pytest.raises(CheckError, match=message):
        distributed(member(5, 2))


def test_a_decision_depends_on_request_and_label_only() -> None:
    """1437 receives from 1237(564), which received from 1234(567)."""
    request = Request(column(5, 6, 4), Header(0, 2, 2, arrangement.INTERMEDIATE))
    p_out, sends = decide(request, column(1, 4, 3, 7))
    assert p_out[:, 0].tolist() == [5, 6, 2]
    # Into 2437, 6437; in subgraph 1: to p(4) and p(3), then into 15, 16; 17 is served by those.
    assert [(send.position, send.place) for send in sends] == [
        (1, 7), (1, 6), (4, 7), (3, 7), (2, 5)
    ]  # fmt: skip


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_subgraph_of_one_node_needs_no_send(k: int) -> None:
    p_out = column(*range(k + 1, 5))
    request = Request(p_out, Header(k, 0, 0, arrangement.SOURCE))
    assert decide(request, column(*range(1, k + 1)))[1] == []


def test_a_hundred_thousand_nodes() -> None:
    built = distributed(build_network("arrangement:9,7"))
    assert (built.network.nodes, built.steps) == (181440, 28)
