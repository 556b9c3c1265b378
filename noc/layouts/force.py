"""Any graph: springs between all nodes, as long as the way between them, come to rest.

This is stress majorization (Gansner, Koren, North 2004): from a first picture, each round of which
lowers the stress of the springs. The first picture is that of classical scaling, so that there
is nothing random in it.
"""

import numpy as np
import numpy.typing as npt

from noc.layouts.points import Points, turned
from noc.networks import Network

FloatArray = npt.NDArray[np.float64]

# Rounds, and the share of the stress by which a round must lower it to be followed by another.
_ROUNDS, _ENOUGH = 300, 1e-5

# Nodes that the springs leave nearer than this, as those of one neighbourhood, are pushed apart,
# for at most this many rounds.
_TOO_NEAR, _PUSHES = 0.25, 60


def place(network: Network) -> Points:
    """The nodes of any network."""
    if network.nodes == 2:
        return np.array([0, 1], dtype=np.complex128)
    hops = np.array([network.distances(node) for node in range(network.nodes)], dtype=np.float64)
    # Between each two nodes, there or back, whichever is shorter.
    ways = np.minimum(hops, hops.T)
    return _spread(_relaxed(_scaled(ways), ways))


def _spread(points: Points) -> Points:
    """Push nodes apart that are too near each other, each half of the way."""
    for _ in range(_PUSHES):
        near = np.argwhere(np.triu(np.abs(points[:, None] - points) < _TOO_NEAR, 1))
        if not near.size:
            break
        one, other = near.T
        way = points[other] - points[one]
        # Two at one place part in a direction of their own.
        way = np.where(np.abs(way) > 1e-9, way, 1e-9 * turned(one / points.size))
        push = (_TOO_NEAR - np.abs(way)) / 2 * way / np.abs(way)
        points = points.copy()
        np.add.at(points, other, push)
        np.add.at(points, one, -push)
    return points


def _scaled(ways: FloatArray) -> Points:
    """The plane in which the ways between the nodes are seen best: classical scaling."""
    centred = ways**2 - (ways**2).mean(axis=0)
    centred = -0.5 * (centred - centred.mean(axis=1, keepdims=True))
    value, vector = np.linalg.eigh(centred)
    best = vector[:, -2:] * np.sqrt(np.maximum(value[-2:], 0.0))
    # The sign of an eigenvector is free: its largest entry is made positive.
    largest = np.abs(best).argmax(axis=0)
    best *= np.where(best[largest, [0, 1]] < 0, -1.0, 1.0)
    # Small different vectors part nodes that are seen at one place.
    number, golden = np.arange(len(ways)), (np.sqrt(5) - 1) / 2
    apart = np.sqrt((number + 1) / number.size) * turned(number * golden)
    return np.asarray(best[:, 1] + 1j * best[:, 0] + 0.02 * apart)


def _relaxed(points: Points, ways: FloatArray) -> Points:
    count = len(ways)
    weight = 1.0 / np.where(ways > 0, ways, np.inf) ** 2
    laplace = np.diag(weight.sum(axis=1)) - weight
    solve = np.linalg.inv(laplace + 1.0 / count) - 1.0 / count
    before = np.inf
    for _ in range(_ROUNDS):
        apart = np.abs(points[:, None] - points)
        stress = float((weight * (apart - ways) ** 2).sum())
        if before - stress < _ENOUGH * before:
            break
        before = stress
        pull = weight * ways / np.where(apart > 1e-9, apart, np.inf)
        points = np.asarray(solve @ ((np.diag(pull.sum(axis=1)) - pull) @ points))
    return points
