"""All-to-all broadcasting: every node sends a message of its own to all the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from noc.networks import IntArray
from noc.steps.cost import LinearCost
from noc.steps.slices import members
from noc.steps.words import Outcome, Word, run
from noc.trees import Ports, Tree, TreeFamily
from noc.trees.tree import NO_PARENT

__all__ = ["AllToAll", "all_to_all"]


@dataclass(frozen=True)
class AllToAll:
    """What an all-to-all broadcast gave.

    Parameters
    ----------
    outcome : Outcome
        The run, one word for every segment of every source.
    segments : int
        Into how many equal parts each message was cut.
    largest_packets : array (steps)
        The most segments that one link carried in each step; 1 throughout where segments are
        not combined.
    """

    outcome: Outcome
    segments: int
    largest_packets: IntArray

    @property
    def steps(self) -> int:
        """The step of the last receipt."""
        return self.outcome.steps

    @property
    def packet_segments(self) -> int:
        """The largest packets of all steps together, in segments: what transmission costs."""
        return int(self.largest_packets.sum())

    def time(self, cost: LinearCost, length: float) -> float:
        """The time if each step lasts as long as its largest packet; messages have ``length``."""
        transmission = self.packet_segments * length / self.segments * cost.per_byte
        return self.steps * cost.start_up + transmission


def all_to_all(
    sources: Sequence[Tree | TreeFamily], ports: Ports, *, combine: bool = False
) -> AllToAll:
    """Let every node broadcast at once, each down its own tree or trees, and count.

    Parameters
    ----------
    sources : sequence of Tree or TreeFamily
        What each source uses. A family of t trees carries the message in t segments, one down
        each tree.
    ports : "all" or "one"
        The communication model.
    combine : bool
        Whether all segments that wait for one link travel in one packet.

    Examples
    --------
    >>> from noc.networks import network
    >>> from noc.trees import tree
    >>> net = network("star:3")
    >>> trees = [tree(net, root=root) for root in range(net.nodes)]
    >>> all_to_all(trees, "all", combine=True).steps
    3
    """
    trees = [tree for source in sources for tree in members(source)]
    outcome = run(trees[0].network, [Word(tree) for tree in trees], ports, combine=combine)
    return AllToAll(outcome, len(members(sources[0])), _largest_packets(trees, outcome))


def _largest_packets(trees: Sequence[Tree], outcome: Outcome) -> IntArray:
    """The most words that crossed one link in each step, from who received what and when."""
    size = outcome.load.size
    links, steps = [], []
    for tree, received in zip(trees, outcome.received, strict=True):
        child = np.flatnonzero(tree.parent != NO_PARENT)
        sender, port = tree.parent[child].astype(np.int64), tree.port[child]
        links.append(sender * outcome.load.shape[1] + port)
        steps.append(received[child].astype(np.int64))
    key, count = np.unique(np.concatenate(steps) * size + np.concatenate(links), return_counts=True)
    largest = np.zeros(outcome.steps, dtype=np.int64)
    np.maximum.at(largest, key // size - 1, count)
    return largest
