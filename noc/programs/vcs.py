"""Virtual channels (VCs) of words, so that broadcasts of many sources cannot deadlock."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from noc.errors import InputError, option
from noc.networks import ABSENT, IntArray, Network
from noc.programs.automaton import NOTHING, Automaton
from noc.programs.quotients import fill_vcs, find_quotients

__all__ = [
    "FEWEST",
    "METHODS",
    "VcAssignment",
    "assign_bipartite",
    "assign_by_height",
    "assign_fewest",
    "assign_greedily",
    "assign_one",
    "assign_quotient",
    "assign_vcs",
    "find_assignments",
    "find_bipartition",
]


@dataclass(frozen=True, eq=False)
class VcAssignment:
    """The virtual channel of every word at every router: for which slots it waits there.

    Parameters
    ----------
    count : int
        Number of virtual channels.
    part : array (nodes)
        The part of each node in a partition of the nodes: those of one part and one site have the
        same VCs.
    of_row : array (parts, rows)
        For each part the VC of a word that arrives by a row of the automaton.
    method : str
        How the VCs were found.
    """

    count: int
    part: IntArray = field(repr=False)
    of_row: IntArray = field(repr=False)
    method: str = "given"

    def check(self, automaton: Automaton) -> None:
        """Refuse an assignment that is not for the rows and nodes of an automaton."""
        nodes, rows = automaton.network.nodes, automaton.total_rows
        if self.part.shape != (nodes,) or self.of_row.shape[1:] != (rows,):
            raise InputError(f"vcs: not those of {rows} rows on {nodes} nodes")
        if ((self.of_row < 0) | (self.of_row >= self.count)).any():
            raise InputError(f"vcs: numbered from 0 to {self.count - 1}")


def assign_one(automaton: Automaton) -> VcAssignment:
    """Every word in one VC: enough while one source sends at a time."""
    part = np.zeros(automaton.network.nodes, dtype=np.int32)
    of_row = np.zeros((1, automaton.total_rows), dtype=np.int32)
    return VcAssignment(1, part, of_row, "one")


def _children(automaton: Automaton) -> list[tuple[int, IntArray]]:
    """Every row with the rows of its copies at their receivers, children before parents."""
    # Subtrees are numbered from the leaves up.
    far = automaton.send_row
    order = np.argsort(automaton.subtree, kind="stable").tolist()
    return [(row, far[row][far[row] != NOTHING]) for row in order]


def assign_by_height(automaton: Automaton) -> VcAssignment:
    """The VC is the height of what is still to be served: it falls with every hop."""
    height = np.zeros(automaton.total_rows, dtype=np.int32)
    for row, below in _children(automaton):
        height[row] = height[below].max() + 1 if below.size else 0
    part = np.zeros(automaton.network.nodes, dtype=np.int32)
    return VcAssignment(int(height.max()) + 1, part, height[None, :], "height")


def find_bipartition(network: Network) -> IntArray | None:
    """Parts 0 and 1 of the nodes such that every link joins different ones, or None."""
    part = (network.distances(0) % 2).astype(np.int32)
    there = network.neighbour
    same = (there != ABSENT) & (part[there] == part[:, None])
    return None if same.any() else part


def assign_bipartite(automaton: Automaton) -> VcAssignment | None:
    """On a bipartite network the VC needs to fall only with hops from part 1 to part 0.

    Within a VC all dependencies then lead from part 0 to part 1, so no cycle can close. None
    where the network is not bipartite.
    """
    part = find_bipartition(automaton.network)
    if part is None:
        return None
    of_row = np.zeros((2, automaton.total_rows), dtype=np.int32)
    for row, below in _children(automaton):
        if below.size:
            of_row[0, row] = of_row[1, below].max()
            of_row[1, row] = of_row[0, below].max() + 1
    # A row of a site that all nodes share is used by both parts; of another, by its own.
    count = int(of_row.max()) + 1
    if automaton.first_row.shape[0] > 1:
        of_row = np.where(part[automaton.row_site] == 0, of_row[0], of_row[1])[None, :]
        count, part = int(of_row.max()) + 1, np.zeros_like(part)
    return VcAssignment(count, part, of_row, "bipartite")


def assign_quotient(automaton: Automaton) -> VcAssignment | None:
    """More parts than two, where all nodes share one table.

    The parts are nodes of a quotient: a port leads from one part to one other. Each VC has an
    order of the parts, and within it all dependencies ascend.
    """
    if automaton.first_row.shape[0] > 1:
        return None
    _, row, subtree_of = np.unique(automaton.subtree, return_index=True, return_inverse=True)
    far = automaton.send_row[row]
    sends = [
        [
            (int(port), int(subtree_of[there]))
            for port, there in zip(automaton.send_port[row[number]], far[number], strict=True)
            if there != NOTHING
        ]
        for number in range(row.size)
    ]
    best: VcAssignment | None = None
    most = assign_by_height(automaton).count
    for part in find_quotients(automaton.network):
        of_subtree = fill_vcs(automaton.network, part, sends, most)
        if of_subtree is not None:
            of_row = of_subtree[:, subtree_of]
            most = int(of_row.max())
            best = VcAssignment(most + 1, part, of_row, "quotient")
    return best


def assign_greedily(automaton: Automaton) -> VcAssignment | None:
    """Fill each VC with rows, shortest first, as long as its dependencies close no cycle.

    Only with a table for each node: where all nodes share one, a dependency within a VC is one at
    every node, and always closes.
    """
    if automaton.first_row.shape[0] == 1:
        return None
    of_row = np.zeros(automaton.total_rows, dtype=np.int32)
    graphs: list[_Acyclic] = []
    for row, below in _children(automaton):
        vc = int(of_row[below].max()) if below.size else 0
        node = int(automaton.row_site[row])
        while True:
            if vc == len(graphs):
                graphs.append(_Acyclic(automaton.network.nodes))
            ends = [int(automaton.row_site[far]) for far in below if of_row[far] == vc]
            if graphs[vc].add(node, ends):
                break
            vc += 1
        of_row[row] = vc
    part = np.zeros(automaton.network.nodes, dtype=np.int32)
    return VcAssignment(int(of_row.max()) + 1, part, of_row[None, :], "greedy")


#: How VCs can be found, by the names that users type; None where a method does not apply.
METHODS: dict[str, Callable[[Automaton], VcAssignment | None]] = {
    "one": assign_one,
    "height": assign_by_height,
    "bipartite": assign_bipartite,
    "quotient": assign_quotient,
    "greedy": assign_greedily,
}

#: The name for whichever of them has the fewest VCs.
FEWEST = "fewest"


def find_assignments(automaton: Automaton) -> list[VcAssignment]:
    """Every assignment that lets all sources send at once on this automaton."""
    assignments = (METHODS[name](automaton) for name in METHODS if name != "one")
    return [vcs for vcs in assignments if vcs is not None]


def assign_fewest(automaton: Automaton) -> VcAssignment:
    """The assignment with the fewest VCs; of several the first."""
    return min(find_assignments(automaton), key=lambda vcs: vcs.count)


def assign_vcs(automaton: Automaton, method: str) -> VcAssignment:
    """The VCs of a method, or the fewest."""
    if method == FEWEST:
        return assign_fewest(automaton)
    if method not in METHODS:
        raise InputError(f"{option('vcs', method)}: {', '.join((FEWEST, *METHODS))} are allowed")
    vcs = METHODS[method](automaton)
    if vcs is None:
        raise InputError(f"{option('vcs', method)}: {automaton.network.spec} {_WHY_NOT[method]}")
    return vcs


_WHY_NOT = {
    "bipartite": "is not bipartite",
    "quotient": "is not symmetric, or not all of its nodes send, or has no quotient of a few parts",
    "greedy": "is symmetric: all nodes share one table, where a dependency in a VC always closes",
}


class _Acyclic:
    """A directed graph that refuses edges that would close a cycle."""

    def __init__(self, nodes: int) -> None:
        self._following: list[set[int]] = [set() for _ in range(nodes)]

    def add(self, start: int, ends: list[int]) -> bool:
        """Add edges from ``start`` unless one of the ends leads back to it."""
        fresh = [end for end in ends if end not in self._following[start]]
        if fresh and self._leads_to(fresh, start):
            return False
        self._following[start].update(fresh)
        return True

    def _leads_to(self, begin: list[int], goal: int) -> bool:
        seen, stack = set(begin), list(begin)
        while stack:
            node = stack.pop()
            if node == goal:
                return True
            stack += [there for there in self._following[node] if there not in seen]
            seen |= self._following[node]
        return False
