"""The timetable fabric where a round has the words of all nodes, or of none."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from folders import generated, manifest_of
from formal.planting import planted
from hypothesis import given, settings
from hypothesis import strategies as st
from readable_rounds import Played
from round_designs import always, at_once, catches, drawn
from verilog_files import compared, written

from noc.design import AnyDesign, build_design
from noc.fabrics.timetable import assembly
from noc.model import Traffic, all_sources
from noc.model.timetable import Run as ModelRun
from noc.model.timetable import simulate, waiting
from noc.programs.rounds import RoundProgram
from noc.verify import Run

#: Networks and exchanges with rounds of all lengths, and sums of which some words wait for rounds.
DESIGNS: dict[str, tuple[str, dict]] = {
    "all_gather": ("star:4", {}),
    "long rounds": ("ring:65", {}),
    "short rounds": ("ring:3", {}),
    "all_to_all": ("star:4", {"exchange": "all_to_all"}),
    "gather": ("mesh:2,3", {"exchange": "gather"}),
    "scatter": ("best:6", {"exchange": "scatter"}),
    "all_reduce": ("hypercube:4", {"exchange": "all_reduce:sum"}),
    "rounds of two": ("star:4", {"exchange": "all_reduce:max", "round": 2}),
    "reduce_scatter": ("star:3", {"exchange": "reduce_scatter:sum"}),
}


@cache
def built(name: str) -> AnyDesign:
    spec, options = DESIGNS[name]
    return build_design(spec, fabric="timetable", start="ready", **options)


# The model.


def rate(program: RoundProgram) -> float:
    """Words, or sums, that come out in a round, while every node always has words."""
    count = int(np.bincount(program.flows.inject).max()) * 250
    words = all_sources(program, count)
    begin, end = (
        simulate(program, words, cycles=rounds * program.round, events=False).delivered
        for rounds in (60, 160)
    )
    return (end - begin) / 100


@pytest.mark.cases(6)
@pytest.mark.parametrize("name", DESIGNS)
def test_rounds_follow_one_another(name: str, monkeypatch) -> None:
    """With as much room as there is; where a round is a cycle, with no room less."""
    program = built(name).program
    assert rate(program) == (program.taken >= 0).sum()
    if program.round == 1:
        fewer = program.kept_rounds - 1
        monkeypatch.setattr(RoundProgram, "kept_rounds", fewer)
        assert rate(program) < (program.taken >= 0).sum()


def give_until(program: RoundProgram, cycle: int, rounds: int = 1) -> ModelRun:
    """A run of some rounds, the last words of the first of which are given in a cycle."""
    count = np.bincount(program.flows.inject)
    source = np.sort(np.tile(program.flows.inject, rounds))
    turn = np.concatenate([np.arange(rounds * each) for each in count])
    release = cycle + 1 + turn - count[source]
    return simulate(program, Traffic(source, release, always(program.network.nodes)))


@pytest.mark.parametrize("name", DESIGNS)
def test_latency_is_that_of_words_that_are_there_in_time(name: str) -> None:
    """Who gives its last word a cycle later waits for the next round."""
    program = built(name).program
    cycles = sorted(give_until(program, 80 + n).cycles - 80 - n for n in range(program.round))
    assert cycles == [program.cycles + 1 + wait for wait in range(program.round)]


def test_a_round_that_lacks_words_does_not_begin() -> None:
    """One node gives less than the others: as many rounds begin as it has words."""
    program = built("all_gather").program
    source = np.repeat(np.arange(24), 6)[3:]
    run = simulate(program, at_once(program, source))
    assert (run.end, run.delivered) == ("incomplete", 3 * 24 * 23)
    # Its queue is empty, and those of the others are full.
    full = min(3, program.kept_rounds)
    assert run.accepted.tolist() == [3] + [3 + full] * 23
    assert run.waiting is not None
    assert (run.waiting.round, run.waiting.refused) == (3, source.size - run.accepted.sum())
    assert run.waiting.words.tolist() == [0] + [full] * 23
    assert run.waiting.lacking.tolist() == [1] + [0] * 23


@pytest.mark.parametrize("options", [{}, {"exchange": "all_to_all"}, {"ejects": "one"}])
@given(seed=st.integers(0, 99), words=st.integers(0, 80))
@settings(max_examples=8)
def test_words_stay_that_routers_still_keep(options: dict, seed: int, words: int) -> None:
    """Routers that are played cycle by cycle keep them, and have not had those that are refused."""
    program = build_design("star:3", fabric="timetable", start="ready", **options).program
    traffic = drawn(program, words, seed, 1)
    run = simulate(program, traffic)
    routers = Played(program, traffic)
    routers.run(run.cycles + 99)
    kept = [len(queue) for queue in routers.kept.values()]
    refused = sum(map(len, routers.waiting.values()))
    if run.waiting is None:
        assert (run.end, sum(kept), refused) == ("drained", 0, 0)
        return
    assert (run.end, run.waiting.words.tolist(), run.waiting.refused) == (
        *("incomplete", kept, refused),
    )
    assert run.waiting.round == routers.opened
    assert run.waiting.lacking.any()


# The Verilog.


def lacking(program: RoundProgram, *, at: int, last: int | None = None) -> Run:
    """Round 3 begins to be given in a cycle, and lacks a word, or gets it in another cycle."""
    share = np.bincount(program.flows.inject)
    source = np.repeat(np.arange(share.size), 4 * share)
    release = np.concatenate([[0] * 3 * each + [at] * each for each in share])[:-1]
    source = source[:-1]
    if last is not None:
        source, release = np.append(source, share.size - 1), np.append(release, last)
    traffic = Traffic(source, release, always(program.network.nodes))
    return Run(f"last word {last}", "all words, or all but one", traffic, words=source.size)


@pytest.mark.parametrize(
    "options", [{}, pytest.param({"exchange": "all_reduce:sum"}, marks=pytest.mark.ci)]
)
def test_what_stays_in_the_verilog_comes_out_with_what_lacks(
    options: dict, tmp_path: Path, parts: Path, monkeypatch
) -> None:
    design = build_design("mesh:2,3", fabric="timetable", width=8, start="ready", **options)
    program, times = design.program, [500, None, None]
    runs, asked = [lacking(program, at=100, last=last) for last in times], iter([0, 0, 1])

    def wrong(program: RoundProgram, begun: int, entered: np.ndarray, refused: int) -> object:
        """The last run has a word more at each stream by the model."""
        return waiting.find_waiting(program, begun, entered + next(asked), refused)

    monkeypatch.setattr("noc.model.timetable.run.find_waiting", wrong)
    report = compared(design, written(design, tmp_path), runs, tmp_path, parts=parts)
    late, some, more = report.runs
    assert (late.comparison.mismatches, late.end) == (0, "drained")
    assert (some.comparison.mismatches, some.end) == (0, "incomplete")
    assert some.waiting is not None
    assert some.waiting.words.sum() == program.flows.inject.size - 1
    assert some.cycles < 500 < late.cycles
    # And what the model says of that is compared.
    assert more.comparison.mismatches == len(program.injects)
    assert "words that wait, got" in more.comparison.first[0]


@pytest.mark.ci
def test_a_round_that_begins_late_without_a_word_is_seen(
    tmp_path: Path, parts: Path, monkeypatch
) -> None:
    """It does so when the round that goes on is over, which is long."""
    design = build_design("ring:130", fabric="timetable", width=8, start="ready")
    where, right, wrong = FAULTS["a node that nobody waits for"]
    faulty = planted(
        ("hardware.timetable.pacer", "fabrics.timetable.assembly"),
        *(f"hardware.timetable.{where}", right, wrong.replace("[1:]", "[:-1]")),
    )
    monkeypatch.setattr(assembly, "assemble", faulty.assemble)
    # All words of round 3 but one are given after a round without words has begun.
    runs = [lacking(design.program, at=6 * design.round + 2)]
    report = compared(design, written(design, tmp_path), runs, tmp_path, parts=parts)
    assert report.runs[0].comparison.mismatches


#: A fault, by the module and what is there in place of what.
FAULTS = {
    "a node that takes words always": (
        *("router", "value & self._opens if self._opened", "value if self._opened"),
    ),
    "a round that begins a phase early": (
        *("pacer", "init=self._ahead", "init=(self._ahead + 1) % self._round"),
    ),
    "a node that nobody waits for": ("pacer", "Cat(there).all()", "Cat(there[1:]).all()"),
    "a round that is begun twice": ("pacer", "- (ends & some_kept)", "- (ends & moves & told[0])"),
    "words that are told of early": ("paced_router", "taken &= last", "taken &= place == 0"),
}


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_caught(fault: str, tmp_path: Path, parts: Path, monkeypatch) -> None:
    design = build_design(
        "mesh:2,3", fabric="timetable", width=8, exchange="all_to_all", start="ready"
    )
    names = ("pacer", "router", "paced_router")
    assert catches(design, FAULTS[fault], names, "full,sparse", tmp_path, parts, monkeypatch)


# What is said, and refused.


@pytest.mark.ci
def test_it_is_told_by_node_what_stays(cli) -> None:
    design = ("star:3", "--fabric", "timetable", "--start", "ready", "--exchange", "all_to_all")
    answer = cli.facts("verify", *design, "--traffic", "back-to-back", "--words", "3")
    (run,) = answer["runs"]
    told = run["waiting"]
    assert (run["end"], told["round"], told["refused"]) == ("incomplete", 0, 0)
    ((node, words),) = told["words"].items()
    lacks = told["lacking"].pop(node)
    assert words == 3
    # Those of a round by the other stream, at least.
    assert 2 <= lacks < 5
    assert [*told["lacking"].values()] == [5] * 5


@pytest.mark.ci
def test_the_manifest_says_what_the_design_does(tmp_path: Path) -> None:
    folder = generated(tmp_path / "out", "star:4", "--fabric", "timetable", "--start", "ready")
    manifest = manifest_of(folder)
    assert (manifest["kept_rounds"], manifest["open_cycles"]) == (3, 11)
