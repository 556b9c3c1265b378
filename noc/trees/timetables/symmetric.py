"""Timetables of symmetric networks: one tree in which each port sends once in every step.

The tree of node 0 is grown step by step. In a step every out-port of the network is to carry the
word to one more node, from some node that has it; which one is chosen at random, with a liking for
receivers that few nodes can still reach. A matching of ports to receivers lets no port idle that
could be used, and many attempts are made.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noc.compiled import compiled
from noc.networks import IntArray, Network
from noc.trees.timetables.matching import Links, match
from noc.trees.tree import NO_PARENT, Tree

#: How much a sender that would need one more register to choose from is disliked, attempt by
#: attempt: fewest steps come first, and few registers where several attempts take as many.
_CHOICE_COSTS = (0.0, 1.0, 3.0)


class Growth(NamedTuple):
    """A tree as it grows, and what it has chosen from: by out-port, in-port and steps since."""

    parent: npt.NDArray[np.int32]
    port: npt.NDArray[np.int32]
    step: npt.NDArray[np.int32]
    chosen: npt.NDArray[np.bool_]


def attempt(
    network: Network, links: Links, *, seed: int, limit: int, kept: int
) -> tuple[Tree, ...] | None:
    """The tree of node 0 in no more steps than ``limit``, or None if this seed fails.

    A node keeps a word for ``kept`` steps at most before it sends it.
    """
    nodes = network.nodes
    parent, port = np.full((2, nodes), NO_PARENT, dtype=np.int32)
    chosen = np.zeros((network.ports, network.ports * (kept + 1) + 1), dtype=np.bool_)
    growth = Growth(parent, port, np.full(nodes, -1, dtype=np.int32), chosen)
    cost = _CHOICE_COSTS[seed % len(_CHOICE_COSTS)]
    if not _grow(links, growth, seed, limit, kept, cost):
        return None
    return (Tree(network, "timetable", "all", 0, parent, port.astype(np.int16), growth.step),)


@compiled
def _grow(links: Links, growth: Growth, seed: int, limit: int, kept: int, cost: float) -> bool:
    """Whether the tree reaches all nodes within the limit."""
    np.random.seed(seed)
    neighbour = links.neighbour
    nodes, ports = neighbour.shape
    informed = np.zeros(nodes, dtype=np.int32)
    # Of every node, from how many others it may still receive, and to how many it may still send.
    sources = np.full(nodes, ports, dtype=np.int32)
    targets = np.full(nodes, ports, dtype=np.int32)
    noise = 2.0 * np.random.random()
    growth.step[0] = 0
    count = 1
    for node in links.sender[0]:
        targets[node] -= 1
    for node in neighbour[0]:
        sources[node] -= 1
    oldest = 0
    step = 0
    while count < nodes:
        step += 1
        if step + (nodes - count + ports - 1) // ports - 1 > limit:
            return False
        while oldest < count and growth.step[informed[oldest]] < step - 1 - kept:
            oldest += 1
        receivers, senders = _ranked(
            links, growth, informed[oldest:count], step, kept, sources, targets, noise, cost
        )
        before = count
        # Ports with few receivers choose first.
        matched = match(receivers, np.argsort((receivers >= 0).sum(axis=1)), nodes)
        for port in range(ports):
            if matched[port] < 0:
                continue
            node, sender = receivers[port, matched[port]], senders[port, matched[port]]
            growth.parent[node], growth.port[node], growth.step[node] = sender, port, step
            growth.chosen[port, _register(links, growth, sender, step, kept)] = True
            informed[count] = node
            count += 1
            for other in links.sender[node]:
                targets[other] -= 1
            for other in neighbour[node]:
                sources[other] -= 1
        if count == before:
            return False
    return True


@compiled
def _register(links: Links, growth: Growth, sender: int, step: int, kept: int) -> int:
    """Where the word lies at a node that sends it: by in-port and age; the last is its own."""
    if sender == 0:
        return int(growth.chosen.shape[1]) - 1
    came = links.arrival[growth.parent[sender], growth.port[sender]]
    return int(came * (kept + 1) + step - growth.step[sender] - 1)


@compiled
def _ranked(
    links: Links,
    growth: Growth,
    informed: IntArray,
    step: int,
    kept: int,
    sources: IntArray,
    targets: IntArray,
    noise: float,
    cost: float,
) -> tuple[IntArray, IntArray]:
    """For each port the nodes that may receive by it, the best first, and who would send."""
    ports = links.neighbour.shape[1]
    most = informed.size + 1
    receivers = np.full((ports, most), -1, dtype=np.int32)
    senders = np.full((ports, most), -1, dtype=np.int32)
    score = np.empty(most)
    for port in range(ports):
        count = 0
        for index in range(most):
            # The root may always send, and is in ``informed`` only at first.
            sender = 0 if index == 0 else informed[index - 1]
            if sender == 0 and index > 0:
                continue
            node = links.neighbour[sender, port]
            if growth.step[node] >= 0:
                continue
            value = sources[node] + 0.5 * targets[node] + noise * np.random.random()
            if sender == 0:
                value += 3.0
            elif growth.step[sender] == step - 1 - kept:
                value -= 0.2
            if not growth.chosen[port, _register(links, growth, sender, step, kept)]:
                value += cost
            score[count] = value
            receivers[port, count] = node
            senders[port, count] = sender
            count += 1
        order = np.argsort(score[:count])
        receivers[port, :count] = receivers[port, :count][order]
        senders[port, :count] = senders[port, :count][order]
    return receivers, senders
