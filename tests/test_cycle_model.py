"""The cycle model: the contract of docs/router.md, event by event."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from vc_assignments import at_random, by_height, quickly_built

from noc.errors import InputError
from noc.model import (
    SINKS,
    TRAFFIC,
    all_sources,
    back_to_back,
    broadcast,
    endless,
    random_words,
    simulate,
)
from noc.model.dependencies import find_cycle
from noc.model.reference import ReferenceNetwork
from noc.networks import build_network
from noc.programs import Automaton, Program, build_automaton, build_program, execute
from noc.programs.config import RouterConfig
from noc.programs.vcs import assign_fewest, assign_one
from noc.trees import algorithms_on, build_tree, build_trees

# One example of every family.
EXAMPLES = [
    "star:4",
    "incomplete-star:4,3",
    "nk-star:4,2",
    "arrangement:4,2",
    "scc:4",
    "ccc:3",
    "uhc:4",
    "uhc:4,negative",
    "uhc:3,negative",
    "hypercube:4",
]

# Every algorithm on every example, in every model that it has.
CASES = [
    (spec, algorithm.name, ports)
    for spec in EXAMPLES
    for algorithm in algorithms_on(build_network(spec))
    for ports in algorithm.models
    if algorithm.name != "adst" or spec != "uhc:3,negative"
]

# Small, and different in what matters: ports, sites, one-way links, families of trees.
TINY = [
    ("star:3", "balanced", "all"),
    ("star:4", "balanced", "all"),
    ("star:4", "balanced", "one"),
    ("incomplete-star:4,2", "shortest", "one"),
    ("incomplete-star:4,3", "balanced", "all"),
    ("nk-star:4,2", "multiple", "all"),
    ("uhc:4", "adst", "all"),
    ("uhc:3", "shortest", "one"),
    ("hypercube:3", "shortest", "all"),
]


@cache
def automaton(spec: str, algorithm: str = "shortest", ports="all") -> Automaton:
    return build_automaton(build_network(spec), algorithm, ports=ports)


@cache
def one_vc(spec: str, algorithm: str = "shortest", ports="all") -> Program:
    return quickly_built(automaton(spec, algorithm, ports))


@cache
def vcs_by_height(spec: str, algorithm: str = "shortest", ports="all") -> Program:
    rows = automaton(spec, algorithm, ports)
    return quickly_built(rows, by_height(rows))


@pytest.mark.parametrize(("spec", "algorithm", "ports"), CASES)
def test_a_word_alone_makes_one_hop_a_cycle(spec: str, algorithm: str, ports) -> None:
    built = one_vc(spec, algorithm, ports)
    net = built.network
    for source in {0, net.nodes // 3, net.nodes - 1}:
        trees = build_trees(net, algorithm, root=source, ports=ports).trees
        for place, planned in enumerate(trees):
            run = simulate(built, broadcast(built, source, tree=place), arrival=True)
            # Accepted in cycle 0, on the source's links in cycle 1.
            took = run.arrival[0] - 1
            took[source] = 0
            assert np.array_equal(took, execute(built, source, place).step)
            assert (took <= planned.step).all()
            assert run.drained
            assert run.cycles == int(took.max()) + 2


@pytest.mark.parametrize(("spec", "algorithm"), [case[:2] for case in CASES if case[2] == "all"])
def test_all_port_completion_is_the_height(spec: str, algorithm: str) -> None:
    built = one_vc(spec, algorithm)
    run = simulate(built, broadcast(built, 0), arrival=True)
    planned = build_trees(spec, algorithm).trees[0]
    child = np.arange(built.network.nodes) != 0
    assert np.array_equal(run.arrival[0][child], planned.depth[child] + 1)


@pytest.mark.cases(10)
@pytest.mark.parametrize("spec", EXAMPLES)
@pytest.mark.parametrize("words", [1, 2, 40])
def test_one_source_sustains_a_word_a_cycle(spec: str, words: int) -> None:
    built = one_vc(spec)
    run = simulate(built, back_to_back(built, 0, words))
    height = build_tree(build_network(spec)).height
    assert run.drained
    assert run.cycles == height + words + 1
    assert run.delivered == run.hops == words * (built.network.nodes - 1)


def test_one_port_takes_turns_without_losing_cycles() -> None:
    # The source sends three copies a word, so one word enters every third cycle.
    built = one_vc("star:4", "balanced", "one")
    events = simulate(built, back_to_back(built, 0, 5)).events
    taken = events.cycle[(events.port == built.inject)]
    # The second place takes the second word at once.
    assert taken.tolist() == [0, 1, 4, 7, 10]


def words_of_each_sink(run, source: np.ndarray) -> dict[tuple[int, int], list[int]]:
    """For every sink and source the words in the order in which they arrived."""
    received: dict[tuple[int, int], list[int]] = {}
    events = run.events
    for node, port, word in zip(events.node, events.port, events.word, strict=True):
        if port == -1:
            received.setdefault((int(node), int(source[word])), []).append(int(word))
    return received


@given(
    st.sampled_from([case for case in TINY if case[1] not in ("multiple", "adst")]),
    st.sampled_from(sorted(TRAFFIC)),
    st.sampled_from(sorted(SINKS)),
    st.integers(0, 10**6),
)
# A bus that does not wait for the sink is elsewhere whenever this sink is ready, for ever.
@example(("star:4", "balanced", "all"), "dense", "one-slow", 0)
def test_nothing_is_lost_duplicated_or_reordered(case, shape: str, sinks: str, seed: int) -> None:
    built = vcs_by_height(*case)
    traffic = TRAFFIC[shape](built, 3, seed).whole.taken_by(SINKS[sinks](built.network.nodes, seed))
    run = simulate(built, traffic)
    assert run.drained
    received = words_of_each_sink(run, traffic.source)
    for source in set(traffic.source.tolist()):
        sent = np.flatnonzero(traffic.source == source).tolist()
        for node in set(range(built.network.nodes)) - {source}:
            assert received[node, source] == sent


@pytest.mark.parametrize("case", [("uhc:4", "adst", "all"), ("nk-star:4,2", "multiple", "all")])
def test_words_of_several_trees_all_arrive_once(case) -> None:
    built = vcs_by_height(*case)
    run = simulate(built, all_sources(built, 6), arrival=True)
    assert run.drained
    assert (run.arrival < 0).sum() == run.injected
    assert np.unique(run.events.tree[run.events.port == built.inject]).size == built.trees


def same_as_reference(built: Program, traffic, cycles: int) -> None:
    run = simulate(built, traffic, cycles=cycles)
    # Nothing may come after the end that the model saw, unless the cycles were over.
    more = 0 if run.end == "limit" else 30
    expected = ReferenceNetwork(built, traffic).run(run.cycles + more)
    assert run.events.tuples() == expected


@given(
    st.sampled_from(TINY),
    st.tuples(st.integers(1, 5), st.integers(1, 2)),
    st.sampled_from(sorted(TRAFFIC)),
    st.sampled_from(sorted(SINKS)),
    st.integers(0, 10**6),
    st.builds(RouterConfig, st.sampled_from([0, 1]), queue=st.integers(0, 3)),
)
@settings(max_examples=100)
def test_equals_the_reference(case, sizes, shape, sinks, seed: int, config: RouterConfig) -> None:
    rows = automaton(*case)
    sizes = sizes if not config.link_registers else (1, sizes[1])
    built = quickly_built(rows, at_random(rows, *sizes, seed), config)
    traffic = TRAFFIC[shape](built, 3, seed).whole.taken_by(SINKS[sinks](built.network.nodes, seed))
    same_as_reference(built, traffic, 90)


@given(st.sampled_from(TINY), st.sampled_from(sorted(SINKS)), st.integers(0, 10**6))
@settings(max_examples=25)
def test_equals_the_reference_to_the_end(case, sinks: str, seed: int) -> None:
    built = vcs_by_height(*case)
    ready = SINKS[sinks](built.network.nodes, seed)
    traffic = random_words(built, 20, gap=1, seed=seed).taken_by(ready)
    same_as_reference(built, traffic, 2000)


@given(
    st.sampled_from([case for case in TINY if case[1] not in ("multiple", "adst")]),
    st.sampled_from(sorted(SINKS)),
    st.integers(0, 10**6),
)
@settings(max_examples=25)
def test_equals_the_reference_where_all_send_always(case, sinks: str, seed: int) -> None:
    built = vcs_by_height(*case)
    ready = SINKS[sinks](built.network.nodes, seed)
    traffic = endless(built, 300, seed=seed).taken_by(ready)
    same_as_reference(built, traffic, 300)


#: Words of the least and the most accepted source in 2,000 cycles: batches would not show it.
STARVED = {
    ("star:4", "balanced"): (6, 71),
    ("star:5", "balanced"): (2, 19),
    ("scc:4", "shortest"): (4, 29),
    ("uhc:4", "bt2"): (4, 124),
    ("hypercube:4", "shortest"): (9, 109),
}


@pytest.mark.parametrize(("spec", "algorithm"), STARVED)
def test_sources_starve_where_all_send_always(spec: str, algorithm: str) -> None:
    rows = automaton(spec, algorithm)
    built = build_program(rows, assign_fewest(rows))
    run = simulate(built, endless(built, 2000), cycles=2000)
    own = run.events.node[run.events.port == built.inject]
    assert run.end == "limit"
    assert np.array_equal(run.accepted, np.bincount(own, minlength=built.network.nodes))
    assert (run.accepted.min(), run.accepted.max()) == STARVED[spec, algorithm]


def with_one_vc(*case) -> Program:
    """One VC for all sources at once, which may deadlock."""
    rows = automaton(*case)
    return quickly_built(rows, assign_one(rows))


def check_cycle(run) -> None:
    cycle = run.dependency_cycle
    assert cycle
    for vertex, there in zip(cycle, cycle[1:] + cycle[:1], strict=True):
        assert there in run.dependencies[vertex]


@pytest.mark.parametrize(
    ("dependencies", "expected"),
    [
        ({}, []),
        ({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, []),
        ({"a": ["b", "c"], "b": ["left"], "c": ["d"], "d": ["c"]}, ["c", "d"]),
        ({"a": ["b"], "b": [], "c": ["b", "d"], "d": ["e"], "e": ["b", "c"]}, ["c", "d", "e"]),
    ],
)
def test_cycles_and_what_only_leads_to_them(dependencies, expected) -> None:
    assert find_cycle(dependencies) == expected


def test_two_neighbours_with_one_vc_wait_for_each_other() -> None:
    built = with_one_vc("star:3", "balanced")
    run = simulate(built, all_sources(built, 3))
    assert run.deadlocked
    assert len(run.dependency_cycle) == 2
    check_cycle(run)
    (node, _), (there, _) = run.dependency_cycle
    assert there in built.network.neighbour[node]


@pytest.mark.parametrize("ports", ["all", "one"])
@pytest.mark.parametrize("spec", ["star:4", "scc:4", "uhc:4", "hypercube:4"])
def test_one_vc_deadlocks_where_vcs_by_height_do_not(spec: str, ports) -> None:
    built = with_one_vc(spec, "shortest", ports)
    traffic = all_sources(built, 8)
    stuck = simulate(built, traffic)
    assert stuck.deadlocked
    check_cycle(stuck)
    assert simulate(vcs_by_height(spec, "shortest", ports), traffic).drained


@pytest.mark.parametrize("ports", ["all", "one"])
def test_a_deadlock_is_for_ever(ports) -> None:
    built = with_one_vc("star:4", "balanced", ports)
    traffic = all_sources(built, 3)
    run = simulate(built, traffic)
    reference = ReferenceNetwork(built, traffic)
    assert run.events.tuples() == reference.run(run.cycles + 200)
    assert run.dependencies == reference.dependencies()


def test_sinks_that_stand_still_are_no_deadlock() -> None:
    built = one_vc("star:4", "balanced")
    ready = np.zeros((400, built.network.nodes), dtype=bool)
    ready[399] = True
    run = simulate(built, back_to_back(built, 0, 3).taken_by(ready))
    assert run.drained
    never = back_to_back(built, 0, 3).taken_by(ready[:1])
    assert simulate(built, never).end == "starved"


def test_counts_and_arrivals_do_not_need_the_list() -> None:
    built = vcs_by_height("star:4", "balanced", "all")
    traffic = all_sources(built, 4).taken_by(SINKS["half"](built.network.nodes, 7))
    listed, counted = (
        simulate(built, traffic, arrival=True, events=wanted) for wanted in (True, False)
    )
    assert counted.events is None
    assert counted.cycles == listed.cycles
    assert np.array_equal(counted.arrival, listed.arrival)
    ports = Counter(np.sign(listed.events.port - built.inject).tolist())
    assert ports[0] == listed.injected
    assert ports[-1] == listed.hops + listed.delivered


def test_long_lists_are_pieced_together() -> None:
    built = one_vc("star:5", "balanced")
    run = simulate(built, back_to_back(built, 0, 900), arrival=True)
    events = run.events
    assert len(events) == run.injected + run.hops + run.delivered > 3 * 2**16
    key = (events.cycle.astype(np.int64) * built.network.nodes + events.node) * 99 + events.port
    assert (np.diff(key) > 0).all()
    ejected = events.port == -1
    assert np.array_equal(
        run.arrival[events.word[ejected], events.node[ejected]], events.cycle[ejected]
    )


def test_so_many_cycles_and_no_more() -> None:
    built = one_vc("star:4", "balanced")
    traffic = back_to_back(built, 0, 10)
    whole = simulate(built, traffic)
    part = simulate(built, traffic, cycles=7)
    assert (part.end, part.cycles) == ("limit", 7)
    assert part.events.tuples() == [event for event in whole.events.tuples() if event[0] < 7]


def test_vcs_and_words_must_fit_the_program() -> None:
    built, other = one_vc("star:4"), one_vc("star:3")
    with pytest.raises(InputError, match=r"^vcs: not those of "):
        build_program(automaton("star:4"), assign_one(automaton("star:3")))
    with pytest.raises(InputError, match=r"^ready: "):
        simulate(built, broadcast(other, 0))
    with pytest.raises(InputError, match=r"^cycles: -1 "):
        simulate(built, broadcast(built, 0), cycles=-1)
