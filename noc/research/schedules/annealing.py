"""Annealing of the priorities by which rounds choose their receivers.

Everything counts in whole numbers and the work, not the clock, ends it: the same request gives
the same schedule on every machine.
"""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import numpy.typing as npt

from noc.compiled import compiled
from noc.networks import ABSENT, IntArray, Network
from noc.research.schedules.matching import (
    PRIORITY_RANGE,
    Links,
    Weighting,
    Workspace,
    broadcast,
    links_of,
    new_workspace,
)
from noc.trees.tree import NO_PARENT, earliest

#: Links that the default search walks along, over all of its trials: a few seconds.
WORK = 40_000_000

# Where a single broadcast would walk along more links than this, no rounds are tried.
WORK_OF_ONE_BROADCAST = 500_000_000

# A trial that leaves k more nodes uninformed is accepted with probability 2^(-k/heat); heat
# falls from one, in these parts, to a small share of it.
HEAT = 8

# At most one node in this many gets a new priority in a trial.
SHARE_CHANGED = 50

# The schedules of one descent; fewer trials find little, more are better spent on a new start.
TRIALS_OF_ONE_DESCENT = 2000

# Broadcasts without a deadline, to know where to begin.
STARTS = 4

UNIT = PRIORITY_RANGE

# What does well on most networks, and what random mixtures are made of.
_USUAL = (
    Weighting(4 * UNIT, UNIT // 2, 0),
    Weighting(UNIT // 4, 2 * UNIT, -UNIT // 4),
    Weighting(UNIT, 2 * UNIT, -UNIT // 4),
)
_TALL = (0, UNIT // 4, UNIT, 4 * UNIT)
_WIDE = (0, UNIT // 8, UNIT // 4, UNIT // 2, UNIT, 2 * UNIT)
_NEAR = (-UNIT // 4, -UNIT // 8, 0, 0, UNIT // 8)


def uniform_port_parents(network: Network, root: int, limit: int) -> IntArray | None:
    """Take at each step the port that reaches most; each node's parent, or None after ``limit``.

    Optimal on hypercubes, where search hardly finds the perfect doubling.
    """
    informed = np.array([root], dtype=np.int64)
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    waiting = np.ones(network.nodes, dtype=bool)
    waiting[root] = False
    for _ in range(limit):
        receiver, sender = max(
            (_reached(port, informed, waiting) for port in network.neighbour.T),
            key=lambda reached: reached[0].size,
        )
        if receiver.size == 0:
            return None
        parent[receiver] = sender
        waiting[receiver] = False
        informed = np.concatenate((informed, receiver))
        if informed.size == network.nodes:
            return parent
    return None


def _reached(
    neighbour: IntArray, informed: IntArray, waiting: npt.NDArray[np.bool_]
) -> tuple[IntArray, IntArray]:
    """The uninformed nodes that this port leads to, each once, and their senders."""
    receiver = neighbour[informed]
    sends = (receiver != ABSENT) & waiting[receiver]
    receivers, first = np.unique(receiver[sends], return_index=True)
    return receivers, informed[sends][first]


def trials_for(network: Network, steps: int, work: int) -> int:
    """Whole broadcasts that a budget of walked links pays for; at least one."""
    return max(1, work // (max(1, network.arcs) * max(1, steps)))


@compiled
def draw(state: IntArray, below: int) -> int:
    """The next of a sequence of random whole numbers (xorshift), smaller than ``below``."""
    value = np.uint64(state[0])
    value ^= value << np.uint64(13)
    value ^= value >> np.uint64(7)
    value ^= value << np.uint64(17)
    state[0] = np.int64(value)
    return int((value >> np.uint64(11)) % np.uint64(below))


@compiled
def draw_all(state: IntArray, priority: IntArray) -> None:
    """Give every node a random priority."""
    for node in range(priority.size):
        priority[node] = draw(state, PRIORITY_RANGE)


def generator(seed: int) -> IntArray:
    """The state of the random numbers at the beginning, which must not be 0."""
    mixed = (seed + 1) * 0x9E3779B97F4A7C15 % 2**64
    return np.array([mixed], dtype=np.uint64).view(np.int64)


def weightings(state: IntArray, priority: IntArray) -> Iterator[Weighting]:
    """First what does well on most networks, then random mixtures; with priorities anew."""
    for weighting in _USUAL:
        draw_all(state, priority)
        yield weighting
    while True:
        tall, wide, near = (each[draw(state, len(each))] for each in (_TALL, _WIDE, _NEAR))
        draw_all(state, priority)
        yield Weighting(tall, wide, near)


@compiled
def allowance(state: IntArray, heat: int) -> int:
    """How many more uninformed nodes to accept: k·heat/HEAT with probability 2^-k."""
    heads = 0
    while heads < 40 and draw(state, 2) == 1:
        heads += 1
    return heads * heat // HEAT


@compiled
def anneal(
    links: Links,
    space: Workspace,
    root: int,
    priority: IntArray,
    weighting: Weighting,
    deadline: int,
    trials: int,
    state: IntArray,
) -> tuple[int, int]:
    """Change priorities until a broadcast meets the deadline; uninformed nodes, trials made."""
    nodes = priority.size
    trial = priority.copy()
    left = broadcast(links, space, root, priority, weighting, deadline, deadline)
    tried = 1
    while left > 0 and tried < trials:
        for _ in range(1 + draw(state, max(1, nodes // SHARE_CHANGED))):
            trial[draw(state, nodes)] = draw(state, PRIORITY_RANGE)
        changed = broadcast(links, space, root, trial, weighting, deadline, deadline)
        heat = max(1, HEAT - HEAT * tried // trials)
        if changed <= left + allowance(state, heat):
            left = changed
            priority[:] = trial
        else:
            trial[:] = priority
        tried += 1
    return left, tried


def parents_within(
    network: Network, root: int, deadline: int, *, trials: int, seed: int = 0
) -> IntArray | None:
    """Search for a broadcast of at most ``deadline`` steps: each node's parent, or None."""
    links, space, state = links_of(network), new_workspace(network.nodes), generator(seed)
    priority = np.empty(network.nodes, dtype=np.int64)
    tried = 0
    for weighting in weightings(state, priority):
        share = min(trials - tried, TRIALS_OF_ONE_DESCENT)
        left, used = anneal(links, space, root, priority, weighting, deadline, share, state)
        tried += used
        if left == 0:
            return space.parent.copy()
        if tried >= trials:
            break
    return None


def best_parents(network: Network, root: int, bound: int, *, work: int = WORK) -> IntArray:
    """The parents of the fastest broadcast that a budget of walked links finds.

    ``bound`` is a number of steps that cannot be undercut. Where a single broadcast in rounds
    would take minutes, only the simplest trees are compared.
    """
    simple = [_shortest_parents(network, root)]
    uniform = uniform_port_parents(network, root, 2 * bound)
    simple += [] if uniform is None else [uniform]
    best = min(simple, key=_steps)
    limit = min(_steps(best), WORK_OF_ONE_BROADCAST // network.arcs)
    if bound > limit or _steps(best) == bound:
        return best
    starts = min(STARTS, trials_for(network, 2 * bound, work))
    best = min((best, *_starts(network, root, bound, starts, limit)), key=_steps)
    trials = trials_for(network, _steps(best), work)
    while _steps(best) > bound and trials > STARTS:
        parents = parents_within(network, root, _steps(best) - 1, trials=trials, seed=_steps(best))
        if parents is None:
            break
        # Halved, so that all descents together keep within twice the budget.
        best, trials = parents, trials // 2
    return best


def _steps(parent: IntArray) -> int:
    """Served in its best order, a tree may do with fewer steps than the rounds took."""
    return int(earliest(parent, int(np.argmin(parent)), "one").max())


def _starts(network: Network, root: int, bound: int, count: int, limit: int) -> Iterator[IntArray]:
    """The parents of broadcasts that run until every node is informed."""
    links, space, state = links_of(network), new_workspace(network.nodes), generator(0)
    priority = np.empty(network.nodes, dtype=np.int64)
    for weighting in islice(weightings(state, priority), count):
        if broadcast(links, space, root, priority, weighting, bound, limit) == 0:
            yield space.parent.copy()


def _shortest_parents(network: Network, root: int) -> IntArray:
    """The first neighbour of each node that is nearer to the root."""
    hops = network.distances(root)
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    for receiver in reversed(network.neighbour.T):
        sender = np.flatnonzero((receiver != ABSENT) & (hops[receiver] == hops + 1))
        parent[receiver[sender]] = sender
    return parent
