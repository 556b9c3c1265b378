"""Send a word of its own from one root to every node.

Scatter, or personalised broadcast: the root sends a word of its own to every other node.
"""

import argparse
from collections.abc import Iterator
from typing import get_args

from noc.cli import arguments, output
from noc.cli.output import Result, Table
from noc.errors import InputError
from noc.networks import build_network
from noc.research.commands.steps.common import tree_facts
from noc.research.papers.scatter import Order, Scatter, quickest_tree, scatter
from noc.trees import Ports, Tree, find_algorithm

__all__ = ["EXAMPLES", "configure", "run"]

EXAMPLES = ("noc steps scatter star:4",)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_tree_options(parser, chosen="even or balanced, whichever takes fewer steps")
    parser.add_argument(
        "--order",
        choices=get_args(Order),
        default="furthest-first",
        help="the order of the words that leave the root by one port (default: furthest-first, the "
        "fastest)",
    )


def run(options: argparse.Namespace) -> Result:
    """Play it."""
    net = build_network(options.spec)
    ports: Ports = options.ports or "all"
    if options.algorithm is not None:
        chosen = find_algorithm(net, options.algorithm)
        ports = options.ports or chosen.models[0]
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
    hints = [better] if fewer < result.steps else []
    facts = {
        **tree_facts(tree),
        "root": tree.network.label(tree.root),
        "order": result.order,
        "steps": result.steps,
        "lower_bound": result.lower_bound,
        "hops": result.hops,
    }
    branches = Table(_branches(result))
    document = facts | {"branches": branches, "receipts": _receipts(result)}
    return Result(document, [output.words(facts), branches], hints)


def _branches(result: Scatter) -> Iterator[dict[str, object]]:
    """The root's ports and how many words each carries."""
    names = result.tree.network.out_ports
    for port, words in sorted(result.load.items()):
        yield {"root's_port": names[port], "words": words}


def _receipts(result: Scatter) -> Iterator[dict[str, object]]:
    for node, step in enumerate(result.received.tolist()):
        if node != result.tree.root:
            yield {"node": result.tree.network.label(node), "step": step}
