"""What a design carries in the cycle model, and how long words take, at some load."""

from pathlib import Path

import numpy as np

from noc.design import AnyDesign, Design, OrderedDesign
from noc.errors import CheckError, InputError
from noc.model import Traffic, back_to_back, endless, simulate
from noc.model.ordered.load import run_load
from noc.networks import IntArray
from noc.sweep.steps.step import Axes, Step, Value

__all__ = ["STEADY", "STEP"]

_COLUMNS = (
    *("carried", "latency_mean", "latency_p99", "words_least", "words_most"),
    "cycles_counted",
)

#: Cycles that are counted, and those before them; the direct fabric's model lists each word.
_ORDERED, _DIRECT = (100_000, 10_000), (20_000, 2_000)

#: What carries less than this share of its load is not in a steady state: words wait longer and
#: longer, and a latency would tell the length of the run.
STEADY = 0.97


def _measure(design: AnyDesign, axes: Axes, _folder: Path) -> dict[str, Value]:
    if not 0 < axes.load <= 1:
        raise InputError(f"load: {axes.load:g} is out of range; above 0, up to 1 is allowed")
    if isinstance(design, OrderedDesign):
        return _ordered(design, axes)
    return _always(design, axes) if axes.load == 1 else _random(design, axes)


def _ordered(design: OrderedDesign, axes: Axes) -> dict[str, Value]:
    program, (cycles, warm_up) = design.program, _ORDERED
    chance = 1 if axes.load == 1 else axes.load / len(program.sources)
    run = run_load(program, chance, cycles, warm_up=warm_up, seed=axes.seed)
    facts = _carried(run.throughput, run.injected[list(program.sources)], cycles)
    if axes.load == 1 or run.throughput < STEADY * axes.load:
        return facts
    below = np.cumsum(run.since_came) / run.since_came.sum()
    p99 = int(np.searchsorted(below, 0.99))
    return facts | {"latency_mean": round(run.mean_since_came, 2), "latency_p99": p99}


def _always(design: Design, axes: Axes) -> dict[str, Value]:
    """Every source that may always has a word: the first one alone, or all of them."""
    program, (cycles, warm_up) = design.program, _DIRECT
    if design.sources == "one":
        traffic = back_to_back(program, program.sources[0], cycles + warm_up, seed=axes.seed)
    else:
        traffic = endless(program, cycles + warm_up, seed=axes.seed)
    begin = simulate(program, traffic, cycles=warm_up, events=False)
    end = simulate(program, traffic, cycles=warm_up + cycles, events=False)
    rate = (end.delivered - begin.delivered) / (design.network.nodes - 1) / cycles
    return _carried(rate, (end.accepted - begin.accepted)[_senders(design)], cycles)


def _random(design: Design, axes: Axes) -> dict[str, Value]:
    """Words come at random to the sources that may send."""
    program, (cycles, warm_up) = design.program, _DIRECT
    nodes, senders = design.network.nodes, _senders(design)
    random = np.random.default_rng(axes.seed)
    comes = random.random((cycles + warm_up, len(senders))) < axes.load / len(senders)
    release, number = (each.astype(np.int64) for each in np.nonzero(comes))
    source = np.array(senders, dtype=np.int64)[number]
    traffic = Traffic(source, np.zeros_like(source), release, np.ones((1, nodes), dtype=np.bool_))
    run = simulate(program, traffic, events=False, arrival=True)
    if run.arrival is None or not run.drained:
        raise CheckError(f"{design.network.spec} at load {axes.load:g}: {run.end}")
    last = run.arrival.max(axis=1)
    counted = release >= warm_up
    rate = float(np.count_nonzero((last >= warm_up) & (last < cycles + warm_up)) / cycles)
    words = np.bincount(source[counted], minlength=nodes)[senders]
    facts = _carried(rate, words, cycles)
    if rate < STEADY * axes.load or not counted.any():
        return facts
    waits = (last - release)[counted]
    p99 = int(np.quantile(waits, 0.99, method="higher"))
    return facts | {"latency_mean": round(float(waits.mean()), 2), "latency_p99": p99}


def _senders(design: Design) -> list[int]:
    """Those that send here: of one source at a time the first."""
    sources = list(design.program.sources)
    return sources[:1] if design.sources == "one" else sources


def _carried(rate: float, words: IntArray, cycles: int) -> dict[str, Value]:
    """Words a cycle that all sources together send, and each of them."""
    least, most = int(words.min()), int(words.max())
    return {
        "carried": round(rate, 4),
        "words_least": least,
        "words_most": most,
        "cycles_counted": cycles,
    }


STEP = Step("model", _COLUMNS, ("load", "seed"), verilog=False, measure=_measure)
