"""Distances by breadth-first search over the neighbour array."""

from collections.abc import Callable

import numpy as np

from noc.networks.arrays import IntArray

__all__ = ["diameter", "distinct", "from_root"]

UNREACHED = -1

# Sources searched together, 64 to a machine word: bounds the memory of one batch.
WORDS_PER_BATCH = 32


def from_root(neighbour: IntArray, root: int) -> IntArray:
    """Hops from ``root`` to every node; ``UNREACHED`` where no path leads."""
    hops = np.full(neighbour.shape[0], UNREACHED, dtype=np.int32)
    hops[root] = 0
    frontier = np.array([root], dtype=np.int64)
    level = 0
    while frontier.size:
        level += 1
        # Writing `hops` port by port drops what an earlier port found already.
        reached = []
        for port in range(neighbour.shape[1]):
            there = neighbour[frontier, port]
            there = there[there >= 0]
            there = there[hops[there] == UNREACHED]
            hops[there] = level
            reached.append(there)
        frontier = distinct(np.concatenate(reached), neighbour.shape[0])
    return hops


def distinct(nodes: IntArray, count: int) -> IntArray:
    """The nodes without repetition, ascending; ``count`` is the number of all nodes."""
    if nodes.size > count // 16:
        mark = np.zeros(count, dtype=bool)
        mark[nodes] = True
        return np.flatnonzero(mark)
    return np.unique(nodes)


def diameter(neighbour: IntArray, progress: Callable[[float], None] | None = None) -> int:
    """The greatest distance over all pairs, by searching from 64 roots in each machine word."""
    nodes = neighbour.shape[0]
    greatest = 0
    words = -(-nodes // 64)
    for first in range(0, words, WORDS_PER_BATCH):
        batch = range(first * 64, min(nodes, (first + WORDS_PER_BATCH) * 64))
        greatest = max(greatest, _batch_eccentricity(neighbour, batch))
        if progress is not None:
            progress(min(1.0, (first + WORDS_PER_BATCH) / words))
    return greatest


def _batch_eccentricity(neighbour: IntArray, roots: range) -> int:
    nodes, ports = neighbour.shape
    width = -(-len(roots) // 64)
    reached = np.zeros((nodes, width), dtype=np.uint64)
    offset = np.arange(len(roots))
    reached[np.asarray(roots), offset // 64] = np.uint64(1) << (offset % 64).astype(np.uint64)
    present = [np.flatnonzero(neighbour[:, port] >= 0) for port in range(ports)]
    level, before = 0, -1
    count = int(np.bitwise_count(reached).sum())
    while count != before:
        before = count
        # Each node gathers what the nodes it leads to reach: the reverse graph has the same
        # greatest distance, and gathering needs no conflict-free scatter.
        following = reached.copy()
        for port in range(ports):
            here = present[port]
            following[here] |= reached[neighbour[here, port]]
        reached = following
        count = int(np.bitwise_count(reached).sum())
        level += count != before
    return level
