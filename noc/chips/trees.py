"""Trees that leave chips as seldom as can be."""

from collections import deque
from collections.abc import Sequence

import numpy as np

from noc.networks import ABSENT, Network
from noc.trees import Tree
from noc.trees.even import in_tree
from noc.trees.tree import NO_PARENT, scheduled
from noc.trees.ways import Ways

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
    nodes = network.nodes
    parent = np.full(nodes, NO_PARENT, dtype=np.int32)
    port = np.full(nodes, NO_PARENT, dtype=np.int32)
    # Of each node that is reached, how often words have left a chip, and the hops to it.
    reached: dict[int, tuple[int, int]] = {root: (0, 0)}
    _spread(network, chip, root, reached, parent, port)
    extents: dict[int, tuple[int, int]] = {}
    while len(reached) < nodes:
        # By chips left, the nodes that it gives fewest hops, and the most of them.
        entry = min(
            (
                (left + (chip[node] != chip[other]), hops + 1 + height, -count, node, out, other)
                for node, (left, hops) in reached.items()
                for out, other in enumerate(network.neighbour[node].tolist())
                if other != ABSENT and other not in reached
                for height, count in [_kept_extent(extents, network, chip, other, reached)]
            ),
        )
        left, _, _, node, out, other = entry
        extents = {n: each for n, each in extents.items() if chip[n] != chip[other]}
        parent[other], port[other] = node, out
        reached[other] = left, reached[node][1] + 1
        _spread(network, chip, other, reached, parent, port)
    return scheduled(network, ALGORITHM, "all", root, parent, port)


def _spread(
    network: Network,
    chip: Sequence[int],
    start: int,
    reached: dict[int, tuple[int, int]],
    parent: np.ndarray,
    port: np.ndarray,
) -> None:
    """Reach what is reached within a chip, by fewest hops, each node by the idlest before it."""
    left, hops = reached[start]
    level, children = [start], {start: 0}
    while level:
        hops += 1
        ways: dict[int, list[tuple[int, int]]] = {}
        for node in level:
            for out, other in enumerate(network.neighbour[node].tolist()):
                if other != ABSENT and other not in reached and chip[other] == chip[start]:
                    ways.setdefault(other, []).append((node, out))
        for other, choices in sorted(ways.items()):
            node, out = min(choices, key=lambda each: (children[each[0]], each))
            children[node] += 1
            children[other] = 0
            parent[other], port[other], reached[other] = node, out, (left, hops)
        level = sorted(ways)


def _kept_extent(
    extents: dict[int, tuple[int, int]],
    network: Network,
    chip: Sequence[int],
    start: int,
    reached: dict[int, tuple[int, int]],
) -> tuple[int, int]:
    """The same as :func:`_extent`, found once while nothing is reached in that chip."""
    if start not in extents:
        extents[start] = _extent(network, chip, start, reached)
    return extents[start]


def _extent(
    network: Network, chip: Sequence[int], start: int, reached: dict[int, tuple[int, int]]
) -> tuple[int, int]:
    """How high the tree from a node within its chip is, and how many nodes it reaches."""
    seen, left, height = {start}, deque([(start, 0)]), 0
    while left:
        node, height = left.popleft()
        for other in network.neighbour[node].tolist():
            fresh = other != ABSENT and other not in seen and other not in reached
            if fresh and chip[other] == chip[start]:
                seen.add(other)
                left.append((other, height + 1))
    return height, len(seen)


def _centre(network: Network, chip: Sequence[int], number: int) -> int:
    """The node of a chip from which the tree within it is lowest, and reaches most."""
    members = [node for node, each in enumerate(chip) if each == number]

    def rating(node: int) -> tuple[int, int, int]:
        height, count = _extent(network, chip, node, {})
        return -count, height, node

    return min(members, key=rating)
