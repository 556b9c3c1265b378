"""What the commands share on the command line: a parser that errs in one line, and options."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from noc.cli import output
from noc.errors import InputError
from noc.networks import Network, network
from noc.programs.classes import FEWEST, METHODS
from noc.trees import Ports, Tree, TreeFamily, tree

if TYPE_CHECKING:
    from noc.design import Design

__all__ = [
    "CommandParser",
    "OneLineParser",
    "add_design_options",
    "add_json",
    "add_spec",
    "add_specs",
    "add_tree_options",
    "build_design",
    "build_tree",
    "chosen_root",
    "megahertz",
    "nodes_of",
    "path_name",
    "ports_of",
    "whole_number",
]


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the usage, and exits with status 2."""

    def error(self, message: str) -> NoReturn:
        """Report unusable arguments."""
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


class CommandParser(OneLineParser):
    """Refuses by itself what a command does not know, in the name of the command."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Leave nothing to the parser of all commands, which would speak for itself."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown


def add_spec(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """The network."""
    parser.add_argument(
        "spec", metavar="SPEC", nargs="?" if optional else None, help=f"the network, {_SPELLED}"
    )


def add_specs(parser: argparse.ArgumentParser) -> None:
    """One network or several."""
    parser.add_argument(
        "spec", metavar="SPEC", nargs="+", help=f"the network, or several, {_SPELLED}"
    )


_SPELLED = (
    "as NAME:PARAMETERS, for instance star:5, scc:4, uhc:6,negative or file:PATH; 'noc list' names "
    "them all"
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


def add_design_options(parser: argparse.ArgumentParser) -> None:
    """The options that decide the hardware."""
    parser.add_argument(
        "--sources",
        choices=("all", "one"),
        default="all",
        help="whether all nodes may send at the same time, or one at a time, which is smaller "
        "(default: all)",
    )
    parser.add_argument(
        "--classes",
        choices=(FEWEST, *METHODS),
        default=FEWEST,
        help="how words are given classes, so that all sources can send at once; 'noc classes' "
        "compares them (default: fewest)",
    )
    parser.add_argument(
        "--width",
        metavar="W",
        type=whole_number,
        default=32,
        help="bits of a word's payload, 1 to 512 (default: 32)",
    )
    parser.add_argument(
        "--hop-cycles",
        type=int,
        choices=(1, 2),
        default=1,
        help="cycles of a hop; with 2, every link has registers, for a higher clock of large "
        "networks; for one source at a time (default: 1)",
    )
    parser.add_argument(
        "--rom",
        choices=("logic", "block"),
        default="logic",
        help="whether the routers' tables are logic or block RAM (default: logic)",
    )
    parser.add_argument(
        "--queue",
        metavar="N",
        type=whole_number,
        default=0,
        help="words that can wait for the sink of a node outside of its router, 0 to 1024 "
        "(default: 0)",
    )


def megahertz(text: str) -> float:
    """A clock."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 1 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r}: from 1 to 1000 MHz are allowed")
    return value


def path_name(text: str) -> Path:
    """A file or a folder; an empty name would be the folder where one works."""
    if not text:
        raise argparse.ArgumentTypeError("a name is needed, and this one is empty")
    return Path(text)


def whole_number(text: str) -> int:
    """A number without a sign."""
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)


def build_design(options: argparse.Namespace) -> "Design":
    """The design that the options describe."""
    from noc.design import check_width, design
    from noc.programs.form import Form

    check_width(options.width)
    return design(
        network(options.spec),
        options.algorithm,
        ports=ports_of(options.ports, options.algorithm),
        sources=options.sources,
        classes=options.classes,
        width=options.width,
        form=Form(options.hop_cycles, options.rom, options.queue),
        progress=output.progress_bar("trees of all sources"),
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
