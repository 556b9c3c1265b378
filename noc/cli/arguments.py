"""What the commands share on the command line: a parser that errs in one line, and options."""

import argparse
from collections.abc import Sequence
from typing import NoReturn

from noc.errors import InputError
from noc.networks import Network, network
from noc.trees import Ports, Tree, TreeFamily, tree

__all__ = [
    "OneLineParser",
    "add_json",
    "add_spec",
    "add_tree_options",
    "build_tree",
    "chosen_root",
    "nodes_of",
    "ports_of",
]


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the usage, and exits with status 2."""

    def error(self, message: str) -> NoReturn:
        """Report unusable arguments."""
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def add_spec(parser: argparse.ArgumentParser) -> None:
    """The network."""
    parser.add_argument(
        "spec",
        metavar="SPEC",
        help="the network, as NAME:PARAMETERS, for instance star:5, scc:4, uhc:6,negative or "
        "file:PATH; 'noc list' names them all",
    )


def add_json(parser: argparse.ArgumentParser) -> None:
    """Output for scripts."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def add_tree_options(parser: argparse.ArgumentParser, *, root: bool = True) -> None:
    """The options that choose a tree."""
    parser.add_argument(
        "--algorithm",
        metavar="A",
        default="shortest",
        help="how to build the tree; 'noc list' names the algorithms (default: shortest)",
    )
    parser.add_argument(
        "--ports",
        choices=("all", "one"),
        help="whether a node may send on all of its ports in a step, or on one "
        "(default: all where the algorithm allows it)",
    )
    if root:
        parser.add_argument(
            "--root", metavar="LABEL", help="the node that sends (default: the first)"
        )


def ports_of(choice: str | None, algorithm: str) -> Ports:
    """The model asked for, or else the first that the algorithm has."""
    from noc.trees import ALGORITHMS

    if choice == "one":
        return "one"
    if choice == "all" or algorithm not in ALGORITHMS:
        return "all"
    return ALGORITHMS[algorithm].models[0]


def nodes_of(net: Network, labels: Sequence[str], *, option: str) -> list[int]:
    """The nodes of some labels; an error names the option they came from."""
    try:
        return [net.node(label) for label in labels]
    except InputError as error:
        raise InputError(f"{option}: {error}") from None


def chosen_root(net: Network, label: str | None) -> int:
    """The node of ``--root``."""
    return 0 if label is None else nodes_of(net, [label], option="--root")[0]


def build_tree(options: argparse.Namespace, net: Network | None = None) -> Tree | TreeFamily:
    """The network and the tree, or the family of trees, that the options describe."""
    net = net or network(options.spec)
    return tree(
        net,
        options.algorithm,
        root=chosen_root(net, options.root),
        ports=ports_of(options.ports, options.algorithm),
    )
