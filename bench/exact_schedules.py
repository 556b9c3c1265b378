"""Exact search: a satisfiability solver finds a broadcast of so many steps or excludes it."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

from noc.errors import InputError
from noc.networks import ABSENT, IntArray, Network
from noc.trees.search.matching import UNINFORMED, links_of, new_workspace, spread
from noc.trees.tree import NO_PARENT

__all__ = ["METHOD", "completed", "parents_or_proof"]

#: How a proof by this module is named beside a schedule.
METHOD = "CaDiCaL finds one step less impossible"


def _solver() -> Any:
    try:
        from pysat.solvers import Cadical153  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        raise InputError(
            "exact search needs the package python-sat: pip install python-sat"
        ) from None
    return Cadical153()


class _Variables:
    """Numbers the variables: who is informed when, and which link carries the word when.

    ``earliest`` is the step at which a node can be informed at best; the sources are informed
    after step ``begin`` and all others later.
    """

    def __init__(self, network: Network, earliest: IntArray, begin: int, steps: int) -> None:
        self.informed: dict[tuple[int, int], int] = {}
        self.sends: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.receives: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.links: list[tuple[int, int, int, int]] = []
        first = earliest.tolist()
        for node in range(network.nodes):
            for step in range(first[node], steps + 1):
                self.informed[node, step] = len(self.informed) + 1
        count = len(self.informed)
        for sender, row in enumerate(network.neighbour.tolist()):
            for node in row:
                if node == ABSENT or first[node] == begin:
                    continue
                for step in range(max(first[sender] + 1, first[node]), steps + 1):
                    count += 1
                    self.sends[sender, step].append(count)
                    self.receives[node, step].append(count)
                    self.links.append((count, sender, node, step))


def _clauses(variables: _Variables, begin: int, steps: int) -> Iterator[list[int]]:
    """A sender sends once in a step, after it was informed; who is informed received or was."""
    informed = variables.informed
    for link, sender, node, step in variables.links:
        yield [-link, informed[sender, step - 1]]
        yield [-link, informed[node, step]]
        if (node, step - 1) in informed:
            yield [-link, -informed[node, step - 1]]
    for group in (*variables.sends.values(), *variables.receives.values()):
        for one, other in combinations(group, 2):
            yield [-one, -other]
    for (node, step), known in informed.items():
        before = informed.get((node, step - 1))
        received = variables.receives.get((node, step), [])
        if step == steps:
            yield [known]
        if before is not None:
            yield [-before, known]
            yield [-known, before, *received]
        elif step == begin:
            yield [known]
        else:
            yield [-known, *received]


def _parents(
    network: Network, earliest: IntArray, begin: int, steps: int, parent: IntArray
) -> IntArray | None:
    """Complete ``parent`` for all nodes that are not sources, or None where nothing can."""
    if earliest.max() > steps:
        return None
    variables = _Variables(network, earliest, begin, steps)
    with _solver() as solver:
        for clause in _clauses(variables, begin, steps):
            solver.add_clause(clause)
        if not solver.solve():
            return None
        true = np.array(solver.get_model(), dtype=np.int64) > 0
    for link, sender, node, _ in variables.links:
        if true[link - 1]:
            parent[node] = sender
    return parent


def parents_or_proof(network: Network, root: int, steps: int) -> IntArray | None:
    """Each node's parent in a one-port broadcast of at most ``steps`` steps; None: there is none.

    May take very long: call it where it can be stopped.
    """
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    return _parents(network, network.distances(root), 0, steps, parent)


def completed(
    network: Network, parent: IntArray, step: IntArray, begin: int, steps: int
) -> IntArray | None:
    """Keep what a broadcast did up to step ``begin`` and finish it within ``steps``, if possible.

    None says only that this beginning leads nowhere. Far faster than the search from the root on
    large networks: most sends are in the last steps, and most of the choice in the first.
    """
    kept = (step >= 0) & (step <= begin)
    space = new_workspace(network.nodes)
    space.step[:] = np.where(kept, step, UNINFORMED)
    spread(links_of(network), space)
    earliest = space.hops + begin
    return _parents(network, earliest, begin, steps, np.where(kept, parent, NO_PARENT))
