"""Send a message from every node to all other nodes.

All-to-all: every node broadcasts a message along its own tree or trees.
"""

import argparse
from functools import partial

from noc.cli import arguments, output
from noc.cli.output import Result
from noc.model.steps.all_to_all import AllToAll, all_to_all
from noc.networks import Network, build_network, memory
from noc.research.commands.steps.common import add_cost, chosen_cost, tree_facts
from noc.research.papers.scatter import all_to_all_bound
from noc.trees import Ports, TreeFamily, build_trees

__all__ = ["EXAMPLES", "configure", "run"]

EXAMPLES = ("noc steps all-to-all nk-star:4,2 --algorithm greedy",)

#: What is played where no algorithm is named; which is quicker depends on the network.
USUAL = ("even", "shortest")

# What the step model keeps of each hop of each word, with the copies it makes of it.
BYTES_A_HOP = 150


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_tree_options(
        parser, root=False, chosen=f"{' or '.join(USUAL)}, whichever takes fewer steps"
    )
    parser.add_argument(
        "--combine",
        action="store_true",
        help="send all words that wait for the same link in one packet",
    )
    add_cost(parser)


def run(options: argparse.Namespace) -> Result:
    """Play it."""
    net = build_network(options.spec)
    sources, result = _play(net, options)
    load = result.outcome.load[net.neighbour >= 0] / result.segments
    facts = {
        **tree_facts(sources[0]),
        "combine": options.combine,
        "steps": result.steps,
        "lower_bound": all_to_all_bound(
            net, sources[0].ports, segments=result.segments, combine=options.combine
        ),
        "transmission": result.messages,
        "busiest_link": float(load.max()),
        "mean_link": float(load.mean()),
        "time": result.time(chosen_cost(options), options.length),
    }
    return Result(facts)


def _play(net: Network, options: argparse.Namespace) -> tuple[list[TreeFamily], AllToAll]:
    """The trees of all nodes, and what they gave: of several algorithms, with the fewest steps."""
    runs = []
    for algorithm in USUAL if options.algorithm is None else [options.algorithm]:
        sources = _trees_of_all(net, algorithm, options.ports)
        runs.append((sources, all_to_all(sources, sources[0].ports, combine=options.combine)))
    return min(runs, key=lambda run: run[1].steps)


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
