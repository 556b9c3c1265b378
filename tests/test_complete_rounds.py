"""The timetable fabric where a round has the words of all nodes, or of none."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from folders import generated, manifest_of
from round_designs import always, at_once, catches

from noc.design import AnyDesign, build_design
from noc.model import Traffic, all_sources
from noc.model.timetable import Run, simulate
from noc.programs.rounds import RoundProgram

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


def give_until(program: RoundProgram, cycle: int, rounds: int = 1) -> Run:
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
    assert (run.end, run.delivered) == ("drained", 3 * 24 * 23)
    # Its queue is empty, and those of the others are full.
    assert run.accepted.tolist() == [3] + [3 + min(3, program.kept_rounds)] * 23


# The Verilog.


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
def test_the_manifest_says_what_the_design_does(tmp_path: Path) -> None:
    folder = generated(tmp_path / "out", "star:4", "--fabric", "timetable", "--start", "ready")
    manifest = manifest_of(folder)
    assert (manifest["kept_rounds"], manifest["open_cycles"]) == (3, 11)
