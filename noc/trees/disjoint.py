"""As many trees from one root as can be, no two of which use the same link: Edmonds' branchings.

There are as many as links have to fail before some node is cut off from the root. All trees grow at
once, a link at a time. A link may be given to a tree if every set of nodes is still entered by a
link for each tree that it lacks. One flow shows that: towards the node that the link leads to, one
unit from each tree, which enters the network wherever that tree has come already. Wherever the
trees stand, some link is such a one. Those near the root are tried first, so that trees stay low,
and many attempts are made.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noc.compiled import compiled
from noc.networks import ABSENT, IntArray, Network
from noc.networks.arrays import distances_from
from noc.trees.algorithms import Algorithm
from noc.trees.tree import NO_PARENT, Ports, TreeFamily, scheduled

#: What users type after ``--algorithm``.
NAME = "disjoint"

# Attempts are made until about so many links were looked at, but a few in any case.
_WORK = 2_000_000_000
_FEWEST, _MOST = 2, 2_000

# Of a link: nobody's, or else the number of its tree; and whether the flow passes it.
_FREE = -1


class Links(NamedTuple):
    """All links: where each begins and ends, and by node those that leave and those that enter."""

    start: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]
    leaving: npt.NDArray[np.int32]
    entering: npt.NDArray[np.int32]


class Trees(NamedTuple):
    """Trees as they grow: of each link the tree that has it; of each tree and node the depth."""

    owner: npt.NDArray[np.int32]
    depth: npt.NDArray[np.int32]


def links_of(network: Network) -> Links:
    """The arrays that the search walks along."""
    node, port = np.nonzero(network.neighbour != ABSENT)
    number = np.full(network.neighbour.shape, ABSENT, dtype=np.int32)
    number[node, port] = np.arange(node.size)
    end, came = network.neighbour[node, port], network.arrival[node, port]
    entering = np.full((network.nodes, len(network.in_ports)), ABSENT, dtype=np.int32)
    entering[end, came] = np.arange(node.size)
    return Links(node.astype(np.int32), end.astype(np.int32), number, entering)


def most_trees(network: Network, root: int, links: Links | None = None) -> int:
    """How many trees from a root can be without a common link.

    >>> from noc.networks import build_network
    >>> most_trees(build_network("star:5"), 0)
    4
    """
    links = links or links_of(network)
    return int(_connectivity(links, root, int((network.neighbour[root] != ABSENT).sum())))


def least_height(network: Network, root: int, trees: int) -> int:
    """No such number of trees without a common link is lower.

    Each enters every node by a link of its own, so that as many links as there are trees have to
    do. At the root those that have but one link to begin with reach all nodes behind its end.
    """
    links = links_of(network)
    hops = network.distances(root)
    floor = int(hops.max())
    for node in range(network.nodes):
        if node != root:
            entered = links.entering[node][links.entering[node] != ABSENT]
            floor = max(floor, 1 + int(np.sort(hops[links.start[entered]])[trees - 1]))
    begins = network.neighbour[root][network.neighbour[root] != ABSENT]
    without = np.where(network.neighbour == root, ABSENT, network.neighbour)
    heights = sorted(1 + int(distances_from(without, int(node)).max()) for node in begins)
    single = 2 * trees - begins.size
    return max(floor, heights[single - 1]) if single > 0 else floor


@compiled
def _connectivity(links: Links, root: int, most: int) -> int:
    """The least flow from a root to any other node, up to ``most``."""
    nodes = links.leaving.shape[0]
    for node in range(nodes):
        if node == root:
            continue
        while most > 0:
            trees = Trees(
                np.full(links.start.size, _FREE, dtype=np.int32),
                np.full((most, nodes), -1, dtype=np.int32),
            )
            for tree in range(most):
                trees.depth[tree, root] = 0
            if _reaches(links, trees, node):
                break
            most -= 1
    return most


@compiled
def _reaches(links: Links, trees: Trees, node: int) -> bool:
    """Whether a unit of flow from each tree reaches a node, over links that no tree has."""
    count, nodes = trees.depth.shape
    flows = np.zeros(links.start.size, dtype=np.bool_)
    # Where the unit of each tree enters the network.
    entry = np.full(count, -1, dtype=np.int64)
    seen = np.zeros(nodes, dtype=np.int64)
    asked = np.zeros(count, dtype=np.int64)
    # By which link, or from the entry of which tree, the search came to a node.
    via = np.zeros(nodes, dtype=np.int64)
    came = np.zeros(count, dtype=np.int64)
    queue = np.zeros(nodes, dtype=np.int64)
    for unit in range(1, count + 1):
        queue[0], seen[node], via[node] = node, unit, -1
        head, tail, tree = 0, 1, -1
        while head < tail and tree < 0:
            at = queue[head]
            head += 1
            # Backwards over links without flow, and along those whose flow could go elsewhere.
            for link in links.entering[at]:
                if link >= 0 and trees.owner[link] == _FREE and not flows[link]:
                    before = links.start[link]
                    if seen[before] != unit:
                        seen[before], via[before] = unit, link
                        queue[tail] = before
                        tail += 1
            for link in links.leaving[at]:
                if link >= 0 and flows[link]:
                    before = links.end[link]
                    if seen[before] != unit:
                        seen[before], via[before] = unit, link
                        queue[tail] = before
                        tail += 1
            for other in range(count):
                if trees.depth[other, at] >= 0 and asked[other] != unit:
                    asked[other], came[other] = unit, at
                    if entry[other] < 0:
                        tree = other
                        break
                    # Its unit may enter here, if another takes over where it entered.
                    before = entry[other]
                    if seen[before] != unit:
                        seen[before], via[before] = unit, -2 - other
                        queue[tail] = before
                        tail += 1
        if tree < 0:
            return False
        at = came[tree]
        entry[tree] = at
        while via[at] != -1:
            if via[at] <= -2:
                other = -2 - via[at]
                at = came[other]
                entry[other] = at
            else:
                link = via[at]
                flows[link] = not flows[link]
                at = links.end[link] if links.start[link] == at else links.start[link]
    return True


@compiled
def _grow(links: Links, trees: Trees, root: int, seed: int, limit: int) -> bool:
    """Whether the trees, none higher than the limit, reach all nodes: a link each in turn."""
    np.random.seed(seed)
    count, nodes = trees.depth.shape
    reached = np.full((count, nodes), root, dtype=np.int64)
    sizes = np.ones(count, dtype=np.int64)
    # The level at which a link was refused to a tree: it is tried again at the next.
    refused = np.full((count, links.start.size), -1, dtype=np.int64)
    ports = links.leaving.shape[1]
    # Each node tries its ports in an order of its own.
    rank = np.empty((nodes, ports), dtype=np.int64)
    for node in range(nodes):
        rank[node] = np.random.permutation(ports)
    for tree in range(count):
        trees.depth[tree, root] = 0
    left = count * (nodes - 1)
    level = 0
    while left > 0:
        grown = 0
        for tree in np.random.permutation(count):
            link = _next(links, trees, refused, reached[tree, : sizes[tree]], rank, tree, level)
            if link >= 0:
                reached[tree, sizes[tree]] = links.end[link]
                sizes[tree] += 1
                grown += 1
        left -= grown
        if grown == 0:
            level += 1
            if level >= limit:
                return False
    return True


@compiled
def _next(
    links: Links,
    trees: Trees,
    refused: IntArray,
    reached: IntArray,
    rank: IntArray,
    tree: int,
    level: int,
) -> int:
    """The next link of a tree that begins no deeper than at a level, or -1; it is taken."""
    for node in reached:
        if trees.depth[tree, node] > level:
            continue
        for port in rank[node]:
            link = links.leaving[node, port]
            if link < 0 or trees.owner[link] != _FREE or refused[tree, link] == level:
                continue
            end = links.end[link]
            if trees.depth[tree, end] >= 0:
                continue
            trees.owner[link] = tree
            trees.depth[tree, end] = trees.depth[tree, node] + 1
            if _reaches(links, trees, end):
                return int(link)
            trees.owner[link] = _FREE
            trees.depth[tree, end] = -1
            refused[tree, link] = level
    return -1


def _build(network: Network, root: int, ports: Ports) -> TreeFamily:
    links = links_of(network)
    count = most_trees(network, root, links)
    floor = least_height(network, root, count)
    best: Trees | None = None
    limit = network.nodes
    attempts = min(max(_FEWEST, _WORK // (links.start.size**2 * count)), _MOST)
    for seed in range(attempts):
        trees = Trees(
            np.full(links.start.size, _FREE, dtype=np.int32),
            np.full((count, network.nodes), -1, dtype=np.int32),
        )
        if _grow(links, trees, root, seed, limit):
            best, limit = trees, int(trees.depth.max()) - 1
        if best is not None and limit < floor:
            break
    assert best is not None, "Edmonds' theorem"
    members = (scheduled(network, NAME, ports, root, *ends) for ends in _ends(network, links, best))
    return TreeFamily(network, NAME, ports, root, tuple(members))


def _ends(network: Network, links: Links, trees: Trees) -> Iterator[tuple[IntArray, IntArray]]:
    """Of each tree the parents, and the ports by which they send."""
    port = np.empty(links.start.size, dtype=np.int16)
    node, at = np.nonzero(network.neighbour != ABSENT)
    port[links.leaving[node, at]] = at
    for tree in range(trees.depth.shape[0]):
        own = np.flatnonzero(trees.owner == tree)
        parent = np.full(network.nodes, NO_PARENT, dtype=links.start.dtype)
        out = np.full(network.nodes, NO_PARENT, dtype=np.int16)
        parent[links.end[own]], out[links.end[own]] = links.start[own], port[own]
        yield parent, out


ALGORITHMS = (
    Algorithm(
        name=NAME,
        summary="as many trees without a common link as there can be, on any network, low ones",
        families=None,
        models=("all",),
        build=_build,
        arc_disjoint=True,
        at_once=lambda network, root: network.symmetric,  # noqa: ARG005
    ),
)
