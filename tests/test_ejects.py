"""The timetable fabric where a node has one eject stream for all that comes to it."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from folders import EVERY_SUM_ONCE, EVERY_WORD_ONCE, generated, manifest_of
from hypothesis import given, settings
from hypothesis import strategies as st
from round_designs import (
    EXCHANGES,
    SPECS,
    catches,
    check_benches,
    check_model,
    check_verilog,
    programmed,
)
from test_complete_rounds import give_until

from noc.design import AnyDesign, build_design
from noc.errors import InputError
from noc.model import SINKS, Traffic, all_sources
from noc.model.timetable import simulate
from noc.programs.round_config import RoundConfig
from noc.programs.rounds import RoundProgram
from noc.verify.folder import read_folder

ONE = RoundConfig("queued", 0, "ready", "one")

#: Networks and exchanges with rounds that are longer, and shorter, than words take to leave.
DESIGNS: dict[str, tuple[str, dict]] = {
    "all_gather": ("star:4", {}),
    "short rounds": ("star:3", {}),
    "rounds of a cycle": ("complete:8", {}),
    "all_to_all": ("star:4", {"exchange": "all_to_all"}),
    "gather": ("mesh:2,3", {"exchange": "gather"}),
    "scatter": ("best:6", {"exchange": "scatter"}),
    "all_reduce": ("hypercube:4", {"exchange": "all_reduce:sum"}),
    "reduce_scatter": ("star:3", {"exchange": "reduce_scatter:sum"}),
}


@cache
def built(name: str) -> AnyDesign:
    spec, options = DESIGNS[name]
    return build_design(spec, fabric="timetable", start="ready", ejects="one", **options)


# The model, against routers that are played cycle by cycle.


@pytest.mark.cases(1)
@pytest.mark.parametrize("exchange", EXCHANGES)
@given(
    spec=st.sampled_from(SPECS),
    queue=st.sampled_from([0, 20]),
    sinks=st.sampled_from([*SINKS]),
    seed=st.integers(0, 99),
    gap=st.sampled_from([0, 1, 3]),
)
@settings(max_examples=10)
def test_the_model_does_what_the_tables_say(
    exchange: str | None, spec: str, queue: int, sinks: str, seed: int, gap: int
) -> None:
    program = replace(programmed(spec, exchange), config=replace(ONE, queue=queue))
    rng = np.random.default_rng(seed)
    source = rng.permutation(np.repeat(program.flows.inject, 5))
    release = np.cumsum(rng.integers(0, 2 * gap + 1, source.size))
    ready = SINKS[sinks](program.network.nodes, seed)
    check_model(program, Traffic(source, release, ready))


def rounds_in(program: RoundProgram, periods: int) -> float:
    """Rounds that come out in so many periods, while every node always has words."""
    count = int(np.bincount(program.flows.inject).max()) * 500
    begin, end = (
        simulate(program, all_sources(program, count), cycles=each * program.period, events=False)
        for each in (60, 60 + periods)
    )
    return (end.delivered - begin.delivered) / int((program.taken >= 0).sum())


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", DESIGNS)
def test_there_is_room_for_full_speed(name: str) -> None:
    """In each period a round comes out, and with room for one less it would not; never more than
    words can leave."""
    program: RoundProgram = built(name).program
    most = program.period / max(program.round, program.most_words)
    assert 100 <= rounds_in(program, 100) <= 100 * most + 1
    asked = replace(program, config=program.config)
    asked.__dict__["room_rounds"] = program.room_rounds - 1
    assert program.room_rounds == 1 or rounds_in(asked, 100) < 100


@pytest.mark.parametrize("name", DESIGNS)
def test_latency_is_that_of_words_that_are_there_in_time(name: str) -> None:
    program = built(name).program
    cycles = sorted(give_until(program, 80 + n).cycles - 80 - n for n in range(program.round))
    assert cycles == [program.cycles + 1 + wait for wait in range(program.round)]


@pytest.mark.cases(2)
@pytest.mark.parametrize("rounds", [2, 5, 30])
@pytest.mark.parametrize("name", DESIGNS)
def test_latency_of_many_rounds_is_exact(name: str, rounds: int) -> None:
    """Also where the words of a node leave in less than whole rounds, so that distances vary."""
    check_latency(built(name).program, rounds)


def test_latency_is_exact_where_rounds_wait_for_room_in_front_of_the_network() -> None:
    """A node that gets one word in a round sees it; with room behind the network for ten."""
    pairs = [*((node, 0) for node in range(1, 8)), (0, 1)]
    options = {"start": "ready", "ejects": "one", "exchange": pairs, "queue": 70}
    program = build_design("complete:8", fabric="timetable", **options).program
    assert (program.room_rounds, program.kept_rounds, program.last_given) == (10, 3, 0)
    # The word for the second node, in each round of a cycle; but three in nine cycles.
    waits = program.open_cycles + 1 - 3
    for rounds in range(1, 11):
        check_latency(program, rounds)
        later = program.latency_of(rounds)[0] - program.latency[0]
        assert later == rounds - 1 + (rounds - 1) // 3 * waits


def check_latency(program: RoundProgram, rounds: int) -> None:
    """It is that of a run in which all words of the last round are there in time."""
    runs = [give_until(program, 80 + n, rounds) for n in range(program.round)]
    wait, run = min((run.cycles - n, n, run) for n, run in enumerate(runs))[1:]
    assert run.cycles - 81 - wait == program.cycles_of(rounds)
    if program.exchange.adds:
        return
    # The words of the last round, by stream and phase as those of the first one.
    assert run.events is not None
    last, count = np.zeros(run.injected, dtype=np.int64), np.bincount(program.flows.inject)
    np.maximum.at(last, run.events.word, run.events.cycle)
    ends = zip(rounds * np.cumsum(count), count, strict=True)
    words = np.concatenate([np.arange(end - each, end) for end, each in ends])
    assert (last[words] - 80 - wait == program.latency_of(rounds)).all()


def test_latency_of_a_million_rounds_is_found_at_once() -> None:
    """Of star:3 four take 21 cycles, in the end and from the first ones on."""
    program: RoundProgram = built("short rounds").program
    assert program.cycles_of(10**6 + 4) - program.cycles_of(10**6) == 21
    assert program.cycles_of(10**6 + 4) - program.cycles_of(4) == 21 * 10**6 // 4


def test_words_come_in_the_order_of_their_sources() -> None:
    program: RoundProgram = built("all_gather").program
    ready = np.random.default_rng(1).random((64, 24)) < 0.5
    traffic = Traffic(np.repeat(np.arange(24), 3), np.zeros(72, dtype=np.int64), ready)
    run = simulate(program, traffic)
    assert run.events is not None
    came = run.events.port == len(program.network.in_ports) + 1
    for node in range(24):
        words = run.events.word[came & (run.events.node == node)]
        others = [each for each in range(24) if each != node]
        assert traffic.source[words].tolist() == 3 * others
        assert (words.reshape(3, -1) % 3 == np.arange(3)[:, None]).all()


def test_more_room_is_had_for_the_asking() -> None:
    """For so many words at least, in whole rounds."""
    some, more = (
        build_design("star:4", fabric="timetable", start="ready", ejects="one", queue=queue)
        for queue in (0, 70)
    )
    assert (some.program.room_rounds, more.program.room_rounds) == (2, 4)


# The Verilog.


@pytest.mark.cases(1, ci=3)
@pytest.mark.parametrize(
    ("spec", "width", "more"),
    [
        ("star:3", 1, {}),
        ("best:4", 33, {"queue": 30}),
        ("mesh:4,4", 8, {}),
        ("ring:17", 4, {}),
        ("mesh:3,3", 33, {"exchange": "all_to_all"}),
        ("best:6", 8, {"exchange": "scatter", "root": 5}),
        ("ring:17", 8, {"exchange": [(16, 3), (5, 8), (5, 9)]}),
        ("uhc:3", 8, {"exchange": "gather"}),
        ("hypercube:3", 16, {"exchange": "all_reduce:sum"}),
        ("star:3", 8, {"exchange": "reduce_scatter:bxor"}),
        ("mesh:2,2", 8, {"exchange": "all_reduce:min"}),
    ],
)
def test_the_verilog_does_what_the_model_does(
    spec: str, width: int, more: dict, tmp_path: Path
) -> None:
    design = build_design(
        spec, fabric="timetable", start="ready", ejects="one", width=width, **more
    )
    check_verilog(design, tmp_path, words=40)


#: A fault, by the module and what is there in place of what.
FAULTS = {
    "a word too early": ("merge", "waiting + whole - (named & last)", "waiting + named"),
    "a round that is read twice": (
        "merge",
        "Mux(turn == self._rounds - 1, 0, turn + 1))\n        with m.If(seen.next)",
        "turn)\n        with m.If(seen.next)",
    ),
    "a lane that keeps its place": (
        "merge",
        "with m.If(lane.valid & self.row.ends[number]):",
        "with m.If(lane.valid & self.row.ends[number] & (number != 1)):",
    ),
    "words of the wrong lane": ("merge", "Array(words)[which]", "Array(words[::-1])[which]"),
    "an end too early": ("merge", "row.last.eq(last)", "row.last.eq(place == 0)"),
    "a sink that is not asked": ("merge", "~self.eject.valid | self.eject.ready", "1"),
    "room for one round more": (
        "paced_router",
        "most=max(self._rounds, self._room), first=self._room\n",
        "most=1 + max(self._rounds, self._room), first=self._room + 1\n",
    ),
    "room that is never given back": ("paced_router", "eq(self._router.freed.valid)", "eq(0)"),
}


@pytest.mark.cases(1, ci=3)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_caught(fault: str, tmp_path: Path, parts: Path, monkeypatch) -> None:
    design = build_design("mesh:2,3", fabric="timetable", width=8, start="ready", ejects="one")
    names = ("pacer", "router", "merge", "paced_router")
    assert catches(design, FAULTS[fault], names, "full,dense:half", tmp_path, parts, monkeypatch)


# Folders.


@pytest.fixture(
    scope="module",
    params=[
        ("star:3", "--axi-stream"),
        pytest.param(
            ("mesh:2,3", "--exchange", "all_to_all", "--vector-ports"), marks=pytest.mark.slow
        ),
        ("hypercube:2", "--exchange", "all_reduce:sum", "--axi-stream", "--node-clocks", "each"),
        pytest.param(
            ("best:6", "--exchange", "gather", "--node-clocks", "each"), marks=pytest.mark.slow
        ),
    ],
    ids=["axi", "exchange", "sums", "clocks"],
)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    options = (*request.param, "--fabric", "timetable", "--start", "ready", "--ejects", "one")
    return generated(tmp_path_factory.mktemp("ejects") / "out", *options)


@pytest.mark.cases(0, ci=1)
def test_a_folder_is_read_back_and_verifies(folder: Path, cli) -> None:
    read = read_folder(folder).design
    assert read.config == replace(ONE, queue=0)
    assert cli.facts("verify", "--verilog", str(folder), "--words", "20")["mismatches"] == 0


@pytest.mark.cases(0, ci=2)
@pytest.mark.cocotb
def test_the_benches_of_a_folder_pass(folder: Path) -> None:
    check_benches(folder, ends=EVERY_SUM_ONCE if "sums" in manifest_of(folder) else EVERY_WORD_ONCE)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"start": "always"}, "use start='ready'"),
        ({"start": "pulse"}, "use start='ready'"),
        ({"sinks": "always-ready"}, "use sinks='queued'"),
        ({"ejects": "two"}, "each, one are allowed"),
        ({"exchange": "all_reduce:sum", "round": 2}, "behind some of the next one, by the same in"),
    ],
)
def test_what_cannot_be_built_is_refused(more: dict, message: str) -> None:
    options = {"start": "ready", "ejects": "one"} | more
    with pytest.raises(InputError, match=message):
        build_design("star:4", fabric="timetable", **options)
