"""Count the steps of scatter, all-to-all, sliced messages and faults in the papers' model.

Count the steps of a communication in the papers' step model, on the trees of any algorithm.
"""

import argparse
from contextlib import suppress
from functools import cache, partial
from random import Random
from typing import Any, get_args

import numpy as np

from noc.cli import arguments, output
from noc.cli.output import Result, Table
from noc.cli.parsers import CommandParser, add_command, add_option, declare, positive_number
from noc.errors import InputError
from noc.networks import Network, build_network, memory
from noc.networks.named import Link, links_between
from noc.research.commands import survival, timetables
from noc.research.commands.plays import Plays, play
from noc.research.papers.all_to_all import AllToAll, all_to_all
from noc.research.papers.cost import LinearCost
from noc.research.papers.faults import broadcast_blocks
from noc.research.papers.scatter import Order, quickest_tree, scatter
from noc.research.papers.slices import best_slicing, pipelined, slicings
from noc.trees import Ports, Tree, TreeFamily, algorithms_on, build_trees, find_algorithm
from noc.trees.bounds import all_to_all_bound

GROUP = "follow the papers"

EXAMPLES = ("noc steps scatter star:4", "noc steps slices uhc:6 --algorithm adst")

#: The trees of an all-to-all where no algorithm is named; which are quicker depends on the network.
USUAL = ("even", "shortest")

# What the step model keeps of each hop of each word of an all-to-all, with the copies it makes.
BYTES_A_HOP = 150

# Beyond this many segments a search by playing them all takes long.
MOST_SEGMENTS = 600


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    plays = parser.add_subparsers(
        dest="play", metavar="PLAY", required=True, parser_class=CommandParser
    )
    for name, one in (PLAYS | survival.PLAYS | timetables.PLAYS).items():
        command = add_command(plays, name, one)
        arguments.add_spec(command)
        declare(command, "--json")
        arguments.add_plugins(command, "plugins_of_play")


#: What is played on trees.
PLAYS: Plays = {}

_play = partial(play, PLAYS)


def _add_cost(parser: argparse.ArgumentParser) -> None:
    """The linear cost model: the message, and what a packet of it takes on a link."""
    declare(
        parser,
        """
        --length L  bytes of a whole message (default: 1200)
        --start-up T  time to start a packet on a link, whatever its size (default: 25)
        --per-byte T  time for each byte of a packet on a link (default: 1)
        """,
        length={"type": positive_number, "default": 1200.0},
        start_up={"type": positive_number, "default": 25.0},
        per_byte={"type": positive_number, "default": 1.0},
    )


def _tree_facts(trees: Tree | TreeFamily) -> dict[str, Any]:
    """What a reader of results must know of the tree, or the trees, that carry the words."""
    return {
        "network": trees.network.spec,
        "nodes": trees.network.nodes,
        "algorithm": trees.algorithm,
        "ports": trees.ports,
        "trees": len(trees.trees),
        "height": trees.height,
    }


def _add_scatter(parser: argparse.ArgumentParser) -> None:
    arguments.add_tree_options(parser, chosen="even or balanced, whichever takes fewer steps")
    add_option(
        parser,
        "--order",
        "the order of the words that leave the root by one port (default: furthest-first, the "
        "fastest)",
        choices=get_args(Order),
        default="furthest-first",
    )


@_play("noc steps scatter star:4", _add_scatter)
def _scatter(options: argparse.Namespace) -> Result:
    """Send a word of its own from one root to every node.

    Scatter, or personalised broadcast: the root sends a word of its own to every other node.
    """
    net = build_network(options.spec)
    ports: Ports = options.ports or "all"
    if options.algorithm is not None:
        ports = options.ports or find_algorithm(net, options.algorithm).models[0]
    quickest = quickest_tree(net, arguments.chosen_root(net, options.root), ports)
    tree = quickest if options.algorithm is None else arguments.build_tree(options, net)
    if not isinstance(tree, Tree):
        raise InputError(
            f"--algorithm {options.algorithm}: gives {len(tree.trees)} trees, and a scatter goes "
            "down one; choose another"
        )
    result = scatter(tree, options.order)
    fewer = scatter(quickest, options.order).steps
    better = f"--algorithm {quickest.algorithm} takes {fewer} steps instead of {result.steps}"
    facts = {
        **_tree_facts(tree),
        "root": net.label(tree.root),
        "order": result.order,
        "steps": result.steps,
        "lower_bound": result.lower_bound,
        "hops": result.hops,
    }
    load = sorted(result.load.items())
    branches = Table([{"root's_port": net.out_ports[port], "words": n} for port, n in load])
    receipts = (
        {"node": net.label(node), "step": step}
        for node, step in enumerate(result.received.tolist())
        if node != tree.root
    )
    return Result(
        facts | {"branches": branches, "receipts": receipts},
        [output.words(facts), branches],
        [better] if fewer < result.steps else [],
    )


def _add_all_to_all(parser: argparse.ArgumentParser) -> None:
    chosen = f"{' or '.join(USUAL)}, whichever takes fewer steps"
    arguments.add_tree_options(parser, root=False, chosen=chosen)
    add_option(parser, "--combine", "send all words that wait for the same link in one packet")
    _add_cost(parser)


@_play("noc steps all-to-all nk-star:4,2 --algorithm greedy", _add_all_to_all)
def _all_to_all(options: argparse.Namespace) -> Result:
    """Send a message from every node to all other nodes.

    All-to-all: every node broadcasts a message along its own tree or trees.
    """
    net = build_network(options.spec)
    runs: list[tuple[list[TreeFamily], AllToAll]] = []
    for algorithm in USUAL if options.algorithm is None else [options.algorithm]:
        sources = _trees_of_all(net, algorithm, options.ports)
        runs.append((sources, all_to_all(sources, sources[0].ports, combine=options.combine)))
    sources, result = min(runs, key=lambda run: run[1].steps)
    load = result.outcome.load[net.neighbour >= 0] / result.segments
    bound = all_to_all_bound(
        net, sources[0].ports, segments=result.segments, combine=options.combine
    )
    facts = {
        **_tree_facts(sources[0]),
        "combine": options.combine,
        "steps": result.steps,
        "lower_bound": bound,
        "transmission": result.messages,
        "busiest_link": float(load.max()),
        "mean_link": float(load.mean()),
        "time": result.time(LinearCost(options.start_up, options.per_byte), options.length),
    }
    return Result(facts)


def _trees_of_all(net: Network, algorithm: str, ports: Ports | None) -> list[TreeFamily]:
    """The tree, or the trees, of every node."""
    first = build_trees(net, algorithm, ports=ports)
    memory.require(
        BYTES_A_HOP * net.nodes**2 * len(first.trees),
        purpose=f"all-to-all on {net.spec}",
        remedy="choose a smaller network",
    )
    others = output.watched(range(1, net.nodes), "trees of all nodes")
    build = partial(build_trees, net, algorithm, ports=first.ports)
    return [first, *(build(root=root) for root in others)]


def _add_slices(parser: argparse.ArgumentParser) -> None:
    arguments.add_tree_options(parser)
    shown = "the number of segments (default: the best, found by trying)"
    add_option(parser, "--segments P", shown)
    _add_cost(parser)


@_play("noc steps slices uhc:6 --algorithm adst", _add_slices)
def _slices(options: argparse.Namespace) -> Result:
    """Send a message in segments along one tree or several, and find the best number.

    Sliced messages: the segments of a message follow one another along one tree, or in turn along
    several.
    """
    trees, length = arguments.build_tree(options), options.length
    cost = LinearCost(options.start_up, options.per_byte)

    @cache
    def steps(segments: int) -> int:
        return pipelined(trees, segments, trees.ports).steps

    def time(segments: int) -> float:
        return steps(segments) * cost.hop_time(length / segments)

    count, several = options.segments, len(trees.trees)
    if count is None:
        tried = slicings(several, steps(several), cost, length)
        if tried[-1] > MOST_SEGMENTS:
            raise InputError(
                f"--length {length:g}: the best number of segments is sought up to "
                f"{MOST_SEGMENTS}, and may be greater here; choose a larger --start-up, or "
                "--segments"
            )
        count = best_slicing(steps, tried, cost, length)[0]
    arguments.check_positive(options, "segments")
    # The numbers of segments around it, and the message in one piece.
    around = sorted({1, *(count + k * several for k in (-2, -1, 0, 1, 2))})
    document = {
        **_tree_facts(trees),
        "root": trees.network.label(trees.root),
        "length": length,
        "segments": count,
        "packet_size": length / count,
        "steps": steps(count),
        "time": time(count),
        "best": options.segments is None,
        "compared": Table(
            {"segments": other, "steps": steps(other), "time": time(other)}
            for other in around
            if other > 0
        ),
    }
    return Result(document)


def _add_faults(parser: argparse.ArgumentParser) -> None:
    usual = f"arc-disjoint trees where the network has some, or else {arguments.USUAL_TREE}"
    arguments.add_tree_options(parser, chosen=usual)
    repeated = {"action": "append", "default": []}
    declare(
        parser,
        """
        --ready F  the number of faults that the copies must survive (default: the number of trees
            - 1)
        --faulty-node LABEL  a node that transmits nothing; may be repeated
        --faulty-link FROM TO  a link that transmits nothing; may be repeated
        --random N  add N faulty links or nodes other than the root, chosen at random (default: 0)
        --seed S  the seed of --random (default: 0)
        """,
        faulty_node=repeated,
        faulty_link={"nargs": 2, "metavar": ("FROM", "TO"), **repeated},
        random={"default": 0},
        seed={"default": 0},
    )


@_play("noc steps faults uhc:6 --random 2", _add_faults)
def _faults(options: argparse.Namespace) -> Result:
    """Send copies of a message along arc-disjoint trees past faulty links and nodes.

    Faults: each block of a message travels along several arc-disjoint trees, so that copies survive
    faulty links and nodes. A single tree survives none. The exit status is 1 if a healthy node
    lacks a block.
    """
    net, named = build_network(options.spec), options.algorithm is not None
    trees = _disjoint_trees(options, net)
    family = trees if isinstance(trees, TreeFamily) else TreeFamily.of(trees)
    count = len(family.trees)
    ready = count - 1 if options.ready is None else options.ready
    nodes = arguments.nodes_of(net, options.faulty_node, option="--faulty-node")
    links = [link for ends in options.faulty_link for link in _links(net, ends)]
    _draw(options, net, family.root, nodes, links)
    result = broadcast_blocks(family, ready, faulty_nodes=nodes, faulty_links=links)
    if not named and count == 1:
        output.hint(f"one tree survives no fault; no algorithm gives {net.spec} arc-disjoint trees")
    copies = np.delete(result.copies, family.root, axis=1)
    copies = copies[:, np.delete(result.healthy, family.root)]
    faulty = [("node", node, "") for node in nodes]
    faulty += [("link", node, net.label(int(net.neighbour[node, port]))) for node, port in links]
    document = {
        **_tree_facts(family),
        "root": net.label(family.root),
        "ready": ready,
        "blocks": count,
        "steps": result.steps,
        "fewest_copies": int(copies.min()),
        "most_copies": int(copies.max()),
        "complete": result.complete,
        "faults": Table(
            [{"faulty": what, "from": net.label(node), "to": to} for what, node, to in faulty]
        ),
        "missing": Table(
            {"missing_block": block, "node": net.label(node)} for block, node in result.missing
        ),
    }
    return Result(document, status=0 if result.complete else 1)


def _disjoint_trees(options: argparse.Namespace, net: Network) -> Tree | TreeFamily:
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


def _links(net: Network, ends: list[str]) -> list[Link]:
    """Every link between two nodes in this direction."""
    sender, receiver = arguments.nodes_of(net, ends, option="--faulty-link")
    links = sorted(links_between(net, sender, receiver))
    if not links:
        raise InputError(
            f"--faulty-link {' '.join(ends)}: {net.spec} has no such link; 'noc tree {net.spec}' "
            "shows some"
        )
    return links


def _draw(
    options: argparse.Namespace, net: Network, root: int, nodes: list[int], links: list[Link]
) -> None:
    """Add faults that are drawn by lot."""
    count, others = options.random, [v for v in range(net.nodes) if v != root and v not in nodes]
    present = np.argwhere(net.neighbour >= 0).tolist()
    healthy = [(node, port) for node, port in present if (node, port) not in links]
    left = len(others) + len(healthy)
    if count > left:
        raise InputError(f"--random {count}: {net.spec} has {left} links and nodes left")
    for choice in Random(options.seed).sample(range(left), count):
        if choice < len(others):
            nodes.append(others[choice])
        else:
            links.append(healthy[choice - len(others)])
