"""Distances by breadth-first search over the neighbour array."""

from collections.abc import Callable

import numpy as np

from noc.networks.arrays import IntArray

__all__ = ["diameter", "distinct", "from_root"]

UNREACHED = -1

# Sources searched together, 64 to a machine word: bounds the memory of one batch.
WORDS_PER_BATCH = 32

# Of the nodes that a diameter depends on, so many searches must settle a half.
PATIENCE = 16


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


def diameter(
    ahead: IntArray,
    back: IntArray,
    roots: IntArray | None = None,
    progress: Callable[[float], None] | None = None,
) -> int:
    """The greatest distance over all pairs.

    Each search bounds how far away the others of all nodes can be; it is begun by turns where
    that may be farthest and, so as to lower the bounds, where it may be nearest (Takes and
    Kosters, "Determining the diameter of small world networks", 2011). Where this soon leaves few
    nodes open, as on a mesh, a handful of searches does. What else stays open is searched
    from 64 roots in each machine word.

    Parameters
    ----------
    ahead, back : arrays (nodes, ports)
        Where every out-port leads, and the same with every link turned round.
    roots : array, optional
        Nodes of which every other one is an image; by default all.
    progress : callable, optional
        Told how much is done, 0 to 1, where it takes long.
    """
    nodes = ahead.shape[0]
    left = np.arange(nodes) if roots is None else roots
    # From the farthest node to each: a centre's is least.
    least, most = np.zeros(nodes, dtype=np.int64), np.full(nodes, nodes, dtype=np.int64)
    greatest, turn, before = 0, 0, 2 * left.size
    while left.size:
        if turn % PATIENCE == 0:
            if 2 * left.size > before:
                return max(greatest, _in_batches(ahead, left, progress))
            before = left.size
        root = int(left[np.argmin(least[left]) if turn % 2 else np.argmax(most[left])])
        there = from_root(ahead, root)
        here = there if back is ahead else from_root(back, root)
        far = int(here.max())
        greatest = max(greatest, far, int(there.max()))
        np.minimum(most, far + there, out=most)
        np.maximum(least, np.maximum(there, far - here), out=least)
        left = left[(most[left] > greatest) & (left != root)]
        turn += 1
    return greatest


def _in_batches(
    neighbour: IntArray, roots: IntArray, progress: Callable[[float], None] | None
) -> int:
    """The greatest distance to some nodes."""
    greatest, size = 0, WORDS_PER_BATCH * 64
    for first in range(0, roots.size, size):
        greatest = max(greatest, _batch_eccentricity(neighbour, roots[first : first + size]))
        if progress is not None:
            progress(min(1.0, (first + size) / roots.size))
    return greatest


def _batch_eccentricity(neighbour: IntArray, roots: IntArray) -> int:
    nodes, ports = neighbour.shape
    width = -(-roots.size // 64)
    reached = np.zeros((nodes, width), dtype=np.uint64)
    offset = np.arange(roots.size)
    reached[roots, offset // 64] = np.uint64(1) << (offset % 64).astype(np.uint64)
    present = [np.flatnonzero(neighbour[:, port] >= 0) for port in range(ports)]
    level, before = 0, -1
    count = int(np.bitwise_count(reached).sum())
    while count != before:
        before = count
        # Each node gathers the roots that the nodes it leads to reach, which needs no
        # conflict-free scatter: distances are those to the roots.
        following = reached.copy()
        for port in range(ports):
            here = present[port]
            following[here] |= reached[neighbour[here, port]]
        reached = following
        count = int(np.bitwise_count(reached).sum())
        level += count != before
    return level
