"""How long `noc verify` takes for many transfers, and in how much memory.

    python bench/verify_long.py [arguments of noc verify …]

Without arguments: a hundred million transfers of each kind of fabric.
"""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path

#: A hundred million transfers each: all nodes send, with operations, and one source at a time.
RUNS = (
    "star:5 --traffic full --words 3500",
    "star:5 --operations broadcast,all_reduce:sum --traffic mixed:half --words 1400",
    "star:5 --fabric direct --sources one --traffic back-to-back:half --words 420000",
)


def measure(arguments: list[str]) -> str:
    """One run: its figures in a line; one that is not equal to the model is an error."""
    began = time.monotonic()
    command = [sys.executable, "-m", "noc", "verify", *arguments, "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    most = 0
    while process.poll() is None:
        most = max(most, memory_of(process.pid))
        time.sleep(0.2)
    assert process.stdout is not None
    report = json.loads(process.stdout.read())
    if process.returncode:
        raise SystemExit(f"{arguments}: {report['mismatches']} mismatches; {report['trouble']}")
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return (
        f"{' '.join(arguments)}: {report['events']:,} transfers, {report['cycles']:,} cycles, "
        f"simulated and compared in {report['seconds']['simulation']} s, in all "
        f"{time.monotonic() - began:.0f} s; {most // 1024} MB, the largest process so far "
        f"{largest // 1024} MB"
    )


def memory_of(process: int) -> int:
    """What a process and all that it started have in memory, in kB."""
    kilobytes, tasks = 0, Path(f"/proc/{process}/task")
    try:
        for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS:"):
                kilobytes = int(line.split()[1])
        for task in tasks.iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                kilobytes += memory_of(int(child))
    except OSError:
        # It has just ended.
        return kilobytes
    return kilobytes


def main() -> None:
    """Measure and print."""
    for arguments in [sys.argv[1:]] if sys.argv[1:] else [run.split() for run in RUNS]:
        print(measure(arguments), flush=True)


if __name__ == "__main__":
    main()
