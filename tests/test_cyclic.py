"""Algorithms 4 and 5 on SCC and CCC, the cyclic sequences, and messages in a pipeline."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from noc.networks import build_network
from noc.networks.cycles import LATERAL, LEFT, RIGHT
from noc.research.papers.tables.scc.claims import pipelined_rounds
from noc.trees import build_tree, rings
from noc.trees.rings import RingBroadcast, rounds


@pytest.mark.parametrize("ports", ["one", "all"])
def test_lateral_steps_carry_laterals_only(ports) -> None:
    net = build_network("scc:6")
    result, plan = build_tree(net, "cyclic", ports=ports), rounds(net, ports)
    child = np.flatnonzero(result.step > 0)
    lateral = result.step[child] % plan.length == 0
    assert np.array_equal(result.port[child] == LATERAL, lateral)


class PrintedNode:
    """One node of Algorithm 4, line by line."""

    def __init__(self, informed: bool) -> None:
        self.informed = informed
        self.done_with_laterals = self.done_with_locals = False
        self.through = "lateral"

    def local(self, j: int) -> str | None:
        if self.done_with_locals or not self.informed:
            return None
        if j == 1:
            return "right"
        self.done_with_locals = True
        return {"lateral": "left", "right": "left", "left": "right"}[self.through]

    def lateral(self) -> str | None:
        if self.done_with_laterals or not self.informed:
            return None
        self.done_with_laterals = True
        return "lateral"

    def hear(self, through: str, known: bool) -> None:
        if not known:
            self.informed, self.through = True, through


def printed_algorithm_4(net, root: int) -> list[set[tuple[int, int]]]:
    """Which (node, port) pairs send at each step."""
    names = net.out_ports
    nodes, steps = [PrintedNode(node == root) for node in range(net.nodes)], []
    n = net.parameters[0]
    for _ in range(3 * (n - 1) // 2):
        for j in [*range(1, n // 2 + 1), 0]:
            asked = [node.local(j) if j else node.lateral() for node in nodes]
            sends = {(v, names.index(name)) for v, name in enumerate(asked) if name}
            known = [node.informed for node in nodes]
            for v, port in sorted(sends, key=lambda send: send[1]):
                there = net.neighbour[v, port]
                through = names[net.arrival[v, port]]
                nodes[there].hear(through, known[there] or nodes[there].informed)
            steps.append(sends)
    return steps


@given(st.integers(0, 71))
def test_arrays_do_what_the_printed_lines_do(root) -> None:
    net = build_network("scc:4")
    message, plan = RingBroadcast(net, root, "one"), rounds(net, "one")
    for turn, expected in zip(plan.turns * plan.count, printed_algorithm_4(net, root), strict=True):
        sends = message.sends(turn)
        assert {(int(v), port) for port, senders in sends for v in senders} == expected
        for port, senders in sends:
            message.receive(senders, port)


# n, steps until the last node has received: the sequences are longer.
SEQUENTIAL = [(3, 6), (4, 16), (5, 30), (6, 48), (7, 70), (8, 96)]


@pytest.mark.parametrize(("n", "steps"), SEQUENTIAL)
def test_sequential(n, steps) -> None:
    result = build_tree(build_network(f"scc:{n}"), "cyclic-sequential", ports="one")
    assert result.steps == steps <= 2 * (n - 1) * (3 * (n - 1) // 2) - 1


@pytest.mark.parametrize("n", range(3, 9))
def test_parallel(n) -> None:
    result = build_tree(build_network(f"scc:{n}"), "cyclic-parallel", ports="one")
    assert result.steps == (n - 1) * (3 * (n - 1) // 2)


def test_lower_port_wins_a_tie() -> None:
    net = build_network("scc:5")
    meeting = [{0: LEFT}, {3: LEFT}, {0: RIGHT, 2: LEFT}]
    moves = np.full((3 + 24, 4), rings.IDLE, dtype=np.int8)
    for now, sends in enumerate(meeting):
        for place, port in sends.items():
            moves[now, place] = port
    moves[3:] = np.tile([LATERAL, RIGHT, RIGHT, RIGHT], 6)[:, None]
    result = rings.broadcast(net, "tie", moves, 0)
    assert (result.parent[1], result.port[1], result.step[1]) == (0, RIGHT, 3)


@pytest.mark.parametrize("ring", range(2, 9))
def test_spread_fills_a_ring_in_half_its_length(ring) -> None:
    informed = {0}
    for move in rings.spread(ring, 0):
        senders = [place for place in informed if move[place] != rings.IDLE]
        informed |= {(place + (1 if move[place] == RIGHT else -1)) % ring for place in senders}
    assert informed == set(range(ring))


PIPELINES = [
    ("scc:4", "one"),
    ("scc:5", "one"),
    ("scc:6", "all"),
    ("ccc:4", "one"),
    ("ccc:5", "all"),
]


@pytest.mark.parametrize(("spec", "ports"), PIPELINES)
@pytest.mark.parametrize("messages", [1, 2, 5])
def test_pipelined_messages_arrive_a_round_apart(spec, ports, messages) -> None:
    net = build_network(spec)
    alone, plan = build_tree(net, "cyclic", ports=ports), rounds(net, ports)
    run = pipelined_rounds(net, 0, ports, messages)
    late = plan.length * np.arange(messages)[:, None]
    assert np.array_equal(run.received, alone.step + late)
    assert run.steps == run.schedule == plan.length * (messages - 1 + plan.count)
    assert run.clashes == 0
