"""Sliced messages: pipelines down one tree and several, and the best number of slices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noc.errors import CheckError, InputError
from noc.networks import build_network
from noc.research.papers.all_to_all import check_turns, packets_in_turns
from noc.research.papers.cost import LinearCost
from noc.research.papers.slices import best_slicing, pipelined
from noc.research.papers.tables.nk_star.runs import dimensions
from noc.trees import build_tree
from noc.trees.nk_star import multiple

SPECS = ["star:4", "scc:3", "uhc:4", "hypercube:3", "nk-star:4,2", "incomplete-star:4,2"]


@given(st.sampled_from(SPECS), st.integers(1, 9))
@settings(max_examples=30, deadline=None)
def test_one_tree_with_all_ports_takes_height_plus_segments(spec, segments) -> None:
    chosen = build_tree(build_network(spec))
    outcome = pipelined(chosen, segments, "all")
    assert outcome.steps == chosen.height + segments - 1
    assert int(outcome.load.max()) == segments


@given(st.sampled_from(SPECS), st.integers(1, 6))
@settings(max_examples=30, deadline=None)
def test_one_port_waits_for_the_busiest_sender(spec, segments) -> None:
    chosen = build_tree(build_network(spec), ports="one")
    children = int(np.bincount(chosen.parent[chosen.parent >= 0]).max())
    steps = pipelined(chosen, segments, "one").steps
    assert max(segments * children, chosen.steps) <= steps <= segments * chosen.steps


def test_one_segment_takes_the_steps_of_the_tree() -> None:
    for ports in ("all", "one"):
        chosen = build_tree(build_network("star:4"), ports=ports)
        assert pipelined(chosen, 1, ports).steps == chosen.steps


@pytest.mark.parametrize("ports", ["all", "one"])
def test_segments_take_the_trees_in_turn(ports) -> None:
    family = multiple(build_network("nk-star:4,3"), 0, ports)
    outcome = pipelined(family, 7, ports)
    alone = [pipelined(member, 1, ports).load for member in family.trees]
    expected = sum(alone[segment % 3] for segment in range(7))
    assert (outcome.load == expected).all()
    assert (outcome.received >= 0).all()


@pytest.mark.parametrize(("rounds", "steps"), [(1, 8), (2, 10), (4, 14), (8, 22)])
def test_shared_links_halve_the_rate(rounds, steps) -> None:
    family = multiple(build_network("nk-star:4,3"), 0, "all")
    assert family.congestion == 2
    assert pipelined(family, 3 * rounds, "all").steps == steps


def test_no_segments() -> None:
    with pytest.raises(InputError, match="segments must be at least 1, not 0"):
        pipelined(build_tree(build_network("star:3")), 0, "all")


@given(st.integers(2, 20), st.integers(1, 2000))
def test_best_slicing_is_the_formula_for_a_plain_pipeline(height, length) -> None:
    cost = LinearCost(20.0, 1.0)
    most = cost.best_segments(height, length) + 3
    segments, time = best_slicing(lambda p: height - 1 + p, range(1, most), cost, length)
    assert time == pytest.approx(cost.segmented_time(height, length, segments))
    assert time == pytest.approx(
        cost.segmented_time(height, length, cost.best_segments(height, length))
    )


def test_turns_of_a_pipeline() -> None:
    net = build_network("nk-star:4,2")
    chosen = build_tree(net, "greedy")
    outcome = pipelined(chosen, 1, "all")
    packets = packets_in_turns([chosen], outcome, dimensions(net))
    assert outcome.steps <= packets.size <= 3 * outcome.steps
    assert packets.max() == 1


@pytest.mark.parametrize(
    ("spec", "turn", "message"), [("nk-star:4,2", 1, "receives"), ("star:3", 0, "sends")]
)
def test_turns_in_which_a_port_is_used_twice_are_refused(spec, turn, message) -> None:
    net = build_network(spec)
    turns = turn * np.broadcast_to(np.arange(net.ports), net.neighbour.shape)
    with pytest.raises(CheckError, match=f"a node {message} twice in one turn"):
        check_turns(net, turns)
