"""The ordered fabric under load without end: the same as with listed words, and checked."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noc.errors import CheckError, InputError
from noc.model import Traffic, mixing
from noc.model.ordered import load as load_module
from noc.model.ordered import simulate_ordered
from noc.model.ordered.load import BATCHES, LoadRun, Stalls, run_load
from noc.model.ordered.state import Fixed, Registers, lay_out, reset
from noc.model.runs import NONE
from noc.networks import build_network
from noc.programs.ordered import OrderedProgram, compile_ordered
from noc.programs.ordered_config import OrderedConfig

STALLS = Stalls(longest=40)


def drawn(count: int, *parts: int) -> tuple[np.ndarray, np.ndarray]:
    """The upper halves of random numbers, and the lower ones."""
    bits = mixing.draws(count, *parts)
    return (bits >> np.uint64(32)).astype(np.int64), (bits & np.uint64(2**32 - 1)).astype(np.int64)


def listed(
    program: OrderedProgram, load: float, cycles: int, seed: int, sinks: Stalls | None
) -> Traffic:
    """The same words and sinks, all of them in lists."""
    release = [
        np.flatnonzero(drawn(cycles, seed, 0, source)[0] < round(load * 2**32))
        for source in program.sources
    ]
    ready = np.ones((cycles, program.network.nodes), dtype=bool)
    for node in range(program.network.nodes if sinks else 0):
        begins, length = drawn(cycles, seed, 1, node)
        cycle = 0
        while cycle < cycles:
            if begins[cycle] < round(sinks.chance * 2**32):
                away = 1 + length[cycle] % sinks.longest
                ready[cycle : cycle + away, node] = False
                cycle += away
            else:
                cycle += 1
    source = np.repeat(program.sources, [len(times) for times in release]).astype(np.int64)
    return Traffic(source, np.concatenate(release), ready)


@pytest.mark.ci
@given(
    st.sampled_from(["star:3", "star:4", "uhc:3", "hypercube:3"]),
    st.builds(
        OrderedConfig, st.integers(0, 1), queue=st.sampled_from([0, 2]), own_words=st.booleans()
    ),
    st.sampled_from([0.01, 0.05, 0.5, 1.0]),
    st.sampled_from([None, STALLS, Stalls(share=0.5, longest=3)]),
    st.integers(0, 100),
)
@settings(max_examples=40)
def test_equals_a_run_of_listed_words(spec, form, load: float, sinks, seed: int) -> None:
    program, warm_up, cycles = compile_ordered(build_network(spec), config=form), 50, 400
    counted = run_load(program, load, cycles - warm_up, warm_up=warm_up, seed=seed, sinks=sinks)
    traffic = listed(program, load, cycles, seed, sinks)
    run = simulate_ordered(program, traffic, cycles=cycles)
    nodes = program.network.nodes
    assert counted.passed == (run.at_root >= warm_up).sum()
    injected = np.bincount(traffic.source[run.accepted >= warm_up], minlength=nodes)
    assert np.array_equal(counted.injected, injected)
    assert np.array_equal(counted.ejected, (run.arrival >= warm_up).sum(axis=0))
    sinks_of = np.full(traffic.words, nodes if form.own_words else nodes - 1)
    reached = ((run.arrival >= 0).sum(axis=1) == sinks_of) & (traffic.release >= warm_up)
    last = run.arrival.max(axis=1)[reached]
    assert np.array_equal(counted.reached, np.bincount(traffic.source[reached], minlength=nodes))
    cycles_taken = last - traffic.release[reached]
    batch = (traffic.release - warm_up) * BATCHES // (cycles - warm_up)
    assert np.array_equal(counted.came, np.bincount(batch[batch >= 0], minlength=BATCHES))
    taken = np.bincount(batch[reached], cycles_taken, minlength=BATCHES)
    assert np.array_equal(counted.taken, taken)
    assert np.array_equal(counted.finished, np.bincount(batch[reached], minlength=BATCHES))
    assert np.array_equal(
        counted.since_came, np.bincount(cycles_taken, minlength=load_module.HISTOGRAM)
    )
    assert (counted.longest_wait <= run.longest_wait).all()


@pytest.mark.parametrize(
    ("spec", "form"),
    [
        *(("star:4", {}), ("star:5", {}), ("scc:4", {}), ("star:4", {"own_words": True})),
        *(("star:4", {"sinks": "always-ready"}), ("star:4", {"sinks": "queued", "queue": 2})),
    ],
)
def test_all_sources_always_sending_have_equal_shares_of_all_cycles(spec: str, form) -> None:
    """And each node gets a word of another one, or its own, in every cycle."""
    own = {"own_words": True, "source_numbers": False} if "sinks" in form else {}
    program = compile_ordered(spec, config=OrderedConfig(**form | own))
    nodes, returned = program.network.nodes, program.config.own_words
    run = run_load(program, 1, 200 * nodes, warm_up=10 * nodes)
    assert run.throughput == 1
    assert set(run.injected.tolist()) <= {199, 200, 201}
    assert run.ejected.sum() == 200 * nodes * (nodes - (not returned))
    assert not returned or (run.ejected == 200 * nodes).all()


def check_waits(program: OrderedProgram, run: LoadRun) -> None:
    for source in program.sources:
        assert 0 < run.longest_wait[source] <= program.most_waited(source)


@pytest.mark.parametrize("queue", [0, 4])
@pytest.mark.parametrize("load", [0.02, 0.04, 1])
def test_no_word_waits_longer_than_said_under_load(load: float, queue: int) -> None:
    program = compile_ordered(build_network("star:4"), config=OrderedConfig(queue=queue))
    check_waits(program, run_load(program, load, 30_000, seed=5, sinks=STALLS))


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("sinks", [STALLS, Stalls(0.1, 5), Stalls(0.7, 1)])
def test_sinks_are_away_for_the_share_asked_for(sinks: Stalls) -> None:
    program = compile_ordered(build_network("star:3"))
    ready = listed(program, 0.1, 8_000, 3, sinks).ready
    assert abs((~ready).mean() - sinks.share) < 0.02


def lost_word(fixed: Fixed) -> None:
    # A sink does not get the words of another node.
    fixed.drops[3] = fixed.node[8]


def own_word(fixed: Fixed) -> None:
    fixed.drops[3] = NONE


def overrun_buffer(fixed: Fixed) -> None:
    # A buffer of two slots accepts three words; the third one is written over that of another.
    fixed.slots[fixed.top : fixed.offering] = 3


def reset_two_slots(fixed: Fixed) -> Registers:
    return reset(fixed._replace(slots=np.minimum(fixed.slots, 2)))


@pytest.mark.parametrize("mutation", [lost_word, own_word, overrun_buffer])
@pytest.mark.parametrize("seed", range(3))
def test_what_goes_wrong_is_found(mutation, seed: int, monkeypatch) -> None:
    program = compile_ordered(build_network("star:4"))

    def mutated(program: OrderedProgram) -> Fixed:
        fixed = lay_out(program)
        mutation(fixed)
        return fixed

    run_load(program, 1, 5_000, seed=seed, sinks=STALLS)
    monkeypatch.setattr(load_module, "lay_out", mutated)
    monkeypatch.setattr(load_module, "reset", reset_two_slots)
    with pytest.raises(CheckError, match=r"^star:4: in cycle \d+ a word at "):
        run_load(program, 1, 5_000, seed=seed, sinks=STALLS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"load": 0.0}, r"^load: 0.0 is out of range"),
        ({"load": 1.5}, r"^load: 1.5 is out of range"),
        ({"load": 1.0, "cycles": 0}, r"^cycles: 0 after 0"),
    ],
)
def test_what_cannot_be_run(arguments, message: str) -> None:
    program = compile_ordered(build_network("star:3"))
    with pytest.raises(InputError, match=message):
        run_load(program, **{"cycles": 10, **arguments})
    with pytest.raises(InputError, match=r"^share: 1 "):
        Stalls(share=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "load", "queue", "sinks"),
    [
        ("star:5", 1, 0, None),
        ("star:5", 1, 16, STALLS),
        ("star:5", 0.005, 0, STALLS),
        ("scc:4", 1, 3, STALLS),
        ("uhc:6", 0.01, 2, STALLS),
    ],
)
def test_nothing_is_lost_doubled_or_reordered_in_a_long_run(spec, load, queue, sinks) -> None:
    program = compile_ordered(build_network(spec), config=OrderedConfig(queue=queue))
    run = run_load(program, load, 10**9 // 5 // program.network.nodes, seed=1, sinks=sinks)
    check_waits(program, run)


def test_own_words_go_by_while_others_wait_in_a_queue() -> None:
    # On so small a network many words are dropped at the sink that stalls.
    ring = build_network(f"file:{Path(__file__).parent / 'data' / 'one-way-ring.graphml'}")
    program = compile_ordered(ring, config=OrderedConfig(queue=4))
    assert run_load(program, 0.1, 300_000, sinks=Stalls(), seed=97).passed > 80_000
