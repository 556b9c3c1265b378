"""Print the facts of a network: nodes, links, ports, diameter, symmetry.

Print the facts of a network: its nodes, links, port labels, diameter and symmetry, and the tree
algorithms that it supports.
"""

import argparse
from functools import partial
from typing import Any

from noc.cli import arguments, output
from noc.cli.output import Result
from noc.cli.parsers import declare
from noc.errors import InputError
from noc.networks import Network, build_network, found_ports
from noc.networks.exchange import network_text, write_graph
from noc.networks.fpgalink import fpgalink, hosts
from noc.options import OPTIONS
from noc.trees import algorithms_on

EXAMPLES = (
    "noc info star:4",
    "noc info mesh:4,4 -o mesh.json",
    "noc info file:mesh.json",
    "noc info mesh:4,4 --streams --operations broadcast,all_reduce:sum",
    "noc info star:4 --fpgalink 520n",
)

#: Which port labels make the network symmetric, in JSON and in words.
_SYMMETRIC = {
    "these": "yes",
    "found": "yes, with port labels that were found",
    "others": "no, with these labels; with others it would be",
    "none": "no, with these labels or any others",
    "unknown": "no, with these labels",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    declare(
        parser,
        """
        --streams  also count the streams of its hardware on each one-way link, with the options
            below, which are those of 'noc generate'
        --fpgalink CARD  also print the cables between FPGA cards, one for each node, that make the
            network on the optical switch of Noctua 2, and how many hosts it takes: 520n, two cards
            a host with 4 channels each, or u280, three with 2
        """,
    )
    arguments.add_design_options(parser)
    arguments.add_graph_file(parser, "the network, as 'file:FILE' reads it (but not .dot),")
    declare(parser, "--json")


def run(options: argparse.Namespace) -> Result:
    """The facts, and the streams if they are asked for."""
    for name, option in OPTIONS.items():
        if not options.streams and getattr(options, name) != option.default:
            raise InputError(f"{option.on_command_line}: is for --streams")
    net = build_network(options.spec)
    if options.output is not None:
        write_graph(options.output, partial(network_text, net))
    cables: dict[str, Any] = {}
    if (card := options.fpgalink) is not None:
        cables = {"hosts": hosts(net, card), "fpgalink": fpgalink(net, card)}
    known = _facts(net)
    streams = {"streams": _streams(options)} if options.streams else {}
    shown = {name: ", ".join(v) if isinstance(v, list) else v for name, v in known.items()}
    shown["symmetric"] = _SYMMETRIC[shown.pop("symmetric_ports")]
    in_words = {name.replace("one way", "one-way"): v for name, v in output.words(shown).items()}
    counted = arguments.stream_facts(streams["streams"]) if streams else {}
    wiring = [" ".join(cables["fpgalink"])] if cables else []
    needed = {"hosts": str(cables["hosts"])} if cables else {}
    return Result(known | streams | cables, [in_words | needed | counted, *wiring])


def _streams(options: argparse.Namespace) -> dict[str, Any]:
    """How the streams of the hardware lie on the links."""
    from noc.emit.manifest import count_streams, list_arcs

    design = arguments.build_design(options)
    arcs = list_arcs(design)
    return {**arguments.design_facts(design), **count_streams(arcs), "arcs": arcs}


def _facts(net: Network) -> dict[str, Any]:
    if net.symmetric:
        symmetric_ports = "found" if net.ports_found else "these"
    else:
        exist = found_ports.exist(net)
        symmetric_ports = "unknown" if exist is None else "others" if exist else "none"
    return {
        "network": net.spec,
        "nodes": net.nodes,
        "links": net.links,
        "one_way_links": net.arcs,
        "two_way": net.two_way,
        "ports": net.ports,
        "degree": net.degree,
        "diameter": net.diameter(output.progress_bar("diameter, from every node")),
        "symmetric": net.symmetric,
        "symmetric_ports": symmetric_ports,
        "first_node": net.label(0),
        "out_ports": list(net.out_ports),
        "in_ports": list(net.in_ports),
        "algorithms": [algorithm.name for algorithm in algorithms_on(net)],
    }
