"""10^7 router-cycles of the ordered fabric's Verilog, each transfer as in the cycle model."""

import sys
import tempfile
import time
from pathlib import Path

from long_run import FORMS, NETWORKS
from networks import digest
from tables import Table

from noc.design import build_ordered
from noc.networks import build_network
from noc.verify import run, verify
from noc.verify.tools import compiled_parts, environment

__all__ = ["VERILOG_RUN", "verilog_run", "verilog_run_row"]

#: Nodes times cycles, of all networks together.
ROUTER_CYCLES = 10_000_000

#: Words of all sources without end, and at random, with sinks that stall in different ways.
TRAFFIC = ("endless:always", "endless:bursty", "endless:half", "endless:moving-stall")

WIDTH = 13

VERILOG_RUN = Table(
    "verilog_run",
    ("network",),
    ("nodes", "form", "cycles", "events", "mismatches", "verilog"),
)


def verilog_run_row(spec: str, form: int, router_cycles: int) -> dict[str, object]:
    """Verify one network; a difference is counted, and a run that ends early is an error."""
    design = build_ordered(build_network(spec), width=WIDTH, config=FORMS[form])
    nodes = design.network.nodes
    cycles = -(-router_cycles // (nodes * len(TRAFFIC)))
    runs = [
        run(design, traffic, words=None, cycles=cycles, seed=seed)
        for seed, traffic in enumerate(TRAFFIC)
    ]
    with tempfile.TemporaryDirectory(prefix="noc-bench-") as folder:
        parts = compiled_parts(environment("verilator"))
        report = verify(design, runs, Path(folder), parts=parts)
    if report.trouble is not None:
        raise SystemExit(f"{spec}: {report.trouble}")
    counts = {"cycles": report.cycles, "events": report.events, "mismatches": report.mismatches}
    return {"network": spec, "nodes": nodes, "form": form, **counts, "verilog": digest(design)}


def verilog_run() -> None:
    """All networks."""
    begin = time.perf_counter()
    each = -(-ROUTER_CYCLES // len(NETWORKS))
    for number, spec in enumerate(NETWORKS):
        fresh = verilog_run_row(spec, number % len(FORMS), each)
        VERILOG_RUN.add([fresh], [(spec,) for spec in NETWORKS])
        took = f"{time.perf_counter() - begin:.0f} s"
        print(spec, fresh["events"], fresh["mismatches"], took, file=sys.stderr, flush=True)
