"""``shortest``: the tree of the least height on any network."""

import numpy as np

from noc.networks import Network
from noc.trees.algorithms import Algorithm
from noc.trees.schedule import scheduled
from noc.trees.tree import NO_PARENT, Ports, Tree

__all__ = ["ALGORITHMS"]


def _build(network: Network, root: int, ports: Ports) -> Tree:
    hops = network.distances(root)
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    port = np.full(network.nodes, NO_PARENT, dtype=np.int16)
    for out_port in reversed(range(network.ports)):
        there = network.neighbour[:, out_port]
        sender = np.flatnonzero((there >= 0) & (hops[there] == hops + 1))
        parent[there[sender]] = sender
        port[there[sender]] = out_port
    return scheduled(network, "shortest", ports, root, parent, port)


ALGORITHMS = (
    Algorithm(
        name="shortest",
        summary="least height on any network; among equally short trees one with few states",
        families=None,
        models=("all", "one"),
        build=_build,
    ),
)
