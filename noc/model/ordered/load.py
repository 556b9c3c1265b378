"""The ordered fabric under load without end: what long runs count, and whether they are right.

Words come to each source at random, in each cycle with the same probability, and wait there as
long as they must. Memory does not grow with the run: which words came when is drawn again when
the source comes to them. In each cycle it is checked that every word enters the root after the
one that its source sent before, and that each sink takes the very next word in the order of the
root: that nothing is lost, doubled or reordered.
"""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from noc.errors import CheckError, InputError
from noc.model import mixing
from noc.model.ordered.state import Fixed, lay_out, reset
from noc.model.ordered.sustained import LOST, RIGHT, Counts, Load, State, advance_load
from noc.model.runs import NONE, new_arrays, new_record
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram

__all__ = ["BATCHES", "HISTOGRAM", "LoadRun", "Stalls", "run_load"]

#: Counts of the histogram; the last is of that many cycles and more.
HISTOGRAM = 1 << 14

#: Equal parts of the cycles that count, each with a mean latency of its own.
BATCHES = 10

_CERTAIN = 1 << 32

#: How many times the length of a queue and of a stall a word may wait in the queue.
_PAST_QUEUE = 16


@dataclass(frozen=True)
class Stalls:
    """Sinks that are away for a while, now and then, independent of each other.

    Parameters
    ----------
    share : float
        The share of all cycles in which a sink is away.
    longest : int
        The most cycles of a stall, which lasts from 1 on, each as probable as another.
    """

    share: float = 0.29
    longest: int = 40

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise InputError(f"share: {self.share} is out of range; between 0 and 1 is allowed")
        if self.longest < 1:
            raise InputError(f"longest: {self.longest} is out of range; 1 is the least")

    @property
    def chance(self) -> Fraction:
        """The probability of a stall in each cycle in which none lasts."""
        share, mean = Fraction(str(self.share)), Fraction(self.longest + 1, 2)
        return 1 / (1 + mean * (1 - share) / share)


@dataclass(frozen=True, eq=False)
class LoadRun:
    """What a run under load gave, in the cycles between its warm-up and its end."""

    #: How many were measured.
    cycles: int
    #: Words that passed the root.
    passed: int
    #: Array (nodes). Words that each node injected.
    injected: IntArray = field(repr=False)
    #: Array (nodes). Words of each node that came in these cycles, and have reached every sink.
    reached: IntArray = field(repr=False)
    #: Array (nodes). Words that the sink of each node took.
    ejected: IntArray = field(repr=False)
    #: Array (HISTOGRAM). Of the words that ``reached`` counts, how many took 0, 1, 2 … cycles for
    #: that from the one in which they came to the source.
    since_came: IntArray = field(repr=False)
    #: Array (BATCHES). Words that came in each tenth of the cycles that were measured; how many of
    #: them have reached every sink, and the cycles that those took for it in all.
    came: IntArray = field(repr=False)
    finished: IntArray = field(repr=False)
    taken: IntArray = field(repr=False)
    #: Array (nodes). The most words that passed the root from the cycle in which a word of the node
    #: was first offered to its own passing, itself among them; in the whole run, with the warm-up.
    longest_wait: IntArray = field(repr=False)

    @property
    def throughput(self) -> float:
        """Words that each node gets in a cycle, its own ones counted; 1 is the limit."""
        return self.passed / self.cycles


def run_load(
    program: OrderedProgram,
    load: float,
    cycles: int,
    *,
    warm_up: int = 0,
    drain: int = 0,
    seed: int = 0,
    sinks: Stalls | None = None,
) -> LoadRun:
    """Run for some cycles after a warm-up, and check every word.

    Parameters
    ----------
    program : OrderedProgram
        What runs; it has no operation but broadcast.
    load : float
        The probability with which a word comes to a source in a cycle; with 1 all of them always
        have one.
    cycles : int
        Cycles that are measured.
    warm_up : int
        Cycles before those.
    drain : int
        Cycles after those, in which words come as before but do not count: so long those that came
        before have time to reach every sink.
    seed : int
        Names the random numbers.
    sinks : Stalls, optional
        How sinks stall; without, they never do.

    Raises
    ------
    CheckError
        If a word is lost, doubled or reordered.
    """
    if not 0 < load <= 1:
        raise InputError(f"load: {load} is out of range; above 0, up to 1 is allowed")
    if not program.operations.only_broadcast:
        raise InputError("program: only one that broadcasts and nothing else runs under load")
    if program.config.always_ready and sinks is not None:
        raise InputError("sinks: stall, of a network for sinks that never do")
    if cycles < 1 or min(warm_up, drain) < 0:
        raise InputError(f"cycles: {cycles} after {warm_up}: at least 1 after at least 0")
    fixed = lay_out(program)
    state = _reset(program, fixed, sinks)
    measured = range(warm_up, warm_up + cycles)
    drawn = _load(program, load, seed, sinks, measured, measured.stop + drain)
    end = advance_load(fixed, drawn, reset(fixed), state)
    if end != RIGHT:
        where = "at the root" if end == LOST else "at a sink"
        raise CheckError(
            f"{program.network.spec}: in cycle {state.counts.cycle} a word {where} is not the "
            "next one in order"
        )
    longest = np.zeros(program.network.nodes, dtype=np.int64)
    longest[state.node] = state.longest
    return LoadRun(
        cycles=cycles,
        passed=int(state.counts.passed_warm),
        injected=state.injected,
        reached=state.reached,
        ejected=state.ejected,
        since_came=state.since_came,
        came=state.came,
        finished=state.finished,
        taken=state.taken,
        longest_wait=longest,
    )


def _load(
    program: OrderedProgram,
    load: float,
    seed: int,
    sinks: Stalls | None,
    measured: range,
    stop: int,
) -> Load:
    nodes = range(program.network.nodes)
    source_of = np.full(len(nodes), NONE, dtype=np.int64)
    source_of[list(program.sources)] = np.arange(len(program.sources))
    return Load(
        source_key=np.array([mixing.key(seed, 0, n) for n in program.sources], dtype=np.uint64),
        sink_key=np.array([mixing.key(seed, 1, n) for n in nodes], dtype=np.uint64),
        source_of=source_of,
        drops=np.array([program.plan_of(node).drops for node in nodes], dtype=np.int64),
        chance=round(Fraction(str(load)) * _CERTAIN),
        stall_chance=0 if sinks is None else round(sinks.chance * _CERTAIN),
        longest_stall=1 if sinks is None else sinks.longest,
        warm_up=measured.start,
        end=measured.stop,
        stop=stop,
        joins=np.zeros((0, 2), dtype=np.int64),
    )


def _reset(program: OrderedProgram, fixed: Fixed, sinks: Stalls | None) -> State:
    # Every cycle on the way is a buffer of at most two slots. The words that one sink has taken
    # and another has not lie on the way from the root to that one.
    rising = 2 * int(program.up.max()) + 2
    falling = 2 * int(program.down_cycles.max()) + fixed.queue + 4
    if fixed.queue and sinks is not None:
        # While words wait in a queue, any number of words that are dropped there go by: as many
        # as come while the queue drains past several stalls.
        falling += _PAST_QUEUE * (fixed.queue + sinks.longest)
    return new_arrays(
        State,
        {
            "offered entered due longest": (fixed.sources,),
            "rising_came rising_before": (fixed.sources, _power(rising)),
            "order_word order_sinks order_came": (_power(falling),),
            "expected stalls injected reached ejected": (program.network.nodes,),
            "since_came": (HISTOGRAM,),
            "came finished taken": (BATCHES,),
        },
        node=np.array(program.sources, dtype=np.int64),
        counts=new_record(Counts),
    )


def _power(least: int) -> int:
    """The power of two that is at least so much."""
    return 1 << (least - 1).bit_length()
