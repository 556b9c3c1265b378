"""A broadcast in rounds: at each step a matching of informed nodes to uninformed ones.

Who informs whom does not matter for what comes later, only which nodes are informed. The sets
of nodes that can be informed together in one step are the independent sets of a matroid, so
taking the receivers by falling weight, each with an augmenting path, gives the greatest total
weight among all matchings of the greatest size. What remains to choose are the weights.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from noc.compiled import compiled
from noc.networks import ABSENT, IntArray, Network
from noc.trees.tree import NO_PARENT

#: Priorities of nodes are drawn below this; the weights of :class:`Weighting` are on its scale.
PRIORITY_RANGE = 1 << 20

# Outweighs every sum of the other weights: a node that must receive now or come too late.
CRITICAL = 1 << 38

UNINFORMED = -1


class Links(NamedTuple):
    """The network by both ends: ``neighbour[v, p]``, and the senders to each node in one row."""

    neighbour: npt.NDArray[np.int32]
    first: npt.NDArray[np.int64]
    sender: npt.NDArray[np.int32]


class Weighting(NamedTuple):
    """What a node's weight counts in addition to its priority."""

    #: For each further hop to the last node behind it.
    tall: int
    #: For each uninformed node that it could inform.
    wide: int
    #: For each informed node that could inform it.
    near: int


class Workspace(NamedTuple):
    """The result, ``step`` and ``parent``, and the room that the rounds work in."""

    step: npt.NDArray[np.int32]
    parent: npt.NDArray[np.int32]
    hops: npt.NDArray[np.int32]
    queue: npt.NDArray[np.int32]
    tall: npt.NDArray[np.int32]
    wide: npt.NDArray[np.int32]
    weight: npt.NDArray[np.int64]
    receiver: npt.NDArray[np.int32]
    seen: npt.NDArray[np.int64]
    path: npt.NDArray[np.int32]
    turn: npt.NDArray[np.int64]
    trail: npt.NDArray[np.int32]


def links_of(network: Network) -> Links:
    """The arrays that the rounds walk along."""
    neighbour = np.ascontiguousarray(network.neighbour, dtype=np.int32)
    first = np.zeros(network.nodes + 1, dtype=np.int64)
    sender = np.empty(network.arcs, dtype=np.int32)
    for port in range(network.ports):
        receivers = neighbour[:, port][neighbour[:, port] != ABSENT]
        first[1:] += np.bincount(receivers, minlength=network.nodes)
    np.cumsum(first, out=first)
    fill_senders(neighbour, first[:-1].copy(), sender)
    return Links(neighbour, first, sender)


@compiled
def fill_senders(neighbour: IntArray, index: IntArray, sender: IntArray) -> None:
    """Write every node into the rows of the nodes it leads to; ``index`` is used up."""
    for node in range(neighbour.shape[0]):
        for port in range(neighbour.shape[1]):
            receiver = neighbour[node, port]
            if receiver != ABSENT:
                sender[index[receiver]] = node
                index[receiver] += 1


def new_workspace(nodes: int) -> Workspace:
    """Fresh room for a network of this many nodes."""
    sizes = dict.fromkeys(Workspace._fields, nodes) | {"path": nodes + 1, "turn": nodes + 1}
    arrays: Any = {
        name: np.zeros(size, dtype=np.int64 if name in ("weight", "seen", "turn") else np.int32)
        for name, size in sizes.items()
    }
    return Workspace(**arrays)


@compiled
def spread(links: Links, space: Workspace) -> int:
    """Hops from the informed nodes to every node; the queue in that order; its frontier's start."""
    head = tail = 0
    for node in range(space.step.size):
        space.hops[node] = UNINFORMED
        if space.step[node] != UNINFORMED:
            space.hops[node] = 0
            space.queue[tail] = node
            tail += 1
    informed = tail
    while head < tail:
        node = space.queue[head]
        head += 1
        for port in range(links.neighbour.shape[1]):
            receiver = links.neighbour[node, port]
            if receiver != ABSENT and space.hops[receiver] == UNINFORMED:
                space.hops[receiver] = space.hops[node] + 1
                space.queue[tail] = receiver
                tail += 1
    return informed


@compiled
def look_behind(links: Links, space: Workspace, informed: int) -> None:
    """For every uninformed node: the hops to the last node behind it, and its open neighbours."""
    for index in range(space.step.size - 1, informed - 1, -1):
        node = space.queue[index]
        tall = wide = 0
        for port in range(links.neighbour.shape[1]):
            receiver = links.neighbour[node, port]
            if receiver != ABSENT and space.step[receiver] == UNINFORMED:
                wide += 1
                if space.hops[receiver] > space.hops[node]:
                    tall = max(tall, space.tall[receiver] + 1)
        space.tall[node] = tall
        space.wide[node] = wide


@compiled
def weigh(
    links: Links,
    space: Workspace,
    informed: int,
    weighting: Weighting,
    priority: IntArray,
    slack: int,
) -> int:
    """Weights of the nodes that can receive now; their number."""
    nodes = space.step.size
    ready = 0
    while informed + ready < nodes and space.hops[space.queue[informed + ready]] == 1:
        node = space.queue[informed + ready]
        near = 0
        for arc in range(links.first[node], links.first[node + 1]):
            near += space.step[links.sender[arc]] != UNINFORMED
        weight = weighting.tall * space.tall[node] + weighting.wide * space.wide[node]
        weight += weighting.near * near + priority[node]
        if space.tall[node] >= slack:
            weight += CRITICAL
        # Equal weights go by node, so that no detail of a sort decides the result.
        space.weight[ready] = weight * nodes + node
        ready += 1
    return ready


@compiled
def find_sender(links: Links, space: Workspace, node: int, step: int, search: int) -> bool:
    """Find a sender for ``node``, moving earlier receivers of this step to others if need be."""
    receiver, seen, path, turn = space.receiver, space.seen, space.path, space.turn
    path[0], turn[0] = node, links.first[node]
    top = visited = 0
    while top >= 0:
        current = path[top]
        if turn[top] == links.first[current]:
            for arc in range(links.first[current], links.first[current + 1]):
                sender = links.sender[arc]
                if space.hops[sender] == 0 and receiver[sender] == NO_PARENT:
                    receiver[sender] = current
                    for below in range(top):
                        receiver[links.sender[turn[below] - 1]] = path[below]
                    return True
        deeper = False
        while turn[top] < links.first[current + 1] and not deeper:
            sender = links.sender[turn[top]]
            turn[top] += 1
            if space.hops[sender] == 0 and seen[sender] != search and seen[sender] != -step:
                seen[sender] = search
                space.trail[visited] = sender
                visited += 1
                deeper = True
        if deeper:
            top += 1
            path[top] = receiver[sender]
            turn[top] = links.first[path[top]]
        else:
            top -= 1
    # No later path of this step can lead through the nodes of a search that failed.
    for index in range(visited):
        seen[space.trail[index]] = -step
    return False


@compiled
def inform(space: Workspace, informed: int, step: int) -> None:
    """Let every receiver of this step have the word."""
    for index in range(informed):
        sender = space.queue[index]
        node = space.receiver[sender]
        if node != NO_PARENT:
            space.step[node] = step
            space.parent[node] = sender
            space.receiver[sender] = NO_PARENT


@compiled
def broadcast(
    links: Links,
    space: Workspace,
    root: int,
    priority: IntArray,
    weighting: Weighting,
    deadline: int,
    limit: int,
) -> int:
    """Fill ``space.step`` and ``space.parent``; the nodes still uninformed after ``limit`` steps.

    ``deadline`` says which nodes are critical: those behind which the last node would come later.
    """
    space.step[:] = UNINFORMED
    space.parent[:] = NO_PARENT
    space.receiver[:] = NO_PARENT
    space.seen[:] = 0
    space.step[root] = 0
    left = space.step.size - 1
    search = step = 0
    while left > 0 and step < limit:
        step += 1
        informed = spread(links, space)
        look_behind(links, space, informed)
        ready = weigh(links, space, informed, weighting, priority, deadline - step)
        order = np.argsort(space.weight[:ready])
        for index in range(ready - 1, -1, -1):
            search += 1
            node = space.queue[informed + order[index]]
            left -= find_sender(links, space, node, step, search)
        inform(space, informed, step)
    return left
