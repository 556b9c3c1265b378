"""Routes: shortest ways from one node to another, from the labels alone."""

from noc.errors import InputError
from noc.networks import Network
from noc.papers.routes import scc, star

__all__ = ["ROUTERS", "route"]

#: The routing algorithm of each family that has one.
ROUTERS = {"star": star.route, "scc": scc.route}


def route(network: Network, source: int, destination: int) -> list[int]:
    """The out-ports of a shortest route.

    >>> from noc.networks import network
    >>> net = network("star:5")
    >>> [net.out_ports[port] for port in route(net, net.node("21453"), net.node("12345"))]
    ['2', '3', '4', '5', '3']
    """
    router = ROUTERS.get(network.family)
    if router is None:
        raise InputError(
            f"network {network.spec!r}: no routing algorithm; allowed: {', '.join(ROUTERS)}"
        )
    return router(network, source, destination)
