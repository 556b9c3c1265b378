"""All-to-all broadcasting: every node sends a message of its own to all the others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from noc.errors import CheckError
from noc.model.steps import LOST, Outcome, Word, run
from noc.networks import ABSENT, IntArray, Network
from noc.research.papers.cost import LinearCost
from noc.trees import Ports, Tree, TreeFamily
from noc.trees.tree import NO_PARENT


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
        """How many steps it takes."""
        return self.largest_packets.size

    @property
    def messages(self) -> float:
        """The largest packets of all steps together, in whole messages: the transmission."""
        return int(self.largest_packets.sum()) / self.segments

    def time(self, cost: LinearCost, length: float) -> float:
        """The time if each step lasts as long as its largest packet; messages have ``length``."""
        return self.steps * cost.start_up + self.messages * length * cost.per_byte


def all_to_all(
    sources: Sequence[Tree | TreeFamily],
    ports: Ports,
    *,
    combine: bool = False,
    turns: IntArray | None = None,
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
    turns : array (nodes, ports), or None
        For one-port use: the turn of each link. The all-port run is then played step by step,
        the links of a step in turns. None where every node sends as soon as it can.

    Examples
    --------
    >>> from noc.networks import build_network
    >>> from noc.trees import build_tree
    >>> net = build_network("star:3")
    >>> trees = [build_tree(net, root=root) for root in range(net.nodes)]
    >>> all_to_all(trees, "all", combine=True).steps
    3
    """
    trees = [tree for source in sources for tree in source.trees]
    network = trees[0].network
    if turns is not None:
        if ports != "one":
            raise CheckError("links take turns in one-port use only")
        check_turns(network, turns)
    model: Ports = ports if turns is None else "all"
    outcome = run(network, [Word(tree) for tree in trees], model, combine=combine)
    return AllToAll(outcome, len(sources[0].trees), packets_in_turns(trees, outcome, turns))
