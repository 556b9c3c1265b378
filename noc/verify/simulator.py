"""Builds the bench with Verilator or Icarus, and has cocotb run it."""

import contextlib
import itertools
import json
import logging
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from noc import processes
from noc.errors import CheckError, InputError
from noc.verify.bench import BENCH
from noc.verify.tools import Simulator, environment

__all__ = ["Simulation"]

#: No build takes longer.
_BUILD_SECONDS = 3600

#: What makefiles and shells leave alone.
_SAFE = re.compile(r"[\w./+@-]+")

#: A router module with so many instances is worth a library of its own.
_WORTH_A_BLOCK = 4

#: Networks of more routers are traced without the insides of routers that are compiled once:
#: cocotb opens the file before those join it, and to compile each router apart takes minutes.
_TRACED_INSIDE = 64

_ROUTINE_ERROR = re.compile(r"%Error|error:|ERROR", re.IGNORECASE)


@dataclass(frozen=True)
class Simulation:
    """A bench and the network around which it was written, in a folder of their own.

    Parameters
    ----------
    folder : Path
        Holds everything that is made.
    sources : tuple of Path
        The network's Verilog.
    routers : mapping of str to int
        Names that router modules may have, with the number of their instances.
    simulator : "verilator" or "icarus"
        What runs it.
    waves : Path or None
        Write a waveform file there; its ending, fst or vcd, is its format.
    long : bool
        Whether the runs are long enough for compiling with optimisation.
    parts : Path or None
        A folder that keeps Verilator's own compiled parts from one build to the next.
    """

    folder: Path
    sources: tuple[Path, ...]
    routers: Mapping[str, int] = field(default_factory=dict)
    simulator: Simulator = "verilator"
    waves: Path | None = None
    long: bool = True
    parts: Path | None = None

    @property
    def bench(self) -> Path:
        """Where the bench's text lies."""
        return self.folder / f"{BENCH}.v"

    @property
    def _build(self) -> Path:
        return self.folder / "build"

    @property
    def runs(self) -> Path:
        """Where the runs' files lie, those that are read and those that are logged."""
        return self.folder / "runs"

    def build(self) -> None:
        """Compile network and bench."""
        env = environment(self.simulator)
        if not _SAFE.fullmatch(str(self.folder)):
            raise InputError(
                f"{self.folder}: the simulator's makefiles allow no spaces and signs in a path; "
                "build elsewhere with --keep or TMPDIR"
            )
        self._build.mkdir(parents=True, exist_ok=True)
        if self.simulator == "icarus":
            self._icarus(env)
            return
        if "VERILATOR_ROOT" in env:
            env["VERILATOR_ROOT"] = str(self._safe(Path(env["VERILATOR_ROOT"])))
        self._command(self._verilator(), env, "verilator", "verilator does not accept the Verilog")
        with self._shared_parts():
            self._command(self._make(), env, "make", "what verilator made does not compile")

    def _safe(self, path: Path) -> Path:
        """The path, or one that leads there and has only signs that makefiles allow."""
        if _SAFE.fullmatch(str(path)):
            return path
        for number in itertools.count():
            link = self.folder / f"link{number}"
            if not link.is_symlink():
                link.symlink_to(path)
            if link.readlink() == path:
                return link
        raise AssertionError("unreachable")

    def _source(self, path: Path) -> Path:
        result = self._safe(path.parent) / path.name
        if not _SAFE.fullmatch(path.name):
            raise InputError(f"{path}: makefiles allow no spaces and signs in a file's name")
        return result

    @contextlib.contextmanager
    def _shared_parts(self) -> Iterator[None]:
        """Take the compiled parts that lie there, and leave those that do not."""
        if self.parts is None:
            yield
            return
        waves = self.waves.suffix[1:] if self.waves else "plain"
        kept = self.parts / waves / ("long" if self.long else "short")
        with contextlib.suppress(OSError):
            kept.mkdir(parents=True, exist_ok=True)
        for part in kept.glob("verilated*.o"):
            shutil.copy(part, self._build)
        yield
        # Not verilator.o, which is cocotb's and looks at what the network became.
        for part in self._build.glob("verilated*.o"):
            if not (kept / part.name).exists():
                # Whole at once: another build may be looking. On a full disk nothing is kept.
                fresh = kept / f"{part.name}.{os.getpid()}"
                try:
                    shutil.copy(part, fresh)
                    fresh.replace(kept / part.name)
                except OSError:
                    fresh.unlink(missing_ok=True)

    @property
    def traced(self) -> str | None:
        """What waveforms show, if there are any."""
        if self.waves is None:
            return None
        if self._traced_inside:
            return "every stream by node, and every signal inside"
        return f"every stream by node; routers inside only up to {_TRACED_INSIDE} of them"

    @property
    def _traced_inside(self) -> bool:
        return self.simulator == "icarus" or sum(self.routers.values()) <= _TRACED_INSIDE

    def _blocks(self) -> list[str]:
        """The router modules that Verilator compiles once instead of once for each node."""
        if self.waves is not None and self._traced_inside:
            return []
        often = [name for name, count in self.routers.items() if count >= _WORTH_A_BLOCK]
        text = "\n".join(s.read_text(encoding="utf-8", errors="replace") for s in self.sources)
        return [name for name in often if re.search(rf"\bmodule\s+{re.escape(name)}\b", text)]

    def _verilator(self) -> list[str]:
        """As cocotb calls Verilator, but with only the bench's own signals public."""
        import cocotb_tools.config as cocotb

        libs, share = self._safe(cocotb.libs_dir), self._safe(cocotb.share_dir)
        sources = [*map(self._source, self.sources), self.bench]
        settings = self.folder / "routers.vlt"
        blocks = self._blocks()
        lines = ["`verilator_config", *(f'hier_block -module "{name}"' for name in blocks), ""]
        settings.write_text("\n".join(lines), encoding="utf-8")
        trace = [] if self.waves is None else [f"--trace-{self.waves.suffix[1:]}"]
        return [
            *("verilator", "-cc", "--exe", "--vpi", "--prefix", "Vtop", "-O3"),
            *("--top-module", BENCH, "-o", BENCH, "-Mdir", str(self._build)),
            *("-Wno-fatal", "-Wno-lint", "-Wno-style", "-Wno-UNOPTFLAT"),
            # Of two modules of one name another tool may take the other one.
            "-Werror-MODDUP",
            *("--x-assign", "fast", "--x-initial", "unique"),
            *("-LDFLAGS", f"-Wl,-rpath,{libs} -L{libs} -lcocotbvpi_verilator"),
            *trace,
            *(["--hierarchical", str(settings)] if blocks else []),
            *(f"-I{folder}" for folder in dict.fromkeys(source.parent for source in sources)),
            str(share / "lib" / "verilator" / "verilator.cpp"),
            *map(str, sources),
        ]

    def _make(self) -> list[str]:
        """Compile with as much optimisation as pays: the parts that run in every cycle."""
        fast = "-O1" if self.long else "-O0"
        return [
            *("make", "-j", str(os.cpu_count() or 1), "-C", str(self._build)),
            *("-f", "Vtop_hier.mk" if self._blocks() else "Vtop.mk"),
            *(f"OPT_FAST={fast}", "OPT_SLOW=-O0", f"OPT_GLOBAL={fast}"),
        ]

    def _command(
        self, command: Sequence[str], env: Mapping[str, str], name: str, trouble: str
    ) -> None:
        """Run a step of the build, its output in a file; an error says what the trouble is."""
        log = self.folder / f"{name}.txt"
        status = processes.run(
            command, self.folder, log, name=name, seconds=_BUILD_SECONDS, env=env
        )
        if status:
            raise CheckError(f"{trouble}: {_complaint(log)}")

    def _icarus(self, env: Mapping[str, str]) -> None:
        from cocotb_tools.runner import get_runner

        log = self.folder / "iverilog.txt"
        with _quiet(env):
            try:
                get_runner("icarus").build(
                    sources=[*self.sources, self.bench],
                    includes=list(dict.fromkeys(source.parent for source in self.sources)),
                    hdl_toplevel=BENCH,
                    build_dir=self._build,
                    waves=self.waves is not None,
                    timescale=("1ns", "1ps"),
                    log_file=log,
                    always=True,
                )
            except (SystemExit, RuntimeError, subprocess.CalledProcessError):
                complaint = _complaint(log)
                raise CheckError(f"iverilog does not accept the Verilog: {complaint}") from None

    def run(self, seconds: Sequence[int]) -> str | None:
        """Simulate all runs, each for at most so many seconds; what went wrong, or None."""
        listed = self.folder / "runs.json"
        listed.write_text(json.dumps([{"seconds": limit} for limit in seconds]), encoding="utf-8")
        return self.test("noc.verify.drive", self.runs, {"NOC_VERIFY_RUNS": str(listed)})

    def test(
        self, module: str, where: Path, env: Mapping[str, str], plusargs: Sequence[str] = ()
    ) -> str | None:
        """Have cocotb run the tests of a module, in a folder; what went wrong, or None."""
        from cocotb_tools.check_results import get_results
        from cocotb_tools.runner import get_runner

        log = self.folder / "cocotb.txt"
        trace: list[str] = []
        options = ["+verilator+rand+reset+2", "+verilator+seed+1"]
        if self.simulator == "icarus":
            options = [] if self.waves is None else [f"+dumpfile_path={self.waves}"]
        elif self.waves is not None:
            trace = ["--trace", "--trace-file", str(self.waves)]
        with _quiet(environment(self.simulator)):
            try:
                results = get_runner(self.simulator).test(
                    test_module=module,
                    hdl_toplevel=BENCH,
                    hdl_toplevel_lang="verilog",
                    build_dir=self._build,
                    test_dir=where,
                    test_args=trace,
                    plusargs=[*options, *plusargs],
                    waves=self.simulator == "icarus" and self.waves is not None,
                    extra_env=dict(env),
                    log_file=log,
                )
                _, failed = get_results(results)
            except ValueError as error:
                raise InputError(f"cocotb cannot run here: {error}") from None
            except (SystemExit, RuntimeError, subprocess.CalledProcessError):
                failed = 1
        return f"the simulation ended before its time: {_complaint(log)}" if failed else None


def _complaint(log: Path) -> str:
    """The first line of a log that tells of an error, or else its last."""
    lines = log.read_text(encoding="utf-8", errors="replace").split("\n") if log.is_file() else []
    lines = [line.strip() for line in lines if line.strip()]
    return next((line for line in lines if _ROUTINE_ERROR.search(line)), (lines or [""])[-1])


@contextlib.contextmanager
def _quiet(env: Mapping[str, str]) -> Iterator[None]:
    """Run a cocotb runner in an environment, without its messages on the terminal."""
    logging.disable(logging.CRITICAL)
    try:
        with mock.patch.dict(os.environ, dict(env), clear=True):
            yield
    finally:
        logging.disable(logging.NOTSET)
