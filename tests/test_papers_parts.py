"""What rows of the papers' tables are computed with, by other means."""

from fractions import Fraction
from math import sqrt

import networkx as nx
import pytest

from noc.model.steps import LOST
from noc.networks import build_network
from noc.networks.cycles import LATERAL, LEFT, RIGHT
from noc.research.papers.cost import LinearCost
from noc.research.papers.faults import broadcast_blocks
from noc.research.papers.tables.arrangement import bound, ceil_log2
from noc.research.papers.tables.nk_star.runs import COST, INSTANCES, MESSAGE, instance
from noc.research.papers.tables.scc import claims, graph, switching
from noc.research.papers.tables.uhc import costs, disjoint
from noc.trees.rings import halving_stages


@pytest.mark.parametrize(
    ("value", "power"), [("1/2", -1), ("2/3", 0), ("1", 0), ("3", 2), ("4", 2), ("33/8", 3)]
)
def test_ceil_log2(value: str, power: int) -> None:
    assert ceil_log2(Fraction(value)) == power


@pytest.mark.parametrize(("n", "k", "most"), [(7, 4, (4, 3)), (8, 1, (2, 5)), (2, 1, (2, 1))])
def test_bounds_of_lemma_4(n: int, k: int, most: tuple[int, int]) -> None:
    assert bound(n, k) == most


@pytest.mark.parametrize("size", INSTANCES)
@pytest.mark.parametrize("algorithm", ["greedy", "multiple"])
def test_no_run_beats_the_lower_bounds(size, algorithm) -> None:
    case, m = instance(*size), MESSAGE * COST.per_byte
    start, doubling = case.diameter * COST.start_up, case.doubling_steps() * COST.start_up
    others = case.network.nodes - 1
    assert case.best_time(algorithm, "all")[1] >= max(start, m / case.links)
    assert case.best_time(algorithm, "one")[1] >= max(start, doubling, m)
    all_port, one_port = (case.all_to_all(algorithm, ports) for ports in ("all", "one"))
    assert all_port.time(COST, MESSAGE) >= max(start, m * others / case.links)
    assert one_port.time(COST, MESSAGE) >= max(start, doubling, m * others)


@pytest.mark.parametrize(
    ("n", "steps"), [(2, (3, 3, 4)), (6, (8, 7, 10)), (8, (11, 10, 12)), (14, (19, 17, 22))]
)
def test_formulas_of_the_uhc(n: int, steps: tuple[int, int, int]) -> None:
    assert (costs.x1(n), costs.x2(n), costs.x3(n)) == steps


@pytest.mark.parametrize("n", [6, 8])
def test_a_lower_family_than_the_adst(n: int) -> None:
    family = disjoint.lower_family(n)
    assert (len(family.trees), family.congestion, family.height) == (n // 2, 1, n + 2)
    assert broadcast_blocks(family, n // 2 - 1, faulty_nodes=range(1, n // 2)).complete


@pytest.mark.parametrize(("first", "length"), [(7, 900.0), (18, 300.0), (6, 123.0)])
def test_least_time_is_at_the_best_packet_size(first: int, length: float) -> None:
    cost = LinearCost(start_up=36.0, per_byte=1.0)
    closed = (sqrt((first - 1) * cost.start_up) + sqrt(length * cost.per_byte)) ** 2
    assert cost.least_time(first, length) == pytest.approx(closed)


@pytest.mark.parametrize(("spec", "diameter"), [("scc:4", 8), ("scc:5", 16), ("ccc:3", 6)])
def test_diameters_by_another_search(spec, diameter) -> None:
    assert nx.diameter(graph.undirected(build_network(spec))) == graph.diameter(spec) == diameter


@pytest.mark.parametrize("spec", ["star:6", "hypercube:7", "scc:6", "scc:7", "ccc:8"])
def test_one_search_finds_the_diameter(spec) -> None:
    assert build_network(spec).symmetric
    assert build_network(spec).diameter() == graph.diameter(spec)


@pytest.mark.parametrize("n", [3, 5, 7, 9])
def test_odd_diameters_have_a_closed_form(n) -> None:
    k = (n - 1) // 2
    assert graph.diameter(f"scc:{n}") == graph.farthest(n) == 2 * k * k + 4 * k


def test_the_reason_for_odd_diameters_needs_the_one_that_is_found(monkeypatch) -> None:
    monkeypatch.setattr(graph, "diameter", lambda _: 49)
    assert not graph.diameter_reason.__wrapped__(9).holds


def test_seven_from_scratch() -> None:
    """Where the tables differ: no node of SCC 7 is 31 links away, by a search of its own."""
    lengths = nx.single_source_shortest_path_length(graph.undirected(build_network("scc:7")), 0)
    assert max(lengths.values()) == 30
    label = build_network("scc:7").node("2:1567234")
    assert lengths[label] == 27


@pytest.mark.parametrize(("n", "q"), [(4, (3, 4, 1, 2)), (5, (1, 4, 5, 2, 3))])
def test_lemma_2_permutations(n, q) -> None:
    assert graph.lemma_2(n) == q


def test_mirrored_network_is_a_relabelled_one() -> None:
    assert switching.mirrored_stages(8)[0] == [(1, 2), (3, 4), (5, 6), (7, 8)]
    assert switching.mirrored_stages(8)[2] == halving_stages(8)[0]


def heard(n: int, *, joined: bool) -> dict[int, int]:
    """Section 9.1 node by node: the step in which each hears, by a search of its own."""
    net, step = build_network(f"scc:{n}"), {0: 0}
    now = 0

    def send(ports: tuple[int, ...], senders: list[int]) -> None:
        receivers = {int(net.neighbour[node, port]) for node in senders for port in ports}
        step.update({node: now for node in receivers if node not in step})

    for turn in range((n - 1) * (3 * (n - 1) // 2)):
        if turn and not joined:
            now += 1
            send((RIGHT, LEFT), list(step))
        now += 1
        in_turn = [node for node in step if net.label(node)[0] == str(2 + turn % (n - 1))]
        send((LATERAL, RIGHT) if joined else (LATERAL,), in_turn)
    return step


@pytest.mark.parametrize(("n", "last", "joined"), [(4, 14, 42), (5, 28, 329)])
def test_section_9_1(n, last, joined) -> None:
    both = claims.both_local_links(build_network(f"scc:{n}"))
    assert dict(enumerate(both.tolist())) == heard(n, joined=False)
    assert both.max() == last
    received = claims.joined_steps(build_network(f"scc:{n}"))
    informed = {node: step for node, step in enumerate(received.tolist()) if step != LOST}
    assert informed == heard(n, joined=True)
    assert len(informed) == joined


@pytest.mark.parametrize(("n", "sorted_ones"), [(4, 24), (6, 720), (5, 88)])
def test_switches_that_compare_sort(n, sorted_ones) -> None:
    assert switching.sorted_by_comparison(n, n - 1) == sorted_ones
