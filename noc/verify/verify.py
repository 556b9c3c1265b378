"""Verification: the emitted Verilog and the cycle model side by side, transfer by transfer."""

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from noc.design import AnyDesign
from noc.emit.manifest import build_manifest
from noc.emit.verilog import modules
from noc.errors import InputError, option
from noc.model.faults import NO_FAULTS, Faults
from noc.programs.by_source import Row, with_rows
from noc.synth import Family, Mode
from noc.verify.comparing import Model, RunReport, compare_runs
from noc.verify.dying import let_die
from noc.verify.lockstep import write_sinks
from noc.verify.netlist import netlist_files
from noc.verify.runs import Run
from noc.verify.simulation import Simulation
from noc.verify.streams import Interface, interface, loaded, view_nodes

#: Cycles of all runs together from which on optimisation saves more than it costs.
_LONG = 100_000


#: What waveforms show.
_TRACED = "every stream by node, and every signal inside"


@dataclass(frozen=True)
class Report:
    """What was compared, and what was found."""

    #: The streams that were compared.
    interface: Interface
    #: Run by run.
    runs: tuple[RunReport, ...]
    #: Why the simulation did not come to its end, or which log has none, if so.
    trouble: str | None
    #: Wall-clock time of the two parts of the simulation.
    build_seconds: float
    run_seconds: float
    #: What waveforms show, if there are any.
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
    netlist: Family | None = None,
    mapping: Mode = "plain",
    progress: Callable[[float], None] | None = None,
    **options: Any,
) -> Report:
    """Emit the Verilog of a design, or its netlist, simulate it, and compare.

    Parameters
    ----------
    design : AnyDesign
        The network.
    runs : sequence of Run
        What is sent.
    folder : Path
        An empty folder for all files of the simulation.
    netlist : Family, optional
        Simulate what synthesis makes of the Verilog for this family of chips.
    mapping : "plain" or "best"
        How, as :func:`noc.synth.synthesise` takes it.
    progress : callable, optional
        Called with the share of the synthesis that is done, 0 to 1.
    **options
        As :func:`verify_files` takes them.
    """
    if netlist is not None:
        sources = netlist_files(design, netlist, folder, mapping=mapping, progress=progress)
    else:
        sources = [module.write(folder) for module in modules(design)]
    document = build_manifest(design, [source.name for source in sources])
    return verify_files(design, document, sources, runs, folder, **options)


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
    rows: Sequence[Row] = (),
    faults: Faults = NO_FAULTS,
    running: Callable[[float], None] | None = None,
) -> Report:
    """Simulate Verilog that lies there, and compare it with the model of a design.

    Parameters
    ----------
    design : AnyDesign
        What the Verilog should be.
    document : mapping
        Its manifest.
    sources : sequence of Path
        Its files.
    runs, folder
        As for :func:`verify`.
    simulator : str
        What simulates, one of :data:`noc.simulators.SIMULATORS`.
    waves : Path, optional
        Write waveforms there.
    parts : Path, optional
        A folder that keeps Verilator's own compiled parts from one build to the next.
    optimise : bool, optional
        Whether to compile with optimisation; without, where that saves time in these runs.
    beside : Path, optional
        A folder whose files the Verilog may read by their names.
    rows : sequence of Row
        What is written to the tables of Verilog and model before each run.
    faults : Faults
        What dies in each run, in the Verilog and in the model.
    running : callable, optional
        Called with the share of long runs that is done, 0 to 1.
    """
    streams = loaded(interface(document, design), design, rows)
    design = written(design, rows)
    routers = Counter(str(entry["router"]) for entry in document["nodes"] if "router" in entry)
    held = list(let_die(design, streams, faults))
    models = [Model(design, streams, run, faults) for run in runs]
    if not any(model.first.injected for model in models):
        raise InputError(f"no word is sent: {option('words')} or {option('cycles')} is too small")
    # What the model knows of the lengths of the runs.
    long = sum(model.cycles for model in models) > _LONG if optimise is None else optimise
    simulation = Simulation(
        *(folder, tuple(sources), routers, simulator, waves, long, parts), forces=bool(held)
    )
    shown = view_nodes(streams) if waves is not None else ()
    simulation.write_harness(streams, [*shown, *held])
    for path in beside.resolve().iterdir() if beside is not None else ():
        (simulation.runs / path.name).symlink_to(path)
    for number, run in enumerate(runs):
        away = getattr(run.traffic, "away", None)
        write_sinks(simulation.runs, number, run.traffic.ready, away, streams)
    began = time.monotonic()
    simulation.build()
    built = time.monotonic()
    reports, trouble = compare_runs(simulation, models, running)
    return Report(
        *(streams, reports, trouble or _unfinished(reports)),
        *(built - began, time.monotonic() - built, None if waves is None else _TRACED),
    )


def written(design: AnyDesign, rows: Sequence[Row]) -> AnyDesign:
    """A design after rows were written to its tables."""
    return replace(design, program=with_rows(design.program, rows)) if rows else design


def _unfinished(reports: Sequence[RunReport]) -> str | None:
    """Which run's log has no end, if one's has not: what it lacks may be more than is expected."""
    cut = [number for number, report in enumerate(reports) if not report.whole]
    if not cut:
        return None
    others = f", nor those of {len(cut) - 1} others" if len(cut) > 1 else ""
    return f"the log of run {reports[cut[0]].run.name} (runs/{cut[0]}.log) has no end{others}"
