"""Trees that leave chips as seldom as can be."""

from collections import deque
from collections.abc import Sequence

import numpy as np

from noc.networks import ABSENT, Network
from noc.trees import Tree
from noc.trees.even import Ways, in_tree
from noc.trees.tree import NO_PARENT, scheduled

#: What a tree says of how it was built.
ALGORITHM = "chips"


def rate(ways: Ways, chip: Sequence[int]) -> tuple[int, int, int]:
    """How often words leave a chip at most, on how many links of both trees, and their heights."""
    trees = [ways.down, ways.up or ways.down]
    most = sum(max(_crossings(tree, chip)) for tree in trees)
    links = sum(
        chip[node] != chip[parent]
        for tree in trees
        for node, parent in enumerate(tree.parent.tolist())
        if parent != NO_PARENT
    )
    return most, links, sum(tree.height for tree in trees)


def _crossings(tree: Tree, chip: Sequence[int]) -> list[int]:
    """How often a word leaves a chip on its way from the root to each node."""
    result = [0] * len(chip)
    for node in np.argsort(tree.depth, kind="stable")[1:].tolist():
        parent = int(tree.parent[node])
        result[node] = result[parent] + (chip[parent] != chip[node])
    return result


def build_ways(network: Network, chip: Sequence[int], root: int | None = None) -> Ways:
    """The trees for a division of the nodes; the root is the best one where none is given."""
    if root is not None:
        return _from(network, chip, root)
    candidates = {_centre(network, chip, number) for number in set(chip)}
    ways = [_from(network, chip, candidate) for candidate in sorted(candidates)]
    return min(ways, key=lambda each: rate(each, chip))


def _from(network: Network, chip: Sequence[int], root: int) -> Ways:
    down = build_tree(network, chip, root)
    parent, _ = in_tree(down)
    if (parent == down.parent).all():
        return Ways(down)
    return Ways(down, build_tree(network.reversed(), chip, root))


def build_tree(network: Network, chip: Sequence[int], root: int) -> Tree:
    """From the root through all of its chip, and then each chip by the link that is soonest there.

    Words enter a chip by one link, unless some of its nodes are not reached from there within it.
    """
    growth = _Growth(network, chip)
    growth.enter(root)
    while len(growth.reached) < network.nodes:
        growth.enter(*growth.find_entry())
    return scheduled(network, ALGORITHM, "all", root, growth.parent, growth.port)


class _Growth:
    """A tree that grows chip by chip."""

    def __init__(self, network: Network, chip: Sequence[int]) -> None:
        self._chip = chip
        #: Of each node its links: by which port, and where to.
        self._links = [
            [(port, other) for port, other in enumerate(row) if other != ABSENT]
            for row in network.neighbour.tolist()
        ]
        self.parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
        self.port = np.full(network.nodes, NO_PARENT, dtype=np.int32)
        #: Of each node that is reached, how often words have left a chip, and the hops to it.
        self.reached: dict[int, tuple[int, int]] = {}
        # What is known of the nodes by which chips could be entered.
        self._extents: dict[int, tuple[int, int]] = {}

    def enter(self, start: int, parent: int = NO_PARENT, port: int = NO_PARENT) -> None:
        """Reach a node, and from there what is reached within its chip by fewest hops.

        Of several nodes that lead to one, the idlest does.
        """
        chip, crossings, hops = self._chip, 0, 0
        if parent != NO_PARENT:
            crossings, hops = self.reached[parent]
            crossings, hops = crossings + (chip[parent] != chip[start]), hops + 1
        self.parent[start], self.port[start] = parent, port
        self.reached[start] = crossings, hops
        self._extents = {n: each for n, each in self._extents.items() if chip[n] != chip[start]}
        level, children = [start], {start: 0}
        while level:
            hops += 1
            ways: dict[int, list[tuple[int, int]]] = {}
            for node in level:
                for out, other in self._links[node]:
                    if other not in self.reached and chip[other] == chip[start]:
                        ways.setdefault(other, []).append((node, out))
            for other, choices in sorted(ways.items()):
                node, out = min(choices, key=lambda each: (children[each[0]], each))
                children[node] += 1
                children[other] = 0
                self.parent[other], self.port[other] = node, out
                self.reached[other] = crossings, hops
            level = sorted(ways)

    def find_entry(self) -> tuple[int, int, int]:
        """The next node to enter, from where, and by which port.

        Words leave chips least often on their way there; what it reaches has the fewest hops from
        the root, and is the most.
        """
        entries = []
        for node, (crossings, hops) in self.reached.items():
            for out, other in self._links[node]:
                if other not in self.reached:
                    height, count = self._extent(other)
                    left = crossings + (self._chip[node] != self._chip[other])
                    entries.append((left, hops + 1 + height, -count, node, out, other))
        *_, node, out, other = min(entries)
        return other, node, out

    def _extent(self, start: int) -> tuple[int, int]:
        """As :meth:`extent`, found once while nothing is reached in that chip."""
        if start not in self._extents:
            self._extents[start] = self.extent(start)
        return self._extents[start]

    def extent(self, start: int) -> tuple[int, int]:
        """How high the tree from a node within its chip would be, and how many nodes it has."""
        seen, left, height = {start}, deque([(start, 0)]), 0
        while left:
            node, height = left.popleft()
            for _, other in self._links[node]:
                fresh = other not in seen and other not in self.reached
                if fresh and self._chip[other] == self._chip[start]:
                    seen.add(other)
                    left.append((other, height + 1))
        return height, len(seen)


def _centre(network: Network, chip: Sequence[int], number: int) -> int:
    """The node of a chip from which the tree within it is lowest, and reaches most."""
    members, growth = [n for n, each in enumerate(chip) if each == number], _Growth(network, chip)

    def rating(node: int) -> tuple[int, int, int]:
        height, count = growth.extent(node)
        return -count, height, node

    return min(members, key=rating)
