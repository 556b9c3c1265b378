"""A network seen from one root: nodes by distance, and all parents that keep the distance."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from noc.networks import ABSENT, IntArray, Network
from noc.trees.tree import NO_PARENT

__all__ = ["BfsLevels", "bfs_levels", "fingerprints"]

# Odd multipliers of the SplitMix64 generator: they mix the bits of a fingerprint.
MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class BfsLevels:
    """The candidates among which a tree of least height chooses.

    Nodes are renumbered by distance from the root: a place is a node's rank in ``order``.

    Parameters
    ----------
    order : array (places)
        The node at each place; the root comes first.
    starts : array (levels + 1)
        Where each distance begins in ``order``.
    source : array (places, in-ports)
        The place of the node that sends by that in-port from one step nearer the root, or
        ``ABSENT``.
    out_port : array (places, in-ports)
        The out-port by which it sends.
    """

    order: IntArray = field(repr=False)
    starts: IntArray = field(repr=False)
    source: IntArray = field(repr=False)
    out_port: IntArray = field(repr=False)

    @property
    def places(self) -> int:
        """Number of nodes."""
        return int(self.order.size)

    @property
    def levels(self) -> list[slice]:
        """The places of each distance but 0, nearest first."""
        return [slice(begin, end) for begin, end in pairwise(self.starts[1:].tolist())]

    def links(self, choice: IntArray) -> tuple[IntArray, IntArray]:
        """For every place but the root's its parent's place and out-port, by chosen in-port."""
        place = np.arange(1, self.places)
        return self.source[place, choice[1:]], self.out_port[place, choice[1:]]

    def tree(self, choice: IntArray) -> tuple[IntArray, IntArray]:
        """Parent and out-port of every node, by chosen in-port of every place."""
        above, by = self.links(choice)
        parent = np.full(self.places, NO_PARENT, dtype=np.int32)
        port = np.full(self.places, NO_PARENT, dtype=np.int16)
        parent[self.order[1:]], port[self.order[1:]] = self.order[above], by
        return parent, port


def bfs_levels(network: Network, root: int) -> BfsLevels:
    """The layers around a root."""
    hops = network.distances(root)
    order = np.argsort(hops, kind="stable").astype(np.int32)
    starts = np.searchsorted(hops[order], np.arange(int(hops.max()) + 2))
    place = np.full(network.nodes, ABSENT, dtype=np.int32)
    place[order] = np.arange(order.size)
    source = np.full((order.size, len(network.in_ports)), ABSENT, dtype=np.int32)
    out_port = np.zeros(source.shape, dtype=np.int16)
    sender = order[: int(starts[-2])]
    for port in range(network.ports):
        there = network.neighbour[sender, port]
        nearer = np.flatnonzero((there != ABSENT) & (hops[there] == hops[sender] + 1))
        link = place[there[nearer]], network.arrival[sender[nearer], port]
        source[link], out_port[link] = nearer, port
    return BfsLevels(order, starts, source, out_port)


def fingerprints(
    layers: BfsLevels, choice: IntArray
) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """A 64-bit mix of the subtree below every place: equal subtrees have equal ones.

    Two different subtrees may agree by a chance of 2 to the -64; they serve to compare trees,
    never to build a program.
    """
    above, by = layers.links(choice)
    salt = (np.arange(1, int(by.max(initial=0)) + 2, dtype=np.uint64)) * GOLDEN
    mark = np.zeros(layers.places, dtype=np.uint64)
    for level in reversed(layers.levels):
        below = slice(level.start - 1, level.stop - 1)
        mixed = mark[level] + salt[by[below]]
        mixed = (mixed ^ (mixed >> np.uint64(30))) * MIX[0]
        mixed = (mixed ^ (mixed >> np.uint64(27))) * MIX[1]
        np.add.at(mark, above[below], mixed ^ (mixed >> np.uint64(31)))
    return mark
