"""VCs and the dependency graph: no cycle with the VCs that are found, one with a single VC."""

import networkx as nx
import numpy as np
import pytest
from helpers import printed
from hypothesis import given
from hypothesis import strategies as st
from vc_assignments import quickly_built, sends_of

from noc.design import build_direct, with_vcs
from noc.errors import InputError
from noc.networks import build_network
from noc.programs import build_automaton
from noc.programs.choices import compare_choices
from noc.programs.dependencies import (
    DependencyGraph,
    build_dependencies,
    find_cycle,
    rank_vertices,
)
from noc.programs.quotients import find_quotients
from noc.programs.vcs import assign_fewest, assign_one, find_assignments, find_bipartition

SMALL = [
    "star:4",
    "scc:4",
    "ccc:3",
    "uhc:4",
    "uhc:5",
    "hypercube:4",
    "nk-star:4,2",
    "arrangement:4,2",
]

# Network, then VCs by method; those that are left out do not apply.
COUNTS = [
    ("star:4", {"height": 5, "bipartite": 3, "quotient": 3}),
    ("scc:3", {"height": 7, "bipartite": 4, "quotient": 3}),
    ("scc:4", {"height": 9, "quotient": 6}),
    ("ccc:3", {"height": 7, "quotient": 4}),
    ("uhc:4", {"height": 6, "bipartite": 4, "quotient": 3}),
    ("uhc:5", {"height": 8, "bipartite": 5, "greedy": 4}),
    ("hypercube:4", {"height": 5, "bipartite": 3, "quotient": 3}),
]


def naive_dependencies(automaton, vcs) -> set[tuple[tuple[int, int], tuple[int, int]]]:
    """Every dependency, node by node and row by row of the automaton."""
    net, edges = automaton.network, set()
    for node in range(net.nodes):
        site = int(automaton.site[node])
        for row in np.flatnonzero(automaton.row_site == site).tolist():
            start = (node, int(vcs.of_row[vcs.part[node], row]))
            for _, there, far in sends_of(automaton, node, row):
                edges.add((start, (there, int(vcs.of_row[vcs.part[there], far]))))
    return edges


@pytest.mark.parametrize("spec", SMALL)
def test_the_graph_of_the_tables_holds_every_dependency(spec: str) -> None:
    automaton = build_automaton(build_network(spec))
    for vcs in (assign_one(automaton), *find_assignments(automaton)):
        graph = build_dependencies(quickly_built(automaton, vcs))
        pairs = zip(graph.start.tolist(), graph.end.tolist(), strict=True)
        edges = {(divmod(a, vcs.count), divmod(b, vcs.count)) for a, b in pairs}
        assert edges == naive_dependencies(automaton, vcs)


@pytest.mark.parametrize("spec", SMALL)
@pytest.mark.parametrize("ports", ["all", "one"])
def test_the_vcs_leave_no_cycle(spec: str, ports) -> None:
    automaton = build_automaton(build_network(spec), ports=ports)
    for vcs in find_assignments(automaton):
        graph = build_dependencies(quickly_built(automaton, vcs))
        rank = rank_vertices(graph)
        assert rank is not None
        assert (rank[graph.start] > rank[graph.end]).all()
        assert find_cycle(graph) is None
        edges = nx.DiGraph(zip(graph.start.tolist(), graph.end.tolist(), strict=True))
        assert nx.is_directed_acyclic_graph(edges)


@pytest.mark.parametrize("spec", SMALL)
def test_one_vc_leaves_a_cycle_and_it_is_one(spec: str) -> None:
    automaton = build_automaton(build_network(spec))
    vcs = assign_one(automaton)
    graph = build_dependencies(quickly_built(automaton, vcs))
    assert rank_vertices(graph) is None
    cycle = find_cycle(graph)
    assert cycle
    known = naive_dependencies(automaton, vcs)
    assert all(pair in known for pair in zip(cycle, [*cycle[1:], cycle[0]], strict=True))


@pytest.mark.parametrize(("spec", "counts"), COUNTS)
def test_how_many_vcs(spec: str, counts: dict[str, int]) -> None:
    automaton = build_automaton(build_network(spec))
    assert {vcs.method: vcs.count for vcs in find_assignments(automaton)} == counts
    assert assign_fewest(automaton).count == min(counts.values())


@pytest.mark.parametrize("spec", ["star:4", "scc:4", "uhc:4", "hypercube:3"])
def test_a_port_of_a_quotient_leads_from_one_part_to_one(spec: str) -> None:
    net = build_network(spec)
    quotients = find_quotients(net)
    assert quotients
    for part in quotients:
        parts = int(part.max()) + 1
        assert sorted(set(part.tolist())) == list(range(parts))
        for port in range(net.ports):
            pairs = set(zip(part.tolist(), part[net.neighbour[:, port]].tolist(), strict=True))
            assert len(pairs) == parts


def test_vcs_of_a_quotient_are_the_same_in_every_process() -> None:
    code = (
        "from noc.networks import build_network; from noc.programs import build_automaton; "
        "from noc.programs.vcs import assign_quotient; "
        "vcs = assign_quotient(build_automaton(build_network('uhc:6'))); "
        "print(vcs.part.tolist(), vcs.of_row.tolist())"
    )
    assert len(printed(code, hash_seeds="07")) == 1


def test_choices_cover_every_algorithm_and_method() -> None:
    result = compare_choices(build_network("uhc:5"))
    got = {(choice.algorithm, choice.method) for choice in result.choices}
    methods = ("one", "height", "bipartite", "greedy")
    assert got == {(a, m) for a in ("shortest", "even", "bt1", "bt2", "bt3") for m in methods}
    assert [name for name, _ in result.refused] == ["adst"]
    assert result.cheapest.vcs == 4
    assert all(choice.certified == (choice.method != "one") for choice in result.choices)


@pytest.mark.ci
def test_a_choice_is_what_the_design_has() -> None:
    net = build_network("ccc:3")
    for choice in compare_choices(net, ports="one").choices:
        if choice.certified:
            program = build_direct(net, choice.algorithm, ports="one", vcs=choice.method).program
            assert (choice.vcs, choice.modules) == (program.vcs, len(program.tables))
            assert (choice.code_bits, choice.rom_bits) == (program.code_bits, program.rom_bits)
            assert choice.states == program.states
            continue
        automaton = build_automaton(net, choice.algorithm, ports="one")
        known = naive_dependencies(automaton, assign_one(automaton))
        cycle = [(net.node(label), vc) for label, vc in choice.cycle]
        assert all(pair in known for pair in zip(cycle, [*cycle[1:], cycle[0]], strict=True))


@pytest.mark.parametrize(
    ("spec", "options", "message"),
    [
        ("star:3", {"vcs": "one"}, r"^star:3 with 1 VCs can deadlock: \d+ VC 0 waits"),
        ("star:3", {"vcs": "greedy"}, r"^vcs='greedy': star:3 is symmetric"),
        ("scc:4", {"vcs": "bipartite"}, r"^vcs='bipartite': scc:4 is not bipartite"),
        ("uhc:3", {"vcs": "quotient"}, r"^vcs='quotient': uhc:3 is not symmetric"),
        ("star:3", {"vcs": "none"}, r"^vcs='none': fewest, one, height"),
        ("star:3", {"vcs": "height", "sources": "one"}, r"^vcs='height': one source at"),
    ],
)
def test_vcs_that_cannot_be_had_are_refused(spec: str, options, message: str) -> None:
    with pytest.raises(InputError, match=message):
        build_direct(build_network(spec), **options)


@given(st.integers(2, 9), st.data())
def test_ranks_and_cycles_agree_with_networkx(nodes: int, data) -> None:
    pair = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    edges = sorted(data.draw(st.sets(pair.filter(lambda ends: ends[0] != ends[1]))))
    start = np.array([a for a, _ in edges], dtype=np.int64)
    end = np.array([b for _, b in edges], dtype=np.int64)
    graph = DependencyGraph(nodes, 1, start, end)
    acyclic = nx.is_directed_acyclic_graph(nx.DiGraph(edges))
    assert (rank_vertices(graph) is not None) == acyclic
    assert (find_cycle(graph) is None) == acyclic


def test_too_few_vcs_are_refused_with_the_cycle() -> None:
    automaton = build_automaton(build_network("star:3"))
    with pytest.raises(InputError, match=r"^star:3 with 1 VCs can deadlock: \d+ VC 0 waits for"):
        with_vcs(automaton, assign_one(automaton), 8)


def test_one_source_at_a_time_needs_one_vc_and_no_certificate() -> None:
    built = build_direct(build_network("star:4"), sources="one")
    assert (built.program.vcs, built.ranks) == (1, None)


@pytest.mark.parametrize("width", [0, 513, -1])
def test_width_out_of_range(width: int) -> None:
    with pytest.raises(InputError, match=rf"^width={width}: from 1 to 512 bits"):
        build_direct(build_network("star:4"), width=width)


def test_sources_that_are_neither_are_refused() -> None:
    with pytest.raises(InputError, match=r"^sources='two': all or one are allowed, or some nodes$"):
        build_direct(build_network("star:3"), sources="two")


def test_a_bipartition() -> None:
    part = find_bipartition(build_network("hypercube:3"))
    assert part is not None
    assert part.tolist() == [bin(node).count("1") % 2 for node in range(8)]
    assert find_bipartition(build_network("scc:4")) is None
