"""Write a network as Verilog, build it, and run the benches of this folder on it."""

import argparse
import importlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

from noc.cli.arguments import OneLineParser
from noc.design import AnyDesign, build_ordered, design
from noc.emit.folder import write
from noc.errors import CheckError, InputError
from noc.networks import network
from noc.processes import Session
from noc.verify.tools import SIMULATORS, environment

HERE = Path(__file__).resolve().parent
BENCHES = ("broadcast", "many_sources", "stalls", "pipelined")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("spec", metavar="SPEC", help="the network, for instance star:4")
    parser.add_argument("--bench", metavar="NAME", help="only this file (default: all of them)")
    parser.add_argument(
        "--fabric", choices=("ordered", "direct"), default="ordered", help="default: ordered"
    )
    parser.add_argument(
        "--algorithm", help="default: even in the ordered fabric, shortest in the direct"
    )
    parser.add_argument("--ports", choices=("all", "one"), help="for the direct fabric only")
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--simulator", choices=SIMULATORS, default="verilator")
    parser.add_argument("--waves", type=Path, metavar="FILE.vcd", help="with Icarus FILE.fst")
    options = parser.parse_args()
    if options.bench and not (HERE / f"{options.bench}.py").is_file():
        parser.error(f"--bench {options.bench}: there is no {options.bench}.py in {HERE}")
    ending = ".vcd" if options.simulator == "verilator" else ".fst"
    if options.waves and options.waves.suffix != ending:
        parser.error(f"--waves {options.waves}: FILE{ending} is needed")
    return options


def check_width(benches: list[str], width: int) -> None:
    """Refuse words too narrow to be told apart; a bench says as HIGHEST up to where it counts."""
    for name in benches:
        try:
            highest = getattr(importlib.import_module(name), "HIGHEST", 0)
        except Exception as error:
            raise InputError(f"--bench {name}: {type(error).__name__}: {error}") from error
        if width < highest.bit_length():
            raise InputError(
                f"--width {width}: the bench {name} needs at least {highest.bit_length()} bits "
                f"here, to number its words up to {highest}"
            )


def build_fabric(options: argparse.Namespace) -> AnyDesign:
    """The network in the fabric that was asked for."""
    net = network(options.spec)
    if options.fabric == "direct":
        algorithm = options.algorithm or "shortest"
        return design(net, algorithm, ports=options.ports or "all", width=options.width)
    if options.ports is not None:
        raise InputError(f"--ports {options.ports}: is for --fabric direct only")
    return build_ordered(net, options.algorithm or "even", width=options.width)


def simulate(options: argparse.Namespace, folder: Path) -> int:
    """Emit, build and run in a folder; the number of benches that failed."""
    manifest = write(build_fabric(options), folder / "verilog")
    # Benches read the manifest, here and in the simulator.
    os.environ["NOC_FOLDER"] = str(folder / "verilog")
    benches = [options.bench] if options.bench else list(BENCHES)
    check_width(benches, options.width)
    build(options, manifest, folder)
    return run(options, manifest["top"], benches, folder)


def build(options: argparse.Namespace, manifest: dict[str, Any], folder: Path) -> None:
    """Build the network; what the simulator says is shown if it does not take it."""
    log = folder / "build.txt"
    names = [name for name in manifest["files"] if name.endswith(".v")]
    try:
        get_runner(options.simulator).build(
            sources=[folder / "verilog" / name for name in names],
            hdl_toplevel=manifest["top"],
            build_dir=folder / "build",
            build_args=["-Wno-fatal"] if options.simulator == "verilator" else [],
            waves=options.waves is not None,
            timescale=("1ns", "1ps"),
            log_file=log,
        )
    except RuntimeError as error:
        if log.is_file():
            print(log.read_text(encoding="utf-8", errors="replace"), end="", file=sys.stderr)
        raise CheckError(f"the Verilog is not built: {error}") from None


def run(options: argparse.Namespace, top: str, benches: list[str], folder: Path) -> int:
    """Run the benches; the number of them that failed."""
    verilator = options.simulator == "verilator"
    waves = str(options.waves.resolve()) if options.waves else ""
    try:
        results = get_runner(options.simulator).test(
            hdl_toplevel=top,
            hdl_toplevel_lang="verilog",
            test_module=benches,
            build_dir=folder / "build",
            waves=bool(waves),
            test_args=["--trace-file", waves] if waves and verilator else [],
            plusargs=[f"+dumpfile_path={waves}"] if waves and not verilator else [],
        )
        return get_results(results)[1]
    except RuntimeError as error:
        raise CheckError(f"the simulation did not come to its end: {error}") from None


def main() -> int:
    """Run in a temporary folder."""
    options = arguments()
    sys.path.insert(0, str(HERE))
    try:
        env = environment(options.simulator)
        with (
            mock.patch.dict(os.environ, env),
            # Ended with all that they started, and not by an interrupt from the terminal, of which
            # each would tell at length.
            mock.patch.object(subprocess, "Popen", Session),
            tempfile.TemporaryDirectory() as folder,
        ):
            return 1 if simulate(options, Path(folder)) else 0
    except KeyboardInterrupt:
        print(f"{Path(__file__).name}: error: interrupted", file=sys.stderr)
        return 130
    except (InputError, CheckError) as error:
        line = " ".join(str(error).split())
        print(f"{Path(__file__).name}: error: {line}", file=sys.stderr)
        return 2 if isinstance(error, InputError) else 1


if __name__ == "__main__":
    sys.exit(main())
