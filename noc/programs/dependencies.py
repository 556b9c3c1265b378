"""The dependency graph: what may wait for what, its topological order, and its cycles if any.

A vertex is a virtual channel at a node; an edge says that a word in a slot there may wait for a
slot at the other end. Vertices are numbered node * VCs + VC. Without a cycle nothing can deadlock.
"""

from dataclasses import dataclass, field

import numpy as np

from noc.networks import IntArray
from noc.programs.program import Program

__all__ = ["DependencyGraph", "build_dependencies", "find_cycle", "rank_vertices"]


@dataclass(frozen=True)
class DependencyGraph:
    """The edges, without repetition.

    Parameters
    ----------
    vertices : int
        Number of vertices: nodes times VCs.
    vcs : int
        Number of virtual channels.
    start, end : arrays (edges)
        A word at ``start`` may wait for a slot at ``end``. Sorted by ``start``.
    """

    vertices: int
    vcs: int
    start: IntArray = field(repr=False)
    end: IntArray = field(repr=False)


def build_dependencies(program: Program) -> DependencyGraph:
    """The dependency graph of a program, over all nodes."""
    vcs, nodes = program.vcs, program.network.nodes
    edges: list[IntArray] = []
    for number, table in enumerate(program.tables):
        here = np.flatnonzero(program.table == number)
        sends = {(entry.vc, *send) for entry in table.entries for send in entry.sends}
        for vc, port, code in sorted(sends):
            there = program.network.neighbour[here, port].astype(np.int64)
            far_vc = program.row_vc[program.row_of_code[program.table[there], code]]
            edges.append((here * vcs + vc) * (nodes * vcs) + there * vcs + far_vc)
    edge = np.unique(np.concatenate(edges)) if edges else np.empty(0, dtype=np.int64)
    start, end = np.divmod(edge, nodes * vcs)
    return DependencyGraph(nodes * vcs, vcs, start, end)


def rank_vertices(graph: DependencyGraph) -> IntArray | None:
    """A rank for every vertex that falls along every edge, or None where there is a cycle.

    A topological order: this is the certificate, for that it falls along every edge is checked at
    a glance.
    """
    rank, stuck = _sorted(graph)
    return None if stuck.size else rank


def find_cycle(graph: DependencyGraph) -> list[tuple[int, int]] | None:
    """Some dependency cycle as (node, VC) pairs, each waiting for the next, or None."""
    _, stuck = _sorted(graph)
    if not stuck.size:
        return None
    # Every vertex that is left depends on one that is left: walk until one comes again.
    left = np.isin(graph.start, stuck) & np.isin(graph.end, stuck)
    start, end = graph.start[left], graph.end[left]
    walk = [int(stuck[0])]
    while walk.count(walk[-1]) < 2:
        walk.append(int(end[np.searchsorted(start, walk[-1])]))
    cycle = walk[walk.index(walk[-1]) : -1]
    return [divmod(vertex, graph.vcs) for vertex in cycle]


def _sorted(graph: DependencyGraph) -> tuple[IntArray, IntArray]:
    """The rank of every vertex, from those that depend on nothing; and the vertices without one."""
    rank = np.zeros(graph.vertices, dtype=np.int32)
    remaining = np.bincount(graph.start, minlength=graph.vertices)
    by_end = np.argsort(graph.end, kind="stable")
    begin = np.searchsorted(graph.end[by_end], np.arange(graph.vertices + 1))
    free = np.flatnonzero(remaining == 0)
    height = 0
    while free.size:
        rank[free] = height
        height += 1
        into = np.concatenate([by_end[begin[v] : begin[v + 1]] for v in free.tolist()])
        start = graph.start[into]
        np.subtract.at(remaining, start, 1)
        start = np.unique(start)
        free = start[remaining[start] == 0]
    return rank, np.flatnonzero(remaining)
