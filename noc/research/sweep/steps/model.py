"""What a design carries in the cycle model, and how long words take, at some load."""

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from noc.design import AnyDesign, Design, OrderedDesign
from noc.errors import CheckError, InputError
from noc.model import Traffic, back_to_back, endless, simulate
from noc.model.ordered import Given, as_traffic, simulate_ordered
from noc.model.ordered.load import BATCHES, LoadRun, run_load
from noc.networks import IntArray
from noc.research.sweep.steps.step import Axes, Step, Value

__all__ = ["BACKLOG", "DRIFT", "FULL", "STEADY", "STEP", "judge_steady", "run_at_load", "run_full"]

#: What the column ``steady`` says.
STEADY, BACKLOG, DRIFT = "yes", "backlog", "drift"

#: What comes and is not carried is no chance if it is more than this share, and so many words: as
#: many can be under way at the end and not at the beginning.
_SHARE, _WORDS = 0.03, 30

#: Of ten batches in a random order, so few pairs stand the wrong way round once in 17,000 times.
_WRONG_WAY = 3


def judge_steady(came: IntArray, finished: IntArray, taken: IntArray, carried: int) -> str:
    """Judge the cycles that were measured.

    Parameters
    ----------
    came, finished, taken : array (batches)
        Words that came in each tenth of them; how many of those were everywhere before the drain
        was over, and the cycles that those took in all.
    carried : int
        Words that the network carried in them.
    """
    offered = int(came.sum())
    lacking = offered - carried
    if (lacking > _SHARE * offered and lacking > _WORDS) or finished.sum() < offered:
        return BACKLOG
    return DRIFT if came.all() and _rises((taken / came).tolist()) else STEADY


def _rises(latencies: list[float]) -> bool:
    """Whether nearly every later batch took longer than every earlier one."""
    return sum(later <= one for one, later in combinations(latencies, 2)) <= _WRONG_WAY


_COLUMNS = (
    *("offered", "carried", "steady", "latency_mean", "latency_p99", "words_least"),
    *("words_most", "cycles_counted"),
)

#: Cycles that are counted, and those before them and after them each; the direct fabric's model
#: lists each word.
_ORDERED, _DIRECT = (100_000, 10_000), (20_000, 2_000)

#: In the column ``steady``: every source always has a word, so that words wait ever longer.
FULL = "full"


def _measure(design: AnyDesign, axes: Axes, _folder: Path) -> Mapping[str, Value]:
    if not 0 < axes.load <= 1:
        raise InputError(f"load: {axes.load:g} is out of range; above 0, up to 1 is allowed")
    if isinstance(design, OrderedDesign) and not design.operations.only_broadcast:
        if axes.load < 1:
            raise InputError(f"load: {axes.load:g}: with operations, every source always has words")
        return _operations(design)
    if axes.load == 1:
        return run_full(design, seed=axes.seed)
    return run_at_load(design, axes.load, seed=axes.seed)


def run_full(design: AnyDesign, *, seed: int = 1) -> dict[str, Value]:
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
    carried = (end.delivered - begin.delivered) / (design.network.nodes - 1)
    facts = _carried(carried, (end.accepted - begin.accepted)[_senders(design)], cycles)
    return facts | {"steady": FULL}


def run_at_load(design: AnyDesign, load: float, *, seed: int = 1) -> dict[str, Value]:
    """What a design carries, and how long words take, where they come at random.

    Parameters
    ----------
    design : AnyDesign
        The design.
    load : float
        Words that come to all sources together in a cycle.
    seed : int
        Names the random numbers.
    """
    if isinstance(design, OrderedDesign):
        return _ordered(design, load / len(design.program.sources), seed)
    return _random(design, load, seed)


def _ordered(design: OrderedDesign, chance: float, seed: int) -> dict[str, Value]:
    """Words come to each source with this chance in each cycle."""
    program, (cycles, warm_up) = design.program, _ORDERED
    run = run_load(program, chance, cycles, warm_up=warm_up, drain=warm_up, seed=seed)
    facts = _carried(run.passed, run.injected[list(program.sources)], cycles)
    if chance == 1:
        return facts | {"steady": FULL}
    below = np.cumsum(run.since_came) / max(1, run.since_came.sum())
    return facts | _settled(run, run.passed, cycles, int(np.searchsorted(below, 0.99)))


def _operations(design: OrderedDesign) -> dict[str, Value]:
    """What passes the root when every node always has words of all its operations, in turn."""
    program, (cycles, warm_up) = design.program, _ORDERED
    given: list[list[Given]] = [[] for _ in range(program.network.nodes)]
    wanted = program.operations
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
        simulate_ordered(program, traffic, cycles=stop, events=False, rounds=rounds)
        for stop in (warm_up, warm_up + cycles)
    )
    carried = round((end.passed - begin.passed) / cycles, 4)
    return {"carried": carried, "steady": FULL, "cycles_counted": cycles}


def _random(design: Design, load: float, seed: int) -> dict[str, Value]:
    """Words come at random to the sources that may send."""
    program, (cycles, warm_up) = design.program, _DIRECT
    nodes, senders = design.network.nodes, _senders(design)
    random = np.random.default_rng(seed)
    stop = warm_up + cycles + warm_up
    comes = random.random((stop, len(senders))) < load / len(senders)
    release, number = (each.astype(np.int64) for each in np.nonzero(comes))
    source = np.array(senders, dtype=np.int64)[number]
    traffic = Traffic(source, np.zeros_like(source), release, np.ones((1, nodes), dtype=np.bool_))
    run = simulate(program, traffic, cycles=stop, events=False, arrival=True)
    if run.arrival is None or run.end not in ("drained", "limit"):
        raise CheckError(f"{design.network.spec} at load {load:g}: {run.end}")
    everywhere = (run.arrival >= 0).sum(axis=1) == nodes - 1
    last = np.where(everywhere, run.arrival.max(axis=1), stop)
    counted = (release >= warm_up) & (release < warm_up + cycles)
    within = (last >= warm_up) & (last < warm_up + cycles)
    carried = int(within.sum())
    facts = _carried(carried, np.bincount(source[within], minlength=nodes)[senders], cycles)
    batch, waits = (release - warm_up) * BATCHES // cycles, last - release
    ended = counted & everywhere
    window = Batches(
        np.bincount(batch[counted], minlength=BATCHES),
        np.bincount(batch[ended], minlength=BATCHES),
        np.bincount(batch[ended], waits[ended], minlength=BATCHES),
    )
    p99 = int(np.quantile(waits[ended], 0.99, method="higher")) if ended.any() else 0
    return facts | _settled(window, carried, cycles, p99)


class Batches(NamedTuple):
    """As :class:`noc.model.ordered.load.LoadRun` has them."""

    came: IntArray
    finished: IntArray
    taken: IntArray


def _settled(run: Batches | LoadRun, carried: int, cycles: int, p99: int) -> dict[str, Value]:
    """What came, whether the network settled, and if so the latency."""
    offered = int(run.came.sum())
    steady = judge_steady(run.came, run.finished, run.taken, carried)
    facts: dict[str, Value] = {"offered": round(offered / cycles, 4), "steady": steady}
    if steady != STEADY or not offered:
        return facts
    mean = round(float(run.taken.sum()) / offered, 2)
    return facts | {"latency_mean": mean, "latency_p99": p99}


def _senders(design: Design) -> list[int]:
    """Those that send here: of one source at a time the first."""
    sources = list(design.program.sources)
    return sources[:1] if design.sources == "one" else sources


def _carried(carried: float, words: IntArray, cycles: int) -> dict[str, Value]:
    """Words a cycle of all sources together that were carried, and words of each of them."""
    least, most = int(words.min()), int(words.max())
    return {
        "carried": round(carried / cycles, 4),
        "words_least": least,
        "words_most": most,
        "cycles_counted": cycles,
    }


STEP = Step("model", _COLUMNS, ("load", "seed"), verilog=False, measure=_measure, version=2)
