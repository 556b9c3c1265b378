"""Exact search: a satisfiability solver finds a broadcast of so many steps or excludes it."""

from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np

from noc.errors import InputError
from noc.networks import ABSENT, IntArray, Network
from noc.trees.tree import NO_PARENT

__all__ = ["METHOD", "parents_or_proof"]

#: How a proof by this module is named beside a schedule.
METHOD = "CaDiCaL finds one step less impossible"


def _solver() -> Any:
    try:
        from pysat.solvers import Cadical153  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        raise InputError(
            "exact search needs the package python-sat; install arbornoc[search]"
        ) from None
    return Cadical153()


class _Variables:
    """Numbers the variables: who is informed when, and which link carries the word when."""

    def __init__(self, network: Network, root: int, steps: int) -> None:
        hops = network.distances(root)
        self.informed: dict[tuple[int, int], int] = {}
        self.sends: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.receives: dict[tuple[int, int], list[int]] = defaultdict(list)
        self.links: list[tuple[int, int, int, int]] = []
        for node in range(network.nodes):
            for step in range(int(hops[node]), steps + 1):
                self.informed[node, step] = len(self.informed) + 1
        count = len(self.informed)
        for sender, port in zip(*np.nonzero(network.neighbour != ABSENT), strict=True):
            node = int(network.neighbour[sender, port])
            if node == root:
                continue
            for step in range(max(int(hops[sender]) + 1, int(hops[node])), steps + 1):
                count += 1
                self.sends[int(sender), step].append(count)
                self.receives[node, step].append(count)
                self.links.append((count, int(sender), node, step))


def _clauses(variables: _Variables, root: int, steps: int) -> list[list[int]]:
    informed = variables.informed
    clauses: list[list[int]] = []
    for link, sender, node, step in variables.links:
        clauses += [[-link, informed[sender, step - 1]], [-link, informed[node, step]]]
        if (node, step - 1) in informed:
            clauses.append([-link, -informed[node, step - 1]])
    for group in (*variables.sends.values(), *variables.receives.values()):
        clauses += [[-one, -other] for one, other in combinations(group, 2)]
    for (node, step), known in informed.items():
        if node == root or step == steps:
            clauses.append([known])
        if node != root:
            before = [informed[node, step - 1]] if (node, step - 1) in informed else []
            clauses.append([-known, *before, *variables.receives[node, step]])
            clauses += [[-earlier, known] for earlier in before]
    return clauses


def parents_or_proof(network: Network, root: int, steps: int) -> IntArray | None:
    """Each node's parent in a one-port broadcast of at most ``steps`` steps; None: there is none.

    May take very long: call it where it can be stopped.
    """
    if steps < network.eccentricity(root):
        return None
    variables = _Variables(network, root, steps)
    with _solver() as solver:
        solver.append_formula(_clauses(variables, root, steps))
        if not solver.solve():
            return None
        true = np.array(solver.get_model(), dtype=np.int64) > 0
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    for link, sender, node, _ in variables.links:
        if true[link - 1]:
            parent[node] = sender
    return parent
