"""The options that choose runs: which words are sent, and when the sinks take them."""

import argparse
from typing import TYPE_CHECKING

from noc.cli import arguments
from noc.errors import InputError

if TYPE_CHECKING:
    from noc.design import AnyDesign
    from noc.verify import Run

__all__ = ["add_traffic", "build_runs", "check_limits"]


def add_traffic(parser: argparse.ArgumentParser, *, usual: str | None, usually: str) -> None:
    """Declare the arguments.

    Parameters
    ----------
    parser : ArgumentParser
        To which they are added.
    usual : str or None
        The traffic where none is asked for.
    usually : str
        What that is, in words.
    """
    parser.add_argument(
        "--traffic",
        metavar="T[:SINKS],…",
        default=usual,
        help="the traffic (single, back-to-back, full, dense, sparse, endless or that of a "
        "plug-in) and when sinks are ready (always, half, rarely, bursty, moving-stall, one-slow, "
        f"phases) (default: {usually})",
    )
    arguments.add_number(parser, "--words N", help="words that each source sends in a run")
    arguments.add_number(parser, "--cycles N", help="end every run after N cycles")
    arguments.add_number(
        parser,
        "--seed S",
        default=0,
        help="the seed of sources, pauses, payloads and stalls (default: 0)",
    )


def check_limits(options: argparse.Namespace) -> None:
    """Refuse runs without words or cycles."""
    for name in ("words", "cycles"):
        if getattr(options, name) == 0:
            raise InputError(f"--{name} 0: at least 1 is needed")


def build_runs(options: argparse.Namespace, design: "AnyDesign") -> "list[Run]":
    """The runs that the options describe."""
    from noc.verify import name_runs

    check_limits(options)
    limits = {"words": options.words, "cycles": options.cycles}
    return name_runs(design, options.traffic, seed=options.seed, **limits)
