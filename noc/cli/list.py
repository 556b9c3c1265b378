"""List the network families, tree algorithms, traffic patterns and operators.

List the network families with their parameters, the tree algorithms, the traffic patterns and the
operators. Use the names as SPEC, --algorithm, --traffic and in --operations of the other commands.
"""

import argparse
from collections.abc import Iterator
from typing import Any

from noc.cli import output
from noc.cli.output import Result
from noc.cli.parsers import declare
from noc.model import TRAFFIC
from noc.model.traffic import OF_VERIFY
from noc.networks import FAMILIES
from noc.programs.operators import OPERATORS
from noc.registry import Registry
from noc.trees import ALGORITHMS

EXAMPLES = ("noc list",)

_Document = dict[str, list[dict[str, Any]]]


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    declare(parser, "--json")


def run(_: argparse.Namespace) -> Result:
    """The four lists."""
    networks = _list(
        FAMILIES, parameters="signature", allowed="allowed", example="example", summary="summary"
    )
    algorithms = _list(
        ALGORITHMS, ports="models", networks="families", summary="summary", paper="paper"
    )
    operators = _list(OPERATORS, summary="summary", latency="latency")
    document: _Document = {"networks": networks, "algorithms": algorithms}
    document |= {"traffic": _traffic(), "operators": operators}
    return Result(document, _text(document))


def _list(registry: Registry[Any], **shown: str) -> list[dict[str, Any]]:
    """Of all entries the attributes that are shown, by the names of these for users."""
    return [
        {
            "name": name,
            **{key: getattr(entry, attribute) for key, attribute in shown.items()},
            "plugin": registry.plugin_of(name),
        }
        for name, entry in registry.items()
    ]


def _text(document: _Document) -> Iterator[str]:
    networks = [
        (f"{each['name']}:{each['parameters']}", each["example"], each["summary"])
        for each in document["networks"]
    ]
    yield output.table(("network", "example", "what it is"), networks)
    algorithms = [
        (each.name, " or ".join(each.models), each.networks, each.summary)
        for each in ALGORITHMS.values()
    ]
    yield output.table(("algorithm", "ports", "networks", "what it gives"), algorithms)
    heads = {"traffic": "what is sent", "operators": "what it makes of two words"}
    for name, what in heads.items():
        rows = [(each["name"], each["summary"]) for each in document[name]]
        yield output.table((name.removesuffix("s"), what), rows)


def _traffic() -> list[dict[str, Any]]:
    from noc.verify.runs import SUMMARIES

    summaries = OF_VERIFY | {pattern.name: pattern.summary for pattern in TRAFFIC.values()}
    for name, what in SUMMARIES.items():
        alone = f"{summaries[name]}; " if name in summaries else ""
        summaries[name] = f"{alone}with --operations, {what}"
    return [
        {"name": name, "summary": summary, "plugin": TRAFFIC.plugin_of(name)}
        for name, summary in summaries.items()
    ]
