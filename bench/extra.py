"""Figures of docs/performance.md that no sweep measures: python bench/extra.py PART.

PART is variants (of the plain tree), limits (of the clock), elements (at nodes in rounds), stalls,
waits or long-run. Each keeps its table in docs/performance/; ``python bench/performance.py`` then
shows it.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from random import Random
from typing import Any, get_args
from unittest.mock import patch

import numpy as np
from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from elements import with_elements
from tables import ROOT, keep

from noc.design import build_design
from noc.errors import CheckError
from noc.model import all_sources
from noc.model.ordered import Stalls, simulate_ordered
from noc.model.ordered.load import run_load
from noc.networks import IntArray, build_network
from noc.options import Choices
from noc.programs.config import Sinks
from noc.programs.ordered import OrderedProgram, compile_ordered
from noc.programs.ordered_config import OrderedConfig
from noc.research.sweep import STEPS, Axes
from noc.research.sweep.plain_tree import build_plain_tree
from noc.streams import BUFFERS, Merge, TwoSlots

Row = dict[str, object]

#: Cycles that are counted, after others that are not.
CYCLES, WARM_UP = 200_000, 20_000

#: Forms of the plain tree that were tried: children of a hub, slots between its arbiters, weights.
TRIED = (
    *((3, 1, False), (3, 2, False), (2, 2, False), (4, 1, False)),
    *((4, 2, False), (8, 1, False), (3, 1, True)),
)
ENDS = 24
COUNTED = ("nodes", "cycles_mean", "words_least", "words_most")
PLACED = ("lut", "ff", "mhz", "mhz_least", "mhz_most")


def variant(children: int, slots: int, weighted: bool, seeds: int = 3) -> Row:
    """A form of the plain tree, measured as sweeps do."""
    design = build_plain_tree(ENDS, children=children, slots=slots, weighted=weighted)
    facts: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="noc-bench-") as folder:
        for step in ("tree", "model", "synth"):
            facts |= STEPS[step].measure(design, Axes(seeds=seeds), Path(folder))
    named = {"children": children, "slots": slots, "weighted": "yes" if weighted else "no"}
    return named | {name: facts[name] for name in (*COUNTED, *PLACED)} | {"seeds": seeds}


class Turns(Merge):
    """A merge that chooses nothing: its inputs have every second cycle each."""

    def elaborate(self, _platform: object) -> Module:
        """Pass on what has the turn."""
        ports: Any = self
        m, result = Module(), wiring.flipped(ports.o)
        if self._buffer is not None:
            buffer: Any = self._buffer(self._shape)
            m.submodules.buffer, result = buffer, buffer.i
            wiring.connect(m, buffer.o, wiring.flipped(ports.o))
        turn = Signal()
        m.d.sync += turn.eq(~turn)
        m.d.comb += [
            result.valid.eq(Mux(turn, ports.second.valid, ports.first.valid)),
            result.payload.eq(Mux(turn, ports.second.payload, ports.first.payload)),
            ports.first.ready.eq(result.ready & ~turn),
            ports.second.ready.eq(result.ready & turn),
        ]
        return m


class Loses(TwoSlots):
    """A buffer in which nothing waits: a word that is not taken is lost."""

    def elaborate(self, _platform: object) -> Module:
        """Take and offer in each cycle."""
        ports: Any = self
        m, slot = Module(), Signal.like(ports.i.p, reset_less=True)
        m.d.comb += [ports.i.ready.eq(1), ports.o.payload.eq(slot)]
        m.d.sync += [ports.o.valid.eq(ports.i.valid), slot.eq(ports.i.payload)]
        return m


#: Networks whose way up is built without parts that it needs, to see which of them cost clock.
LIMITED = ("star:4", "best:24,5", "mesh:8,8")
LEFT_OUT = ("nothing", "the choice", "waiting", "both")


def limit(spec: str, left_out: str, seeds: int = 3) -> Row:
    """Area and clock of a network without parts of its way up, which then loses words."""
    design = build_design(spec, source_numbers=False, sinks="always-ready")
    node = "noc.hardware.ordered.node"
    merge = Turns if left_out in ("the choice", "both") else Merge
    slots = dict.fromkeys(BUFFERS, Loses) if left_out in ("waiting", "both") else BUFFERS
    with (
        tempfile.TemporaryDirectory(prefix="noc-bench-") as folder,
        patch(f"{node}.Merge", merge),
        patch(f"{node}.TwoSlots", slots[2]),
        patch.dict(BUFFERS, slots),
    ):
        axes = Axes(seeds=seeds, mapping="whole")
        facts = dict(STEPS["synth"].measure(design, axes, Path(folder)))
    named: Row = {"network": spec, "nodes": design.network.nodes, "left_out": left_out}
    return named | {name: facts[name] for name in PLACED} | {"seeds": seeds}


def with_element_at_each(choices: Choices, seeds: int = 5) -> Row:
    """The clock of a network of rounds with elements."""
    design = build_design("star:4", fabric="timetable", choices=choices)
    with (
        tempfile.TemporaryDirectory(prefix="noc-bench-") as folder,
        patch("noc.synth.measure.with_io_registers", with_elements),
    ):
        facts = dict(
            STEPS["synth"].measure(design, Axes(seeds=seeds, mapping="plain"), Path(folder))
        )
    named: Row = {"network": design.network.spec, "nodes": design.network.nodes, "choices": choices}
    return named | {name: facts[name] for name in PLACED} | {"seeds": seeds}


#: Queues at sinks that stall, by what they do when they are full.
KINDS: dict[Sinks, tuple[int, ...]] = {"stalling": (0, 16, 64, 256), "queued": (16, 64, 256)}

#: Networks whose sinks stall, what their queues do, and how many words they hold.
STALLED: list[tuple[str, Sinks, int]] = [
    (spec, sinks, queue)
    for spec in ("star:4", "star:5")
    for sinks, queues in KINDS.items()
    for queue in queues
]


def stalled(spec: str, sinks: Sinks, queue: int) -> Row:
    """Sinks that are away 29 % of the time, for 1 to 40 cycles each time."""
    config = OrderedConfig(queue=queue, sinks=sinks)
    program = compile_ordered(build_network(spec), config=config)
    run = run_load(program, 1, CYCLES, warm_up=WARM_UP, sinks=Stalls(0.29, 40))
    named = {"network": spec, "sinks": sinks, "queue": queue}
    return named | {"carried": f"{run.throughput:.2f}"}


#: Networks for which traffic is searched that lets a word wait long.
SEARCHED = ("star:3", "star:4", "uhc:4", "mesh:4,4", "hypercube:4", "scc:3", "ring:8", "tree:2,3")
TRIALS, WORDS = 4_000, 24

#: Networks in which all send always, and ends of plain trees.
SENDING = (
    *("mesh:4,4", "star:4", "mesh:8,8", "star:5", "uhc:8", "hypercube:6", "ccc:4", "scc:5"),
    *("star:6", *(f"plain-tree:{ends}" for ends in (16, 24, 64, 120, 256, 480, 720))),
)


def _longest(program: OrderedProgram, waits: IntArray) -> tuple[float, Row]:
    """Of the source that comes nearest to its bound: the share of it, and both."""
    bound = {source: program.most_waited(source) for source in program.sources}
    source = max(program.sources, key=lambda source: waits[source] / bound[source])
    if waits[source] > bound[source]:
        raise CheckError(f"{program.network.spec}: source {source} waits longer than it may")
    waited: Row = {"waited": int(waits[source]), "bound": bound[source]}
    return float(waits[source] / bound[source]), waited


def always(spec: str) -> Row:
    """The longest wait where every source always has a word."""
    name, _, ends = spec.partition(":")
    plain = name == "plain-tree"
    program = build_plain_tree(int(ends)).program if plain else compile_ordered(build_network(spec))
    run = run_load(program, 1, CYCLES, warm_up=WARM_UP)
    row: Row = {"network": spec, "traffic": f"always, {CYCLES} cycles"}
    return row | _longest(program, run.longest_wait)[1]


def searched(spec: str, trials: int = TRIALS) -> Row:
    """Search traffic, and when sinks stall, that let a word wait as long as can be."""
    program, random = compile_ordered(build_network(spec)), Random(1)
    words = all_sources(program, WORDS)
    shape = WORDS, len(program.sources)
    gaps = np.array([random.choice([0, 0, 0, 9]) for _ in range(words.words)]).reshape(shape)
    ready = np.ones((16, program.network.nodes), dtype=np.bool_)

    def reached(gaps: IntArray, ready: Any) -> tuple[float, Row]:
        traffic = replace(words, release=np.cumsum(gaps, axis=0).reshape(-1), ready=ready)
        return _longest(program, simulate_ordered(program, traffic).longest_wait)

    best = reached(gaps, ready)
    for _ in range(trials):
        changed, sinks = gaps.copy(), ready.copy()
        for _ in range(random.randint(1, 4)):
            word = random.randrange(WORDS), random.randrange(shape[1])
            changed[word] = random.choice([0, 1, 2, random.randint(3, 30)])
        if random.random() < 0.25:
            # A sink is always ready in the first cycle, so that words go on.
            sink = random.randrange(1, 16), random.randrange(program.network.nodes)
            sinks[sink] = not sinks[sink]
        outcome = reached(changed, sinks)
        if outcome[0] >= best[0]:
            gaps, ready, best = changed, sinks, outcome
    return {"network": spec, "traffic": f"searched, {trials} trials"} | best[1]


#: Nodes times cycles of the long run, in all; a network of each family, by loads, of which 1 is a
#: word of any source in each cycle and "always" that all always have one, and by sinks.
ROUTER_CYCLES = 1_000_000_000
NETWORKS = (
    *("star:4", "incomplete-star:5,3", "nk-star:5,2", "arrangement:5,2", "scc:4", "ccc:4"),
    *("uhc:4", "uhc:5,negative", "hypercube:6", "mesh:5,7", "torus:4,4,4", "ring:8", "tree:3,4"),
    *("complete:8", "pancake:4", "bubble-sort:4", "file:tests/data/one-way-ring.graphml"),
    "best:24,4",
)
CASE_CYCLES = 9_803_922
CASES = tuple(product(NETWORKS, ("0.30", "0.90", "always"), ("ready", "stalling")))

#: How the fabric is built, by turns.
FORMS = (
    OrderedConfig(),
    OrderedConfig(queue=4),
    OrderedConfig(link_registers=1),
    OrderedConfig(own_words=True, source_numbers=False),
)


def long_run(number: int, router_cycles: int = CASE_CYCLES) -> Row:
    """A case; the model checks every word in every cycle and raises CheckError."""
    spec, load, sinks = CASES[number]
    # Every form with every load and all sinks.
    form = (number + number // 2) % len(FORMS)
    program = compile_ordered(build_network(spec), config=FORMS[form])
    nodes = program.network.nodes
    chance, cycles = 1.0 if load == "always" else float(load) / nodes, -(-router_cycles // nodes)
    stalls = Stalls() if sinks == "stalling" else None
    run = run_load(program, chance, cycles, seed=number, sinks=stalls)
    row: Row = {"network": spec, "load": load, "sinks": sinks, "nodes": nodes}
    return row | {"form": form, "cycles": cycles, "passed": run.passed}


#: What makes the rows of each table.
PARTS: dict[str, Callable[[], Iterator[Row]]] = {
    "variants": lambda: (variant(*form) for form in TRIED),
    "elements": lambda: map(with_element_at_each, get_args(Choices)),
    "limits": lambda: (limit(*case) for case in product(LIMITED, LEFT_OUT)),
    "stalls": lambda: (stalled(*case) for case in STALLED),
    "waits": lambda: chain(map(searched, SEARCHED), map(always, SENDING)),
    "long-run": lambda: map(long_run, range(len(CASES))),
}


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in PARTS:
        raise SystemExit(f"one of these is needed: {', '.join(PARTS)}")
    # The file of a graph is relative to it.
    os.chdir(ROOT)
    rows = []
    for row in PARTS[sys.argv[1]]():
        rows.append(row)
        print(*row.values(), file=sys.stderr, flush=True)
    keep(sys.argv[1].replace("-", "_"), rows)
