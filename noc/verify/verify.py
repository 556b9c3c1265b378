"""Verification: the emitted Verilog and the cycle model side by side, transfer by transfer."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from noc.design import AnyDesign
from noc.emit.manifest import build_manifest
from noc.emit.verilog import modules
from noc.errors import CheckError, InputError, option
from noc.harness import write_harness
from noc.model import Run as ModelRun
from noc.model.collective.run import CollectiveRun
from noc.model.ordered import OrderedRun
from noc.networks import IntArray
from noc.simulators import SIMULATORS
from noc.synth import Family, Mode
from noc.verify.bench import Sizes, bench
from noc.verify.check import check_interface
from noc.verify.compare import Comparison, compare
from noc.verify.expected import WordArray, logged
from noc.verify.models import expected_records
from noc.verify.netlist import netlist_files
from noc.verify.runs import Run
from noc.verify.simulator import Simulation
from noc.verify.stimulus import write_run
from noc.verify.streams import Interface, interface

__all__ = ["Report", "RunReport", "verify", "verify_files"]

#: Drives the network, where a simulator compiles to C++.
_PROGRAM = Path(__file__).with_name("harness.cpp")

#: After the last transfer that is expected, at least so many cycles more, with all sinks ready.
_DRAIN = 32

#: Cycles of all runs together from which on optimisation saves more than it costs.
_LONG, _LONG_WITH_HARNESS = 5_000, 100_000

#: Wall-clock seconds of a run: a fixed part, and router-cycles that any machine does in a second.
_SECONDS, _ROUTER_CYCLES = 300, 2_000


@dataclass(frozen=True)
class RunReport:
    """One run and what the comparison found.

    Parameters
    ----------
    run : Run
        What was sent.
    cycles : int
        Cycles compared.
    events : int
        Transfers of the model.
    comparison : Comparison
        Mismatches.
    seconds : float or None
        Processor time of the simulation from reset to the end, if it came there.
    whole : bool
        Whether its log has an end.
    """

    run: Run
    cycles: int
    events: int
    comparison: Comparison
    seconds: float | None
    whole: bool


@dataclass(frozen=True)
class Report:
    """What was compared, and what was found.

    Parameters
    ----------
    interface : Interface
        The streams that were compared.
    runs : tuple of RunReport
        Run by run.
    trouble : str or None
        Why the simulation did not come to its end, or which log has none, if so.
    build_seconds, run_seconds : float
        Wall-clock time of the two parts of the simulation.
    traced : str or None
        What waveforms show, if there are any.
    """

    interface: Interface
    runs: tuple[RunReport, ...]
    trouble: str | None
    build_seconds: float
    run_seconds: float
    traced: str | None = None

    @property
    def events(self) -> int:
        """Transfers expected."""
        return sum(run.events for run in self.runs)

    @property
    def cycles(self) -> int:
        """Clock cycles compared."""
        return sum(run.cycles for run in self.runs)

    @property
    def mismatches(self) -> int:
        """Transfers on which model and hardware differ."""
        return sum(run.comparison.mismatches for run in self.runs)

    @property
    def passed(self) -> bool:
        """Whether the hardware equals the model."""
        return self.mismatches == 0 and self.trouble is None


def verify(
    design: AnyDesign,
    runs: Sequence[Run],
    folder: Path,
    *,
    simulator: str = "verilator",
    waves: Path | None = None,
    parts: Path | None = None,
    optimise: bool | None = None,
    netlist: Family | None = None,
    mapping: Mode = "plain",
    progress: Callable[[float], None] | None = None,
) -> Report:
    """Emit the Verilog of a design, or its netlist, simulate it, and compare.

    Parameters
    ----------
    design : Design
        The network.
    runs : sequence of Run
        What is sent.
    folder : Path
        An empty folder for everything that is made.
    simulator : str
        What simulates, one of :data:`noc.simulators.SIMULATORS`.
    waves : Path, optional
        Write waveforms there.
    parts : Path, optional
        A folder that keeps Verilator's own compiled parts from one build to the next.
    optimise : bool, optional
        Whether to compile with optimisation; without, where that saves time in the runs given.
    netlist : Family, optional
        Simulate what synthesis makes of the Verilog for this family of chips.
    mapping : "plain" or "best"
        How, as :func:`noc.synth.synthesise` takes it.
    progress : callable, optional
        Told how much of the synthesis is done, 0 to 1.
    """
    if netlist is not None:
        sources = netlist_files(design, netlist, folder, mapping=mapping, progress=progress)
    else:
        sources = [module.write(folder) for module in modules(design)]
    document = build_manifest(design, [source.name for source in sources])
    return verify_files(
        *(design, document, sources, runs, folder),
        simulator=simulator,
        waves=waves,
        parts=parts,
        optimise=optimise,
    )


def verify_files(
    design: AnyDesign,
    document: Mapping[str, Any],
    sources: Sequence[Path],
    runs: Sequence[Run],
    folder: Path,
    *,
    simulator: str = "verilator",
    waves: Path | None = None,
    parts: Path | None = None,
    optimise: bool | None = None,
    beside: Path | None = None,
) -> Report:
    """Simulate Verilog that lies there, and compare it with the model of a design.

    Parameters
    ----------
    design : Design
        What the Verilog should be.
    document : mapping
        Its manifest.
    sources : sequence of Path
        Its files.
    runs, folder, simulator, waves, parts, optimise
        As for :func:`verify`.
    beside : Path, optional
        A folder whose files the Verilog may read by their names.
    """
    streams = interface(document, design.network)
    check_interface(streams, design)
    routers = Counter(str(entry["router"]) for entry in document["nodes"] if "router" in entry)
    wanted = [_expected(design, streams, run) for run in runs]
    if not any(each.model.injected for each in wanted):
        raise InputError(f"no word is sent: {option('words')} or {option('cycles')} is too small")
    ends = [_end(each.model, design) for each in wanted]
    # Waveforms are of the bench in Verilog, which a person can follow.
    driven = waves is None and SIMULATORS[simulator].harness
    simulation = Simulation(
        *(folder, tuple(sources), routers, simulator, waves),
        long=_is_long(ends, driven=driven) if optimise is None else optimise,
        parts=parts,
        harness=write_harness(streams, folder, _PROGRAM) if driven else None,
    )
    if not driven:
        text = bench(streams, _sizes(runs), waves=waves is not None)
        simulation.bench.write_text(text, encoding="utf-8")
    _write_runs(simulation.runs, streams, runs, wanted, ends, beside)
    began = time.monotonic()
    simulation.build()
    built = time.monotonic()
    trouble = simulation.run(
        [_SECONDS + end * design.network.nodes // _ROUTER_CYCLES for end in ends]
    )
    simulated = time.monotonic()
    reports = tuple(
        _compared(design, streams, run, simulation.runs / str(number), each)
        for number, (run, each) in enumerate(zip(runs, wanted, strict=True))
    )
    return Report(
        *(streams, reports, trouble or _unfinished(reports)),
        *(built - began, simulated - built, simulation.traced),
    )


def _write_runs(
    folder: Path,
    streams: Interface,
    runs: Sequence[Run],
    wanted: "Sequence[_Expected]",
    ends: Sequence[int],
    beside: Path | None,
) -> None:
    """What the simulation reads: the words of each run, and files that the Verilog may read."""
    folder.mkdir()
    for path in beside.resolve().iterdir() if beside is not None else ():
        (folder / path.name).symlink_to(path)
    for number, (run, each, end) in enumerate(zip(runs, wanted, ends, strict=True)):
        write_run(folder, number, streams, run.traffic, busy=each.model.cycles, end=end)


def _is_long(ends: Sequence[int], *, driven: bool) -> bool:
    """Whether optimisation saves more time in runs of these lengths than it costs."""
    return sum(ends) > (_LONG_WITH_HARNESS if driven else _LONG)


def _sizes(runs: Sequence[Run]) -> Sizes:
    """What the bench has to hold: the largest of all runs."""
    return Sizes(
        words=max(run.traffic.words for run in runs),
        period=max(run.traffic.ready.shape[0] for run in runs),
    )


def _unfinished(reports: Sequence[RunReport]) -> str | None:
    """Which run's log has no end, if one's has not: what it lacks may be more than is expected."""
    cut = [number for number, report in enumerate(reports) if not report.whole]
    if not cut:
        return None
    others = f", nor those of {len(cut) - 1} others" if len(cut) > 1 else ""
    return f"the log of run {reports[cut[0]].run.name} (runs/{cut[0]}.log) has no end{others}"


class _Expected(NamedTuple):
    """What the model says of a run: how it went, the records of its transfers, their words."""

    model: ModelRun | OrderedRun | CollectiveRun
    records: WordArray
    words: IntArray


def _expected(design: AnyDesign, streams: Interface, run: Run) -> _Expected:
    model, records, words = expected_records(design, streams, run.traffic, run.cycles)
    if model.end not in ("drained", "limit"):
        raise CheckError(f"{run.name}: the words of the model stop for ever ({model.end})")
    # The records hold them too.
    if not isinstance(model, CollectiveRun):
        model = replace(model, events=None)
    return _Expected(model, records, words)


def _end(model: ModelRun | OrderedRun | CollectiveRun, design: AnyDesign) -> int:
    """The cycle of the end: words that are left come out, where all should have come out."""
    if model.end != "drained":
        return model.cycles
    return model.cycles + _DRAIN + design.network.nodes.bit_length()


def _compared(
    design: AnyDesign, streams: Interface, run: Run, files: Path, wanted: _Expected
) -> RunReport:
    model, records, words = wanted
    got, whole = logged(files.with_suffix(".log"), streams)
    comparison = compare(design.network, streams, records, words, got)
    clock = files.with_suffix(".seconds")
    seconds = float(clock.read_text(encoding="ascii")) if clock.is_file() else None
    return RunReport(run, model.cycles, len(records), comparison, seconds, whole)
