"""``without:LOST,…@NETWORK``: what is left of a network whose links or nodes have failed."""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

from noc.errors import InputError
from noc.networks.arrays import ABSENT, PortGraph, without_path
from noc.networks.named import Link, read_lost
from noc.networks.spec import NetworkFamily, Parameters, Size
from noc.networks.wiring import NamedLabels

if TYPE_CHECKING:
    from noc.networks.network import Network

_NAME = "without"


def whole_spec(spec: str) -> str:
    """The name of the network that a network is left of; its own where nothing has failed.

    >>> whole_spec("without:1234/2134@star:4"), whole_spec("star:4")
    ('star:4', 'star:4')
    """
    name, _, text = spec.partition(":")
    return whole_spec(_split(text)[1]) if name == _NAME else spec


def _split(text: str) -> tuple[str, str]:
    """What is lost, and the name of the whole network; a label may have an ``@``, too."""
    lost, *spec = re.split(r"@(?=[A-Za-z][\w-]*:)", text, maxsplit=1)
    return lost, "".join(spec)


def _parse(family: NetworkFamily, text: str) -> Parameters:
    if not all(_split(text)):
        raise InputError(f"network {f'{family.name}:{text}'!r}: {family.allowed}")
    return (text,)


def _size(text: str) -> Size:
    network, nodes, _ = _described(text)
    return network.nodes - len(nodes), network.ports


def _described(text: str) -> "tuple[Network, frozenset[int], frozenset[Link]]":
    """The whole network, and the nodes and the links, by sender and out-port, that it lost."""
    # The list of families has this one.
    from noc.networks import build_network

    lost, spec = _split(text)
    network = build_network(spec)
    try:
        nodes, links = read_lost(network, lost)
    except InputError as error:
        raise InputError(f"network {f'{_NAME}:{text}'!r}: {error.message}") from None
    return network, frozenset(nodes), frozenset(links)


def _build(text: str) -> PortGraph:
    graph = left_of(*_described(text))
    _check(f"{_NAME}:{text}", graph)
    return graph


def left_of(network: "Network", lost: Collection[int], links: Collection[Link]) -> PortGraph:
    """What is left of a network without some nodes and links, whether that is connected or not.

    The nodes that are left keep their labels and their order, and all ports their numbers.
    """
    neighbour, arrival = network.neighbour.astype(np.int32), network.arrival.astype(np.int16)
    for node, port in links:
        neighbour[node, port] = arrival[node, port] = ABSENT
    kept = np.array([node for node in range(network.nodes) if node not in lost], dtype=np.int64)
    number = np.full(network.nodes, ABSENT, dtype=np.int32)
    number[kept] = np.arange(kept.size)
    neighbour, arrival = neighbour[kept], arrival[kept]
    neighbour = np.where(neighbour == ABSENT, ABSENT, number[neighbour])
    arrival = np.where(neighbour == ABSENT, ABSENT, arrival).astype(np.int16)
    labels = NamedLabels([network.label(node) for node in kept.tolist()])
    return PortGraph(neighbour, arrival, network.out_ports, network.in_ports, labels)


def _check(spec: str, graph: PortGraph) -> None:
    """Refuse what no word could cross."""
    if graph.neighbour.shape[0] < 2:
        raise InputError(f"network {spec!r}: fewer than 2 nodes are left")
    cut = without_path(graph.neighbour, graph.arrival, len(graph.in_ports))
    if cut is not None:
        start, end = map(graph.labels.text, cut)
        raise InputError(f"network {spec!r}: no path is left from {start} to {end}")


FAMILIES = (
    NetworkFamily(
        name=_NAME,
        signature="LOST,…@NETWORK",
        where="links FROM/TO, one way each, and nodes of another network",
        example="without:0.0/0.1,1.1@mesh:3,3",
        summary="what is left of a network whose links or nodes have failed",
        parse=_parse,
        size=_size,
        build=_build,
    ),
)
