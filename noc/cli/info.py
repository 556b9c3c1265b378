"""``noc info``: the facts of a network."""

import argparse

from noc.cli import arguments, output
from noc.networks import Network, network
from noc.trees import algorithms_on

__all__ = ["HELP", "configure", "run"]

HELP = "the facts of a network: nodes, links, ports, diameter, symmetry"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the facts."""
    known = _facts(network(options.spec))
    if options.json:
        output.write_json(known)
        return 0
    listed = {name: ", ".join(v) if isinstance(v, list) else v for name, v in known.items()}
    print(output.facts({name.replace("_", " "): value for name, value in listed.items()}))
    return 0


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
        "first_node": net.label(0),
        "out_ports": list(net.out_ports),
        "in_ports": list(net.in_ports),
        "algorithms": [algorithm.name for algorithm in algorithms_on(net)],
    }
