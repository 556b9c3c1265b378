"""Draw a network, a broadcast tree, or each of its steps.

Draw a broadcast tree by levels, or in its network, or a network by itself, as SVG, PDF or PNG; and
its steps as a file for each, or as a GIF. Each port has its own colour and its own dashes. For
words that move as in the hardware, see 'noc explore'.
"""

import argparse
from functools import partial
from typing import Any

from noc.cli import arguments
from noc.cli.output import Result
from noc.cli.parsers import declare
from noc.errors import InputError
from noc.networks import build_network

EXAMPLES = (
    "noc draw star:4 --algorithm balanced -o star4.svg",
    "noc draw star:4 --algorithm balanced --view network -o star4.pdf",
    "noc draw scc:4 --algorithm fewest-steps --view network -o steps.gif",
    "noc draw uhc:4 --algorithm bt2 -o 'step-{step}.svg'",
    "noc draw torus:4,4 --no-tree -o torus.svg",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    arguments.add_tree_options(parser)
    declare(
        parser,
        """
        --view levels|network  levels: the tree by itself, a level for each hop, or for each step of
            one-port nodes (the default); network: the tree in its network, with the step in which
            each node gets the word
        --no-tree  draw the network alone
        --no-title  leave out the line above that says what is shown
        --font-size POINTS  the size of the names of nodes, with which the whole picture grows
            (default: 7)
        --font NAME  the font, by its name, such as 'serif'
        --size WIDTHxHEIGHT  how large a .png or .gif may be, in pixels: it is as large as fits
            (default: 1920x1080, as a slide, or more where names would be too small to read)
        --dpi DPI  or how many pixels an inch of a .png or .gif has; an inch is 72 points
        -o --output FILE  the file to write, ending in .svg, .pdf or .png; with {step} in its name,
            a file for each step; if it ends in .gif, all steps one after the other
        """,
        size={"type": _size},
        output={"required": True},
    )


def _size(text: str) -> tuple[int, int]:
    """Pixels across and down."""
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and len(text) < 16):
        raise argparse.ArgumentTypeError(f"{text!r}: a size such as 1920x1080 is needed")
    return int(width), int(height)


def run(options: argparse.Namespace) -> Result:
    """Build the tree and draw it."""
    # Here, because the drawing library takes a second to load.
    from noc.draw import Lettering, check_size, check_target, draw, draw_network, save, save_frames
    from noc.draw.files import FRAME, check_pixels

    path = options.output
    check_target(path)
    pixels = {"size": options.size, "dpi": options.dpi}
    check_pixels(path, **pixels)
    asked = {"size": options.font_size, "font": options.font}
    lettering = Lettering(**{name: value for name, value in asked.items() if value is not None})
    network = build_network(options.spec)
    check_size(network)
    steps = path.suffix.lower() == ".gif" or FRAME in path.name
    look: dict[str, Any] = {"title": not options.no_title, "lettering": lettering}
    if options.no_tree:
        _refuse_tree_options(options, steps=steps)
        save(draw_network(network, **look), path, **pixels)
        return Result(text=[f"wrote {path}"])
    tree = arguments.build_tree(options, network)
    shown = partial(draw, tree, view=options.view or "levels", **look)
    if not steps:
        save(shown(), path, **pixels)
        return Result(text=[f"wrote {path}"])
    frames = [partial(shown, step=step) for step in range(tree.steps + 1)]
    lines = [f"wrote {written}" for written in save_frames(frames, path, **pixels)]
    return Result(text=["\n".join(lines)])


def _refuse_tree_options(options: argparse.Namespace, *, steps: bool) -> None:
    """A network alone has no tree to choose, and no steps."""
    usual = {"algorithm": arguments.USUAL_TREE, "ports": None, "root": None, "view": None}
    for name, value in usual.items():
        if getattr(options, name) != value:
            raise InputError(f"--{name}: is for a tree, which --no-tree leaves out")
    if steps:
        raise InputError("-o: steps are those of a tree, which --no-tree leaves out")
