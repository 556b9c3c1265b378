"""What a design carries in the cycle model, and how long words take, at some load."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from noc.design import AnyDesign, Design, OrderedDesign
from noc.errors import CheckError, InputError
from noc.model import Traffic, back_to_back, endless, simulate
from noc.model.collective import Given, as_traffic, simulate_collectives
from noc.model.collective.streams import operations_of
from noc.model.ordered.load import run_load
from noc.networks import IntArray
from noc.sweep.steps.step import Axes, Step, Value

__all__ = ["STEADY", "STEP", "run_at_load", "run_full"]

_COLUMNS = (
    *("carried", "latency_mean", "latency_p99", "words_least", "words_most"),
    "cycles_counted",
)

#: Cycles that are counted, and those before them; the direct fabric's model lists each word.
_ORDERED, _DIRECT = (100_000, 10_000), (20_000, 2_000)

#: What carries less than this share of its load is not in a steady state: words wait longer and
#: longer, and a latency would tell the length of the run.
STEADY = 0.97


def _measure(design: AnyDesign, axes: Axes, _folder: Path) -> Mapping[str, Value]:
    if not 0 < axes.load <= 1:
        raise InputError(f"load: {axes.load:g} is out of range; above 0, up to 1 is allowed")
    if isinstance(design, OrderedDesign) and design.operations is not None:
        if axes.load < 1:
            raise InputError(f"load: {axes.load:g}: with operations, every source always has words")
        return _operations(design)
    if axes.load == 1:
        return run_full(design, seed=axes.seed)
    return run_at_load(design, axes.load, seed=axes.seed)


def run_full(design: AnyDesign, *, seed: int = 1) -> dict[str, float]:
    """What a design carries when every source that may always has a word."""
    if isinstance(design, OrderedDesign):
        return _ordered(design, 1, seed)
    program, (cycles, warm_up) = design.program, _DIRECT
    # The first one alone, or all of them.
    if design.sources == "one":
        traffic = back_to_back(program, program.sources[0], cycles + warm_up, seed=seed)
    else:
        traffic = endless(program, cycles + warm_up, seed=seed)
    begin = simulate(program, traffic, cycles=warm_up, events=False)
    end = simulate(program, traffic, cycles=warm_up + cycles, events=False)
    rate = (end.delivered - begin.delivered) / (design.network.nodes - 1) / cycles
    return _carried(rate, (end.accepted - begin.accepted)[_senders(design)], cycles)


def run_at_load(design: AnyDesign, load: float, *, seed: int = 1) -> dict[str, float]:
    """What a design carries, and how long words take, where they come at random.

    Parameters
    ----------
    design : Design or OrderedDesign
        The design.
    load : float
        Words that come to all sources together in a cycle.
    seed : int
        Names the random numbers.
    """
    if isinstance(design, OrderedDesign):
        facts = _ordered(design, load / len(design.program.sources), seed)
    else:
        facts = _random(design, load, seed)
    steady = facts["carried"] >= STEADY * load
    late = () if steady else ("latency_mean", "latency_p99")
    return {name: value for name, value in facts.items() if name not in late}


def _ordered(design: OrderedDesign, chance: float, seed: int) -> dict[str, float]:
    """Words come to each source with this chance in each cycle."""
    program, (cycles, warm_up) = design.program, _ORDERED
    run = run_load(program, chance, cycles, warm_up=warm_up, seed=seed)
    facts = _carried(run.throughput, run.injected[list(program.sources)], cycles)
    if chance == 1:
        return facts
    below = np.cumsum(run.since_came) / run.since_came.sum()
    p99 = int(np.searchsorted(below, 0.99))
    return facts | {"latency_mean": round(run.mean_since_came, 2), "latency_p99": p99}


def _operations(design: OrderedDesign) -> dict[str, float]:
    """What passes the root when every node always has words of all its operations, in turn."""
    program, (cycles, warm_up) = design.program, _ORDERED
    given: list[list[Given]] = [[] for _ in range(program.network.nodes)]
    wanted = operations_of(program)
    for number, operation in enumerate(wanted.listed):
        members = wanted.members(wanted.group_of(number))
        for node in members if operation.joined else program.sources:
            # Words that are joined name one node, others each another.
            other = 0 if operation.joined else (node + 1) % program.network.nodes
            given[node].append(Given(0, number, other if operation.to_node else 0))
    traffic = as_traffic(program, given)
    rounds = cycles + warm_up
    # The data make no difference, and narrow words are quick.
    begin, end = (
        simulate_collectives(program, 1, traffic, cycles=stop, events=False, rounds=rounds)
        for stop in (warm_up, warm_up + cycles)
    )
    return {"carried": round((end.passed - begin.passed) / cycles, 4), "cycles_counted": cycles}


def _random(design: Design, load: float, seed: int) -> dict[str, float]:
    """Words come at random to the sources that may send."""
    program, (cycles, warm_up) = design.program, _DIRECT
    nodes, senders = design.network.nodes, _senders(design)
    random = np.random.default_rng(seed)
    comes = random.random((cycles + warm_up, len(senders))) < load / len(senders)
    release, number = (each.astype(np.int64) for each in np.nonzero(comes))
    source = np.array(senders, dtype=np.int64)[number]
    traffic = Traffic(source, np.zeros_like(source), release, np.ones((1, nodes), dtype=np.bool_))
    run = simulate(program, traffic, events=False, arrival=True)
    if run.arrival is None or not run.drained:
        raise CheckError(f"{design.network.spec} at load {load:g}: {run.end}")
    last = run.arrival.max(axis=1)
    counted = release >= warm_up
    rate = float(np.count_nonzero((last >= warm_up) & (last < cycles + warm_up)) / cycles)
    facts = _carried(rate, np.bincount(source[counted], minlength=nodes)[senders], cycles)
    if not counted.any():
        return facts
    waits = (last - release)[counted]
    p99 = int(np.quantile(waits, 0.99, method="higher"))
    return facts | {"latency_mean": round(float(waits.mean()), 2), "latency_p99": p99}


def _senders(design: Design) -> list[int]:
    """Those that send here: of one source at a time the first."""
    sources = list(design.program.sources)
    return sources[:1] if design.sources == "one" else sources


def _carried(rate: float, words: IntArray, cycles: int) -> dict[str, float]:
    """Words a cycle that all sources together send, and each of them."""
    least, most = int(words.min()), int(words.max())
    return {
        "carried": round(rate, 4),
        "words_least": least,
        "words_most": most,
        "cycles_counted": cycles,
    }


STEP = Step("model", _COLUMNS, ("load", "seed"), verilog=False, measure=_measure)
