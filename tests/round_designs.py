"""Designs of the timetable fabric: what their model, their Verilog and their folders have to do."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from folders import EVERY_WORD_ONCE, bench, stress
from formal.planting import planted
from readable_rounds import played
from verilog_files import compared, written

from noc.design import AnyDesign
from noc.fabrics.timetable import assembly
from noc.model import LongTraffic, Traffic
from noc.model.timetable import Run, simulate, stream
from noc.programs.compile_rounds import compile_rounds, compile_routes
from noc.programs.rounds import RoundProgram
from noc.trees.timetables import Exchange, find_routes, find_timetable
from noc.verify import name_runs, verify

SPECS = ("star:3", "mesh:2,3", "uhc:3", "ring:5", "best:6", "hypercube:3", "torus:3,3")

#: None is that in which each word is for all.
EXCHANGES = (None, "all_to_all", "scatter", "gather")


@cache
def programmed(spec: str, exchange: str | None) -> RoundProgram:
    """A program, of the best of few attempts."""
    if exchange is None:
        return compile_rounds(find_timetable(spec, tries=20))
    return compile_routes(find_routes(spec, exchange_of(exchange), tries=20))


def exchange_of(name: str, root: int = 0) -> Exchange:
    return Exchange(name, None if name == "all_to_all" else root)  # type: ignore[arg-type]


def always(nodes: int) -> np.ndarray:
    """Sinks that are always ready."""
    return np.ones((1, nodes), dtype=np.bool_)


def at_once(program: RoundProgram, source: np.ndarray) -> Traffic:
    """Words that are there from the beginning, for sinks that are always ready."""
    return Traffic(source, np.zeros_like(source), always(program.network.nodes))


def drawn(program: RoundProgram, words: int, seed: int, gap: int) -> Traffic:
    """Words of any streams, with pauses of so many cycles in the mean."""
    rng = np.random.default_rng(seed)
    source = rng.integers(0, len(program.sources), words)
    release = np.cumsum(rng.integers(0, 2 * gap + 1, words))
    return Traffic(source, release, always(program.network.nodes), seed)


def catches(
    design: AnyDesign,
    fault: tuple[str, str, str],
    names: Sequence[str],
    traffic: str,
    folder: Path,
    parts: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> bool:
    """Whether Verilog with a fault, in one of the parts of the hardware, is told from the model."""
    where, right, wrong = fault
    parts_of = [f"hardware.timetable.{name}" for name in names]
    faulty = planted(
        (*parts_of, "fabrics.timetable.assembly"), f"hardware.timetable.{where}", right, wrong
    )
    monkeypatch.setattr(assembly, "assemble", faulty.assemble)
    files, runs = written(design, folder), name_runs(design, traffic, words=40)
    return not compared(design, files, runs, folder, parts=parts).passed


def check_model(program: RoundProgram, traffic: Traffic, starts: Sequence[bool] = (True,)) -> Run:
    """That a run, and one that is cut off, do what routers do that are played cycle by cycle."""
    run = simulate(program, traffic, starts=starts)
    assert run.events is not None
    right = played(program, traffic, run.cycles, starts)
    assert run.events.tuples() == right
    words, copies = traffic.words, program.network.nodes - 1 if program.gathers else 1
    assert (run.end, run.injected, run.delivered) == ("drained", words, words * copies)
    half = run.cycles // 2
    cut = simulate(program, traffic, cycles=half, starts=starts)
    assert cut.events is not None
    assert cut.events.tuples() == [each for each in right if each[0] < half]
    assert (cut.end, cut.cycles) == ("limit", half)
    return run


def check_parts(program: RoundProgram, traffic: Traffic | LongTraffic, *, least: int) -> None:
    """That the parts in which a run is made, more than so many, are the run."""
    parts = [chunk.events for chunk in stream(program, traffic)]
    whole = simulate(program, traffic.whole)
    assert whole.events is not None
    assert len(parts) > least
    assert [each for part in parts for each in part.tuples()] == whole.events.tuples()


def check_verilog(design: AnyDesign, folder: Path, *, words: int, least: int = 1000) -> None:
    """That the Verilog does what the model does, with all kinds of traffic."""
    report = verify(design, name_runs(design, words=words, cycles=2000), folder)
    assert report.passed
    assert report.events > least


def check_few_words(design: AnyDesign, folder: Path) -> None:
    """The same with words of two kinds, of a network of which there are many."""
    assert verify(design, name_runs(design, "full,sparse", words=10), folder).passed


def check_benches(folder: Path, *passed: str, ends: str = EVERY_WORD_ONCE) -> None:
    """That the benches of a folder pass, some tests of the first by name."""
    told = bench(folder, "run.py").stdout
    assert all(f"{name} passed" in told for name in passed)
    assert stress(folder).stdout.endswith(ends)
