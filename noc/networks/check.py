"""Whether arrays describe a network: what every function of the package takes for granted."""

from collections.abc import Callable, Iterator

import numpy as np

from noc.errors import InputError
from noc.networks import distance
from noc.networks.arrays import IntArray

__all__ = ["first_fault"]

#: Of larger networks the labels of so many nodes are tried.
LABELS = 4096


def first_fault(
    neighbour: IntArray,
    arrival: IntArray,
    ports: tuple[tuple[str, ...], tuple[str, ...]],
    text: Callable[[int], str],
    node: Callable[[str], int],
) -> str | None:
    """What is wrong first, in words, or None.

    Parameters
    ----------
    neighbour, arrival, ports
        Arrays, and the labels of out-ports and in-ports, as :class:`~noc.networks.Network` has
        them.
    text, node : callable
        The label of a node, and the node of a label.
    """
    for fault in (
        *(_shapes(neighbour, arrival, ports), _port_labels(ports)),
        *(_ranges(neighbour, arrival, ports), _shared_in_ports(neighbour, arrival)),
        *(_cut_off(neighbour), _node_labels(neighbour.shape[0], text, node)),
    ):
        message = next(fault, None)
        if message is not None:
            return message
    return None


def _shapes(
    neighbour: IntArray, arrival: IntArray, ports: tuple[tuple[str, ...], tuple[str, ...]]
) -> Iterator[str]:
    for name, array in (("neighbour", neighbour), ("arrival", arrival)):
        if not isinstance(array, np.ndarray) or array.dtype.kind != "i" or array.ndim != 2:
            yield f"{name} must be an array (nodes, ports) of signed integers"
    if neighbour.shape != arrival.shape:
        yield f"neighbour has the shape {neighbour.shape} and arrival {arrival.shape}"
    if neighbour.shape[1] != len(ports[0]):
        yield f"neighbour has {neighbour.shape[1]} columns, and there are {len(ports[0])} out_ports"
    if neighbour.shape[0] < 2:
        yield f"it has {neighbour.shape[0]} nodes; at least 2 are needed"


def _port_labels(ports: tuple[tuple[str, ...], tuple[str, ...]]) -> Iterator[str]:
    for name, labels in zip(("out_ports", "in_ports"), ports, strict=True):
        if not isinstance(labels, tuple) or not all(isinstance(port, str) for port in labels):
            yield f"{name} must be a tuple of texts"
        if len(set(labels)) < len(labels):
            yield f"{name} has a label twice: {', '.join(labels)}"


def _ranges(
    neighbour: IntArray, arrival: IntArray, ports: tuple[tuple[str, ...], tuple[str, ...]]
) -> Iterator[str]:
    for name, array, end in (
        ("neighbour", neighbour, neighbour.shape[0]),
        ("arrival", arrival, len(ports[1])),
    ):
        node, port = np.nonzero((array < -1) | (array >= end))
        if node.size:
            value = int(array[node[0], port[0]])
            yield f"{name}[{node[0]}, {port[0]}] is {value}; -1 to {end - 1} are allowed"
    node, port = np.nonzero((neighbour < 0) != (arrival < 0))
    if node.size:
        yield f"at [{node[0]}, {port[0]}] one of neighbour and arrival is -1 and the other is not"
    node, port = np.nonzero(neighbour == np.arange(neighbour.shape[0])[:, None])
    if node.size:
        yield f"neighbour[{node[0]}, {port[0]}] is {node[0]}: a link leads from a node to itself"


def _shared_in_ports(neighbour: IntArray, arrival: IntArray) -> Iterator[str]:
    present = neighbour >= 0
    end = neighbour[present].astype(np.int64) * (int(arrival.max()) + 1) + arrival[present]
    ends, count = np.unique(end, return_counts=True)
    if (count > 1).any():
        node, port = divmod(int(ends[count > 1][0]), int(arrival.max()) + 1)
        yield f"{int(count.max())} links arrive at node {node} by in-port {port}"


def _cut_off(neighbour: IntArray) -> Iterator[str]:
    nodes = neighbour.shape[0]
    unreached = np.flatnonzero(distance.from_root(neighbour, 0) < 0)
    if unreached.size:
        yield f"it is not strongly connected: no path leads from node 0 to node {unreached[0]}"
    sender, port = np.nonzero(neighbour >= 0)
    order = np.argsort(neighbour[sender, port], kind="stable")
    head, tail = neighbour[sender, port][order], sender[order]
    place = np.arange(head.size) - np.searchsorted(head, head)
    back = np.full((nodes, int(place.max(initial=0)) + 1), -1, dtype=np.int32)
    back[head, place] = tail
    unreached = np.flatnonzero(distance.from_root(back, 0) < 0)
    if unreached.size:
        yield f"it is not strongly connected: no path leads from node {unreached[0]} to node 0"


def _node_labels(
    nodes: int, text: Callable[[int], str], node: Callable[[str], int]
) -> Iterator[str]:
    for number in np.unique(np.linspace(0, nodes - 1, min(nodes, LABELS)).astype(int)).tolist():
        label = text(number)
        if not isinstance(label, str) or not label:
            yield f"the label of node {number} is {label!r:.40}, no text"
        try:
            back: object = node(label)
        except InputError as error:
            back = error
        if back != number:
            yield f"node {number} has the label {label!r}, of which labels.node makes {back!r:.60}"
