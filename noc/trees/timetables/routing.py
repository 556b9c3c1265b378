"""Routes of an exchange, one word after the other: each takes the first way that links leave free.

All ways are shortest, so that no link carries a word for nothing. Words that have far to go come
first, and those between neighbours fill what is left. On a symmetric network a word stands for its
translates, and takes an out-port in a step from all nodes.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noc.compiled import compiled
from noc.networks import ABSENT, IntArray, Network
from noc.trees.timetables.routes import Exchange, Routes

# What makes a way a liked one: a word that has not waited, and a link that carries few others.
_SOON, _OWN, _LOAD = 4.0, 5.0, 0.2


class Ways(NamedTuple):
    """The network, all distances, and for each link the number of what carries a word a step.

    And the source and the target of each word that is routed.
    """

    neighbour: npt.NDArray[np.int32]
    distance: npt.NDArray[np.int16]
    link: npt.NDArray[np.int32]
    source: IntArray
    target: IntArray
    translated: bool

    @property
    def hops(self) -> IntArray:
        """Of each word."""
        return self.distance[self.source, self.target].astype(np.int64)


class Laid(NamedTuple):
    """The hops of the routes as they are found, and which links they take when."""

    first: IntArray
    node: IntArray
    port: IntArray
    step: IntArray
    taken: npt.NDArray[np.bool_]  # (links, steps + 1)
    load: IntArray  # (links)
    came: npt.NDArray[np.bool_]  # (nodes, steps + 1), of the word that is routed


def ways_of(network: Network, exchange: Exchange, *, translated: bool) -> Ways:
    """The arrays that an attempt walks along, of all words or, if all do the same, of node 0's."""
    nodes, ports = network.neighbour.shape
    distance = np.stack([network.distances(node) for node in range(nodes)]).astype(np.int16)
    link = np.arange(nodes * ports, dtype=np.int32).reshape(nodes, ports)
    source, target = exchange.pairs(network)
    if translated:
        link %= ports
        source, target = source[source == 0], target[source == 0]
    neighbour = np.ascontiguousarray(network.neighbour, dtype=np.int32)
    return Ways(neighbour, distance, link, source, target, translated)


def attempt(
    network: Network, exchange: Exchange, ways: Ways, *, seed: int, limit: int, kept: int
) -> Routes | None:
    """The routes of all words in no more steps than ``limit``, or None if this seed fails.

    A node keeps a word of another for ``kept`` steps at most before it sends it.
    """
    first = np.concatenate([[0], np.cumsum(ways.hops)])
    node, port, step = np.zeros((3, int(first[-1])), dtype=np.int64)
    links = int(ways.link.max()) + 1
    laid = Laid(
        *(first, node, port, step),
        np.zeros((links, limit + 1), dtype=np.bool_),
        np.zeros(links, dtype=np.int64),
        np.zeros((network.nodes, limit + 1), dtype=np.bool_),
    )
    if not _lay(ways, laid, seed, min(kept, limit)):
        return None
    ends = ways.source, ways.target
    return Routes(network, exchange, *ends, first, node, port, step, translated=ways.translated)


@compiled
def _lay(ways: Ways, laid: Laid, seed: int, kept: int) -> bool:
    """Whether all words have a way within the steps."""
    np.random.seed(seed)
    noise = 2.0 * np.random.random()
    rank = np.empty(ways.source.size)
    for route in range(rank.size):
        hops = laid.first[route + 1] - laid.first[route]
        rank[route] = noise * np.random.random() - hops
    between = np.empty(ways.neighbour.shape[0], dtype=np.int64)
    for route in np.argsort(rank):
        source, target = ways.source[route], ways.target[route]
        count = _list_between(ways, source, target, between)
        last = _reach(ways, source, target, between[:count], laid, kept)
        if last < 0:
            return False
        _take(ways, source, target, between[:count], laid, route, last, kept)
    return True


@compiled
def _list_between(ways: Ways, source: int, target: int, between: IntArray) -> int:
    """How many nodes lie on shortest ways, and which, the source first, and nearer ones before."""
    length = ways.distance[source, target]
    count = 0
    for far in range(length + 1):
        for node in range(between.size):
            if ways.distance[source, node] == far and ways.distance[node, target] == length - far:
                between[count] = node
                count += 1
    return count


@compiled
def _reach(ways: Ways, source: int, target: int, between: IntArray, laid: Laid, kept: int) -> int:
    """The first step by which a word can get there, or -1; ``came`` says when it can be where."""
    steps = laid.came.shape[1]
    for node in between:
        laid.came[node, :] = False
    for node in between:
        for port in range(ways.neighbour.shape[1]):
            there = ways.neighbour[node, port]
            if there == ABSENT or ways.distance[there, target] >= ways.distance[node, target]:
                continue
            taken = laid.taken[ways.link[node, port]]
            since = -steps
            for step in range(1, steps):
                if laid.came[node, step - 1]:
                    since = step - 1
                if (node == source or step - 1 - since <= kept) and not taken[step]:
                    laid.came[there, step] = True
    for step in range(1, steps):
        if laid.came[target, step]:
            return step
    return -1


@compiled
def _take(
    ways: Ways,
    source: int,
    target: int,
    between: IntArray,
    laid: Laid,
    route: int,
    last: int,
    kept: int,
) -> None:
    """Take a way to the target in its last step, from there back."""
    node, step = target, last
    for hop in range(laid.first[route + 1] - 1, laid.first[route] - 1, -1):
        best, sender, port, before = -np.inf, -1, -1, -1
        for other in between:
            for out in range(ways.neighbour.shape[1]):
                if (
                    ways.neighbour[other, out] != node
                    or ways.distance[other, target] != ways.distance[node, target] + 1
                    or laid.taken[ways.link[other, out], step]
                ):
                    continue
                since = step - 1
                while other != source and since > 0 and not laid.came[other, since]:
                    since -= 1
                if other != source and (since == 0 or step - 1 - since > kept):
                    continue
                score = np.random.random() - _LOAD * laid.load[ways.link[other, out]]
                score += _OWN if other == source else _SOON / (step - since)
                if score > best:
                    best, sender, port, before = score, other, out, since
        link = ways.link[sender, port]
        laid.taken[link, step] = True
        laid.load[link] += 1
        laid.node[hop], laid.port[hop], laid.step[hop] = sender, port, step
        node, step = sender, before
