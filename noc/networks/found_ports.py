"""Port labels that make a graph symmetric, found where a user gives none."""

from collections import Counter, defaultdict
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from noc.errors import CheckError
from noc.networks import regular
from noc.networks.arrays import ABSENT, IntArray, PortGraph
from noc.networks.network import Network
from noc.networks.symmetry import is_symmetric
from noc.networks.wiring import Ends, Wiring, assemble, in_order

__all__ = ["exist", "port_graph", "symmetric_ends"]

BOTH, OUT, IN = "both", "out", "in"


class _End(NamedTuple):
    """One end of a link at some node: which link, whether words leave, and the other end."""

    link: int
    kind: str
    other: int


def port_graph(wiring: Wiring, ends: Ends) -> PortGraph:
    """The graph with the user's port labels, or without any with some that make it symmetric.

    ``ends`` holds the user's labels, and numbers where there are none.
    """
    graph = assemble(wiring, ends)
    if any(link.out or link.into for link in wiring.links) or _is_symmetric(graph):
        return graph
    better = symmetric_ends(wiring)
    if better is None:
        return graph
    graph = assemble(wiring, better, ports_found=True)
    if not _is_symmetric(graph):
        raise CheckError("the ports found for the graph do not make it symmetric")
    return graph


def _is_symmetric(graph: PortGraph) -> bool:
    return is_symmetric(graph.neighbour, graph.arrival)


def symmetric_ends(wiring: Wiring) -> Ends | None:
    """Port labels that make a strongly connected graph symmetric; None where none are found.

    The ends of links at the first node are numbered in the order in which the links are written.
    At any other node the number of an end is that of the end of the first node which the
    relabelling takes there; so all nodes have the same ports. Of links between the same two nodes
    the earlier one has the lower number.
    """
    ends = _by_node(wiring)
    if len({frozenset(Counter(end.kind for end in at_node).items()) for at_node in ends}) > 1:
        return None
    if len(ends) > regular.LARGEST:
        return None
    try:
        group = _regular_group(_colour(wiring))
    except regular.GaveUpError:
        return None
    return None if group is None else _translated(wiring, ends, group)


def exist(network: Network) -> bool | None:
    """Whether there are port labels with which a network is symmetric; None where that is open."""
    present = network.neighbour != ABSENT
    inward = np.bincount(network.neighbour[present], minlength=network.nodes)
    if np.ptp(present.sum(axis=1)) or np.ptp(inward):
        return False
    if network.nodes > regular.LARGEST:
        return None
    try:
        return _regular_group(_colour_of(network)) is not None
    except regular.GaveUpError:
        return None


def _regular_group(colour: IntArray) -> IntArray | None:
    return _last_group(colour.shape[0], np.ascontiguousarray(colour, dtype=np.int64).tobytes())


@lru_cache(maxsize=1)
def _last_group(nodes: int, colour: bytes) -> IntArray | None:
    """The answer to the last question is kept: a graph is loaded, and then asked about."""
    return regular.regular_group(np.frombuffer(colour, dtype=np.int64).reshape(nodes, nodes))


def _by_node(wiring: Wiring) -> list[list[_End]]:
    """The ends at each node, in the order in which the links are written."""
    ends: list[list[_End]] = [[] for _ in wiring.names]
    for number, link in enumerate(wiring.links):
        ends[link.tail].append(_End(number, BOTH if link.two_way else OUT, link.head))
        ends[link.head].append(_End(number, BOTH if link.two_way else IN, link.tail))
    return ends


def _colour(wiring: Wiring) -> IntArray:
    """For each pair of nodes how many links of either kind lead from one to the other."""
    one_way = np.zeros((len(wiring.names),) * 2, dtype=np.int64)
    two_way = np.zeros_like(one_way)
    for link in wiring.links:
        (two_way if link.two_way else one_way)[link.tail, link.head] += 1
    return _coloured(one_way, two_way + two_way.T)


def _colour_of(network: Network) -> IntArray:
    """The same of a network, whose two-way links are pairs of arcs."""
    one_way = np.zeros((network.nodes,) * 2, dtype=np.int64)
    two_way = np.zeros_like(one_way)
    node, port = np.nonzero(network.neighbour != ABSENT)
    paired = network.paired(node, port)
    receiver = network.neighbour[node, port]
    np.add.at(two_way, (node[paired], receiver[paired]), 1)
    np.add.at(one_way, (node[~paired], receiver[~paired]), 1)
    return _coloured(one_way, two_way)


def _coloured(one_way: IntArray, two_way: IntArray) -> IntArray:
    return np.asarray(one_way * (two_way.max() + 1) + two_way)


def _translated(wiring: Wiring, ends: list[list[_End]], group: IntArray) -> Ends:
    """The labels of the ends at the first node, taken to all others."""
    apart = not any(link.two_way for link in wiring.links)
    labels: dict[tuple[str, int], list[str]] = defaultdict(list)
    counted: Counter[str] = Counter()
    for end in ends[0]:
        prefix = f"{end.kind} " if apart else ""
        labels[end.kind, end.other].append(f"{prefix}{counted[prefix]}")
        counted[prefix] += 1
    out, into = ([""] * len(wiring.links) for _ in range(2))
    for node, at_node in enumerate(ends):
        back = np.argsort(group[node])
        seen: Counter[tuple[str, int]] = Counter()
        for end in at_node:
            key = end.kind, int(back[end.other])
            label_of = out if wiring.links[end.link].tail == node else into
            label_of[end.link] = labels[key][seen[key]]
            seen[key] += 1
    outward, inward = (set(out), set(into)) if apart else (set(out) | set(into),) * 2
    return Ends(out, into, in_order(outward), in_order(inward))
