"""Packets of a run, and an all-port run played with one port: the links of a step take turns."""

from collections.abc import Sequence

import numpy as np

from noc.errors import CheckError
from noc.model.steps.words import LOST, Outcome
from noc.networks import ABSENT, IntArray, Network
from noc.trees import Tree
from noc.trees.tree import NO_PARENT

__all__ = ["check_turns", "packets_in_turns"]


def check_turns(network: Network, turns: IntArray) -> None:
    """Verify that in one turn nobody sends twice and nobody receives twice."""
    sender, port = np.nonzero(network.neighbour != ABSENT)
    turn = turns[sender, port].astype(np.int64)
    for node, does in ((sender, "sends"), (network.neighbour[sender, port], "receives")):
        if np.unique(turn * network.nodes + node).size != turn.size:
            raise CheckError(f"{network.spec}: a node {does} twice in one turn")


def packets_in_turns(
    trees: Sequence[Tree], outcome: Outcome, turns: IntArray | None = None
) -> IntArray:
    """The largest packet of every turn of every step, in words; idle turns are left out.

    Parameters
    ----------
    trees : sequence of Tree
        The tree of each word of the run.
    outcome : Outcome
        The run.
    turns : array (nodes, ports), or None
        The turn in which each link sends within a step, from 0; None where all send at once.
    """
    nodes, ports = outcome.load.shape
    turns = np.zeros((nodes, ports), dtype=np.int64) if turns is None else turns
    several = int(turns.max()) + 1
    slots, links = [], []
    for tree, received in zip(trees, outcome.received, strict=True):
        child = np.flatnonzero((tree.parent != NO_PARENT) & (received != LOST))
        sender, port = tree.parent[child].astype(np.int64), tree.port[child]
        links.append(sender * ports + port)
        slots.append(received[child].astype(np.int64) * several + turns[sender, port])
    # One packet is what crosses one link in one slot.
    packet, words = np.unique(
        np.concatenate(slots) * (nodes * ports) + np.concatenate(links), return_counts=True
    )
    slot, which = np.unique(packet // (nodes * ports), return_inverse=True)
    largest = np.zeros(slot.size, dtype=np.int64)
    np.maximum.at(largest, which, words)
    return largest
