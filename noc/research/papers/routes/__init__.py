"""Routes: ways from one node to another, from the labels alone or by a search."""

from collections.abc import Callable
from dataclasses import dataclass

from noc.errors import CheckError, InputError
from noc.networks import ABSENT, Network
from noc.research.papers.routes import algorithms

__all__ = ["ROUTERS", "Route", "Router", "route", "routers_on"]


@dataclass(frozen=True)
class Router:
    """A way to find a route: its name for users, and what it gives.

    ``families`` has the function of each family of networks that has one, from a network and two
    nodes to out-ports; it is None where one function serves every network.
    """

    name: str
    summary: str
    families: dict[str, Callable[[Network, int, int], list[int]]] | None = None

    def defined_on(self, network: Network) -> bool:
        """Whether it works on a network."""
        return self.families is None or network.family in self.families

    def ports(self, network: Network, source: int, destination: int) -> list[int]:
        """The out-ports of its route."""
        find = _shortest if self.families is None else self.families[network.family]
        return find(network, source, destination)


def _shortest(network: Network, source: int, destination: int) -> list[int]:
    """By the first port at each node that leads nearer to the destination."""
    left = network.reversed().distances(destination)
    ports, node = [], source
    while node != destination:
        neighbours = network.neighbour[node]
        nearer = (neighbours != ABSENT) & (left[neighbours] < left[node])
        ports.append(int(nearer.argmax()))
        node = int(neighbours[ports[-1]])
    return ports


#: By name; of those that a network has the first is the usual one.
ROUTERS: dict[str, Router] = {
    router.name: router
    for router in (
        Router(
            "labels",
            "the shortest way, from the two labels alone",
            {"star": algorithms.star_route, "scc": algorithms.scc_route},
        ),
        Router(
            "report",
            "the SCC report's Algorithm 1 or 3, which on SCC is not always the shortest",
            {"star": algorithms.star_route, "scc": algorithms.report_route},
        ),
        Router("shortest", "the shortest way, by a search of the network"),
    )
}


@dataclass(frozen=True)
class Route:
    """A way from one node to another: its nodes, and the out-port of each but the last."""

    network: Network
    router: str
    nodes: tuple[int, ...]
    ports: tuple[int, ...]

    @property
    def length(self) -> int:
        """How many links it takes."""
        return len(self.ports)

    @property
    def distance(self) -> int:
        """How many links the shortest way takes, by a search."""
        return int(self.network.distances(self.nodes[0])[self.nodes[-1]])


def routers_on(network: Network) -> list[str]:
    """The names of the routers that a network has."""
    return [name for name, router in ROUTERS.items() if router.defined_on(network)]


def route(network: Network, source: int, destination: int, router: str | None = None) -> Route:
    """Find a route by a key of :data:`ROUTERS`, or by the first that the network has; and walk it.

    >>> from noc.networks import build_network
    >>> net = build_network("star:5")
    >>> way = route(net, net.node("21453"), net.node("12345"))
    >>> [net.out_ports[port] for port in way.ports]
    ['2', '3', '4', '5', '3']
    """
    allowed = routers_on(network)
    name = allowed[0] if router is None else router
    if name not in allowed:
        what = "is not defined on it" if name in ROUTERS else "is unknown"
        raise InputError(
            f"router {name!r} {what}; network {network.spec!r} has: {', '.join(allowed)}"
        )
    ports = ROUTERS[name].ports(network, source, destination)
    nodes = [source]
    for port in ports:
        nodes.append(int(network.neighbour[nodes[-1], port]))
    if nodes[-1] != destination or ABSENT in nodes:
        raise CheckError(f"{network.spec}: the route by {name} does not end where it should")
    return Route(network, name, tuple(nodes), tuple(ports))
