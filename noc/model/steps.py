"""The papers' step model for many words at once: one hop a step, links and ports shared.

Plain software that knows trees and networks and nothing of programs or hardware. Each word
follows a tree of its own. In one step a link carries one word, or, where words are combined,
one packet of all the words that wait for it; in one-port use a node sends on one port and
receives on one port. Words that want the same link go in the order in which they arrived.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray, Network
from noc.trees import Ports, Tree
from noc.trees.tree import NO_PARENT

__all__ = ["LOST", "Outcome", "Word", "run"]

#: What ``Outcome.received`` holds where a word never arrives.
LOST = -1


@dataclass(frozen=True)
class Word:
    """One word and the tree it follows; the root has it when ``release`` steps are over."""

    tree: Tree
    release: int = 0


@dataclass(frozen=True)
class Outcome:
    """What a run gave."""

    #: Array (words, nodes). The step at which each node received each word; the release at its
    #: root; ``LOST`` where a fault kept it away.
    received: IntArray
    #: The step of the last receipt.
    steps: int
    #: Array (nodes, ports). How many words each link carried.
    load: IntArray
    #: Array (nodes, ports). In how many steps each link was busy.
    packets: IntArray


class _Hops(NamedTuple):
    """All hops of all words, one entry each: word, sender, out-port, receiver, planned step."""

    word: IntArray
    sender: IntArray
    port: IntArray
    receiver: IntArray
    planned: IntArray

    def only(self, which: IntArray) -> "_Hops":
        """Some of them."""
        return _Hops(*(part[which] for part in self))


def _hops(words: Sequence[Word]) -> _Hops:
    receivers = [np.flatnonzero(word.tree.parent != NO_PARENT) for word in words]
    pairs = list(zip(words, receivers, strict=True))
    return _Hops(
        np.repeat(np.arange(len(words)), [receiver.size for receiver in receivers]),
        np.concatenate([word.tree.parent[receiver] for word, receiver in pairs]).astype(np.int64),
        np.concatenate([word.tree.port[receiver] for word, receiver in pairs]).astype(np.int64),
        np.concatenate(receivers),
        np.concatenate([word.tree.step[receiver] for word, receiver in pairs]),
    )


def _first_of_each(key: IntArray) -> IntArray:
    """Where each value of ``key`` comes first."""
    return np.unique(key, return_index=True)[1]


def _one_port(waiting: _Hops, ports: int, combine: bool) -> IntArray:
    """Hops of one step in which nobody sends or receives twice; earlier entries go first."""
    chosen = np.zeros(waiting.word.size, dtype=bool)
    free = np.arange(waiting.word.size)
    while free.size:
        # Each sender offers its first hop, each receiver takes the first offer, and those who
        # are left try again: a maximal matching.
        offer = free[_first_of_each(waiting.sender[free])]
        offer = np.sort(offer)
        taken = offer[_first_of_each(waiting.receiver[offer])]
        chosen[taken] = True
        busy_sender = np.isin(waiting.sender[free], waiting.sender[taken])
        busy_receiver = np.isin(waiting.receiver[free], waiting.receiver[taken])
        free = free[~(busy_sender | busy_receiver)]
    if not combine:
        return np.flatnonzero(chosen)
    link = waiting.sender * ports + waiting.port
    return np.flatnonzero(np.isin(link, link[chosen]))


def run(
    network: Network,
    words: Sequence[Word],
    ports: Ports,
    *,
    combine: bool = False,
    faulty_nodes: Collection[int] = (),
    faulty_links: Collection[tuple[int, int]] = (),
) -> Outcome:
    """Let every word run down its tree until nothing more can move.

    Parameters
    ----------
    network : Network
        The network of every tree.
    words : sequence of Word
        What is sent. Words that wait for the same link go by arrival, then in this order.
    ports : "all" or "one"
        The communication model.
    combine : bool
        Whether all words that wait for one link travel together in one step.
    faulty_nodes, faulty_links : collections
        Nodes, and links as (node, out-port), that transmit nothing. A word sent there is lost.
    """
    if any(word.tree.network is not network for word in words):
        raise CheckError("every word must follow a tree of the simulated network")
    hops = _hops(words)
    received = np.full((len(words), network.nodes), LOST, dtype=np.int32)
    load = np.zeros(network.neighbour.shape, dtype=np.int64)
    packets = np.zeros_like(load)
    for index, word in enumerate(words):
        received[index, word.tree.root] = word.release
    faulty = np.isin(hops.sender, list(faulty_nodes)) | np.isin(hops.receiver, list(faulty_nodes))
    links = [node * network.ports + port for node, port in faulty_links]
    faulty |= np.isin(hops.sender * network.ports + hops.port, links)
    pending = hops.only(np.flatnonzero(~faulty))
    step = 0
    while pending.word.size:
        step += 1
        since = received[pending.word, pending.sender]
        ready = np.flatnonzero((since != LOST) & (since < step))
        if not ready.size:
            if (since == LOST).all():
                break
            continue
        order = ready[np.lexsort((pending.word[ready], pending.planned[ready], since[ready]))]
        waiting = pending.only(order)
        if ports == "one":
            order = order[_one_port(waiting, network.ports, combine)]
        elif not combine:
            order = order[_first_of_each(waiting.sender * network.ports + waiting.port)]
        moving = pending.only(order)
        received[moving.word, moving.receiver] = step
        np.add.at(load, (moving.sender, moving.port), 1)
        packets[moving.sender, moving.port] += 1
        keep = np.ones(pending.word.size, dtype=bool)
        keep[order] = False
        pending = pending.only(np.flatnonzero(keep))
    return Outcome(received, int(received.max()), load, packets)
