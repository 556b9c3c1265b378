"""Broadcast in unison: in each step every informed node sends on the same port."""

import numpy as np
import numpy.typing as npt

from noc.networks import ABSENT, IntArray, Network
from noc.trees.tree import NO_PARENT

__all__ = ["uniform_port_parents"]


def uniform_port_parents(network: Network, root: int, limit: int) -> IntArray | None:
    """Take at each step the port that reaches most; each node's parent, or None after ``limit``.

    Optimal on hypercubes, where search hardly finds the perfect doubling.
    """
    informed = np.array([root], dtype=np.int64)
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    waiting = np.ones(network.nodes, dtype=bool)
    waiting[root] = False
    for _ in range(limit):
        there, sender = max(
            (_reached(port, informed, waiting) for port in network.neighbour.T), key=_size
        )
        if there.size == 0:
            return None
        parent[there] = sender
        waiting[there] = False
        informed = np.concatenate((informed, there))
        if informed.size == network.nodes:
            return parent
    return None


def _size(reached: tuple[IntArray, IntArray]) -> int:
    return int(reached[0].size)


def _reached(
    neighbour: IntArray, informed: IntArray, waiting: npt.NDArray[np.bool_]
) -> tuple[IntArray, IntArray]:
    """The uninformed nodes that this port leads to, each once, and their senders."""
    there = neighbour[informed]
    sends = (there != ABSENT) & waiting[there]
    receivers, first = np.unique(there[sends], return_index=True)
    return receivers, informed[sends][first]
