"""Spanning trees that share links: many at once, with room for so many of them on each link.

A set of links without a circle can be extended, or a link exchanged for another one: where a tree
lacks a link that is used up, a chain of such exchanges leads to one with room, if there is any (the
augmenting paths of a matroid union; Edmonds 1965). So as many trees are found as there are.
"""

import random
from collections import deque
from collections.abc import Iterator

import numpy as np

#: Two nodes, the first the lesser, and which of the links between them it is.
Edge = tuple[int, int, int]


class _Forest:
    """Links without a circle: of each node its own, and where they lead."""

    def __init__(self, nodes: int) -> None:
        self.leads: list[dict[Edge, int]] = [{} for _ in range(nodes)]

    def __contains__(self, edge: Edge) -> bool:
        return edge in self.leads[edge[0]]

    def add(self, edge: Edge) -> None:
        self.leads[edge[0]][edge], self.leads[edge[1]][edge] = edge[1], edge[0]

    def remove(self, edge: Edge) -> None:
        del self.leads[edge[0]][edge], self.leads[edge[1]][edge]

    def path(self, edge: Edge) -> list[Edge] | None:
        """The links between the ends of another one; None if nothing joins them."""
        before: dict[int, Edge | None] = {edge[0]: None}
        waiting = deque([edge[0]])
        while waiting and edge[1] not in before:
            node = waiting.popleft()
            for link, there in self.leads[node].items():
                if there not in before:
                    before[there] = link
                    waiting.append(there)
        if edge[1] not in before:
            return None
        result, way = [], before[edge[1]]
        node = edge[1]
        while way is not None:
            result.append(way)
            node = way[0] + way[1] - node
            way = before[node]
        return result

    def walk(self, root: int) -> Iterator[tuple[int, int, Edge]]:
        """Parent, node and link of all nodes that are joined to a root, level by level."""
        seen, waiting = {root}, deque([root])
        while waiting:
            node = waiting.popleft()
            for link, there in self.leads[node].items():
                if there not in seen:
                    seen.add(there)
                    waiting.append(there)
                    yield node, there, link


#: A spanning tree, as :meth:`_Forest.walk` has it: parent, node and link, from the root on.
Walk = list[tuple[int, int, Edge]]


def pack_trees(
    nodes: int, edges: list[Edge], trees: int, room: int, seed: int
) -> list[Walk] | None:
    """So many spanning trees, with each link in ``room`` of them at most; None if there are none.

    Each begins at a node that is in its middle; as far as there are others, at different ones.
    """
    lots = random.Random(seed)
    used, forests = dict.fromkeys(edges, 0), [_Forest(nodes) for _ in range(trees)]
    for forest in forests:
        _grow(forest, nodes, edges, used, room, lots)
    missing = trees * (nodes - 1) - sum(used.values())
    if any(not _augment(forests, used, room, lots) for _ in range(missing)):
        return None
    begun: dict[int, int] = dict.fromkeys(range(nodes), 0)
    result = []
    for forest in forests:
        heights = _heights(forest)
        root = min(range(nodes), key=lambda node: (heights[node] + begun[node], node))
        begun[root] += nodes
        result.append([*forest.walk(root)])
    return result


def _heights(forest: _Forest) -> list[int]:
    """How high a tree is from each node: as far as it is to one of two nodes furthest apart."""

    def depths(root: int) -> list[int]:
        result = [0] * len(forest.leads)
        for parent, node, _ in forest.walk(root):
            result[node] = result[parent] + 1
        return result

    one = depths(int(np.argmax(depths(0))))
    return [max(pair) for pair in zip(one, depths(int(np.argmax(one))), strict=True)]


def _grow(
    forest: _Forest,
    nodes: int,
    edges: list[Edge],
    used: dict[Edge, int],
    room: int,
    lots: random.Random,
) -> None:
    """As low a tree as the links with room give, which may not reach all nodes."""
    beside: list[list[Edge]] = [[] for _ in range(nodes)]
    for edge in edges:
        if used[edge] < room:
            beside[edge[0]].append(edge)
            beside[edge[1]].append(edge)
    root = lots.randrange(nodes)
    seen, level = {root}, [root]
    while level:
        reached = []
        ways = [(used[edge], lots.random(), node, edge) for node in level for edge in beside[node]]
        for _, _, node, edge in sorted(ways):
            there = edge[0] + edge[1] - node
            if there not in seen:
                seen.add(there)
                reached.append(there)
                forest.add(edge)
                used[edge] += 1
        level = reached


def _augment(forests: list[_Forest], used: dict[Edge, int], room: int, lots: random.Random) -> bool:
    """Whether one link more finds a place in the forests, where others give way to each other."""
    starts = [edge for edge, count in used.items() if count < room]
    lots.shuffle(starts)
    # For whom each link gave way, and where.
    gave: dict[Edge, tuple[Edge, int] | None] = dict.fromkeys(starts)
    waiting = deque(starts)
    while waiting:
        edge = waiting.popleft()
        for number, forest in enumerate(forests):
            if edge in forest:
                continue
            path = forest.path(edge)
            if path is None:
                _place(forests, used, gave, edge, number)
                return True
            for other in path:
                if other not in gave:
                    gave[other] = edge, number
                    waiting.append(other)
    return False


def _place(
    forests: list[_Forest],
    used: dict[Edge, int],
    gave: dict[Edge, tuple[Edge, int] | None],
    edge: Edge,
    number: int,
) -> None:
    """Put a link into a forest, and into the place that it had before the one it gave way to."""
    while (before := gave[edge]) is not None:
        forests[number].add(edge)
        taker, left = before
        forests[left].remove(edge)
        edge, number = taker, left
    forests[number].add(edge)
    used[edge] += 1
