"""A shortest route on any network, one-way links included, by a search."""

from noc.networks import Network
from noc.trees import build_tree

__all__ = ["route"]


def route(network: Network, source: int, destination: int) -> list[int]:
    """The out-ports of the way that the shortest tree of the source takes."""
    searched = build_tree(network, "shortest", root=source)
    ports, node = [], destination
    while node != source:
        ports.append(int(searched.port[node]))
        node = int(searched.parent[node])
    return ports[::-1]
