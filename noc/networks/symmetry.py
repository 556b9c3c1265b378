"""Relabellings that keep every port label: the networks whose routers are all alike."""

import numpy as np
import numpy.typing as npt

from noc.networks.arrays import IntArray
from noc.networks.distance import distinct

__all__ = ["is_symmetric", "translation"]


def translation(neighbour: IntArray, arrival: IntArray, node: int) -> IntArray | None:
    """The relabelling that takes node 0 to ``node`` and keeps all ports, or None.

    On a connected network there is at most one: the image of node 0 fixes the image of its
    neighbours, port by port, and so on. It is built along a search tree and then verified on
    every link, in both arrays.
    """
    nodes, ports = neighbour.shape
    image = np.full(nodes, -1, dtype=np.int32)
    image[0] = node
    frontier = np.array([0], dtype=np.int64)
    while frontier.size:
        reached = []
        for port in range(ports):
            there = neighbour[frontier, port]
            image_there = neighbour[image[frontier], port]
            if ((there < 0) != (image_there < 0)).any():
                return None
            fresh = (there >= 0) & (image[there] < 0)
            image[there[fresh]] = image_there[fresh]
            reached.append(there[fresh])
        frontier = distinct(np.concatenate(reached), nodes)
    return image if _keeps_ports(neighbour, arrival, image) else None


def _keeps_ports(neighbour: IntArray, arrival: IntArray, image: IntArray) -> bool:
    if (np.bincount(image, minlength=image.size) != 1).any():
        return False
    for port in range(neighbour.shape[1]):
        there = neighbour[:, port]
        present = there >= 0
        expected = np.where(present, image[there], -1)
        if not np.array_equal(neighbour[image, port], expected):
            return False
        if not np.array_equal(arrival[image, port], arrival[:, port]):
            return False
    return True


def is_symmetric(neighbour: IntArray, arrival: IntArray) -> bool:
    """Whether a port-keeping relabelling takes node 0 to every node.

    Enough to find one for each neighbour of node 0. If f takes 0 to v, and g takes 0 to its
    neighbour by port p, then f after g takes 0 to the neighbour of v by port p; so from 0 every
    node is reached along a path, by composing relabellings that were each verified. For the same
    reason a neighbour needs none of its own that those found before take 0 to, one after another.
    """
    if (neighbour[0] < 0).all():
        return bool(neighbour.shape[0] == 1)
    # Cheap necessary conditions first: most asymmetric networks fail here.
    if ((neighbour < 0) != (neighbour[0] < 0)).any() or (arrival != arrival[0]).any():
        return False
    images: list[IntArray] = []
    reached = np.arange(neighbour.shape[0]) == 0
    for node in np.unique(neighbour[0][neighbour[0] >= 0]).tolist():
        if reached[node]:
            continue
        image = translation(neighbour, arrival, node)
        if image is None:
            return False
        images.append(image)
        reached = _orbit(images)
    return True


def _orbit(images: list[IntArray]) -> npt.NDArray[np.bool_]:
    """The nodes that relabellings take node 0 to, one after another."""
    table = np.stack(images, axis=1)
    reached = np.zeros(table.shape[0], dtype=bool)
    frontier = np.array([0], dtype=np.int64)
    while frontier.size:
        reached[frontier] = True
        frontier = distinct(table[frontier].ravel(), reached.size)
        frontier = frontier[~reached[frontier]]
    return reached
