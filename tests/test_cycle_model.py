"""The cycle model: the contract of docs/router.md, event by event."""

from collections import Counter, defaultdict
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from readable_router import ReferenceNetwork

from noc.errors import InputError
from noc.model import SINKS, TRAFFIC, all_sources, back_to_back, broadcast, endless, simulate
from noc.networks import build_network
from noc.programs import Automaton, Program, build_automaton, build_program, execute
from noc.programs.config import RouterConfig
from noc.trees import algorithms_on, build_tree

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

# Every algorithm of one tree on every example, in every model that it has; test_slices has others.
CASES = [
    (spec, algorithm.name, ports)
    for spec in EXAMPLES
    for algorithm in algorithms_on(build_network(spec))
    for ports in algorithm.models
    if algorithm.name not in ("adst", "disjoint", "independent", "multiple")
]

# Small, and different in what matters: ports, sites, one-way links.
TINY = [
    ("star:3", "balanced", "all"),
    ("star:4", "balanced", "all"),
    ("star:4", "balanced", "one"),
    ("incomplete-star:4,2", "shortest", "one"),
    ("incomplete-star:4,3", "balanced", "all"),
    ("nk-star:4,2", "greedy", "all"),
    ("uhc:4", "bt2", "all"),
    ("uhc:3", "shortest", "one"),
    ("hypercube:3", "shortest", "all"),
]


@cache
def automaton(spec: str, algorithm: str = "shortest", ports="all") -> Automaton:
    return build_automaton(build_network(spec), algorithm, ports=ports)


@cache
def program(spec: str, algorithm: str = "shortest", ports="all") -> Program:
    return build_program(automaton(spec, algorithm, ports), search=False)


@pytest.mark.cases(20)
@pytest.mark.parametrize(("spec", "algorithm", "ports"), CASES)
def test_a_word_alone_makes_one_hop_a_cycle(spec: str, algorithm: str, ports) -> None:
    built = program(spec, algorithm, ports)
    net = built.network
    for source in {0, net.nodes // 3, net.nodes - 1}:
        planned = build_tree(net, algorithm, root=source, ports=ports)
        run = simulate(built, broadcast(built, source), arrival=True)
        # Accepted in cycle 0, on the source's links in cycle 1.
        took = run.arrival[0] - 1
        took[source] = 0
        assert np.array_equal(took, execute(built, source).step)
        assert (took <= planned.step).all()
        assert run.drained
        assert run.cycles == int(took.max()) + 2


@pytest.mark.cases(4, ci=10)
@pytest.mark.parametrize("spec", EXAMPLES)
@pytest.mark.parametrize("words", [1, 2, 40])
def test_one_source_sustains_a_word_a_cycle(spec: str, words: int) -> None:
    built = program(spec)
    run = simulate(built, back_to_back(built, 0, words))
    height = build_tree(build_network(spec)).height
    assert run.drained
    assert run.cycles == height + words + 1
    assert run.delivered == run.hops == words * (built.network.nodes - 1)


def test_one_port_takes_turns_without_losing_cycles() -> None:
    # The source sends three copies a word, so one word enters every third cycle.
    built = program("star:4", "balanced", "one")
    events = simulate(built, back_to_back(built, 0, 5)).events
    taken = events.cycle[(events.port == built.inject)]
    # The second place takes the second word at once.
    assert taken.tolist() == [0, 1, 4, 7, 10]


@pytest.mark.ci
@given(
    st.sampled_from(TINY),
    st.integers(1, 5),
    st.sampled_from(sorted(SINKS)),
    st.integers(0, 10**6),
)
def test_nothing_is_lost_duplicated_or_reordered(case, words: int, sinks: str, seed: int) -> None:
    built = program(*case)
    source = seed % built.network.nodes
    traffic = back_to_back(built, source, words, seed=seed)
    run = simulate(built, traffic.taken_by(SINKS[sinks](built.network.nodes, seed)))
    assert run.drained
    received = defaultdict(list)
    for _, node, port, _, word in run.events.tuples():
        if port == -1:
            received[node].append(word)
    others = set(range(built.network.nodes)) - {source}
    assert received == {node: list(range(words)) for node in others}


ENDLESS = "endless"


@given(
    st.sampled_from(TINY),
    st.sampled_from([*sorted(TRAFFIC), ENDLESS]),
    st.sampled_from(sorted(SINKS)),
    st.integers(0, 10**6),
    st.builds(RouterConfig, st.sampled_from([0, 1]), queue=st.integers(0, 3)),
    st.sampled_from([90, 90, 300, 2000]),
)
def test_equals_the_reference(case, shape, sinks, seed: int, config, cycles: int) -> None:
    """Also where several sources send, and their words may wait for each other for ever."""
    built = build_program(automaton(*case), config, search=False)
    if shape == ENDLESS:
        traffic = endless(built, cycles := min(cycles, 300), seed=seed)
    else:
        traffic = TRAFFIC[shape](built, 3, seed).whole
    traffic = traffic.taken_by(SINKS[sinks](built.network.nodes, seed))
    run = simulate(built, traffic, cycles=cycles)
    # Nothing may come after the end that the model saw, unless the cycles were over.
    more = 0 if run.end == "limit" else 30
    assert run.events.tuples() == ReferenceNetwork(built, traffic).run(run.cycles + more)


@pytest.mark.parametrize("ports", ["all", "one"])
def test_a_deadlock_is_for_ever(ports) -> None:
    built = program("star:4", "balanced", ports)
    traffic = all_sources(built, 3)
    run = simulate(built, traffic)
    reference = ReferenceNetwork(built, traffic)
    assert run.end == "deadlock"
    assert run.events.tuples() == reference.run(run.cycles + 200)


def test_sinks_that_stand_still_are_no_deadlock() -> None:
    built = program("star:4", "balanced")
    ready = np.zeros((400, built.network.nodes), dtype=bool)
    ready[399] = True
    run = simulate(built, back_to_back(built, 0, 3).taken_by(ready))
    assert run.drained
    never = back_to_back(built, 0, 3).taken_by(ready[:1])
    assert simulate(built, never).end == "starved"


def test_counts_and_arrivals_do_not_need_the_list() -> None:
    built = program("star:4", "balanced", "all")
    traffic = back_to_back(built, 0, 40).taken_by(SINKS["half"](built.network.nodes, 7))
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
    built = program("star:5", "balanced")
    run = simulate(built, back_to_back(built, 0, 900), arrival=True)
    events = run.events
    assert len(events) == run.injected + run.hops + run.delivered > 3 * 2**16
    key = (events.cycle.astype(np.int64) * built.network.nodes + events.node) * 99 + events.port
    assert (np.diff(key) > 0).all()
    ejected = events.port == -1
    assert np.array_equal(
        run.arrival[events.word[ejected], events.node[ejected]], events.cycle[ejected]
    )


def test_words_must_fit_the_program() -> None:
    built, other = program("star:4"), program("star:3")
    with pytest.raises(InputError, match=r"^ready: "):
        simulate(built, broadcast(other, 0))
    with pytest.raises(InputError, match=r"^cycles: -1 "):
        simulate(built, broadcast(built, 0), cycles=-1)
