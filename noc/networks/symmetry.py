"""Relabellings that keep every port label: the networks whose routers are all alike."""

from collections.abc import Iterable

import numpy as np

from noc.networks.arrays import IntArray, distinct

#: One port of one level of a search from node 0: the port, the senders, and who is reached.
_Step = tuple[int, IntArray, IntArray]


def _search(neighbour: IntArray) -> list[_Step]:
    """A tree that spans a connected network, level by level."""
    seen = np.zeros(neighbour.shape[0], dtype=bool)
    seen[0] = True
    frontier = np.array([0], dtype=np.int64)
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
    image = np.full(neighbour.shape[0], -1, dtype=np.int32)
    image[0] = node
    for port, sender, receiver in steps or _search(neighbour):
        receiver_image = neighbour[image[sender], port]
        if (receiver_image < 0).any():
            return None
        image[receiver] = receiver_image
    return image if _keeps_ports(neighbour, arrival, image) else None


def _keeps_ports(neighbour: IntArray, arrival: IntArray, image: IntArray) -> bool:
    if not _is_permutation(image):
        return False
    for port in range(neighbour.shape[1]):
        receiver = neighbour[:, port]
        expected = np.where(receiver >= 0, image[receiver], -1)
        if not np.array_equal(neighbour[image, port], expected):
            return False
        if not np.array_equal(arrival[image, port], arrival[:, port]):
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
