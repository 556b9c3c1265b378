"""``noc info``: the facts of a network."""

import argparse

from noc.cli import arguments, output
from noc.networks import Network, build_network, found_ports
from noc.trees import algorithms_on

__all__ = ["DESCRIPTION", "EXAMPLES", "HELP", "configure", "run"]

HELP = "print the facts of a network: nodes, links, ports, diameter, symmetry"
DESCRIPTION = (
    "Print the facts of a network: its nodes, links, port labels, diameter and symmetry, and the "
    "tree algorithms that it supports."
)
EXAMPLES = ("noc info star:4", "noc info file:graph.json")

#: Which port labels make the network symmetric, as JSON and as the facts say it.
SYMMETRIC = {
    "these": "yes",
    "found": "yes, with port labels that were found",
    "others": "no, with these labels; with others it would be",
    "none": "no, with these labels or any others",
    "unknown": "no, with these labels",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the facts."""
    known = _facts(build_network(options.spec))
    if options.json:
        output.write_json(known)
        return 0
    known["symmetric"] = SYMMETRIC[str(known.pop("symmetric_ports"))]
    listed = {name: ", ".join(v) if isinstance(v, list) else v for name, v in known.items()}
    print(output.facts({name.replace("_", " "): value for name, value in listed.items()}))
    return 0


def _symmetric_ports(net: Network) -> str:
    """A key of :data:`SYMMETRIC`."""
    if net.symmetric:
        return "found" if net.ports_found else "these"
    return {True: "others", False: "none", None: "unknown"}[found_ports.exist(net)]


def _facts(net: Network) -> dict[str, object]:
    return {
        "network": net.spec,
        "nodes": net.nodes,
        "links": net.links,
        "two_way": net.two_way,
        "ports": net.ports,
        "degree": net.degree,
        "diameter": net.diameter(output.progress_bar("diameter, from every node")),
        "symmetric": net.symmetric,
        "symmetric_ports": _symmetric_ports(net),
        "first_node": net.label(0),
        "out_ports": list(net.out_ports),
        "in_ports": list(net.in_ports),
        "algorithms": [algorithm.name for algorithm in algorithms_on(net)],
    }
