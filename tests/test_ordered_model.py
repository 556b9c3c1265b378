"""The cycle model of the ordered fabric: the contract of docs/ordered.md, event by event."""

from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from readable_runs import as_given, run_readable

from noc.errors import InputError
from noc.model import SINKS, TRAFFIC, Traffic, all_sources, back_to_back, endless
from noc.model.ordered import KINDS, OrderedRun, OrderedStream, ordered_streams, simulate_ordered
from noc.networks import build_network
from noc.programs.ordered import OrderedProgram, compile_ordered
from noc.programs.ordered_config import OrderedConfig

DATA = Path(__file__).parent / "data"

# Small, and different in what matters: fan-out, height, one-way links, paths without a fork.
SPECS = [
    *("star:3", "star:4", "scc:3", "uhc:3", "uhc:4", "hypercube:3", "incomplete-star:4,3"),
    *("complete:7", "mesh:3,3", "tree:2,2"),
    *(f"file:{DATA / name}" for name in ("one-way-ring.graphml", "path.json")),
]


def forms(**more: st.SearchStrategy) -> st.SearchStrategy[OrderedConfig]:
    """With sinks of each kind, and with words that do not tell their source."""
    more |= {"link_registers": st.integers(0, 2)}
    numbered = more | {"own_words": st.booleans()}
    unnumbered = more | {"own_words": st.just(True), "source_numbers": st.just(False)}
    return st.one_of(
        st.builds(
            OrderedConfig,
            sinks=st.just(sinks),
            queue=st.sampled_from(queues),
            lookahead=st.booleans() if sinks != "stalling" else st.just(False),
            **form,
        )
        for form in (numbered, unnumbered)
        for sinks, queues in (("stalling", [0, 1, 3]), ("queued", [2, 3, 9]), ("always-ready", [0]))
    )


@st.composite
def sinks_of(draw, program: OrderedProgram, seed: int) -> np.ndarray:
    """They stall as they like, if they may."""
    kind = "always" if program.config.always_ready else draw(st.sampled_from(sorted(SINKS)))
    return SINKS[kind](program.network.nodes, seed)


@cache
def plain(spec: str, **form: int) -> OrderedProgram:
    return compile_ordered(build_network(spec), config=OrderedConfig(**form))


@st.composite
def programs(draw) -> OrderedProgram:
    net = build_network(draw(st.sampled_from(SPECS)))
    nodes = st.integers(0, net.nodes - 1)
    return compile_ordered(
        net,
        sources=draw(st.none() | st.lists(nodes, min_size=1)),
        root=draw(st.none() | nodes),
        config=draw(forms()),
    )


@st.composite
def loaded(draw) -> tuple[OrderedProgram, Traffic]:
    program = draw(programs())
    seed = draw(st.integers(0, 10**6))
    traffic = TRAFFIC[draw(st.sampled_from(sorted(TRAFFIC)))](program, 3, seed).whole
    return program, traffic.taken_by(draw(sinks_of(program, seed)))


@pytest.mark.ci
@given(programs())
def test_latency_alone_is_up_and_down(program: OrderedProgram) -> None:
    sources = np.array(program.sources)
    long = int(program.up.max() + program.down_cycles.max()) + 1
    alone = all_sources(program, 1)
    run = simulate_ordered(program, replace(alone, release=np.arange(sources.size) * long))
    assert np.array_equal(run.accepted, np.arange(sources.size) * long)
    latency = run.arrival - run.accepted[:, None]
    expected = program.up[sources, None] + program.down_cycles[None, :]
    own = sources[:, None] == np.arange(program.network.nodes)
    dropped = own & (not program.config.own_words)
    assert np.array_equal(latency[~dropped], expected[~dropped])
    assert (run.arrival[dropped] == -1).all()


@pytest.mark.ci
@given(programs())
def test_sources_that_always_send_share_the_root(program: OrderedProgram) -> None:
    senders, queue = len(program.sources), program.config.queue
    # A queue of one word takes one every second cycle. A node's own word, if it does not come back,
    # goes by while the queue gives away the one before; so where all nodes send, and none gets its
    # own words, each queue takes one word less in a round.
    skipped = senders == program.network.nodes and not program.config.own_words
    round_ = 2 * (senders - skipped) if queue == 1 else senders
    cycles = 2 * (12 * senders + 200)
    run = simulate_ordered(program, endless(program, cycles), cycles=cycles)
    passed = run.at_root[run.order][100:]
    assert (passed[senders:] - passed[:-senders] == round_).all()
    if round_ % senders == 0:
        assert (np.diff(passed) == round_ // senders).all()
    # When all buffers are full each round has a word of every source.
    order = run.traffic.source[run.order][100:]
    rounds = len(order) // senders
    for turn in np.split(order[: rounds * senders], rounds):
        assert sorted(turn.tolist()) == list(program.sources)


def check_waits(run: OrderedRun) -> float:
    """How much of the bound was reached, at most."""
    program = run.program
    return max(
        int(run.longest_wait[source]) / program.most_waited(source) for source in program.sources
    )


@given(loaded())
@settings(max_examples=100)
def test_no_word_waits_longer_than_said(case) -> None:
    assert check_waits(simulate_ordered(*case)) <= 1


def searched(program: OrderedProgram, steps: int, seed: int) -> float:
    """The most of the bound that is reached by traffic found by changing a few words at a time."""
    random = Random(seed)
    words = 20
    # Both slots of a buffer are full only behind a sink that was not ready.
    ready = SINKS["half"](program.network.nodes, seed)
    traffic = all_sources(program, words).taken_by(ready)

    def reached(gaps: np.ndarray) -> float:
        release = np.cumsum(gaps, axis=0).reshape(-1)
        return check_waits(simulate_ordered(program, replace(traffic, release=release)))

    def drawn() -> np.ndarray:
        return np.array(
            [[random.choice([0, 0, 0, 9]) for _ in program.sources] for _ in range(words)]
        )

    gaps = max((drawn() for _ in range(10)), key=reached)
    best = reached(gaps)
    for _ in range(steps):
        changed = gaps.copy()
        for _ in range(random.randint(1, 4)):
            place = random.randrange(words), random.randrange(len(program.sources))
            changed[place] = random.choice([0, 0, 1, 2, 3, random.randint(0, 30)])
        now = reached(changed)
        if now >= best:
            gaps, best = changed, now
    return best


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize("spec", ["star:3", "star:4", "scc:3", "uhc:3", "hypercube:3"])
def test_words_wait_as_long_as_said_if_traffic_is_chosen_for_it(spec: str) -> None:
    assert searched(plain(spec), 300, seed=1) == 1


def test_waits_are_counted_from_the_offer_to_the_passing() -> None:
    program = plain("star:3")
    alone = simulate_ordered(program, back_to_back(program, 3, 1))
    assert alone.longest_wait.tolist() == [0, 0, 0, 1, 0, 0]
    never = np.zeros((1, 6), dtype=bool)
    held = simulate_ordered(program, all_sources(program, 9).taken_by(never))
    assert (held.at_root == -1).all()
    assert held.longest_wait.max() == 0
    two = simulate_ordered(program, back_to_back(program, 3, 2))
    assert two.offered.tolist() == [0, 1]


def test_streams_are_numbered_by_kind_and_node() -> None:
    program = compile_ordered(build_network("star:3"), sources=[1, 4], root=0)
    streams = ordered_streams(program)
    assert [stream.kind for stream in streams] == sorted(
        (stream.kind for stream in streams), key=KINDS.index
    )
    assert streams[:3] == (
        OrderedStream("inject", 1),
        OrderedStream("inject", 4),
        OrderedStream("eject", 0),
    )
    assert sum(stream.kind == "down" for stream in streams) == 5


def test_sinks_that_stand_still_are_waited_for_and_those_that_never_move_are_not() -> None:
    program = plain("star:4")
    ready = np.zeros((400, 24), dtype=bool)
    ready[399] = True
    traffic = back_to_back(program, 0, 3)
    assert simulate_ordered(program, traffic.taken_by(ready)).drained
    starved = simulate_ordered(program, traffic.taken_by(ready[:1]))
    assert (starved.end, starved.cycles) == (
        "starved",
        run_readable(program, 8, as_given(8, traffic.taken_by(ready[:1]))).cycles,
    )


def test_words_must_fit_the_program() -> None:
    program, other = plain("star:4"), plain("star:3")
    with pytest.raises(InputError, match=r"^ready: "):
        simulate_ordered(program, all_sources(other, 1))
    with pytest.raises(InputError, match=r"^cycles: -1 "):
        simulate_ordered(program, all_sources(program, 1), cycles=-1)
