"""What is computed of a design: how high its trees are; what it carries at some load, how fast."""

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from noc import fabric as fabrics
from noc.design import AnyDesign
from noc.errors import InputError
from noc.fabrics.measured import Load
from noc.networks import IntArray
from noc.research.sweep.steps.step import Axes, Step, Value

_TREE_COLUMNS = (
    *("nodes", "links", "degree", "senders", "up_height", "down_height", "cycles_mean"),
    *("cycles_max", "modules", "buffers_one", "buffers_two"),
    *("joins", "operation_cycles", "operation_bound"),
)


def _measure_trees(design: AnyDesign, _axes: Axes, _folder: Path) -> dict[str, Value]:
    network = design.network
    facts: dict[str, Any] = {
        "nodes": network.nodes,
        "links": int((network.neighbour >= 0).sum()),
        "degree": int((network.neighbour >= 0).sum(axis=1).max()),
    }
    facts |= fabrics.module(design.fabric, "measure").trees(design)
    cycles = facts.pop("cycles")
    if not cycles:
        return facts
    return facts | {"cycles_mean": round(float(np.mean(cycles)), 2), "cycles_max": max(cycles)}


TREE_STEP = Step("tree", _TREE_COLUMNS, (), verilog=False, measure=_measure_trees)

#: What the column ``steady`` says.
STEADY, BACKLOG, DRIFT = "yes", "backlog", "drift"

#: What comes and is not carried is no chance if it is more than this share, and this many words:
#: as many can be under way at the end and not at the beginning.
_SHARE, _WORDS = 0.03, 30

#: Of ten batches in a random order, this few pairs are the wrong way round once in 17,000 times.
_WRONG_WAY = 3


def judge_steady(came: IntArray, finished: IntArray, taken: IntArray, carried: int) -> str:
    """Judge the cycles that were measured, in which ``carried`` words were carried.

    In each tenth of them ``came`` words came, of which ``finished`` were everywhere before the
    drain was over, after ``taken`` cycles in all.
    """
    offered = int(came.sum())
    lacking = offered - carried
    if (lacking > _SHARE * offered and lacking > _WORDS) or finished.sum() < offered:
        return BACKLOG
    if not came.all():
        return STEADY
    # Whether nearly every later batch took longer than every earlier one.
    wrong = sum(later <= one for one, later in combinations((taken / came).tolist(), 2))
    return DRIFT if wrong <= _WRONG_WAY else STEADY


_COLUMNS = (
    *("offered", "carried", "steady", "latency_mean", "latency_p99", "words_least"),
    *("words_most", "cycles_counted"),
)

#: In the column ``steady``: every source always has a word, so that words wait ever longer.
FULL = "full"


def _measure(design: AnyDesign, axes: Axes, _folder: Path) -> Mapping[str, Value]:
    if not 0 < axes.load <= 1:
        raise InputError(f"load: {axes.load:g} is out of range; above 0, up to 1 is allowed")
    if design.operations.only_broadcast:
        return measure_load(design, axes.load, seed=axes.seed)
    if axes.load < 1:
        raise InputError(f"load: {axes.load:g}: with operations, every source always has words")
    cycles, passed = fabrics.module(design.fabric, "measure").operations(design)
    return {"carried": round(passed / cycles, 4), "steady": FULL, "cycles_counted": cycles}


def measure_load(design: AnyDesign, load: float, *, seed: int = 1) -> dict[str, Value]:
    """What a design carries, and how long words take, where they come at random.

    ``load`` words come to all sources together in a cycle; with 1 every source always has a word.
    """
    measure = fabrics.module(design.fabric, "measure")
    run: Load = measure.full(design, seed) if load == 1 else measure.random(design, load, seed)
    facts: dict[str, Value] = {
        "carried": round(run.carried / run.cycles, 4),
        "words_least": int(run.words.min()),
        "words_most": int(run.words.max()),
        "cycles_counted": run.cycles,
    }
    if run.came is None or run.finished is None or run.taken is None:
        return facts | {"steady": FULL}
    offered = int(run.came.sum())
    steady = judge_steady(run.came, run.finished, run.taken, int(run.carried))
    facts |= {"offered": round(offered / run.cycles, 4), "steady": steady}
    if steady != STEADY or not offered:
        return facts
    mean = round(float(run.taken.sum()) / offered, 2)
    return facts | {"latency_mean": mean, "latency_p99": run.p99}


MODEL_STEP = Step("model", _COLUMNS, ("load", "seed"), verilog=False, measure=_measure, version=2)
