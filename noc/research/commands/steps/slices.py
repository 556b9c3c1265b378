"""Send a message in segments along one tree or several, and find the best number.

Sliced messages: the segments of a message follow one another along one tree, or in turn along
several.
"""

import argparse
from functools import cache

from noc.cli import arguments
from noc.cli.output import Result, Table
from noc.errors import InputError
from noc.model.steps.slices import best_slicing, pipelined, slicings
from noc.research.commands.steps.common import add_cost, chosen_cost, tree_facts

__all__ = ["EXAMPLES", "configure", "run"]

EXAMPLES = ("noc steps slices uhc:6 --algorithm adst",)

# Beyond so many segments a search by playing them all takes long.
MOST = 600


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_tree_options(parser)
    arguments.add_number(
        parser, "--segments P", help="the number of segments (default: the best, found by trying)"
    )
    add_cost(parser)


def run(options: argparse.Namespace) -> Result:
    """Play it, with the best number of segments or another."""
    trees = arguments.build_tree(options)
    cost, length = chosen_cost(options), options.length

    @cache
    def steps(segments: int) -> int:
        return pipelined(trees, segments, trees.ports).steps

    def time(segments: int) -> float:
        return steps(segments) * cost.hop_time(length / segments)

    count = options.segments
    if count is None:
        several = len(trees.trees)
        tried = slicings(several, steps(several), cost, length)
        if tried[-1] > MOST:
            raise InputError(
                f"--length {length:g}: the best number of segments is sought up to {MOST}, and "
                "may be greater here; choose a larger --start-up, or --segments"
            )
        count = best_slicing(steps, tried, cost, length)[0]
    elif count == 0:
        raise InputError("--segments 0: at least 1 is needed")
    step = len(trees.trees)
    around = sorted({1, *(count + k * step for k in (-2, -1, 0, 1, 2))})
    # The numbers of segments around it, and the message in one piece.
    compared = (
        {"segments": other, "steps": steps(other), "time": time(other)}
        for other in around
        if other > 0
    )
    document = {
        **tree_facts(trees),
        "root": trees.network.label(trees.root),
        "length": length,
        "segments": count,
        "packet_size": length / count,
        "steps": steps(count),
        "time": time(count),
        "best": options.segments is None,
        "compared": Table(compared),
    }
    return Result(document)
