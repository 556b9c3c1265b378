"""Who waits for whom: the graph that must have no circle, its certificate, and the circle if any.

A vertex is a place of a class at a node; an edge says that a word which waits there may wait for a
place at the other end. Vertices are numbered node * classes + class.
"""

from dataclasses import dataclass, field

import numpy as np

from noc.networks import IntArray
from noc.programs.classes import Classes
from noc.programs.program import NOTHING, Program

__all__ = ["Waits", "find_circle", "levels", "wait_graph"]


@dataclass(frozen=True)
class Waits:
    """The edges of the wait graph, without repetition.

    Parameters
    ----------
    vertices : int
        Number of vertices: nodes times classes.
    classes : int
        Number of classes.
    start, end : arrays (edges)
        A word at ``start`` may wait for a place at ``end``. Sorted by ``start``.
    """

    vertices: int
    classes: int
    start: IntArray = field(repr=False)
    end: IntArray = field(repr=False)


def wait_graph(program: Program, classes: Classes) -> Waits:
    """The wait graph of a program with classes, over all nodes."""
    count, nodes = classes.count, program.network.nodes
    node = np.arange(nodes, dtype=np.int64)
    found: list[IntArray] = []
    for port, site, near, far in _distinct_waits(program, classes):
        sender = node if site is None else node[site : site + 1]
        there = program.network.neighbour[sender, port].astype(np.int64)
        start = sender * count + near[classes.colour[sender]]
        end = there * count + far[classes.colour[there]]
        found.append(start * (nodes * count) + end)
    edges = np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)
    start, end = np.divmod(edges, nodes * count)
    return Waits(nodes * count, count, start, end)


def _distinct_waits(
    program: Program, classes: Classes
) -> list[tuple[int, int | None, IntArray, IntArray]]:
    """Port, site, and the classes at both ends by colour, without repetition.

    The site is None where one table serves all nodes.
    """
    far = program.far_row
    row, slot = np.nonzero(far != NOTHING)
    columns = [program.send_port[row, slot], program.row_site[row]]
    table = np.column_stack(
        [*columns, classes.of_row[:, row].T, classes.of_row[:, far[row, slot]].T]
    )
    colours = classes.of_row.shape[0]
    shared = program.first_row.shape[0] == 1
    return [
        (
            int(entry[0]),
            None if shared else int(entry[1]),
            entry[2 : 2 + colours],
            entry[2 + colours :],
        )
        for entry in np.unique(table, axis=0)
    ]


def levels(waits: Waits) -> IntArray | None:
    """A number for every vertex that falls along every edge, or None where there is a circle.

    This is the certificate: that it falls along every edge is checked at a glance.
    """
    level = np.zeros(waits.vertices, dtype=np.int32)
    remaining = np.bincount(waits.start, minlength=waits.vertices)
    by_end = np.argsort(waits.end, kind="stable")
    begin = np.searchsorted(waits.end[by_end], np.arange(waits.vertices + 1))
    free = np.flatnonzero(remaining == 0)
    settled, height = 0, 0
    while free.size:
        level[free] = height
        settled += free.size
        height += 1
        into = np.concatenate([by_end[begin[v] : begin[v + 1]] for v in free.tolist()])
        start = waits.start[into]
        np.subtract.at(remaining, start, 1)
        start = np.unique(start)
        free = start[remaining[start] == 0]
    return level if settled == waits.vertices else None


def find_circle(waits: Waits) -> list[tuple[int, int]] | None:
    """Some circle of waits as (node, class) pairs, each waiting for the next, or None."""
    remaining = np.bincount(waits.start, minlength=waits.vertices)
    by_end: dict[int, list[int]] = {}
    following: dict[int, list[int]] = {}
    for start, end in zip(waits.start.tolist(), waits.end.tolist(), strict=True):
        by_end.setdefault(end, []).append(start)
        following.setdefault(start, []).append(end)
    free = np.flatnonzero(remaining == 0).tolist()
    while free:
        for start in by_end.get(free.pop(), ()):
            remaining[start] -= 1
            if not remaining[start]:
                free.append(start)
    stuck = np.flatnonzero(remaining)
    if not stuck.size:
        return None
    # Every vertex that is left waits for one that is left: walk until one comes again.
    walk = [int(stuck[0])]
    while walk.count(walk[-1]) < 2:
        walk.append(next(end for end in following[walk[-1]] if remaining[end]))
    circle = walk[walk.index(walk[-1]) : -1]
    return [divmod(vertex, waits.classes) for vertex in circle]
