"""Write a network as Verilog, build it, and run the benches of this folder on it."""

import argparse
import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any

from noc.cli.arguments import add_options
from noc.cli.parsers import OneLineParser
from noc.design import build_design
from noc.emit.folder import write
from noc.errors import CheckError, InputError
from noc.simulators import SIMULATORS, Job, compose_test, execute, failures
from noc.verify.tools import environment

HERE = Path(__file__).resolve().parent
BENCHES = ("broadcast", "many_sources", "stalls", "pipelined", "rounds")

#: The options of a design for which the benches are written.
DESIGN = ("fabric", "algorithm", "width", "ports", "exchange", "round", "start", "ejects")


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument("spec", metavar="SPEC", help="the network, for instance star:4")
    parser.add_argument("--bench", metavar="NAME", help="only this file (default: all of them)")
    add_options(parser, *DESIGN)
    parser.add_argument("--simulator", choices=tuple(SIMULATORS), default=next(iter(SIMULATORS)))
    parser.add_argument("--waves", type=Path, metavar="FILE.vcd", help="with Icarus FILE.fst")
    options = parser.parse_args()
    if options.bench and not (HERE / f"{options.bench}.py").is_file():
        parser.error(f"--bench {options.bench}: there is no {options.bench}.py in {HERE}")
    endings = SIMULATORS[options.simulator].endings
    if options.waves and options.waves.suffix not in endings:
        parser.error(f"--waves {options.waves}: FILE{' or FILE'.join(endings)} is needed")
    return options


def choose(asked: str | None, width: int) -> list[str]:
    """The benches that are asked for, or all that fit the network, where words are wide enough.

    A bench says as FITS whether it is for such a network, and as HIGHEST up to where it counts.
    """
    chosen = []
    for name in [asked] if asked else BENCHES:
        try:
            bench = importlib.import_module(name)
        except Exception as error:
            raise InputError(f"--bench {name}: {type(error).__name__}: {error}") from error
        if not getattr(bench, "FITS", True):
            if asked:
                raise InputError(f"--bench {name}: is for other networks, as its FITS says")
            continue
        highest = getattr(bench, "HIGHEST", 0)
        if width < highest.bit_length():
            raise InputError(
                f"--width {width}: the bench {name} needs at least {highest.bit_length()} bits "
                f"here, to number its words up to {highest}"
            )
        chosen.append(name)
    return chosen


def simulate(options: argparse.Namespace, folder: Path) -> int:
    """Emit, build and run in a folder; the number of benches that failed."""
    asked = {name: getattr(options, name) for name in DESIGN}
    manifest = write(build_design(options.spec, **asked), folder / "verilog")
    # What they share is there, beside the manifest that it reads, and a bench here comes first.
    sys.path.append(str(folder / "verilog" / "bench"))
    benches = choose(options.bench, options.width)
    failed = run(options, manifest, folder, benches)
    if failed is None:
        raise CheckError("the simulation did not come to its end")
    return failed


def run(
    options: argparse.Namespace, manifest: dict[str, Any], folder: Path, benches: list[str]
) -> int | None:
    """Build the network and run the benches on it; the number of them that failed, if it ended."""
    simulator, env = SIMULATORS[options.simulator], environment(options.simulator)
    sources = tuple(folder / "verilog" / name for name in manifest["files"] if name.endswith(".v"))
    waves = options.waves.resolve() if options.waves else None
    job = Job(folder / "build", manifest["top"], sources, waves, public=True)
    job.folder.mkdir()
    for step in simulator.build(job):
        if execute(step.command, env):
            raise CheckError(step.trouble)
    results = folder / "results.xml"
    execute(compose_test(simulator, job, benches, folder=folder, results=results), env)
    return failures(results)


def main() -> int:
    """Run in a temporary folder."""
    options = arguments()
    sys.path.insert(0, str(HERE))
    try:
        environment(options.simulator)
        with tempfile.TemporaryDirectory() as folder:
            return 1 if simulate(options, Path(folder)) else 0
    except KeyboardInterrupt:
        print(f"{Path(__file__).name}: error: interrupted", file=sys.stderr)
        return 130
    except (InputError, CheckError) as error:
        line = " ".join(error.for_command_line().split())
        print(f"{Path(__file__).name}: error: {line}", file=sys.stderr)
        return 2 if isinstance(error, InputError) else 1


if __name__ == "__main__":
    sys.exit(main())
