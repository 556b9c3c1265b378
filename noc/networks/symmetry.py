"""Relabellings that keep every port label, or turn all links: networks whose routers are alike."""

from collections.abc import Iterable, Sequence
from itertools import permutations

import numpy as np

from noc.networks.arrays import IntArray, distinct

#: One port of one level of a search: the port, the senders, and who is reached.
_Step = tuple[int, IntArray, IntArray]

#: A node with more links is not turned: there are too many orders of them to try.
_MOST_TURNED = 7


def _search(neighbour: IntArray, root: int = 0) -> list[_Step]:
    """A tree that spans a connected network, level by level."""
    seen = np.zeros(neighbour.shape[0], dtype=bool)
    seen[root] = True
    frontier = np.array([root], dtype=np.int64)
    steps: list[_Step] = []
    while frontier.size:
        begin = len(steps)
        for port in range(neighbour.shape[1]):
            receiver = neighbour[frontier, port]
            fresh = receiver >= 0
            fresh[fresh] = ~seen[receiver[fresh]]
            # Of two senders either may be on the path; the check covers the other.
            seen[receiver[fresh]] = True
            steps.append((port, frontier[fresh], receiver[fresh]))
        reached = np.concatenate([receiver for _, _, receiver in steps[begin:]])
        frontier = distinct(reached, seen.size)
    return steps


def translation(
    neighbour: IntArray, arrival: IntArray, node: int, steps: list[_Step] | None = None
) -> IntArray | None:
    """The relabelling that takes node 0 to ``node`` and keeps all ports, or None.

    On a connected network there is at most one: the image of node 0 fixes the image of its
    neighbours, port by port, and so on. It is built along a search tree and then verified on
    every link, in both arrays. ``steps`` are the tree, where it is known.
    """
    image = _extend(neighbour, steps or _search(neighbour), (0, node), range(neighbour.shape[1]))
    kept = image is not None and _keeps_ports(neighbour, arrival, image)
    return image if kept else None


def find_turn(neighbour: IntArray, root: int) -> tuple[list[int], list[int]] | None:
    """A relabelling that leaves ``root``, and takes its links round in one cycle, or None.

    All links go where their ports do: of each node, and of each port, it is said where it goes.

    >>> ring = np.array([[1, 2], [2, 0], [0, 1]])
    >>> find_turn(ring, 0)
    ([0, 2, 1], [1, 0])
    """
    first, *others = np.flatnonzero(neighbour[root] >= 0).tolist()
    if len(others) >= _MOST_TURNED:
        return None
    steps = _search(neighbour, root)
    for order in permutations(others):
        ports = list(range(neighbour.shape[1]))
        for port, following in zip((first, *order), (*order, first), strict=True):
            ports[port] = following
        image = _extend(neighbour, steps, (root, root), ports)
        if image is not None and _keeps_links(neighbour, image, ports):
            return image.tolist(), ports
    return None


def _extend(
    neighbour: IntArray, steps: Sequence[_Step], first: tuple[int, int], ports: Sequence[int]
) -> IntArray | None:
    """Where nodes go if one goes somewhere, and links where their ports do, along a search."""
    image = np.full(neighbour.shape[0], -1, dtype=np.int32)
    image[first[0]] = first[1]
    for port, sender, receiver in steps:
        receiver_image = neighbour[image[sender], ports[port]]
        if (receiver_image < 0).any():
            return None
        image[receiver] = receiver_image
    return image


def _keeps_ports(neighbour: IntArray, arrival: IntArray, image: IntArray) -> bool:
    kept = _keeps_links(neighbour, image, range(neighbour.shape[1]))
    return kept and np.array_equal(arrival[image], arrival)


def _keeps_links(neighbour: IntArray, image: IntArray, ports: Sequence[int]) -> bool:
    """Whether a relabelling keeps all links, which go where their ports do."""
    if not _is_permutation(image):
        return False
    for port, other in enumerate(ports):
        receiver = neighbour[:, port]
        expected = np.where(receiver >= 0, image[receiver], -1)
        if not np.array_equal(neighbour[image, other], expected):
            return False
    return True


def _is_permutation(image: IntArray) -> bool:
    return image.min() >= 0 and bool((np.bincount(image, minlength=image.size) == 1).all())


def is_symmetric(neighbour: IntArray, arrival: IntArray) -> bool:
    """Whether a port-keeping relabelling takes node 0 to every node.

    Those that take it to a few nodes are built and verified; what they take it to, one after
    another, needs none of its own. Each of these nodes is one that those before do not lead to, so
    that the number of nodes reached doubles at least: they are a group, and each node is the image
    under one of its members.
    """
    nodes = neighbour.shape[0]
    # Cheap necessary conditions first: most asymmetric networks fail here.
    if ((neighbour < 0) != (neighbour[0] < 0)).any() or (arrival != arrival[0]).any():
        return False
    steps, images = _search(neighbour), []
    left = np.arange(1, nodes)
    while left.size:
        # Neighbours of node 0 lead to few others each; nodes from all over soon to all.
        image = translation(neighbour, arrival, int(left[left.size * 5 // 8]), steps)
        if image is None:
            return False
        images.append(image)
        left = np.flatnonzero(_orbits(nodes, images))
    return True


def _orbits(nodes: int, images: list[IntArray]) -> IntArray:
    """For each node the first of those that relabellings take to one another with it."""
    first, before = np.arange(nodes, dtype=np.int32), None
    while before is None or not np.array_equal(first, before):
        before = first.copy()
        for image in images:
            least = np.minimum(first, first[image])
            first = least.copy()
            first[image] = np.minimum(least, first[image])
        first = first[first]
    return first


def representatives(neighbour: IntArray, images: Iterable[IntArray]) -> IntArray:
    """A node for each set of nodes that relabellings take to one another, ports aside.

    Of the relabellings those are left out that do not keep every link.
    """
    nodes, kept = neighbour.shape[0], []
    for image in filter(_is_permutation, images):
        taken = np.where(neighbour >= 0, image[neighbour], -1)
        if np.array_equal(np.sort(taken, axis=1), np.sort(neighbour[image], axis=1)):
            kept.append(image)
    return np.flatnonzero(_orbits(nodes, kept) == np.arange(nodes))
