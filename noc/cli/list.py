"""``noc list``: the networks, the algorithms and the traffic."""

import argparse

from noc.cli import arguments, output
from noc.model import TRAFFIC
from noc.networks import FAMILIES
from noc.trees import ALGORITHMS

__all__ = ["DESCRIPTION", "EXAMPLES", "HELP", "configure", "run"]

HELP = "list the network families, tree algorithms and traffic patterns"
DESCRIPTION = (
    "List the network families with their parameters, the tree algorithms and the traffic "
    "patterns. Use the names as SPEC, --algorithm and --traffic of the other commands."
)
EXAMPLES = ("noc list",)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Print the lists."""
    if options.json:
        output.write_json(
            {"networks": _networks(), "algorithms": _algorithms(), "traffic": _traffic()}
        )
        return 0
    rows = [
        (f"{family.name}:{family.signature}", family.example, family.summary)
        for family in FAMILIES.values()
    ]
    print(output.table(("network", "example", "what it is"), rows))
    print()
    entries = [
        (
            algorithm.name,
            " or ".join(algorithm.models),
            algorithm.networks,
            algorithm.summary,
        )
        for algorithm in ALGORITHMS.values()
    ]
    print(output.table(("algorithm", "ports", "networks", "what it gives"), entries))
    print()
    patterns = [(pattern.name, pattern.summary) for pattern in TRAFFIC.values()]
    print(output.table(("traffic", "what is sent"), patterns))
    return 0


def _networks() -> list[dict[str, object]]:
    return [
        {
            "name": family.name,
            "parameters": family.signature,
            "allowed": family.allowed,
            "example": family.example,
            "summary": family.summary,
            "plugin": FAMILIES.plugin_of(family.name),
        }
        for family in FAMILIES.values()
    ]


def _algorithms() -> list[dict[str, object]]:
    return [
        {
            "name": algorithm.name,
            "ports": list(algorithm.models),
            "networks": None if algorithm.families is None else list(algorithm.families),
            "summary": algorithm.summary,
            "paper": algorithm.paper,
            "plugin": ALGORITHMS.plugin_of(algorithm.name),
        }
        for algorithm in ALGORITHMS.values()
    ]


def _traffic() -> list[dict[str, object]]:
    return [
        {
            "name": pattern.name,
            "summary": pattern.summary,
            "plugin": TRAFFIC.plugin_of(pattern.name),
        }
        for pattern in TRAFFIC.values()
    ]
