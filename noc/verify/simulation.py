"""Builds a module around a network with a simulator."""

import contextlib
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from noc import processes
from noc.errors import CheckError, InputError, option
from noc.harness import BENCH, Interface, write_harness
from noc.simulators import SAFE, SIMULATORS, Job, Step, find_repeated
from noc.verify.tools import environment

#: Drives the network, where a simulator compiles to C++.
_PROGRAM = Path(__file__).with_name("harness.cpp")

#: No build takes longer.
_BUILD_SECONDS = 3600

_ROUTINE_ERROR = re.compile(r"%Error|error:|ERROR", re.IGNORECASE)


@dataclass(frozen=True)
class Simulation:
    """A network and the module around it, in a folder of their own."""

    #: Holds all files of the simulation.
    folder: Path
    #: The network's Verilog.
    sources: tuple[Path, ...]
    #: Names that router modules may have, with the number of their instances.
    routers: Mapping[str, int] = field(default_factory=dict)
    #: What runs it, one of :data:`noc.simulators.SIMULATORS`.
    simulator: str = "verilator"
    #: Write a waveform file there; its ending, fst or vcd, is its format.
    waves: Path | None = None
    #: Whether the runs are long enough for compiling with optimisation.
    long: bool = True
    #: A folder that keeps Verilator's own compiled parts from one build to the next.
    parts: Path | None = None
    #: Whether the module around the network forces signals of it.
    forces: bool = False

    @property
    def bench(self) -> Path:
        """Where the Verilog of the module around the network lies."""
        return self.folder / f"{BENCH}.v"

    @property
    def runs(self) -> Path:
        """Where the runs' files lie, those that are read and those that are logged."""
        return self.folder / "runs"

    @property
    def _build(self) -> Path:
        return self.folder / "build"

    @property
    def _program(self) -> Path | None:
        """The C++ program, where there is one and the simulator compiles to C++."""
        program = self.folder / _PROGRAM.name
        return program if SIMULATORS[self.simulator].harness and program.is_file() else None

    @cached_property
    def job(self) -> Job:
        """What the simulator builds."""
        return Job(
            *(self._build, BENCH, (*self.sources, self.bench), self.waves, self.long),
            repeated=find_repeated(self.routers, self.sources),
            forces=self.forces,
            harness=self._program,
        )

    def write_harness(self, interface: Interface, view: Iterable[str] = ()) -> None:
        """Write the module around the network, with a view for waveforms, and the program."""
        self.runs.mkdir()
        write_harness(interface, self.folder, _PROGRAM, view=view)

    def build(self) -> None:
        """Compile the network and the module around it."""
        env = environment(self.simulator, cocotb=self._program is None)
        self._check_paths()
        self._build.mkdir(parents=True, exist_ok=True)
        if "VERILATOR_ROOT" in env:
            env["VERILATOR_ROOT"] = str(self.job.safe(Path(env["VERILATOR_ROOT"])))
        *first, last = SIMULATORS[self.simulator].build(self.job)
        for step in first:
            self._run(step, env)
        # Parts that are older than the makefile would be compiled again.
        with self._shared_parts():
            self._run(last, env)

    def _run(self, step: Step, env: Mapping[str, str]) -> None:
        """Run a step of the build, its output in a file; an error says what the trouble is."""
        name = step.command[0]
        log = self.folder / f"{name}.txt"
        status = processes.run(
            step.command, self.folder, log, name=name, seconds=_BUILD_SECONDS, env=env
        )
        if status:
            raise CheckError(f"{step.trouble}: {_complaint(log)}")

    def _check_paths(self) -> None:
        """Refuse what no link can lead around."""
        if not SAFE.fullmatch(str(self.folder)):
            raise InputError(
                f"{self.folder}: the simulator's makefiles allow no spaces and signs in a path; "
                f"build elsewhere with {option('folder', flag='keep')} or TMPDIR"
            )
        for source in self.sources:
            if not SAFE.fullmatch(source.name):
                raise InputError(f"{source}: makefiles allow no spaces and signs in a file's name")

    @contextlib.contextmanager
    def _shared_parts(self) -> Iterator[None]:
        """Take the compiled parts that are kept, and keep those that are not."""
        names = SIMULATORS[self.simulator].parts
        if self.parts is None or not names:
            yield
            return
        waves = self.waves.suffix[1:] if self.waves else "plain"
        driver = "cocotb" if self._program is None else "harness"
        kept = self.parts / driver / waves / ("long" if self.long else "short")
        with contextlib.suppress(OSError):
            kept.mkdir(parents=True, exist_ok=True)
        for part in kept.glob(names):
            shutil.copy(part, self._build)
        yield
        for part in self._build.glob(names):
            if not (kept / part.name).exists():
                # Whole at once: another build may be looking. On a full disk nothing is kept.
                fresh = kept / f"{part.name}.{os.getpid()}"
                try:
                    shutil.copy(part, fresh)
                    fresh.replace(kept / part.name)
                except OSError:
                    fresh.unlink(missing_ok=True)


def complain(log: Path) -> str:
    """That a simulation has ended too early, and what its log says of that."""
    return f"the simulation ended before its time: {_complaint(log)}"


def _complaint(log: Path) -> str:
    """The first line of a log that reports an error, or else its last."""
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n") if log.is_file() else []
    lines = [line.strip() for line in lines if line.strip()]
    return next((line for line in lines if _ROUTINE_ERROR.search(line)), (lines or [""])[-1])
