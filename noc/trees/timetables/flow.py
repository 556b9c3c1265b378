"""Scatters and gathers in the fewest steps there are, with detours where these save any.

Words of one root are as good as each other until they part, so that they are a flow: through the
nodes as they are step after step, over each link one in a step. As many steps as let a flow reach
all nodes are enough, and no fewer are; of such flows one with few hops, and then few waits, is
sought, path by path, each the cheapest beside those before.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noc.compiled import compiled
from noc.networks import IntArray, Network
from noc.trees.timetables.routes import Exchange, Routes

# A hop is dearer than all waits of a word.
_HOP, _WAIT = 1 << 20, 1
# Of what is not reached.
_FAR = 1 << 60


class Flow(NamedTuple):
    """How many words take each link, or wait at each node, in each step; and when each arrives."""

    link: npt.NDArray[np.bool_]  # (nodes, ports, steps + 1)
    wait: IntArray  # (nodes, steps + 1)
    arrives: IntArray  # (nodes)


def route_all(network: Network, exchange: Exchange, steps: int) -> Routes | None:
    """The routes of a scatter or a gather in so many steps; None if there are none."""
    scatters, root = exchange.name == "scatter", exchange.root or 0
    walked = network if scatters else network.reversed()
    nodes, ports = walked.neighbour.shape
    flow = Flow(
        np.zeros((nodes, ports, steps + 1), dtype=np.bool_),
        np.zeros((nodes, steps + 1), dtype=np.int64),
        np.full(nodes, -1, dtype=np.int64),
    )
    neighbour = np.ascontiguousarray(walked.neighbour, dtype=np.int64)
    if not _fill(neighbour, root, flow):
        return None
    ways = [_take(neighbour, root, node, flow) for node in range(nodes) if node != root]
    if not scatters:
        # What a word does on its way from the root it does backwards on its way there.
        ways = [
            [
                (
                    int(walked.neighbour[node, port]),
                    int(walked.arrival[node, port]),
                    steps + 1 - step,
                )
                for node, port, step in reversed(way)
            ]
            for way in ways
        ]
    first = np.cumsum([0, *map(len, ways)])
    node, port, step = np.array([hop for way in ways for hop in way], dtype=np.int64).T
    ends = exchange.pairs(network)
    return Routes(network, exchange, *ends, first, node, port, step, translated=False)


def _take(neighbour: IntArray, root: int, target: int, flow: Flow) -> list[tuple[int, int, int]]:
    """Take the way of one word out of the flow: node, out-port and step of each hop."""
    way: list[tuple[int, int, int]] = []
    node, step = target, int(flow.arrives[target])
    while (node, step) != (root, 0):
        if flow.wait[node, step]:
            flow.wait[node, step] -= 1
        else:
            senders, out = np.nonzero((neighbour == node) & flow.link[:, :, step])
            flow.link[senders[0], out[0], step] = False
            node = int(senders[0])
            way.append((node, int(out[0]), step))
        step -= 1
    return way[::-1]


@compiled
def _fill(neighbour: IntArray, root: int, flow: Flow) -> bool:
    """Whether a flow reaches all nodes: way by way, each to the node that is cheapest to reach."""
    nodes, steps = flow.wait.shape
    cost = np.empty((nodes, steps), dtype=np.int64)
    # How a word comes there: by a hop of this node and port, or else by a wait; 1 for one more, and
    # -1 for one less, so that another word has to go elsewhere; or 0 if it takes the place of the
    # node's own word, in the step that stands for a port, and that goes on.
    via = np.empty((nodes, steps, 3), dtype=np.int64)
    for _ in range(nodes - 1):
        _find_cheapest(neighbour, root, flow, cost, via)
        best, node, step = _FAR, -1, -1
        for other in range(nodes):
            for when in range(steps):
                if other != root and flow.arrives[other] < 0 and cost[other, when] < best:
                    best, node, step = cost[other, when], other, when
        if node < 0:
            return False
        flow.arrives[node] = step
        while node != root or step != 0:
            sender, port, more = via[node, step, 0], via[node, step, 1], via[node, step, 2]
            if more == 0:
                flow.arrives[node] = step = port
            elif more > 0:
                if port < 0:
                    flow.wait[node, step] += 1
                else:
                    flow.link[sender, port, step] = True
                    node = sender
                step -= 1
            else:
                step += 1
                if port < 0:
                    flow.wait[node, step] -= 1
                else:
                    flow.link[node, port, step] = False
                    node = sender
    return True


@compiled
def _find_cheapest(
    neighbour: IntArray, root: int, flow: Flow, cost: IntArray, via: IntArray
) -> None:
    """The cost of a further word at each node after each step, and how it comes there."""
    nodes, steps = flow.wait.shape
    cost[:, :] = _FAR
    cost[root, 0] = 0
    changed = True
    while changed:
        changed = False
        # Forwards in time, as words go, and backwards, where one gives way.
        for step in range(1, steps):
            for node in range(nodes):
                before = cost[node, step - 1]
                price = before + (0 if node == root else _WAIT)
                changed |= _note(cost, via, node, step, price, node, -1, 1)
                for port in range(neighbour.shape[1]):
                    there = neighbour[node, port]
                    if there >= 0 and not flow.link[node, port, step]:
                        changed |= _note(cost, via, there, step, before + _HOP, node, port, 1)
        for step in range(steps - 1, 0, -1):
            for node in range(nodes):
                if flow.wait[node, step] > 0:
                    price = cost[node, step] - (0 if node == root else _WAIT)
                    changed |= _note(cost, via, node, step - 1, price, node, -1, -1)
                for port in range(neighbour.shape[1]):
                    there = neighbour[node, port]
                    if there >= 0 and flow.link[node, port, step]:
                        price = cost[there, step] - _HOP
                        changed |= _note(cost, via, node, step - 1, price, there, port, -1)
        for node in range(nodes):
            own = flow.arrives[node]
            if own >= 0:
                for step in range(1, steps):
                    changed |= _note(cost, via, node, own, cost[node, step], node, step, 0)


@compiled
def _note(
    cost: IntArray,
    via: IntArray,
    node: int,
    step: int,
    price: int,
    other: int,
    port: int,
    more: int,
) -> bool:
    """Whether a way is cheaper than that which was known."""
    # What is too dear has not been reached.
    if price >= cost[node, step] or price >= _FAR // 2:
        return False
    cost[node, step] = price
    via[node, step, 0], via[node, step, 1], via[node, step, 2] = other, port, more
    return True
