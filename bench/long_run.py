"""10^9 router-cycles of random load, in which no word is lost, doubled or reordered."""

import sys
import time
from itertools import product

from tables import Table

from noc.model.ordered.load import Stalls, run_load
from noc.networks import build_network
from noc.programs.ordered import compile_ordered
from noc.programs.ordered_config import OrderedConfig

__all__ = ["LONG_RUN", "long_run", "long_run_row"]

#: Nodes times cycles, of all runs together.
ROUTER_CYCLES = 1_000_000_000

#: A network of each family.
NETWORKS = (
    *("star:4", "incomplete-star:5,3", "nk-star:5,2", "arrangement:5,2", "scc:4", "ccc:4"),
    *("uhc:4", "uhc:5,negative", "hypercube:6", "mesh:5,7", "torus:4,4,4", "ring:8", "tree:3,4"),
    *("complete:8", "pancake:4", "bubble-sort:4", "file:tests/data/one-way-ring.graphml"),
)

#: Loads, of which 1 is a word of any source in each cycle, and "always" that all always have one.
LOADS = ("0.30", "0.90", "always")

#: How the fabric is built, by turns; and whether sinks stall at random.
FORMS = (
    OrderedConfig(),
    OrderedConfig(queue=4),
    OrderedConfig(link_registers=1),
    OrderedConfig(own_words=True, source_numbers=False),
)
SINKS = ("ready", "stalling")

CASES = tuple(product(NETWORKS, LOADS, SINKS))

LONG_RUN = Table(
    "long_run",
    ("network", "load", "sinks"),
    ("nodes", "form", "cycles", "passed"),
)


def long_run_row(number: int, router_cycles: int) -> dict[str, object]:
    """A case; the model checks every word in every cycle and raises CheckError."""
    spec, load, sinks = CASES[number]
    # Every form with every load and all sinks.
    shape = (number + number // 2) % len(FORMS)
    form = FORMS[shape]
    program = compile_ordered(build_network(spec), config=form)
    nodes = program.network.nodes
    chance = 1.0 if load == "always" else float(load) / nodes
    cycles = -(-router_cycles // nodes)
    stalls = Stalls() if sinks == "stalling" else None
    run = run_load(program, chance, cycles, seed=number, sinks=stalls)
    row: dict[str, object] = {"network": spec, "load": load, "sinks": sinks, "nodes": nodes}
    return row | {"form": shape, "cycles": cycles, "passed": run.passed}


def long_run() -> None:
    """All cases."""
    begin = time.perf_counter()
    each = -(-ROUTER_CYCLES // len(CASES))
    for number, case in enumerate(CASES):
        LONG_RUN.add([long_run_row(number, each)], CASES)
        print(*case, f"{time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
