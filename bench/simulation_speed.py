"""Router-cycles per second over the number of nodes, in Verilator and in the cycle model.

    python bench/simulation_speed.py [SPEC …] [--cycles N] [-o FILE.json|FILE.md]

All sources send at full rate. Verilator's figure is of `noc verify` with its log of every
transfer, without the build; the model's is without a list of events, and with one. All in seconds
of one processor, so that other work on the machine hardly matters.
"""

import argparse
import json
import platform
import resource
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from noc.design import Design, design
from noc.model import simulate
from noc.networks import build_network
from noc.verify import Run, run, verify

SPECS = ("star:3", "star:4", "star:5", "star:6")


def model_seconds(direct: Design, one: Run, *, events: bool) -> float:
    """Seconds of the model alone, compiled before."""
    simulate(direct.program, one.traffic, cycles=2, events=events)
    begin = time.process_time()
    simulate(direct.program, one.traffic, cycles=one.cycles, events=events)
    return time.process_time() - begin


def children_seconds() -> float:
    """Processor time of the processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(spec: str, cycles: int, parts: Path) -> dict[str, Any]:
    """All figures of one network."""
    direct = design(build_network(spec), width=32)
    one = run(direct, "full", words=None, cycles=cycles, seed=0)
    router_cycles = direct.network.nodes * cycles
    began = children_seconds()
    with tempfile.TemporaryDirectory() as folder:
        report = verify(direct, [one], Path(folder), parts=parts)
    seconds = report.runs[0].seconds
    if not report.passed or seconds is None:
        raise SystemExit(f"{spec}: {report.mismatches} mismatches; {report.trouble}")
    return {
        "network": spec,
        "nodes": direct.network.nodes,
        "classes": direct.program.vcs,
        "cycles": cycles,
        "events": report.events,
        "build_and_run_seconds": round(children_seconds() - began, 1),
        "verilator_router_cycles_per_second": round(router_cycles / seconds),
        "model_router_cycles_per_second": round(
            router_cycles / model_seconds(direct, one, events=False)
        ),
        "model_with_events_router_cycles_per_second": round(
            router_cycles / model_seconds(direct, one, events=True)
        ),
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("specs", metavar="SPEC", nargs="*", default=SPECS)
    parser.add_argument("--cycles", type=int, default=6000, help="clock cycles of each run")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="FILE.json or FILE.md")
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as parts:
        for spec in options.specs:
            results.append(measure(spec, options.cycles, Path(parts)))
            print(json.dumps(results[-1]), file=sys.stderr)
    text = json.dumps({"tools": TOOLS, "results": results}, indent=1) + "\n"
    if options.output is None:
        sys.stdout.write(text)
    else:
        content = page(results) if options.output.suffix == ".md" else text
        options.output.write_text(content, encoding="utf-8")


#: The versions of what was measured with.
TOOLS = {
    "python": platform.python_version(),
    **{name: version(name) for name in ("verilator", "numba", "cocotb")},
    "processor": platform.machine(),
}

COLUMNS = ("network", "nodes", "classes", "cycles", "transfers", "build and run", "Verilator")
PAGE = """\
# How fast it simulates

Million router-cycles per second of one processor, all sources at full rate, width 32: in Verilator
with a log of every transfer, as `noc verify` runs it, and in the cycle model, without a list of
events and with one. "Build and run" is the processor time of Verilator, the C++ compiler and the
run together; each different router is compiled once, and what grows is the top that wires them.

Written by `python bench/simulation_speed.py -o docs/simulation_speed.md`, with {tools}.

{table}
"""


def page(results: list[dict[str, Any]]) -> str:
    """The results as a page of the documentation."""
    rows = [(*COLUMNS, "model", "model with events"), ("---",) * (len(COLUMNS) + 2)]
    for result in results:
        seconds, *rates = list(result.values())[5:]
        known = list(result.values())[:5]
        shown = [f"{rate / 1e6:.2f}" for rate in rates]
        rows.append((*map(str, known), f"{seconds} s", *shown))
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    tools = ", ".join(f"{name} {number}" for name, number in TOOLS.items())
    return PAGE.format(tools=tools, table=table)


if __name__ == "__main__":
    main()
