"""The arrays of a network: what they hold, distances along them, whether they describe one."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from noc.errors import InputError

#: Nodes, ports, or other whole numbers.
IntArray = npt.NDArray[np.signedinteger[Any]]

#: What ``neighbour`` and ``arrival`` hold where a node has no such port.
ABSENT = -1

#: What :func:`distances_from` holds where no path leads.
UNREACHED = -1

#: In larger networks the labels of this many nodes are checked.
LABELS = 4096

# Roots that are searched together, 64 to a machine word: bounds the memory of one batch.
WORDS_PER_BATCH = 32

# Of the nodes that a diameter depends on, this many searches must settle a half.
PATIENCE = 16


class Labels(Protocol):
    """The names of the nodes as the papers print them, computed rather than stored.

    Some also have ``relabellings()``, which yields arrays that say where each node goes if the
    symbols of all names are changed alike. Those that keep all links save much search.
    """

    def text(self, node: int) -> str:
        """The label of a node."""

    def node(self, text: str) -> int:
        """The node of a label; :class:`~noc.errors.InputError` where there is none."""


class PortGraph(NamedTuple):
    """A network but for its name: where every port leads, and the labels.

    The fields are those of :class:`Network`.
    """

    neighbour: IntArray
    arrival: IntArray
    out_ports: tuple[str, ...]
    in_ports: tuple[str, ...]
    labels: Labels
    ports_found: bool = False


def two_way_graph(
    nodes: int,
    columns: Iterable[tuple[IntArray, IntArray | int]],
    ports: tuple[str, ...],
    labels: Labels,
) -> PortGraph:
    """A network of links that carry words both ways.

    There is a column for each port: the nodes that it leads to, or ``ABSENT``, and the port at the
    far end.
    """
    neighbour = np.empty((nodes, len(ports)), dtype=np.int32)
    arrivals = []
    for port, (far, back) in enumerate(columns):
        neighbour[:, port] = far
        arrivals.append(back if isinstance(back, int) else back.astype(np.int16))
    present = neighbour != ABSENT
    if present.all() and all(isinstance(back, int) for back in arrivals):
        # One row serves all nodes.
        row = np.array(arrivals, dtype=np.int16)
        return PortGraph(neighbour, np.broadcast_to(row, neighbour.shape), ports, ports, labels)
    arrival = np.full(neighbour.shape, ABSENT, dtype=np.int16)
    for port, back in enumerate(arrivals):
        arrival[:, port] = np.where(present[:, port], back, ABSENT)
    return PortGraph(neighbour, arrival, ports, ports, labels)


def no_node(text: str, allowed: str) -> InputError:
    """The error for a label that no node has."""
    return InputError(f"label {text!r} is no node: {allowed}")


def distances_from(neighbour: IntArray, root: int) -> IntArray:
    """Hops from ``root`` to every node, by breadth-first search; -1 where no path leads."""
    hops = np.full(neighbour.shape[0], UNREACHED, dtype=np.int32)
    hops[root] = 0
    frontier = np.array([root], dtype=np.int64)
    level = 0
    while frontier.size:
        level += 1
        # Writing `hops` port by port drops what an earlier port has reached already.
        reached = []
        for port in range(neighbour.shape[1]):
            receiver = neighbour[frontier, port]
            receiver = receiver[receiver >= 0]
            receiver = receiver[hops[receiver] == UNREACHED]
            hops[receiver] = level
            reached.append(receiver)
        frontier = distinct(np.concatenate(reached), neighbour.shape[0])
    return hops


def turned_round(
    neighbour: IntArray, arrival: IntArray, in_ports: int
) -> tuple[IntArray, IntArray]:
    """The same arrays of the network with every link turned round."""
    shape = neighbour.shape[0], in_ports
    back = np.full(shape, ABSENT, neighbour.dtype), np.full(shape, ABSENT, arrival.dtype)
    sender, port = np.nonzero(neighbour != ABSENT)
    receiver_end = neighbour[sender, port], arrival[sender, port]
    back[0][receiver_end], back[1][receiver_end] = sender, port
    return back


def without_path(neighbour: IntArray, arrival: IntArray, in_ports: int) -> tuple[int, int] | None:
    """Two nodes without a path from the first to the second; None if all are connected."""
    backward = turned_round(neighbour, arrival, in_ports)[0]
    for array, forward in ((neighbour, True), (backward, False)):
        unreached = np.flatnonzero(distances_from(array, 0) == UNREACHED)
        if unreached.size:
            return (0, int(unreached[0])) if forward else (int(unreached[0]), 0)
    return None


def distinct(nodes: IntArray, count: int) -> IntArray:
    """The nodes without repetition, ascending; ``count`` is the number of all nodes."""
    if nodes.size > count // 16:
        mark = np.zeros(count, dtype=bool)
        mark[nodes] = True
        return np.flatnonzero(mark)
    return np.unique(nodes)


def diameter(
    forward: IntArray,
    backward: IntArray,
    roots: IntArray | None = None,
    progress: Callable[[float], None] | None = None,
) -> int:
    """The greatest distance over all pairs.

    Each search bounds how far away the others of all nodes can be; it is begun by turns where
    that may be farthest and, so as to lower the bounds, where it may be nearest (Takes and
    Kosters, "Determining the diameter of small world networks", 2011). Where this soon leaves few
    nodes open, as on a mesh, a handful of searches does. What else stays open is searched
    from 64 roots in each machine word.

    ``backward`` is the array ``neighbour`` with every link turned round; every node is an image of
    one of the ``roots``, by default all nodes. ``progress`` is called with the share that is done,
    where it takes long.
    """
    nodes = forward.shape[0]
    left = np.arange(nodes) if roots is None else roots
    # From the farthest node to each: that of a centre is least.
    least, most = np.zeros(nodes, dtype=np.int64), np.full(nodes, nodes, dtype=np.int64)
    greatest, turn, before = 0, 0, 2 * left.size
    while left.size:
        if turn % PATIENCE == 0:
            if 2 * left.size > before:
                break
            before = left.size
        root = int(left[np.argmin(least[left]) if turn % 2 else np.argmax(most[left])])
        hops = distances_from(forward, root)
        back = hops if backward is forward else distances_from(backward, root)
        far = int(back.max())
        greatest = max(greatest, far, int(hops.max()))
        np.minimum(most, far + hops, out=most)
        np.maximum(least, np.maximum(hops, far - back), out=least)
        left = left[(most[left] > greatest) & (left != root)]
        turn += 1
    size = WORDS_PER_BATCH * 64
    for first in range(0, left.size, size):
        greatest = max(greatest, _batch_eccentricity(forward, left[first : first + size]))
        if progress is not None:
            progress(min(1.0, (first + size) / left.size))
    return greatest


def _batch_eccentricity(neighbour: IntArray, roots: IntArray) -> int:
    """The greatest distance to some nodes."""
    nodes, ports = neighbour.shape
    reached = np.zeros((nodes, -(-roots.size // 64)), dtype=np.uint64)
    offset = np.arange(roots.size)
    reached[roots, offset // 64] = np.uint64(1) << (offset % 64).astype(np.uint64)
    senders = [np.flatnonzero(neighbour[:, port] >= 0) for port in range(ports)]
    level, before = 0, -1
    count = int(np.bitwise_count(reached).sum())
    while count != before:
        before = count
        # Each node gathers the roots that the nodes it leads to reach, which needs no
        # conflict-free scatter: distances are those to the roots.
        following = reached.copy()
        for port, sender in enumerate(senders):
            following[sender] |= reached[neighbour[sender, port]]
        reached = following
        count = int(np.bitwise_count(reached).sum())
        level += count != before
    return level


def first_fault(
    graph: PortGraph, text: Callable[[int], str], node: Callable[[str], int]
) -> str | None:
    """What is wrong first, in words, or None; ``text`` and ``node`` are those of the labels."""
    for faults in (_shapes(graph), _ranges(graph), _cut_off(graph), _labels(graph, text, node)):
        message = next(faults, None)
        if message is not None:
            return message
    return None


def _shapes(graph: PortGraph) -> Iterator[str]:
    neighbour, arrival = graph.neighbour, graph.arrival
    for name, array in (("neighbour", neighbour), ("arrival", arrival)):
        if not isinstance(array, np.ndarray) or array.dtype.kind != "i" or array.ndim != 2:
            yield f"{name} must be an array (nodes, ports) of signed integers"
    nodes, ports = neighbour.shape
    if neighbour.shape != arrival.shape:
        yield f"neighbour has the shape {neighbour.shape} and arrival {arrival.shape}"
    if ports != len(graph.out_ports):
        yield f"neighbour has {ports} columns, and there are {len(graph.out_ports)} out_ports"
    if nodes < 2:
        yield f"it has {nodes} nodes; at least 2 are needed"
    for name, labels in (("out_ports", graph.out_ports), ("in_ports", graph.in_ports)):
        if not isinstance(labels, tuple) or not all(isinstance(port, str) for port in labels):
            yield f"{name} must be a tuple of texts"
        if len(set(labels)) < len(labels):
            yield f"{name} has a label twice: {', '.join(labels)}"


def _ranges(graph: PortGraph) -> Iterator[str]:
    neighbour, arrival = graph.neighbour, graph.arrival
    nodes = neighbour.shape[0]
    for name, array, end in (
        ("neighbour", neighbour, nodes),
        ("arrival", arrival, len(graph.in_ports)),
    ):
        node, port = np.nonzero((array < -1) | (array >= end))
        if node.size:
            value = int(array[node[0], port[0]])
            yield f"{name}[{node[0]}, {port[0]}] is {value}; -1 to {end - 1} are allowed"
    node, port = np.nonzero((neighbour < 0) != (arrival < 0))
    if node.size:
        yield f"at [{node[0]}, {port[0]}] one of neighbour and arrival is -1 and the other is not"
    node, port = np.nonzero(neighbour == np.arange(nodes)[:, None])
    if node.size:
        yield f"neighbour[{node[0]}, {port[0]}] is {node[0]}: a link leads from a node to itself"
    present, in_ports = neighbour >= 0, int(arrival.max()) + 1
    ends, count = np.unique(
        neighbour[present].astype(np.int64) * in_ports + arrival[present], return_counts=True
    )
    if (count > 1).any():
        receiver, in_port = divmod(int(ends[count > 1][0]), in_ports)
        yield f"{int(count.max())} links arrive at node {receiver} by in-port {in_port}"


def _cut_off(graph: PortGraph) -> Iterator[str]:
    pair = without_path(graph.neighbour, graph.arrival, len(graph.in_ports))
    if pair is not None:
        yield f"it is not strongly connected: no path leads from node {pair[0]} to node {pair[1]}"


def _labels(
    graph: PortGraph, text: Callable[[int], str], node: Callable[[str], int]
) -> Iterator[str]:
    nodes = graph.neighbour.shape[0]
    for number in np.unique(np.linspace(0, nodes - 1, min(nodes, LABELS)).astype(int)).tolist():
        label = text(number)
        if not isinstance(label, str) or not label:
            yield f"the label of node {number} is {label!r:.40}, no text"
        try:
            again: object = node(label)
        except InputError as error:
            again = error
        if again != number:
            yield f"node {number} has the label {label!r}, of which labels.node makes {again!r:.60}"
