"""``noc steps``: what communication takes in the papers' step model, for any tree or trees."""

import argparse

from noc.cli import arguments
from noc.cli.steps import all_to_all, faults, scatter, slices

__all__ = ["HELP", "configure", "run"]

HELP = "scatter, all-to-all, sliced messages and faults in the papers' step model"

#: What can be played, each as a module like those of the commands.
PLAYS = {"scatter": scatter, "all-to-all": all_to_all, "slices": slices, "faults": faults}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    plays = parser.add_subparsers(
        dest="play", metavar="PLAY", required=True, parser_class=arguments.CommandParser
    )
    for name, module in PLAYS.items():
        play = plays.add_parser(
            name, help=module.HELP, description=module.__doc__, allow_abbrev=False
        )
        arguments.add_spec(play)
        module.configure(play)
        arguments.add_json(play)


def run(options: argparse.Namespace) -> int:
    """Play it and print."""
    return int(PLAYS[options.play].run(options))
