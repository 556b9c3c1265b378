"""Send copies of a message along arc-disjoint trees past faulty links and nodes.

Faults: each block of a message travels along several arc-disjoint trees, so that copies survive
faulty links and nodes. A single tree survives none. The exit status is 1 if a healthy node lacks a
block.
"""

import argparse
from contextlib import suppress
from random import Random

import numpy as np

from noc.cli import arguments
from noc.cli.output import Result, Table, hint
from noc.errors import InputError
from noc.networks import Network, build_network
from noc.research.commands.steps.common import tree_facts
from noc.research.papers.faults import Delivery, broadcast_blocks
from noc.trees import Tree, TreeFamily, algorithms_on

__all__ = ["EXAMPLES", "configure", "run"]

EXAMPLES = ("noc steps faults uhc:6 --random 2",)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    usual = f"arc-disjoint trees where the network has some, or else {arguments.USUAL_TREE}"
    arguments.add_tree_options(parser, chosen=usual)
    arguments.add_number(
        parser,
        "--ready F",
        help="the number of faults that the copies must survive (default: the number of trees - 1)",
    )
    parser.add_argument(
        "--faulty-node",
        metavar="LABEL",
        action="append",
        default=[],
        help="a node that transmits nothing; may be repeated",
    )
    parser.add_argument(
        "--faulty-link",
        metavar=("FROM", "TO"),
        nargs=2,
        action="append",
        default=[],
        help="a link that transmits nothing; may be repeated",
    )
    arguments.add_number(
        parser,
        "--random N",
        default=0,
        help="add N faulty links or nodes other than the root, chosen at random (default: 0)",
    )
    arguments.add_number(parser, "--seed S", default=0, help="the seed of --random (default: 0)")


def run(options: argparse.Namespace) -> Result:
    """Play it; status 1 if a healthy node lacks a block."""
    net, asked = build_network(options.spec), options.algorithm
    family = _family(_build(options, net))
    count = len(family.trees)
    ready = count - 1 if options.ready is None else options.ready
    if ready >= count:
        several = f"{count} trees of {family.algorithm} survive at most {count - 1} faults"
        one = f"the only tree of {family.algorithm} survives no fault"
        raise InputError(f"--ready {ready}: {several if count > 1 else one}")
    nodes = arguments.nodes_of(net, options.faulty_node, option="--faulty-node")
    if family.root in nodes:
        raise InputError(
            f"--faulty-node {net.label(family.root)}: the root must be healthy; choose another "
            "node, or another --root"
        )
    links = [link for ends in options.faulty_link for link in _links(net, ends)]
    _draw(net, family.root, options.random, options.seed, nodes, links)
    result = broadcast_blocks(family, ready, faulty_nodes=nodes, faulty_links=links)
    if asked is None and count == 1:
        hint(f"one tree survives no fault; no algorithm gives {net.spec} arc-disjoint trees")
    document = _facts(result, ready) | _tables(result, nodes, links)
    return Result(document, status=0 if result.complete else 1)


def _build(options: argparse.Namespace, net: Network) -> Tree | TreeFamily:
    """The trees of ``--algorithm``, or else arc-disjoint ones, or else the usual tree."""
    if options.algorithm is None:
        for algorithm in algorithms_on(net):
            if algorithm.arc_disjoint and options.ports in (None, *algorithm.models):
                options.algorithm = algorithm.name
                # It may be defined on some members of the family only.
                with suppress(InputError):
                    return arguments.build_tree(options, net)
        options.algorithm = arguments.USUAL_TREE
    return arguments.build_tree(options, net)


def _family(trees: Tree | TreeFamily) -> TreeFamily:
    """The trees; a single one is a family too, which survives no fault."""
    if isinstance(trees, TreeFamily):
        return trees
    return TreeFamily(trees.network, trees.algorithm, trees.ports, trees.root, (trees,))


def _links(net: Network, ends: list[str]) -> list[tuple[int, int]]:
    """Every link between two nodes in this direction, as (node, out-port)."""
    here, there = arguments.nodes_of(net, ends, option="--faulty-link")
    ports = np.flatnonzero(net.neighbour[here] == there).tolist()
    if not ports:
        raise InputError(
            f"--faulty-link {' '.join(ends)}: {net.spec} has no such link; 'noc tree {net.spec}' "
            "shows some"
        )
    return [(here, port) for port in ports]


def _draw(
    net: Network,
    root: int,
    count: int,
    seed: int,
    nodes: list[int],
    links: list[tuple[int, int]],
) -> None:
    """Add faults that are drawn by lot."""
    others = [node for node in range(net.nodes) if node != root and node not in nodes]
    present = np.argwhere(net.neighbour >= 0).tolist()
    healthy = [(node, port) for node, port in present if (node, port) not in links]
    if count > len(others) + len(healthy):
        raise InputError(
            f"--random {count}: {net.spec} has {len(others) + len(healthy)} links and nodes left"
        )
    for choice in Random(seed).sample(range(len(others) + len(healthy)), count):
        if choice < len(others):
            nodes.append(others[choice])
        else:
            links.append(healthy[choice - len(others)])


def _facts(result: Delivery, ready: int) -> dict[str, object]:
    copies = np.delete(result.copies, result.family.root, axis=1)
    copies = copies[:, np.delete(result.healthy, result.family.root)]
    return {
        **tree_facts(result.family),
        "root": result.family.network.label(result.family.root),
        "ready": ready,
        "blocks": len(result.family.trees),
        "steps": result.steps,
        "fewest_copies": int(copies.min()),
        "most_copies": int(copies.max()),
        "complete": result.complete,
    }


def _tables(result: Delivery, nodes: list[int], links: list[tuple[int, int]]) -> dict[str, object]:
    """What is faulty, and what is missing."""
    net = result.family.network
    ends = [("node", node, "") for node in nodes]
    ends += [("link", node, net.label(int(net.neighbour[node, port]))) for node, port in links]
    faulty = [{"faulty": what, "from": net.label(node), "to": to} for what, node, to in ends]
    missing = ({"missing_block": block, "node": net.label(node)} for block, node in result.missing)
    return {"faults": Table(faulty), "missing": Table(missing)}
