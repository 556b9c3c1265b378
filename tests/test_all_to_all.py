"""All-to-all broadcasting: loads, combined packets, one-port turns, and the lower bounds."""

import numpy as np
import pytest

from noc.errors import CheckError
from noc.networks import build_network
from noc.research.papers.all_to_all import all_to_all
from noc.research.papers.cost import LinearCost
from noc.research.papers.scatter import all_to_all_bound
from noc.research.papers.tables.nk_star.runs import diameter, dimensions
from noc.trees import build_trees

SPECS = ["star:3", "star:4", "scc:3", "hypercube:3", "nk-star:4,2", "nk-star:4,3"]


def _sources(spec: str, algorithm: str = "shortest", ports: str = "all"):
    net = build_network(spec)
    families = [build_trees(net, algorithm, root=root, ports=ports) for root in range(net.nodes)]
    return net, [family.trees[0] if len(family.trees) == 1 else family for family in families]


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("combine", [True, False])
@pytest.mark.parametrize("ports", ["all", "one"])
def test_everybody_hears_everybody(spec, ports, combine) -> None:
    net, sources = _sources(spec, ports=ports)
    result = all_to_all(sources, ports, combine=combine)
    assert (result.outcome.received >= 0).all()
    assert int(result.outcome.load.sum()) == net.nodes * (net.nodes - 1)
    busiest = result.outcome.load if ports == "all" else result.outcome.load.sum(axis=1)
    assert result.messages >= int(busiest.max())
    assert combine or result.steps == result.messages


@pytest.mark.parametrize("spec", [*SPECS, "complete:5", "uhc:3", "mesh:2,4"])
@pytest.mark.parametrize("combine", [True, False])
@pytest.mark.parametrize("ports", ["all", "one"])
def test_no_run_takes_fewer_steps_than_the_bound(spec, ports, combine) -> None:
    net = build_network(spec)
    bound = all_to_all_bound(net, ports, combine=combine)
    steps = [
        all_to_all(_sources(spec, algorithm, ports)[1], ports, combine=combine).steps
        for algorithm in ("shortest", "even")
    ]
    assert bound <= min(steps)
    if ports == "all" and (combine or spec == "complete:5"):
        assert bound == min(steps)
    # By hand: a node takes a word a link and step; with one port it sends one a step.
    assert combine or bound >= (net.nodes - 1) / (net.degree if ports == "all" else 1)


def test_bounds_count_segments_and_links() -> None:
    """Segments are more words; the end of a line takes words from one link, the last from afar."""
    net = build_network("nk-star:4,2")
    assert all_to_all_bound(net, "all", segments=3) == 11
    assert all_to_all_bound(build_network("mesh:2,4"), "all") == 4
    # Seven words come over the one link of an end of a line, and the first of them in step 1.
    assert all_to_all_bound(build_network("mesh:8"), "all") == 7
    assert all_to_all_bound(build_network("ring:8"), "one", combine=True) == 4


@pytest.mark.parametrize("spec", SPECS)
def test_combined_packets_with_all_ports_take_the_height(spec) -> None:
    net, sources = _sources(spec)
    assert all_to_all(sources, "all", combine=True).steps == net.diameter()


@pytest.mark.parametrize("spec", SPECS)
def test_packets_of_all_links_are_what_was_carried(spec) -> None:
    net, sources = _sources(spec)
    result = all_to_all(sources, "all", combine=True)
    by_hand = np.zeros((result.steps + 1, net.nodes, net.ports), dtype=int)
    for source, received in zip(sources, result.outcome.received, strict=True):
        for node in range(net.nodes):
            if node != source.root:
                by_hand[received[node], source.parent[node], source.port[node]] += 1
    assert result.largest_packets.tolist() == by_hand[1:].max(axis=(1, 2)).tolist()


@pytest.mark.parametrize(("n", "k"), [(3, 2), (4, 2), (4, 3), (5, 2), (5, 3)])
def test_one_tree_in_turns_reaches_the_bound(n, k) -> None:
    net, sources = _sources(f"nk-star:{n},{k}", "greedy")
    result = all_to_all(sources, "one", combine=True, turns=dimensions(net))
    assert result.messages == net.nodes - 1
    assert result.steps <= (n - 1) * diameter(n, k)


FAMILIES = [("nk-star:4,2", 8.0, 6), ("nk-star:4,3", 11.0, 8), ("nk-star:5,2", 13.25, 6)]


@pytest.mark.parametrize(("spec", "messages", "steps"), FAMILIES)
def test_families_carry_segments(spec, messages, steps) -> None:
    _, sources = _sources(spec, "multiple")
    result = all_to_all(sources, "all", combine=True)
    assert (result.messages, result.steps) == (messages, steps)
    assert result.segments == len(sources[0].trees)


def test_time_adds_start_ups_and_bytes() -> None:
    _, sources = _sources("nk-star:4,2", "greedy")
    result = all_to_all(sources, "all", combine=True)
    assert (result.steps, result.messages) == (3, 5)
    assert result.time(LinearCost(10, 2), 100) == 3 * 10 + 5 * 100 * 2


def test_turns_are_for_one_port() -> None:
    net, sources = _sources("nk-star:4,2", "greedy")
    with pytest.raises(CheckError, match="one-port use only"):
        all_to_all(sources, "all", turns=dimensions(net))
