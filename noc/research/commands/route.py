"""Find a route from one node to another and compare it with the shortest.

Find a route from one node to another, and print whether it is a shortest one.
"""

import argparse

from noc.cli import arguments, output
from noc.cli.output import Result
from noc.networks import build_network
from noc.research.papers.routes import ROUTERS, Route, route

GROUP = "look at networks and their trees"

EXAMPLES = ("noc route scc:4 2:1234 4:4321",)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    parser.add_argument("source", metavar="FROM", help="the label of the first node")
    parser.add_argument("destination", metavar="TO", help="the label of the last node")
    routers = "; ".join(
        f"{name}: {router.summary} ({', '.join(router.families or ['any network'])})"
        for name, router in ROUTERS.items()
    )
    parser.add_argument(
        "--router",
        metavar="R",
        help=f"the routing algorithm: {routers} (default: labels if the network supports it, else "
        "shortest)",
    )
    arguments.add_json(parser)


def names() -> dict[str, list[str]]:
    """What a shell may complete."""
    return {"router": list(ROUTERS)}


def run(options: argparse.Namespace) -> Result:
    """Find it."""
    net = build_network(options.spec)
    (source,) = arguments.nodes_of(net, [options.source], option="FROM")
    (destination,) = arguments.nodes_of(net, [options.destination], option="TO")
    way = route(net, source, destination, options.router)
    path = _path(way)
    rows = [(hop, *step.values()) for hop, step in enumerate(path, start=1)]
    hops = output.table(("hop", "from", "port", "to"), rows)
    return Result({**_facts(way), "path": path}, [_facts(way), hops])


def _facts(way: Route) -> dict[str, object]:
    return {
        "network": way.network.spec,
        "router": way.router,
        "from": way.network.label(way.nodes[0]),
        "to": way.network.label(way.nodes[-1]),
        "length": way.length,
        "distance": way.distance,
        "optimal": way.length == way.distance,
    }


def _path(way: Route) -> list[dict[str, str]]:
    label, names = way.network.label, way.network.out_ports
    return [
        {"from": label(sender), "port": names[port], "to": label(receiver)}
        for sender, port, receiver in zip(way.nodes, way.ports, way.nodes[1:], strict=False)
    ]
