"""All that is measured, brought up to date: python bench/evidence.py [--check].

Measures what the kept tables lack, or what is of other Verilog than today's, and writes the pages
that are made from them. After a change that leaves the Verilog alike that takes minutes; from
nothing, about a night on two cores. When it is interrupted, the same command goes on.

With ``--check`` it measures nothing and writes nothing: the exit status is 1 if a row of a table
is of other Verilog than today's. Rows may be missing.
"""

import subprocess
import sys
import time

from tables import ROOT

#: Plans whose tables have pages of their own.
OWN = "verified", "collectives", "schedules"

#: Plans and their tables; first what takes longest.
SWEEPS = {f"bench/{name}.toml": f"docs/{name}.csv" for name in OWN} | {
    f"bench/{plan.stem}.toml": f"docs/performance/{plan.stem}.csv"
    for plan in sorted((ROOT / "bench").glob("*.toml"))
    if plan.stem not in OWN
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
    if sys.argv[1:] not in ([], ["--check"]):
        raise SystemExit(__doc__)
    failed = []
    for command in commands(check=bool(sys.argv[1:])):
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
