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
    if any(link.out or link.into for link in wiring.links):
        return graph
    network = Network("graph", "graph", (), *graph)
    try:
        group = None if network.symmetric else _regular_group(network)
    except regular.GaveUpError:
        return graph
    if group is None:
        return graph
    graph = assemble(wiring, _translated(wiring, group), ports_found=True)
    if not is_symmetric(graph.neighbour, graph.arrival):
        raise CheckError("the ports found for the graph do not make it symmetric")
    return graph


def exist(network: Network) -> bool | None:
    """Whether there are port labels with which a network is symmetric; None where that is open."""
    try:
        return _regular_group(network) is not None
    except regular.GaveUpError:
        return None


def _regular_group(network: Network) -> IntArray | None:
    present = network.neighbour != ABSENT
    inward = np.bincount(network.neighbour[present], minlength=network.nodes)
    if np.ptp(present.sum(axis=1)) or np.ptp(inward):
        return None
    if network.nodes > regular.LARGEST:
        raise regular.GaveUpError
    # For each pair of nodes how many links of either kind lead from one to the other.
    one_way, two_way = np.zeros((2, network.nodes, network.nodes), dtype=np.int64)
    node, port = np.nonzero(present)
    paired = network.paired(node, port)
    receiver = network.neighbour[node, port]
    np.add.at(two_way, (node[paired], receiver[paired]), 1)
    np.add.at(one_way, (node[~paired], receiver[~paired]), 1)
    return _last_group(network.nodes, (one_way * (two_way.max() + 1) + two_way).tobytes())


@lru_cache(maxsize=1)
def _last_group(nodes: int, colour: bytes) -> IntArray | None:
    """The answer to the last question is kept: a graph is loaded, and then asked about."""
    return regular.regular_group(np.frombuffer(colour, dtype=np.int64).reshape(nodes, nodes))


def _translated(wiring: Wiring, group: IntArray) -> Ends:
    """Port labels that a group of relabellings makes alike at all nodes.

    The ends of links at the first node are numbered in the order in which the links are written.
    At any other node the number of an end is that of the end of the first node which the
    relabelling takes there. Of links between the same two nodes the earlier one has the lower
    number.
    """
    ends: list[list[_End]] = [[] for _ in wiring.names]
    for number, link in enumerate(wiring.links):
        ends[link.tail].append(_End(number, BOTH if link.two_way else OUT, link.head))
        ends[link.head].append(_End(number, BOTH if link.two_way else IN, link.tail))
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
