"""Arcs for links that, drawn straight, would run through a node or over another link."""

import numpy as np
import numpy.typing as npt

from noc.layouts.points import Points
from noc.networks import ABSENT, IntArray, Network

# Nearer than this to a link, a node seems to be on it.
_CLEAR = 0.34

# Arcs that are tried, by height; the first that is clear of all nodes is taken.
_TRIED = (
    *(0.0, 0.06, -0.06, 0.1, -0.1, 0.15, -0.15, 0.21, -0.21),
    *(0.03, -0.03, 0.04, -0.04, 0.02, -0.02, 0.05, -0.05, 0.08, -0.08, 0.125, -0.125),
    *(0.18, -0.18, 0.24, -0.24, 0.28, -0.28),
)

# Points of an arc whose distance to the nodes is looked at (fewer would step over nodes on a long
# arc); and distances that are held at once.
_SAMPLES, _AT_ONCE = 63, 4_000_000


def find_bends(network: Network, points: Points) -> npt.NDArray[np.float64]:
    """For the link of each out-port the height of its arc, to the left of its way.

    The two directions of a two-way link are one line.
    """
    sender, port = np.nonzero(network.neighbour != ABSENT)
    receiver = network.neighbour[sender, port].astype(np.int64)
    back = _back(network, sender, port)
    first = np.flatnonzero((back < 0) | (back > np.arange(sender.size)))
    bend = np.zeros(sender.size)
    bend[first] = _clear(points, sender[first], receiver[first])
    bend[first] += _between_same_nodes(network, sender[first], receiver[first], bend[first])
    second = first[back[first] >= 0]
    bend[back[second]] = -bend[second]
    result = np.zeros(network.neighbour.shape)
    result[sender, port] = bend
    return result


def _back(network: Network, sender: IntArray, port: IntArray) -> IntArray:
    """For each link the number of the one that is its way back by the same ports, or -1."""
    number = np.full(network.neighbour.shape, -1, dtype=np.int64)
    number[sender, port] = np.arange(sender.size)
    back = np.full(sender.size, -1, dtype=np.int64)
    paired = network.paired(sender, port)
    link = sender[paired], port[paired]
    back[paired] = number[network.neighbour[link], network.arrival[link]]
    return back


def _clear(points: Points, sender: IntArray, receiver: IntArray) -> npt.NDArray[np.float64]:
    """The first arc of each link that keeps clear of other nodes, or else the clearest."""
    bend, widest = np.zeros(sender.size), np.full(sender.size, -np.inf)
    left = np.arange(sender.size)
    # The arc that turns away from the middle of the picture is tried first.
    middle = points.mean()
    way = points[receiver] - points[sender]
    outwards = np.where(
        ((points[sender] + points[receiver] - 2 * middle) * np.conj(1j * way)).real >= -1e-9, 1, -1
    )
    for height in _TRIED:
        tried = height * outwards[left]
        apart = _distance(points, sender[left], receiver[left], tried)
        wider = apart > widest[left]
        bend[left[wider]] = tried[wider]
        widest[left[wider]] = apart[wider]
        left = left[apart < _CLEAR]
    return bend


def arc(start: Points, end: Points, height: npt.ArrayLike, share: npt.ArrayLike) -> Points:
    """Points of arcs, drawn as quadratic curves, at shares of their way."""
    turn = np.asarray(height) * 4j * (end - start)
    part = np.asarray(share)
    return np.asarray(start + part * (end - start) + part * (1 - part) * turn)


def _distance(
    points: Points, sender: IntArray, receiver: IntArray, height: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """How near each arc comes to a node that is not its own."""
    share = np.linspace(0, 1, _SAMPLES + 2)[1:-1]
    least = np.full(sender.size, np.inf)
    each = max(1, _AT_ONCE // (_SAMPLES * points.size))
    for begin in range(0, sender.size, each):
        part = slice(begin, begin + each)
        start, end = points[sender[part]], points[receiver[part]]
        if not np.any(height[part]):
            apart = _from_segments(points, start, end)
        else:
            curve = arc(start[:, None], end[:, None], height[part][:, None], share)
            apart = np.abs(curve[:, :, None] - points).min(axis=1)
        rows = np.arange(apart.shape[0])
        apart[rows, sender[part]] = apart[rows, receiver[part]] = np.inf
        least[part] = apart.min(axis=1)
    return least


def _from_segments(points: Points, start: Points, end: Points) -> npt.NDArray[np.float64]:
    """The distance of each node from each straight line."""
    way = end - start
    share = ((points - start[:, None]) * np.conj(way)[:, None]).real / (np.abs(way) ** 2)[:, None]
    foot = start[:, None] + np.clip(share, 0, 1) * way[:, None]
    return np.asarray(np.abs(points - foot))


def _between_same_nodes(
    network: Network, sender: IntArray, receiver: IntArray, bend: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """What keeps several links of the same two nodes apart."""
    low, high = np.minimum(sender, receiver), np.maximum(sender, receiver)
    _, pair, count = np.unique(low * network.nodes + high, return_inverse=True, return_counts=True)
    more = np.zeros(sender.size)
    turn = np.zeros(count.size, dtype=np.int64)
    for link in np.flatnonzero(count[pair] > 1).tolist():
        offset = turn[pair[link]] - (count[pair[link]] - 1) / 2
        turn[pair[link]] += 1
        # Seen from the end with the lower number, each has a height of its own.
        flip = 1 if sender[link] == low[link] else -1
        more[link] = flip * offset * 0.1 - (bend[link] if offset else 0)
    return more
