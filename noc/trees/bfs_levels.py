"""A network seen from one root: nodes by distance, and all parents that keep the distance."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from noc.networks import ABSENT, IntArray, Network
from noc.trees.tree import NO_PARENT

# Odd multipliers of the SplitMix64 generator: they mix the bits of a fingerprint.
MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class BfsLevels:
    """The candidates among which a tree of least height chooses.

    Nodes are renumbered by distance from the root: by their rank in ``order``.
    """

    #: Array (nodes). The node of each rank; the root comes first.
    order: IntArray = field(repr=False)
    #: Array (levels + 1). Where each distance begins in ``order``.
    starts: IntArray = field(repr=False)
    #: Array (nodes, in-ports). For each rank, that of the node that sends by an in-port from one
    #: step nearer the root, or ``ABSENT``.
    source: IntArray = field(repr=False)
    #: Array (nodes, in-ports). The out-port by which it sends.
    out_port: IntArray = field(repr=False)

    @property
    def size(self) -> int:
        """Number of nodes."""
        return int(self.order.size)

    @property
    def levels(self) -> list[slice]:
        """The ranks of each distance but 0, nearest first."""
        return [slice(begin, end) for begin, end in pairwise(self.starts[1:].tolist())]

    def links(self, choice: IntArray) -> tuple[IntArray, IntArray]:
        """For every rank but the root's that of its parent, and the out-port, by chosen in-port."""
        link = np.arange(1, self.size), choice[1:]
        return self.source[link], self.out_port[link]

    def tree(self, choice: IntArray) -> tuple[IntArray, IntArray]:
        """Parent and out-port of every node, by the in-port that every rank chooses."""
        above, by = self.links(choice)
        parent = np.full(self.size, NO_PARENT, dtype=np.int32)
        port = np.full(self.size, NO_PARENT, dtype=np.int16)
        parent[self.order[1:]], port[self.order[1:]] = self.order[above], by
        return parent, port


def bfs_levels(network: Network, root: int) -> BfsLevels:
    """The levels around a root."""
    hops = network.distances(root)
    order = np.argsort(hops, kind="stable").astype(np.int32)
    starts = np.searchsorted(hops[order], np.arange(int(hops.max()) + 2))
    rank = np.empty(network.nodes, dtype=np.int32)
    rank[order] = np.arange(order.size)
    source = np.full((order.size, len(network.in_ports)), ABSENT, dtype=np.int32)
    out_port = np.zeros(source.shape, dtype=np.int16)
    sender = order[: int(starts[-2])]
    for port in range(network.ports):
        receiver = network.neighbour[sender, port]
        nearer = np.flatnonzero((receiver != ABSENT) & (hops[receiver] == hops[sender] + 1))
        link = rank[receiver[nearer]], network.arrival[sender[nearer], port]
        source[link], out_port[link] = nearer, port
    return BfsLevels(order, starts, source, out_port)


def fingerprints(
    around: BfsLevels, choice: IntArray
) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """A 64-bit mix of the subtree below every rank: equal subtrees have equal ones.

    Two different subtrees may agree by a chance of 2 to the -64; they serve to compare trees,
    never to build a program.
    """
    above, by = around.links(choice)
    salt = (np.arange(1, int(by.max(initial=0)) + 2, dtype=np.uint64)) * GOLDEN
    mark = np.zeros(around.size, dtype=np.uint64)
    for level in reversed(around.levels):
        below = slice(level.start - 1, level.stop - 1)
        mixed = mark[level] + salt[by[below]]
        mixed = (mixed ^ (mixed >> np.uint64(30))) * MIX[0]
        mixed = (mixed ^ (mixed >> np.uint64(27))) * MIX[1]
        np.add.at(mark, above[below], mixed ^ (mixed >> np.uint64(31)))
    return mark
