"""Count the steps of scatter, all-to-all, sliced messages and faults in the papers' model.

Count the steps of a communication in the papers' step model, on the trees of any algorithm.
"""

import argparse

from noc.cli import arguments
from noc.research.commands.steps import all_to_all, faults, scatter, slices

__all__ = ["EXAMPLES", "GROUP", "configure"]

GROUP = "follow the papers"

EXAMPLES = ("noc steps scatter star:4", "noc steps slices uhc:6 --algorithm adst")

#: What can be played, each as a module like those of the commands.
PLAYS = {"scatter": scatter, "all-to-all": all_to_all, "slices": slices, "faults": faults}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    plays = parser.add_subparsers(
        dest="play", metavar="PLAY", required=True, parser_class=arguments.CommandParser
    )
    for name, module in PLAYS.items():
        play = arguments.add_command(plays, name, module)
        arguments.add_spec(play)
        arguments.add_json(play)
        arguments.add_plugins(play, "plugins_of_play")
