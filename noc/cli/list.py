"""List the network families, tree algorithms, traffic patterns and operators.

List the network families with their parameters, the tree algorithms, the traffic patterns and the
operators. Use the names as SPEC, --algorithm, --traffic and in --operations of the other commands.
"""

import argparse
from collections.abc import Iterator

from noc.cli import arguments, output
from noc.cli.output import Result
from noc.model import TRAFFIC
from noc.model.traffic import OF_VERIFY
from noc.networks import FAMILIES
from noc.programs.operators import OPERATORS
from noc.trees import ALGORITHMS

__all__ = ["EXAMPLES", "configure", "run"]

EXAMPLES = ("noc list",)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_json(parser)


def run(_: argparse.Namespace) -> Result:
    """The four lists."""
    document = {
        "networks": _networks(),
        "algorithms": _algorithms(),
        "traffic": _traffic(),
        "operators": _operators(),
    }
    return Result(document, _text())


def _text() -> Iterator[str]:
    networks = [(f"{f.name}:{f.signature}", f.example, f.summary) for f in FAMILIES.values()]
    yield output.table(("network", "example", "what it is"), networks)
    algorithms = [
        (each.name, " or ".join(each.models), each.networks, each.summary)
        for each in ALGORITHMS.values()
    ]
    yield output.table(("algorithm", "ports", "networks", "what it gives"), algorithms)
    patterns = [(entry["name"], entry["summary"]) for entry in _traffic()]
    yield output.table(("traffic", "what is sent"), patterns)
    operators = [(operator.name, operator.summary) for operator in OPERATORS.values()]
    yield output.table(("operator", "what it makes of two words"), operators)


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
    from noc.verify.runs import SUMMARIES

    summaries = OF_VERIFY | {pattern.name: pattern.summary for pattern in TRAFFIC.values()}
    for name, what in SUMMARIES.items():
        alone = f"{summaries[name]}; " if name in summaries else ""
        summaries[name] = f"{alone}with --operations, {what}"
    return [
        {"name": name, "summary": summary, "plugin": TRAFFIC.plugin_of(name)}
        for name, summary in summaries.items()
    ]


def _operators() -> list[dict[str, object]]:
    return [
        {
            "name": operator.name,
            "summary": operator.summary,
            "latency": operator.latency,
            "plugin": OPERATORS.plugin_of(operator.name),
        }
        for operator in OPERATORS.values()
    ]
