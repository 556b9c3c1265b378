"""Throughput, latency, sinks that stall and longest waits, from the cycle models."""

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from random import Random

import numpy as np
from tables import Table

from noc.design import AnyDesign, OrderedDesign, build_ordered
from noc.errors import CheckError
from noc.hardware.plain_tree import build_plain_tree
from noc.model import all_sources
from noc.model.ordered import simulate_ordered
from noc.model.ordered.load import Stalls, run_load
from noc.networks import IntArray, build_network
from noc.programs.ordered import compile_ordered
from noc.programs.ordered_config import OrderedConfig
from noc.sweep.steps import Value
from noc.sweep.steps.model import run_at_load, run_full

__all__ = [
    "LATENCY",
    "LOADS",
    "PARTS",
    "STALLS",
    "THROUGHPUT",
    "WAITS",
    "latency_row",
    "stall_row",
    "throughput_row",
    "wait_row",
]

#: Cycles that are counted, after others that are not, where a sweep does not say.
CYCLES, WARM_UP = 200_000, 20_000

#: The fabrics and networks whose nodes all send always.
SENDING = (
    *(("ordered", spec) for spec in ("mesh:4,4", "star:4", "mesh:8,8", "star:5", "uhc:8")),
    *(("ordered", spec) for spec in ("hypercube:6", "ccc:4", "scc:5", "star:6")),
    *(("plain tree", spec) for spec in ("mesh:4,4", "star:4", "mesh:8,8", "star:5", "uhc:8")),
    *(("plain tree", spec) for spec in ("scc:5", "star:6")),
)
THROUGHPUT = Table(
    "throughput",
    ("fabric", "network"),
    ("nodes", "deliveries", "least", "most", "cycles", "waited", "bound"),
)

#: Those of which the latency is shown, and the loads, below a word of any source in every cycle.
LATENCIES = tuple(
    (fabric, spec) for spec in ("star:4", "star:5") for fabric in ("ordered", "plain tree")
)
LOADS = (0.05, *(tenth / 10 for tenth in range(1, 10)), 0.95)
LATENCY = Table("latency", ("fabric", "network", "load"), ("carried", "mean", "p99"))

#: Sinks that stall, with queues.
STALLED = ("star:4", "star:5")
QUEUES = (0, 16, 64, 256)
STALLS = Table("stalls", ("network", "queue"), ("deliveries",))

#: Networks for which traffic is searched that lets a word wait long.
SEARCHED = ("star:3", "star:4", "uhc:4", "mesh:4,4", "hypercube:4", "scc:3", "ring:8", "tree:2,3")
STEPS, WORDS = 4_000, 24
WAITS = Table("waits", ("network",), ("steps", "waited", "bound"))


def design_of(fabric: str, spec: str) -> AnyDesign:
    """What runs in the ordered fabric, or in the plain tree over as many ends."""
    if fabric == "plain tree":
        return build_plain_tree(build_network(spec).nodes)
    return build_ordered(spec)


def throughput_row(fabric: str, spec: str) -> dict[str, object]:
    """Every node sends always."""
    row: dict[str, object] = {"fabric": fabric, "network": spec, "waited": "", "bound": ""}
    design = design_of(fabric, spec)
    if isinstance(design, OrderedDesign):
        program = design.program
        run = run_load(program, 1, CYCLES, warm_up=WARM_UP)
        words = run.injected[list(program.sources)]
        facts: dict[str, Value] = {"carried": run.throughput, "cycles_counted": CYCLES}
        facts |= {"words_least": int(words.min()), "words_most": int(words.max())}
        # Of the source that comes nearest to what it can wait at most.
        bound = {source: program.most_waited(source) for source in program.sources}
        waited = max(program.sources, key=lambda source: run.longest_wait[source] / bound[source])
        row |= {"waited": int(run.longest_wait[waited]), "bound": bound[waited]}
    else:
        facts = run_full(design)
    row |= {"nodes": build_network(spec).nodes, "deliveries": f"{facts['carried']:.2f}"}
    row |= {"least": facts["words_least"], "most": facts["words_most"]}
    return row | {"cycles": facts["cycles_counted"]}


def latency_row(fabric: str, spec: str, load: float) -> dict[str, object]:
    """Words come at random: cycles from a word's coming to its last eject."""
    facts = run_at_load(design_of(fabric, spec), load)
    row: dict[str, object] = {"fabric": fabric, "network": spec, "load": f"{load:.2f}"}
    row |= {"carried": f"{facts['carried']:.2f}", "mean": "", "p99": ""}
    # Without a steady state there is none.
    if "latency_mean" in facts:
        row |= {"mean": f"{facts['latency_mean']:.1f}", "p99": facts["latency_p99"]}
    return row


def stall_row(spec: str, queue: int) -> dict[str, object]:
    """Sinks that are away 29 % of the time, for 1 to 40 cycles each time."""
    program = compile_ordered(build_network(spec), config=OrderedConfig(queue=queue))
    run = run_load(program, 1, CYCLES, warm_up=WARM_UP, sinks=Stalls(0.29, 40))
    return {"network": spec, "queue": queue, "deliveries": f"{run.throughput:.2f}"}


@dataclass(frozen=True)
class Waited:
    """The longest wait of some traffic: as a share of the bound, in words, and the bound."""

    share: float
    words: int
    bound: int


def wait_row(spec: str, steps: int = STEPS) -> dict[str, object]:
    """Search traffic, and when sinks stall, that let a word wait as long as can be."""
    program, random = compile_ordered(build_network(spec)), Random(1)
    bounds = np.array([program.most_waited(source) for source in program.sources])
    words = all_sources(program, WORDS)
    shape = WORDS, len(program.sources)
    gaps = np.array([random.choice([0, 0, 0, 9]) for _ in range(words.words)]).reshape(shape)
    ready = np.ones((16, program.network.nodes), dtype=np.bool_)

    def reached(gaps: IntArray, ready: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> Waited:
        traffic = replace(words, release=np.cumsum(gaps, axis=0).reshape(-1), ready=ready)
        run = simulate_ordered(program, traffic, events=False)
        waited = run.longest_wait[list(program.sources)]
        most = int((waited / bounds).argmax())
        share = float(waited[most] / bounds[most])
        if share > 1:
            raise CheckError(f"{spec}: source {program.sources[most]} waits longer than it may")
        return Waited(share, int(waited[most]), int(bounds[most]))

    best = reached(gaps, ready)
    for _ in range(steps):
        changed, sinks = gaps.copy(), ready.copy()
        for _ in range(random.randint(1, 4)):
            place = random.randrange(WORDS), random.randrange(shape[1])
            changed[place] = random.choice([0, 1, 2, random.randint(3, 30)])
        if random.random() < 0.25:
            # A sink is always there in the first cycle, so that words go on.
            sink = random.randrange(1, 16), random.randrange(program.network.nodes)
            sinks[sink] = not sinks[sink]
        outcome = reached(changed, sinks)
        if outcome.share >= best.share:
            gaps, ready, best = changed, sinks, outcome
    return {"network": spec, "steps": steps, "waited": best.words, "bound": best.bound}


def _throughput() -> None:
    _all(THROUGHPUT, [(key, partial(throughput_row, *key)) for key in SENDING])


def _latency() -> None:
    _all(
        LATENCY,
        [
            ((fabric, spec, f"{load:.2f}"), partial(latency_row, fabric, spec, load))
            for fabric, spec in LATENCIES
            for load in LOADS
        ],
    )


def _stalls() -> None:
    _all(
        STALLS,
        [
            ((spec, str(queue)), partial(stall_row, spec, queue))
            for spec in STALLED
            for queue in QUEUES
        ],
    )


def _waits() -> None:
    _all(WAITS, [((spec,), partial(wait_row, spec)) for spec in SEARCHED])


def _all(table: Table, rows: list[tuple[tuple[str, ...], Callable[[], dict[str, object]]]]) -> None:
    """Make all rows of a table again: they are the same everywhere, and quickly made."""
    for key, make in rows:
        print(*key, file=sys.stderr, flush=True)
        table.add([make()], [key for key, _ in rows])


#: What makes the rows of each part again.
PARTS: dict[str, Callable[[], None]] = {
    "throughput": _throughput,
    "latency": _latency,
    "stalls": _stalls,
    "waits": _waits,
}
