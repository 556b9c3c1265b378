"""``noc draw``: a picture of a broadcast tree."""

import argparse

from noc.cli import arguments
from noc.networks import build_network

__all__ = ["DESCRIPTION", "EXAMPLES", "HELP", "configure", "run"]

HELP = "draw a broadcast tree: nodes by level, links coloured by port"
DESCRIPTION = (
    "Draw a broadcast tree as SVG or PNG. Nodes are arranged by level, and the colour of a link "
    "is that of its port."
)
EXAMPLES = ("noc draw star:4 --algorithm balanced -o star4.svg",)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    arguments.add_tree_options(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=arguments.path_name,
        required=True,
        help="the file to write, ending in .svg or .png",
    )


def run(options: argparse.Namespace) -> int:
    """Build the tree and draw it."""
    # Here, because the drawing library takes a second to load.
    from noc.draw import check_size, check_target, draw

    check_target(options.output)
    net = build_network(options.spec)
    check_size(net)
    tree = arguments.build_tree(options, net)
    draw(tree, options.output)
    print(f"wrote {options.output}")
    return 0
