"""Simulates the self-test and reads its serial line."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from noc.design import AnyDesign
from noc.emit.verilog import node_module
from noc.errors import CheckError
from noc.hardware import assemble
from noc.harness import Interface
from noc.selftest.report import Result, results, template
from noc.selftest.selftest import TOP, Settings, lengths, verilog, words_of
from noc.verify.lockstep import Lockstep, Order, start_harness
from noc.verify.records import logged
from noc.verify.simulation import Simulation

#: As on a board, but with short rounds, and a serial line as fast as it can be.
SIMULATED = Settings(clock_hz=25e6, cycles=2000, divisor=2)

#: Bits of a line of a report on the serial line, at most.
_LINE_BITS = 2_000

#: Cycles in which all words of a phase arrive, or none moves any more: more than any network that
#: can be simulated takes, however its sinks stall.
_DRAIN = 1_000_000

#: The same of a small network.
_MARGIN = 50_000

#: The harness counts cycles in 32 bits.
_MOST_CYCLES = (1 << 31) - 1

#: Cycles that are simulated before the text is looked at, and their wall-clock seconds, at most.
_AT_A_TIME, _SECONDS = 1 << 16, 3600

#: The harness logs each change of the serial line, as it does of an output that says idle.
_LINE = Interface(top=TOP, clock="clk", reset="rst", nodes=0, idle="uart")


def simulate(
    design: AnyDesign,
    folder: Path,
    settings: Settings = SIMULATED,
    *,
    rounds: int = 2,
    limit: int | None = None,
) -> tuple[str, list[Result]]:
    """Simulate some rounds of the self-test of a design: its text, and the reports in it.

    There are fewer where the limit was reached before.

    Parameters
    ----------
    design : AnyDesign
        The network.
    folder : Path
        An empty folder for all files of the simulation.
    settings : Settings
        Clock, length, and seed.
    rounds : int
        The number of rounds.
    limit : int, optional
        Cycles after which the simulation ends; without, :func:`cycle_limit`.
    """
    limit = limit or cycle_limit(design, settings, rounds)
    lines = report_lines(design)
    sources = [module.write(folder) for module in verilog(design, settings)]
    assembly = assemble(design)
    nodes = Counter(node_module(design, assembly, node) for node in range(design.network.nodes))
    (text,) = simulate_files(
        sources, folder, settings, rounds=rounds, lines=lines, limit=limit, routers=nodes
    )
    return text, list(results(text))


def report_lines(design: AnyDesign) -> int:
    """Lines of a report, with the verdict."""
    return len(template("", words_of(design).reported)) + 1


def cycle_limit(design: AnyDesign, settings: Settings, rounds: int) -> int:
    """Cycles within which the rounds have ended and are reported, unless something is broken."""
    parts = lengths(design, settings)
    report = report_lines(design) * _LINE_BITS * settings.bit_cycles
    phase = parts.cycles + parts.settle + _DRAIN
    return min(rounds * (report + parts.sweep + parts.phases * phase), _MOST_CYCLES)


def simulate_files(
    sources: Sequence[Path],
    folder: Path,
    settings: Settings = SIMULATED,
    *,
    rounds: int = 2,
    lines: int = 3,
    runs: int = 1,
    limit: int | None = None,
    routers: Counter[str] | None = None,
    **options: Any,
) -> list[str]:
    """Simulate Verilog of the self-test, whoever wrote it; the text of each run.

    A report has ``lines``, see :func:`report_lines`. In ``noc_bench.run`` the Verilog sees which
    run it is. The ``routers`` and further options are those of a
    :class:`~noc.verify.simulation.Simulation`.
    """
    report = lines * _LINE_BITS * settings.bit_cycles
    limit = limit or rounds * (settings.cycles + report + _MARGIN)
    simulation = Simulation(folder, tuple(sources), routers or {}, long=False, **options)
    simulation.write_harness(_LINE)
    simulation.build()
    with start_harness(simulation, _LINE) as lockstep:
        return [
            _read_text(simulation, lockstep, run, rounds * lines, limit, settings.bit_cycles)
            for run in range(runs)
        ]


def _read_text(
    simulation: Simulation, lockstep: Lockstep, run: int, lines: int, limit: int, divisor: int
) -> str:
    """Simulate a run until the serial line has sent ``lines`` lines; the text of these."""
    text, begin, changes = "", 0, np.zeros(0, dtype=np.int64)
    nothing = np.zeros((0, 0), dtype=np.uint32)
    for cycle in range(0, limit, _AT_A_TIME):
        until = min(limit, cycle + _AT_A_TIME)
        lockstep.order(Order(run, until, 0, last=False, seconds=_SECONDS), nothing)
        if not lockstep.wait():
            raise CheckError(str(lockstep.trouble))
        records, _ = logged(simulation.runs / f"{run}.log", _LINE)
        changes = np.concatenate([changes, records[:, 0]])
        # A letter takes ten bits.
        while begin < changes.size and changes[begin] + 10 * divisor <= until:
            middle = changes[begin] + divisor // 2 + divisor * np.arange(1, 10)
            # The line is high at first, and after an even number of changes.
            *bits, end = np.searchsorted(changes, middle, side="right")
            text += chr(sum(1 << n for n, bit in enumerate(bits) if bit % 2 == 0))
            # The next falling edge.
            begin = int(end + end % 2)
        if text.count("\n") >= lines:
            break
    whole = text.split("\n")
    return text if len(whole) <= lines else "\n".join([*whole[:lines], ""])
