"""Timetables of any network: in every step each node takes new words on as many links as it can.

Nothing but what the nodes have decides what they can do next, and what one node takes keeps no
other from taking it: a step is a matching of links to words at each node by itself. Words that few
nodes have go first, as those are what others will lack.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noc.compiled import compiled
from noc.networks import ABSENT, IntArray, Network
from noc.trees.timetables.matching import Links, match
from noc.trees.tree import NO_PARENT, Tree


class Gathering(NamedTuple):
    """For each word and node the step of its receipt, -1 before, and over which link it came."""

    step: npt.NDArray[np.int32]
    parent: npt.NDArray[np.int32]
    port: npt.NDArray[np.int32]


def attempt(
    network: Network, links: Links, *, seed: int, limit: int, kept: int
) -> tuple[Tree, ...] | None:
    """The trees of all nodes, or None if this seed fails.

    The parameters are those of an attempt on a symmetric network.
    """
    shape = (3, network.nodes, network.nodes)
    gathering = Gathering(*np.full(shape, NO_PARENT, dtype=np.int32))
    if not _gather(links, gathering, seed, limit, kept):
        return None
    return tuple(
        Tree(network, "timetable", "all", root, parent, port.astype(np.int16), step)
        for root, (step, parent, port) in enumerate(zip(*gathering, strict=True))
    )


@compiled
def _gather(links: Links, gathering: Gathering, seed: int, limit: int, kept: int) -> bool:
    """Whether all nodes have all words within the limit."""
    np.random.seed(seed)
    nodes, ports = links.sender.shape
    got = gathering.step
    holders = np.ones(nodes, dtype=np.int32)
    rank = np.empty(nodes)
    noise, spread = 2.0 * np.random.random(), 2.0 * np.random.random()
    missing = nodes * (nodes - 1)
    for node in range(nodes):
        got[node, node] = 0
    for step in range(1, limit + 1):
        before = missing
        for node in range(nodes):
            for word in range(nodes):
                rank[word] = holders[word] + noise * np.random.random()
                for receiver in links.neighbour[node]:
                    if receiver >= 0 and got[word, receiver] < 0:
                        rank[word] -= spread
            order = np.argsort(rank)
            offered = _offered(links, got, order, node, step, kept)
            matched = match(offered, np.random.permutation(ports), nodes)
            for port in range(ports):
                if matched[port] >= 0:
                    word = offered[port, matched[port]]
                    got[word, node] = step
                    gathering.parent[word, node] = links.sender[node, port]
                    gathering.port[word, node] = links.port[node, port]
                    holders[word] += 1
                    missing -= 1
        if missing == 0:
            return True
        if missing == before:
            return False
    return False


@compiled
def _offered(
    links: Links, got: IntArray, order: IntArray, node: int, step: int, kept: int
) -> IntArray:
    """For each link into a node the words that it lacks and could take on it, in an order."""
    ports = links.sender.shape[1]
    words = np.full((ports, order.size + 1), -1, dtype=np.int64)
    for port in range(ports):
        sender, count = links.sender[node, port], 0
        for word in order:
            if sender == ABSENT or got[word, node] >= 0:
                continue
            since = got[word, sender]
            if 0 <= since < step and (sender == word or step - 1 - since <= kept):
                words[port, count] = word
                count += 1
    return words
