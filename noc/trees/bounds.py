"""Steps that no communication can do without: a one-port broadcast, a scatter, an all-gather.

``floor`` is the plain bound. ``growth_bound`` knows how many sends a node has and how far from
the root its neighbours can lie: it grows the largest conceivable broadcast, in which no two
senders ever meet, and asks whether it holds enough nodes that are far enough away.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import ceil

import numpy as np
import numpy.typing as npt

from noc.compiled import compiled
from noc.networks import ABSENT, IntArray, Network
from noc.trees.tree import Ports

Mask = npt.NDArray[np.bool_]

# How a hop changes the distance from the root.
UP, LEVEL, DOWN = 0, 1, 2
ROOT = 3

# Distances and links of one node up to which the growth is computed. Beyond the first the
# eccentricity is hardly improved on; beyond the second it would take long.
LEVELS = 200
DEGREE = 32

# Out-ports up to which all sets of them are looked at.
_PORTS = 5

# How often links are weighed anew, by how much at most, and the weight of the heaviest.
_WEIGHINGS, _STEP, _HEAVIEST = 300, 0.1, 10_000

# Nodes up to which all sets of nodes are looked at, by their flows; of more it would take long.
_CUT_NODES = 150
# Where the flows come from.
_ALL = -1


def floor(network: Network, root: int) -> int:
    """The greater of ⌈log₂ N⌉ and the root's eccentricity."""
    return max((network.nodes - 1).bit_length(), network.eccentricity(root))


def growth_bound(network: Network, root: int) -> int:
    """A lower bound on the steps that is never below :func:`floor`.

    For every distance d, and for the even and the odd distances from d on apart where no link
    joins two nodes at distances of the same parity: the nodes there are at most those that the
    largest conceivable broadcast informs there.
    """
    hops = network.distances(root)
    sends = _sends_by_level(network, hops)
    size = np.bincount(hops).astype(np.int64)
    bound = floor(network, root)
    if size.size > LEVELS or network.degree > DEGREE:
        return bound
    level = np.arange(size.size)
    masks = [level >= first for first in range(size.size)]
    if network.two_way and not sends[:, LEVEL].any():
        masks += [mask & (level % 2 == first % 2) for first, mask in enumerate(masks)]
    for mask in masks:
        nodes = int(size[mask].sum())
        while _most_nodes(mask, sends, bound, network.two_way) < nodes:
            bound += 1
    return bound


def _sends_by_level(network: Network, hops: IntArray) -> IntArray:
    """For each distance, the most links of one node there that lead up, level, down, anywhere."""
    change = np.where(network.neighbour != ABSENT, hops[network.neighbour] - hops[:, None], 2)
    counts = np.empty((network.nodes, 4), dtype=np.int64)
    counts[:, UP] = (change == 1).sum(axis=1)
    counts[:, LEVEL] = (change == 0).sum(axis=1)
    counts[:, DOWN] = (change < 0).sum(axis=1)
    counts[:, 3] = counts[:, :3].sum(axis=1)
    most = np.zeros((int(hops.max()) + 1, 4), dtype=np.int64)
    np.maximum.at(most, hops, counts)
    return most


@compiled
def _most_nodes(counted: Mask, sends: IntArray, steps: int, two_way: bool) -> int:
    """The most nodes at counted distances that a broadcast from the root can inform.

    ``value[left, d, came]`` is that of a node at distance d, informed with ``left`` steps to go
    over a hop of kind ``came``; two-way links leave it one send less, the one back.
    """
    levels = counted.size
    # Beyond the last distance there is nothing.
    value = np.zeros((steps + 1, levels + 1, 4), dtype=np.int64)
    # A hop down may lead down several levels where links are one-way: the best of all below.
    lower = np.zeros((steps + 1, levels + 1), dtype=np.int64)
    for left in range(steps + 1):
        for level in range(levels):
            for came in range(4):
                up, same, down, total = sends[level]
                if two_way and came != ROOT:
                    up -= came == DOWN
                    same -= came == LEVEL
                    down -= came == UP
                    total -= 1
                value[left, level, came] = counted[level] + _best_sends(
                    value, lower, left, level, max(up, 0), max(same, 0), max(down, 0), total
                )
            lower[left, level + 1] = max(lower[left, level], value[left, level, DOWN])
    return int(value[steps, 0, ROOT])


@compiled
def _best_sends(
    value: IntArray,
    lower: IntArray,
    left: int,
    level: int,
    up: int,
    same: int,
    down: int,
    total: int,
) -> int:
    """The best order of sends up, level and down, at most ``total``, one in each step left."""
    best = np.full((up + 1, same + 1, down + 1), -1, dtype=np.int64)
    best[0, 0, 0] = 0
    most = 0
    for ups in range(up + 1):
        for sames in range(same + 1):
            for downs in range(min(down, total - ups - sames, left - ups - sames) + 1):
                after = left - ups - sames - downs
                top = best[ups, sames, downs]
                if ups > 0:
                    top = max(top, best[ups - 1, sames, downs] + value[after, level + 1, UP])
                if sames > 0:
                    top = max(top, best[ups, sames - 1, downs] + value[after, level, LEVEL])
                if downs > 0:
                    top = max(top, best[ups, sames, downs - 1] + lower[after, level])
                best[ups, sames, downs] = top
                most = max(most, top)
    return most


def scatter_bound(network: Network, root: int, ports: Ports, *, words: int = 1) -> int:
    """The steps below which no scatter of some words to each node from a root can stay.

    The root sends at most one word a port and step, and what has d hops to go must leave d-1
    steps before the end. For d = 1 this is ⌈(nodes - 1) / degree⌉.
    """
    sends = 1 if ports == "one" else int(np.count_nonzero(network.neighbour[root] != ABSENT))
    at_distance = np.bincount(network.distances(root))
    further = np.cumsum(at_distance[::-1])[::-1]
    return max(-(-words * int(further[d]) // sends) + d - 1 for d in range(1, further.size))


def all_to_all_bound(
    network: Network, ports: Ports, *, segments: int = 1, combine: bool = False
) -> int:
    """The steps below which no all-to-all broadcast of messages in segments can stay.

    A node takes at most a segment a link and step, and those from d hops away come in step d at the
    earliest: to take them is a scatter backwards. Every segment crosses a link for each other node.
    If segments are combined, only distance counts and, with one port, that the nodes which have
    a segment can no more than double in a step.
    """
    if combine:
        return max(network.diameter(), (network.nodes - 1).bit_length() if ports == "one" else 0)
    links = network.arcs if ports == "all" else network.nodes
    crossings = segments * network.nodes * (network.nodes - 1)
    back, receivers = network.reversed(), range(1 if network.symmetric else network.nodes)
    takes = (scatter_bound(back, node, ports, words=segments) for node in receivers)
    return max(-(-crossings // links), *takes)


def all_gather_bound(network: Network, words: int = 1) -> int:
    """The steps below which no all-gather stays in which a link carries a word a step.

    That of :func:`all_to_all_bound`, or the words of some nodes that have to leave them over few
    links. In a symmetric network no nodes have fewer links than one has. Each node has as many
    ``words``.
    """
    bound = all_to_all_bound(network, "all")
    if network.symmetric or network.nodes > _CUT_NODES:
        arriving = (network.reversed().neighbour != ABSENT).sum(axis=1)
        return max(bound, -(-words * (network.nodes - 1) // int(arriving.min())))
    return max(bound, ceil(words * bottleneck(network)))


def exchange_bound(
    network: Network,
    source: IntArray,
    target: IntArray,
    *,
    alike: bool = False,
    words: int = 1,
) -> int:
    """The steps below which no exchange of words stays in which a link carries a word a step.

    There are some words from each source to its target; all nodes may be alike. All hops that
    words take at least by some of the out-ports have to fit on the links of these, and so with any
    weights of links; what a node gives leaves it by its links, and what is far from its target
    leaves early; and the words out of each set of nodes that are nearer to one end of a link than
    to the other take the links out of that set.
    """
    back, bound = network.reversed(), 0
    one = 1 if alike else None
    hops = np.stack([network.distances(node) for node in range(network.nodes)])
    degrees = [(each.neighbour != ABSENT).sum(axis=1) for each in (network, back)]
    for ports in _port_sets(network):
        taken = _hops_by(network.neighbour.astype(np.int64), np.unique(source), ports)
        links = int((network.neighbour[:, ports] != ABSENT).sum())
        crossings = words * int(taken[np.unique(source, return_inverse=True)[1], target].sum())
        bound = max(bound, -(-crossings // links)) if links else bound
    for end, degree in zip((source, target), degrees, strict=True):
        for node in np.unique(end)[:one]:
            far = np.bincount(hops[source[end == node], target[end == node]])
            further = np.cumsum(far[::-1])[::-1]
            steps = -(-words * further // int(degree[node])) + np.arange(further.size) - 1
            bound = max(bound, int(steps[1:].max()))
    sender, port = np.nonzero(network.neighbour != ABSENT)
    there = network.neighbour[sender, port]
    for link in np.flatnonzero(sender == 0) if alike else range(sender.size):
        inside = hops[:, sender[link]] < hops[:, there[link]]
        leaving = int((inside[sender] & ~inside[there]).sum())
        crossings = words * int((inside[source] & ~inside[target]).sum())
        bound = max(bound, -(-crossings // leaving))
    if alike or network.nodes > _CUT_NODES:
        return bound
    wanted = np.zeros((network.nodes, network.nodes), dtype=np.int64)
    wanted[source, target] = words
    neighbour = network.neighbour.astype(np.int64)
    for weight in _weights(neighbour, wanted):
        total = int((_weighted(neighbour, weight)[0] * wanted).sum())
        bound = max(bound, -(-total // int(weight[neighbour != ABSENT].sum())))
    return bound


def _weights(neighbour: IntArray, wanted: IntArray) -> Iterator[IntArray]:
    """Weights of links, whole numbers: heavier and heavier where the lightest ways meet."""
    weight = np.ones(neighbour.shape)
    for _ in range(_WEIGHINGS):
        weight /= weight.max()
        whole = np.maximum(1, np.rint(_HEAVIEST * weight)).astype(np.int64)
        yield whole
        load = _load(neighbour, wanted, *_weighted(neighbour, whole)[1:])
        weight *= np.exp(_STEP * load / load.max())


@compiled
def _weighted(neighbour: IntArray, weight: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """From each node to each the weight of the lightest way, its last link, and the order."""
    nodes = neighbour.shape[0]
    length = np.full((nodes, nodes), 1 << 60, dtype=np.int64)
    last = np.full((nodes, nodes), -1, dtype=np.int64)
    order = np.empty((nodes, nodes), dtype=np.int64)
    for source in range(nodes):
        length[source, source] = 0
        done = np.zeros(nodes, dtype=np.bool_)
        for place in range(nodes):
            node = -1
            for other in range(nodes):
                if not done[other] and (node < 0 or length[source, other] < length[source, node]):
                    node = other
            done[node], order[source, place] = True, node
            for port in range(neighbour.shape[1]):
                there = neighbour[node, port]
                if there >= 0 and length[source, node] + weight[node, port] < length[source, there]:
                    length[source, there] = length[source, node] + weight[node, port]
                    last[source, there] = node * neighbour.shape[1] + port
    return length, last, order


@compiled
def _load(neighbour: IntArray, wanted: IntArray, last: IntArray, order: IntArray) -> IntArray:
    """How many words take each link, on the lightest ways."""
    nodes, ports = neighbour.shape
    load = np.zeros((nodes, ports), dtype=np.int64)
    for source in range(nodes):
        through = wanted[source].copy()
        for place in range(nodes - 1, 0, -1):
            node = order[source, place]
            before, port = divmod(last[source, node], ports)
            load[before, port] += through[node]
            through[before] += through[node]
    return load


def _port_sets(network: Network) -> Iterator[Mask]:
    """All sets of out-ports; of many ports all together, and each one and all others."""
    ports = np.arange(network.ports)
    if ports.size <= _PORTS:
        yield from (number >> ports & 1 == 1 for number in range(1, 2**ports.size))
        return
    yield ports >= 0
    for port in ports:
        yield ports == port
        yield ports != port


@compiled
def _hops_by(neighbour: IntArray, sources: IntArray, ports: Mask) -> IntArray:
    """From each source to each node the fewest hops by some ports; by all others hops are free."""
    nodes = neighbour.shape[0]
    result = np.full((sources.size, nodes), nodes, dtype=np.int64)
    level = np.empty(nodes, dtype=np.int64)
    for row in range(sources.size):
        hops = result[row]
        hops[sources[row]] = 0
        level[0], begin, end = sources[row], 0, 1
        depth = 0
        while begin < end:
            # What is reached by free hops is at the same level.
            place = begin
            while place < end:
                for port in range(ports.size):
                    there = neighbour[level[place], port]
                    if there >= 0 and not ports[port] and hops[there] > depth:
                        hops[there] = depth
                        level[end] = there
                        end += 1
                place += 1
            depth += 1
            last = end
            for place in range(begin, last):
                for port in range(ports.size):
                    there = neighbour[level[place], port]
                    if there >= 0 and hops[there] > depth:
                        hops[there] = depth
                        level[end] = there
                        end += 1
            begin = last
    return result


def bottleneck(network: Network) -> Fraction:
    """The most words for each link by which they leave a set of nodes, of which each has one.

    A flow from all nodes to one, as great as the words are many, shows that no set without that
    node has more; else the cut that limits it is such a set.
    """
    # Here, because it takes longer to load than the rest of this stage.
    import networkx

    links = np.argwhere(network.neighbour != ABSENT).tolist()
    counts = Counter((node, int(network.neighbour[node, port])) for node, port in links)
    ratio = Fraction(1, network.degree)
    graph = networkx.DiGraph()
    for sink in range(network.nodes):
        found = True
        while found:
            for (node, other), parallel in counts.items():
                graph.add_edge(node, other, capacity=parallel * ratio.numerator)
            for node in range(network.nodes):
                graph.add_edge(_ALL, node, capacity=ratio.denominator)
            flow, (behind, _) = networkx.minimum_cut(graph, _ALL, sink)
            found = flow < network.nodes * ratio.denominator
            if found:
                inside = behind - {_ALL}
                leaving = sum(n for (a, b), n in counts.items() if a in inside and b not in inside)
                ratio = Fraction(len(inside), leaving)
    return ratio
