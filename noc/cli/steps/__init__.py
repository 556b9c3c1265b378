"""``noc steps``: what communication takes in the papers' step model, for any tree or trees."""

import argparse

from noc.cli import arguments
from noc.cli.output import Result
from noc.cli.steps import all_to_all, faults, scatter, slices

__all__ = ["DESCRIPTION", "EXAMPLES", "HELP", "configure", "run"]

HELP = "count the steps of scatter, all-to-all, sliced messages and faults in the papers' model"
DESCRIPTION = (
    "Count the steps of a communication in the papers' step model, on the trees of any algorithm."
)
EXAMPLES = ("noc steps scatter star:4", "noc steps slices uhc:6 --algorithm adst")

#: What can be played, each as a module like those of the commands.
PLAYS = {"scatter": scatter, "all-to-all": all_to_all, "slices": slices, "faults": faults}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    plays = parser.add_subparsers(
        dest="play", metavar="PLAY", required=True, parser_class=arguments.CommandParser
    )
    for name, module in PLAYS.items():
        play = plays.add_parser(
            name,
            help=module.HELP,
            description=module.DESCRIPTION,
            epilog=arguments.examples(module.EXAMPLES),
            allow_abbrev=False,
        )
        arguments.add_spec(play)
        module.configure(play)
        arguments.add_json(play)
        arguments.add_plugins(play, "plugins_of_play")


def run(options: argparse.Namespace) -> Result:
    """Play it."""
    result: Result = PLAYS[options.play].run(options)
    return result
