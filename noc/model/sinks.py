"""When the sinks of a network are ready: friendly, random, bursty and adversarial patterns.

Every pattern is an array of bool (period, nodes), used cyclically, in which each sink is ready
at least once.
"""

from collections.abc import Callable

import numpy as np

from noc.model import mixing
from noc.model.traffic import BoolArray


def _drawn(period: int, nodes: int, *parts: int) -> mixing.UInt64Array:
    return mixing.draws(period * nodes, *parts).reshape(period, nodes)


def _each_ready_once(ready: BoolArray, seed: int) -> BoolArray:
    """Make a sink that would never be ready so in one drawn cycle of the period."""
    never = np.flatnonzero(~ready.any(axis=0))
    cycle = mixing.draws(never.size, seed, never.size) % np.uint64(ready.shape[0])
    ready[cycle.astype(np.int64), never] = True
    return ready


def always(nodes: int) -> BoolArray:
    """Every sink ready in every cycle."""
    return np.ones((1, nodes), dtype=np.bool_)


def random(nodes: int, *, percent: int = 50, period: int = 127, seed: int = 0) -> BoolArray:
    """Every sink ready in ``percent`` of the cycles, drawn independently."""
    ready = _drawn(period, nodes, seed) % np.uint64(100) < np.uint64(percent)
    return _each_ready_once(ready, seed)


def bursty(nodes: int, *, burst: int = 12, period: int = 251, seed: int = 0) -> BoolArray:
    """Sinks that turn ready and back after ``burst`` cycles on the mean, each by itself."""
    flips = _drawn(period, nodes, seed) % np.uint64(burst) == 0
    start = mixing.draws(nodes, seed, 1) % np.uint64(2)
    ready = (np.cumsum(flips, axis=0, dtype=np.int64) + start.astype(np.int64)) % 2 == 1
    return _each_ready_once(ready, seed)


def moving_stall(nodes: int, *, groups: int = 4, cycles: int = 40) -> BoolArray:
    """A long stall that moves on: every ``groups``-th sink is not ready, then the next ones."""
    groups = max(2, groups)
    stalled = np.repeat(np.arange(groups), cycles)
    return np.not_equal(np.arange(nodes)[None, :] % groups, stalled[:, None])


def one_slow(nodes: int, node: int, *, every: int = 33) -> BoolArray:
    """All sinks ready but one, which takes a word in one cycle of ``every``."""
    ready = np.ones((every, nodes), dtype=np.bool_)
    ready[1:, node] = False
    return ready


def absent(nodes: int, *, cycles: int, before: int = 12) -> BoolArray:
    """Every second sink is away for ``cycles`` cycles, then the others; before both all take."""
    half = np.ones((before + cycles, nodes), dtype=np.bool_)
    away = np.arange(nodes) % 2 == 0
    first, second = half.copy(), half
    first[before:, away] = second[before:, ~away] = False
    return np.concatenate([first, second])


def members_away(members: int, seed: int) -> BoolArray:
    """Members that are away for some time, each by itself; at first nobody, and once all."""
    away = ~bursty(members, burst=40, period=509, seed=seed)
    away[:30], away[400:430] = False, True
    return away


def phases(nodes: int, *, cycles: int = 25) -> BoolArray:
    """All sinks ready, then none, for ``cycles`` each."""
    return np.repeat(np.array([[True], [False]]), cycles, axis=0).repeat(nodes, axis=1)


#: Patterns by name: from a number of nodes and a seed.
SINKS: dict[str, Callable[[int, int], BoolArray]] = {
    "always": lambda nodes, _: always(nodes),
    "half": lambda nodes, seed: random(nodes, seed=seed),
    "rarely": lambda nodes, seed: random(nodes, percent=10, seed=seed),
    "bursty": lambda nodes, seed: bursty(nodes, seed=seed),
    "moving-stall": lambda nodes, _: moving_stall(nodes),
    "one-slow": lambda nodes, seed: one_slow(nodes, mixing.key(seed) % nodes),
    "phases": lambda nodes, _: phases(nodes),
}
