"""All that is measured, brought up to date: python bench/evidence.py [--check].

Measures what the kept tables lack, or what is of other Verilog than today's, and writes the pages
that are made from them. After a change that leaves the Verilog alike that takes minutes; from
nothing, about a night on two cores. When it is interrupted, the same command goes on.

With ``--check`` it measures nothing and writes nothing: the exit status is 1 if a row of a table
is of other Verilog than today's. Rows may be missing.
"""

import argparse
import subprocess
import sys
import time

from tables import ROOT

#: Plans and their tables.
SWEEPS = {
    "bench/verified.toml": "docs/verified.csv",
    "bench/collectives.toml": "docs/collectives.csv",
    "bench/schedules.toml": "docs/schedules.csv",
    "bench/reference.toml": "docs/performance/reference.csv",
    "bench/operations.toml": "docs/performance/operations.csv",
    "bench/networks.toml": "docs/performance/networks.csv",
    "bench/lean.toml": "docs/performance/lean.csv",
    "bench/rounds.toml": "docs/performance/rounds.csv",
    "bench/exchanges.toml": "docs/performance/exchanges.csv",
    "bench/sums.toml": "docs/performance/sums.csv",
    "bench/slices.toml": "docs/performance/slices.csv",
    "bench/loads.toml": "docs/performance/loads.csv",
}

#: What makes pages of them.
SCRIPTS = "verified.py", "schedules.py", "performance.py"


def commands(*, check: bool) -> list[list[str]]:
    """What is run, in this order."""
    listed = []
    for plan, table in SWEEPS.items():
        sweep = [sys.executable, "-m", "noc", "sweep", plan, "-o", table]
        listed.append([*sweep, "--check", "--allow-missing"] if check else sweep)
    scripts = () if check else SCRIPTS
    return [*listed, *([sys.executable, f"bench/{script}"] for script in scripts)]


def main() -> int:
    """Run all of it, also what comes after a failure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="measure and write nothing")
    failed = []
    for command in commands(check=parser.parse_args().check):
        line, begin = " ".join(command[1:]), time.monotonic()
        print(f"== {line}", flush=True)
        try:
            status = subprocess.run(command, cwd=ROOT, check=False).returncode
        except KeyboardInterrupt:
            return 130
        print(f"== {time.monotonic() - begin:.0f} s, exit status {status}", flush=True)
        failed += [line] if status else []
    for line in failed:
        print(f"failed: {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
