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
from noc.trees.tree import NO_PARENT, Tree


class Links(NamedTuple):
    """The links into each node: from which node and by which of its ports; ``ABSENT`` fills up."""

    sender: npt.NDArray[np.int32]
    port: npt.NDArray[np.int32]
    receiver: npt.NDArray[np.int32]


class Gathering(NamedTuple):
    """For each word and node the step of its receipt, -1 before, and over which link it came."""

    step: npt.NDArray[np.int32]
    parent: npt.NDArray[np.int32]
    port: npt.NDArray[np.int32]


def links_of(network: Network) -> Links:
    """The arrays that an attempt walks along."""
    back = network.reversed()
    arrays = (back.neighbour, back.arrival, network.neighbour)
    return Links(*(np.ascontiguousarray(array, dtype=np.int32) for array in arrays))


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
                for receiver in links.receiver[node]:
                    if receiver >= 0 and got[word, receiver] < 0:
                        rank[word] -= spread
            order = np.argsort(rank)
            taken = _match(links, got, order, node, step, kept)
            for port in range(ports):
                word = taken[port]
                if word >= 0:
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
    links: Links, got: IntArray, node: int, port: int, word: int, step: int, kept: int
) -> bool:
    """Whether a node lacks a word that it could take in a step on one of its links."""
    sender = links.sender[node, port]
    since = got[word, sender]
    lacks = got[word, node] < 0 or got[word, node] == step
    return bool(lacks and 0 <= since < step and (sender == word or step - 1 - since <= kept))


@compiled
def _match(
    links: Links, got: IntArray, order: IntArray, node: int, step: int, kept: int
) -> IntArray:
    """For each link into a node the word that it takes on it, or -1: as many as can be."""
    ports, nodes = links.sender.shape[1], order.size
    taken = np.full(ports, -1, dtype=np.int64)
    owner = np.full(nodes, -1, dtype=np.int64)
    seen = np.full(nodes, -1, dtype=np.int64)
    via = np.zeros(nodes, dtype=np.int64)
    queue = np.zeros(ports + 1, dtype=np.int64)
    for start in np.random.permutation(ports):
        if links.sender[node, start] == ABSENT:
            continue
        queue[0] = start
        head, tail, free = 0, 1, -1
        while head < tail and free < 0:
            port = queue[head]
            head += 1
            for word in order:
                if seen[word] == start or not _offered(links, got, node, port, word, step, kept):
                    continue
                seen[word], via[word] = start, port
                if owner[word] < 0:
                    free = word
                    break
                queue[tail] = owner[word]
                tail += 1
        while free >= 0:
            port = via[free]
            owner[free], taken[port], free = port, free, taken[port]
    return taken
