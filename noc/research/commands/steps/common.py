"""What the plays of ``noc steps`` share."""

import argparse
from typing import Any

from noc.cli import arguments
from noc.model.steps.cost import LinearCost
from noc.trees import Tree, TreeFamily

__all__ = ["add_cost", "chosen_cost", "tree_facts"]

# What the cost options stand at unless said otherwise: bytes, and times in one unit.
LENGTH, START_UP, PER_BYTE = 1200.0, 25.0, 1.0


def add_cost(parser: argparse.ArgumentParser) -> None:
    """The linear cost model: the message, and what a packet of it takes on a link."""
    for name, metavar, usual, what in (
        ("--length", "L", LENGTH, "bytes of a whole message"),
        ("--start-up", "T", START_UP, "time to start a packet on a link, whatever its size"),
        ("--per-byte", "T", PER_BYTE, "time for each byte of a packet on a link"),
    ):
        parser.add_argument(
            name,
            metavar=metavar,
            type=arguments.positive_number,
            default=usual,
            help=f"{what} (default: {usual:g})",
        )


def chosen_cost(options: argparse.Namespace) -> LinearCost:
    """The cost that the options describe."""
    return LinearCost(options.start_up, options.per_byte)


def tree_facts(trees: Tree | TreeFamily) -> dict[str, Any]:
    """What a reader of results must know of the tree, or the trees, that carry the words."""
    return {
        "network": trees.network.spec,
        "nodes": trees.network.nodes,
        "algorithm": trees.algorithm,
        "ports": trees.ports,
        "trees": len(trees.trees),
        "height": trees.height,
    }
