"""The timetable fabric of all kinds: model, Verilog and folders, each against what made it."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from folders import EVERY_SUM_ONCE, EVERY_WORD_ONCE, manifest_of
from helpers import strong_graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from round_designs import (
    EXCHANGES,
    SPECS,
    catches,
    check_benches,
    check_few_words,
    check_model,
    check_parts,
    check_verilog,
    drawn,
    programmed,
)

from noc.design import AnyDesign, build_design
from noc.emit.folder import write
from noc.hardware import assemble
from noc.harness import draw_starts
from noc.model import SINKS, TRAFFIC, Traffic
from noc.networks import Network
from noc.programs.round_config import RoundConfig
from noc.programs.round_table import FEW
from noc.programs.rounds import RoundProgram
from noc.verify.folder import read_folder

# The model, against routers that are played cycle by cycle.

CONFIGS = {
    "plain": RoundConfig(),
    "short queues": RoundConfig("queued", 2),
    "queues": RoundConfig("queued", 5),
    "pulse": RoundConfig(start="pulse"),
    "queues, pulse": RoundConfig("queued", 3, "pulse"),
    "ready": RoundConfig(start="ready"),
    "short queues, ready": RoundConfig("queued", 2, "ready"),
    "queues, ready": RoundConfig("queued", 5, "ready"),
}


@pytest.mark.cases(1)
@pytest.mark.parametrize("config", CONFIGS)
@given(
    spec=st.sampled_from((*SPECS, "ring:17")),
    exchange=st.sampled_from(EXCHANGES),
    sinks=st.sampled_from([*SINKS]),
    seed=st.integers(0, 99),
    gap=st.sampled_from([0, 1, 3]),
)
@settings(max_examples=40)
def test_the_model_does_what_the_tables_say(
    config: str, spec: str, exchange: str | None, sinks: str, seed: int, gap: int
) -> None:
    program = replace(programmed(spec, exchange), config=CONFIGS[config])
    traffic = drawn(program, 60, seed, gap)
    if program.config.complete:
        lots = np.random.default_rng(seed)
        source = lots.permutation(np.repeat(program.flows.inject, 5))
        release = np.cumsum(lots.integers(0, 2 * gap + 1, source.size))
        traffic = Traffic(source, release, traffic.ready)
    if program.config.queued:
        traffic = traffic.taken_by(SINKS[sinks](program.network.nodes, seed))
    run = check_model(program, traffic, draw_starts(program.round))
    assert run.cycles == run.events.cycle.max() + 1


@pytest.mark.parametrize(("exchange", "kind"), [(None, "sparse"), ("all_to_all", "dense")])
def test_parts_of_a_run_are_the_run(exchange: str | None, kind: str, monkeypatch) -> None:
    """Words are drawn in parts that end in the midst of rounds."""
    monkeypatch.setattr("noc.model.runs.EVENTS_AT_A_TIME", 100)
    monkeypatch.setattr("noc.model.traffic.PART", 14)
    program = programmed("star:3", exchange)
    check_parts(program, TRAFFIC[kind](program, 50, 1), least=10)


# The Verilog.


QUEUED = {"sinks": "queued", "queue": 2}
PULSE = {"start": "pulse"}
READY = {"start": "ready"}
TOLD = {"choices": "one"}

PLAIN: list[tuple[str, int, dict]] = [
    *(("star:3", 1, {}), ("best:4", 33, {}), ("best:6", 8, {}), ("uhc:3", 100, {})),
]
EXCHANGED = [
    (spec, width, {"exchange": name})
    for name in EXCHANGES[1:]
    for spec, width in (("star:3", 1), ("mesh:3,3", 33), ("best:6", 100), ("uhc:3", 8))
]
OTHERS = [
    ("star:3", 1, QUEUED),
    ("best:4", 33, PULSE | {"sinks": "queued", "queue": 3}),
    ("best:6", 8, PULSE),
    ("mesh:4,4", 8, PULSE),
    ("ring:17", 4, PULSE | QUEUED),
    ("mesh:3,3", 33, QUEUED | {"exchange": "all_to_all"}),
    ("best:6", 64, QUEUED | {"exchange": "scatter"}),
    ("uhc:3", 8, PULSE | {"exchange": "gather"}),
    ("star:3", 1, READY | QUEUED),
    ("best:4", 33, READY | {"sinks": "queued", "queue": 3}),
    ("mesh:4,4", 8, READY),
    ("ring:17", 4, READY | QUEUED),
    ("mesh:3,3", 33, READY | {"exchange": "all_to_all"}),
    ("best:6", 64, READY | QUEUED | {"exchange": "scatter"}),
    # Nodes that give words are none of the first ones.
    ("best:6", 8, READY | {"exchange": "scatter", "root": 5}),
    ("ring:17", 8, READY | {"exchange": [(16, 3), (5, 8), (5, 9)]}),
    ("uhc:3", 8, READY | {"exchange": "gather"}),
    ("hypercube:3", 16, READY | {"exchange": "all_reduce:sum"}),
    ("star:4", 8, READY | QUEUED | {"exchange": "all_reduce:max", "round": 2}),
    ("star:3", 8, READY | {"exchange": "reduce_scatter:bxor"}),
    ("mesh:3,3", 33, {"exchange": "all_reduce:sum", "round": 2}),
    ("best:6", 1, {"exchange": "all_reduce:min"}),
    ("torus:3,3", 8, {"exchange": "all_reduce:max_signed", "round": 3}),
    ("star:3", 100, {"exchange": "all_reduce:band", "round": 5}),
    ("uhc:3", 9, {"exchange": "reduce_scatter:min_signed"}),
    ("mesh:2,3", 5, {"exchange": "reduce_scatter:bor"}),
    ("mesh:2,3", 32, {"exchange": "all_reduce:sum", "round": 2, "sinks": "queued", "queue": 3}),
    ("ring:2", 32, QUEUED | {"exchange": "all_reduce:bxor"}),
]
CHOSEN = [
    ("star:3", 1, TOLD),
    ("hypercube:3", 33, TOLD),
    # Own words wait in registers.
    ("torus:4,4", 16, TOLD),
    ("uhc:3", 8, TOLD | PULSE),
    ("star:3", 16, TOLD | PULSE | QUEUED),
    ("torus:3,3", 3, TOLD | READY),
    ("star:3", 8, TOLD | READY | {"ejects": "one"}),
    ("star:4", 8, TOLD | {"exchange": "all_to_all"}),
    ("uhc:4", 16, TOLD | READY | QUEUED | {"exchange": "all_to_all"}),
    ("star:3", 33, TOLD | {"exchange": "reduce_scatter:sum"}),
    ("hypercube:3", 8, TOLD | READY | {"exchange": "reduce_scatter:max"}),
    # Of two tables each.
    ("star:4", 2, TOLD | {"exchange": "scatter"}),
    ("star:4", 8, TOLD | PULSE | {"exchange": "gather"}),
]


@pytest.mark.cases(3, ci=9)
@pytest.mark.parametrize(("spec", "width", "more"), [*PLAIN, *EXCHANGED, *OTHERS, *CHOSEN])
def test_the_verilog_does_what_the_model_does(
    spec: str, width: int, more: dict, tmp_path: Path
) -> None:
    """The tables of these have all that a router can have, as the next test says."""
    check_verilog(build_design(spec, fabric="timetable", width=width, **more), tmp_path, words=40)


@pytest.mark.ci
def test_a_chooser_that_goes_on_while_routers_stand_is_caught(
    tmp_path: Path, parts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = build_design("star:3", fabric="timetable", width=8, **TOLD, **PULSE)
    fault = ("chooser", "EnableInserter(self.pace.valid)(m) if self._paced else m", "m")
    names = ("pacer", "choices", "router", "paced_router", "chooser")
    assert catches(design, fault, names, "full", tmp_path, parts, monkeypatch)


@pytest.mark.ci
def test_those_with_the_same_table_are_told_by_one_part() -> None:
    design = build_design("star:4", fabric="timetable", exchange="scatter", **TOLD)
    made, program = assemble(design), design.program
    told = {
        node: sender
        for link in made.links
        for sender, (node, name) in [(made.instances[link.sender[0]].name, link.receiver)]
        if name == "choices"
    }
    assert sorted(told.values()) == ["chooser_7", "chooser_7", "chooser_9", "chooser_9"]
    assert all(told[node] == f"chooser_{program.table[node]}" for node in told)
    assert {program.table[node] for node in told} == {*program.shared}


def programs(designs: list[tuple[str, int, dict]]) -> list[RoundProgram]:
    return [build_design(spec, fabric="timetable", **more).program for spec, _, more in designs]


@pytest.mark.ci
def test_the_tables_have_all_that_a_router_can_have() -> None:
    for own_register in (False, True):
        plain = [each for each in programs(PLAIN) if each.own_register == own_register]
        tables = [table for program in plain for table in program.tables]
        assert any(table.depth(port) > 1 for table in tables for port in table.in_ports)
        assert any(None in choices for table in tables for _, choices in table.sends)
    tables = [table for program in programs(EXCHANGED) for table in program.tables]
    assert {table.inputs > FEW for table in tables} == {False, True}
    assert any(not table.sends for table in tables)
    assert any(not table.in_ports for table in tables)
    assert any(not table.lanes and table.in_ports for table in tables)
    assert any(not table.inject_lanes and table.sends for table in tables)
    assert any({*table.lanes} < {*table.in_ports} and table.lanes for table in tables)
    assert any(table.depth(port) > 1 for table in tables for port in table.in_ports)


@pytest.mark.ci
@pytest.mark.parametrize("start", ["always", "pulse", "ready"])
@given(
    network=strong_graphs(),
    exchange=st.sampled_from(EXCHANGES),
    queue=st.sampled_from([{}, QUEUED, QUEUED | {"queue": 3}]),
)
@settings(max_examples=3)
def test_any_graph_becomes_verilog(
    start: str, network: Network, exchange: str | None, queue: dict, tmp_path_factory
) -> None:
    more = {"start": start, "exchange": exchange, "width": 8} | queue
    design = build_design(network, fabric="timetable", **more)
    check_few_words(design, tmp_path_factory.mktemp("graph"))


# Folders.

ROUNDS = ("each_round_takes_a_word_of_each",)
WORDS = ("each_round_brings_every_word", "rounds_may_lack_words")
SUMS = ("each_round_adds_every_word", "sums_may_lack_words")

#: A network, options, with ports as vectors where there is a width, and tests of the first bench.
FOLDERS: list[tuple[str, dict, tuple[str, ...]]] = [
    ("mesh:2,3", {"width": 16}, ROUNDS),
    # Words that wait for their round, and a round of one cycle.
    *((spec, {}, ROUNDS) for spec in ("mesh:4,4", "complete:4")),
    *(("mesh:2,3", {"width": 16, "exchange": name}, WORDS) for name in EXCHANGES[1:]),
    ("star:3", QUEUED, ()),
    ("mesh:2,3", PULSE | {"sinks": "queued", "queue": 4, "width": 16}, ()),
    ("star:3", QUEUED | {"exchange": "all_to_all"}, ()),
    ("uhc:3", PULSE | QUEUED | {"width": 1}, ()),
    ("mesh:2,3", PULSE | {"exchange": "gather"}, ()),
    ("star:3", READY, ()),
    ("mesh:2,3", READY | QUEUED | {"exchange": "all_to_all"}, ()),
    ("hypercube:2", READY | {"exchange": "all_reduce:sum", "width": 32}, ()),
    ("star:3", READY | {"exchange": "reduce_scatter:max"}, ()),
    ("star:3", TOLD, ()),
    ("uhc:3", TOLD | PULSE | QUEUED, ()),
    ("star:4", TOLD | {"exchange": "gather"}, WORDS),
    ("mesh:2,3", {"width": 16, "exchange": "all_reduce:sum", "round": 2}, SUMS),
    ("mesh:2,3", {"width": 16, "exchange": "reduce_scatter:min"}, SUMS),
    (
        "mesh:2,3",
        {"width": 16, "exchange": "all_reduce:max", "sinks": "queued", "queue": 3},
        SUMS,
    ),
]


@dataclass(frozen=True)
class Folder:
    """A folder, what it is made of, and tests of its bench."""

    path: Path
    design: AnyDesign
    tests: tuple[str, ...]


@pytest.fixture(scope="module", params=FOLDERS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Folder:
    spec, options, tests = request.param
    design = build_design(spec, fabric="timetable", **options)
    path = tmp_path_factory.mktemp("rounds") / "out"
    write(design, path, vector_ports="width" in options)
    return Folder(path, design, tests)


@pytest.mark.cases(3)
def test_a_folder_is_read_back(folder: Folder) -> None:
    read, built = read_folder(folder.path).design, folder.design
    manifest = manifest_of(folder.path)
    assert read.program.tables == built.program.tables
    assert (read.program.exchange, read.digest) == (built.program.exchange, built.digest)
    assert ("queue_depth" in manifest) == built.config.queued
    assert ("choices" in manifest) == built.config.shared
    assert ("start" in manifest) == (built.config.start == "pulse")
    assert ("kept_rounds" in manifest) == (built.config.start == "ready")


@pytest.mark.cases(0, ci=4)
def test_a_folder_verifies(folder: Folder, cli) -> None:
    assert cli.facts("verify", "--verilog", folder.path, "--words", "20")["mismatches"] == 0


@pytest.mark.cases(0, ci=4)
@pytest.mark.cocotb
def test_the_benches_of_a_folder_pass(folder: Folder) -> None:
    adds = "sums" in manifest_of(folder.path)
    check_benches(folder.path, *folder.tests, ends=EVERY_SUM_ONCE if adds else EVERY_WORD_ONCE)
