"""Find a route from one node to another and compare it with the shortest.

Find a route from one node to another, and print whether it is a shortest one.
"""

import argparse

from noc.cli import arguments, output
from noc.cli.output import Result
from noc.cli.parsers import declare
from noc.networks import build_network
from noc.research.papers.routes import ROUTERS, route

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
    declare(
        parser,
        f"""
        --router R  the routing algorithm: {routers} (default: labels if the network supports it,
            else shortest)
        --json
        """,
    )


def names() -> dict[str, list[str]]:
    """What a shell may complete."""
    return {"router": list(ROUTERS)}


def run(options: argparse.Namespace) -> Result:
    """Find it."""
    net = build_network(options.spec)
    (source,) = arguments.nodes_of(net, [options.source], option="FROM")
    (destination,) = arguments.nodes_of(net, [options.destination], option="TO")
    way = route(net, source, destination, options.router)
    labels = [net.label(node) for node in way.nodes]
    ports = [net.out_ports[port] for port in way.ports]
    facts = {
        "network": net.spec,
        "router": way.router,
        "from": labels[0],
        "to": labels[-1],
        "length": way.length,
        "distance": way.distance,
        "optimal": way.length == way.distance,
    }
    names = ("from", "port", "to")
    hops = [*zip(labels[:-1], ports, labels[1:], strict=True)]
    path = [dict(zip(names, hop, strict=True)) for hop in hops]
    rows = [(number, *hop) for number, hop in enumerate(hops, start=1)]
    return Result(facts | {"path": path}, [facts, output.table(("hop", *names), rows)])
