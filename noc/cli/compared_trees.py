"""What ``noc tree`` says of several algorithms: their trees side by side."""

import csv
import sys
from collections.abc import Callable, Sequence
from typing import Any

from noc.errors import InputError
from noc.networks import Network
from noc.trees import Algorithm, Ports, Tree, TreeFamily, algorithms_on, build_from, find_algorithm

__all__ = ["ALL", "are_several", "chosen_algorithms", "compare_algorithms", "write_csv"]

#: In place of an algorithm: every one that the network has.
ALL = "all"

Row = dict[str, Any]


def compare_algorithms(
    network: Network,
    names: str,
    root: int,
    ports: Ports | None,
    progress: Callable[[float], None] | None = None,
) -> list[Row]:
    """A row for each algorithm and each model that it has, or the one that is asked for."""
    chosen = chosen_algorithms(network, names)
    cases = [(each, model) for each in chosen for model in each.models if ports in (None, model)]
    if not cases:
        raise InputError(f"--ports {ports}: none of the algorithms has such a form")
    rows = []
    for done, (algorithm, model) in enumerate(cases, start=1):
        rows.append(_row(build_from(algorithm, network, root, model)))
        if progress is not None:
            progress(done / len(cases))
    return rows


def write_csv(rows: Sequence[Row]) -> None:
    """The rows, for a spreadsheet."""
    writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def are_several(names: str | None) -> bool:
    """Whether more than one algorithm is asked for."""
    return names is not None and (names == ALL or "," in names)


def chosen_algorithms(network: Network, names: str) -> list[Algorithm]:
    """The algorithms of names with commas between them, or all."""
    if names == ALL:
        return algorithms_on(network)
    return [find_algorithm(network, name) for name in dict.fromkeys(names.split(","))]


def _row(built: Tree | TreeFamily) -> Row:
    branches = max(built.trees, key=lambda tree: tree.balance).branch_sizes.values()
    return {
        "algorithm": built.algorithm,
        "ports": built.ports,
        "trees": len(built.trees),
        "height": built.height,
        "steps": built.steps,
        "largest_branch": max(branches),
        "smallest_branch": min(branches),
        "balance": built.balance,
    }
