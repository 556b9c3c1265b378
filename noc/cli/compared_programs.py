"""What ``noc program`` says of several algorithms: what the routers of each would be."""

import argparse
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from noc.cli import arguments
from noc.cli.compared_trees import ALL, chosen_algorithms
from noc.errors import InputError
from noc.networks import build_network

if TYPE_CHECKING:
    from noc.design import AnyDesign
    from noc.trees import Algorithm

__all__ = ["compare_designs"]


def compare_designs(
    options: argparse.Namespace, progress: Callable[[float], None] | None = None
) -> "tuple[list[AnyDesign], dict[str, str]]":
    """A design for each algorithm and each model that it has, and why others have none.

    Where algorithms are named, all of them must have one.
    """
    network = build_network(options.spec)
    chosen = chosen_algorithms(network, options.algorithm)
    designs: list[AnyDesign] = []
    refused: dict[str, str] = {}
    for done, algorithm in enumerate(chosen, start=1):
        try:
            designs += _designs(options, algorithm)
        except InputError as error:
            if options.algorithm != ALL:
                raise
            refused[algorithm.name] = error.for_command_line()
        if progress is not None:
            progress(done / len(chosen))
    if not designs:
        # Of none of them because of an option of all, such as a label that no node has.
        raise InputError(next(iter(refused.values())))
    return designs, refused


def _designs(options: argparse.Namespace, algorithm: "Algorithm") -> "Iterator[AnyDesign]":
    from noc.design import Design

    def build(ports: str | None) -> "AnyDesign":
        given = {**vars(options), "algorithm": algorithm.name, "ports": ports}
        return arguments.build_design(argparse.Namespace(**given))

    first = build(options.ports)
    yield first
    # In the ordered fabric there is no such choice.
    if options.ports is None and isinstance(first, Design):
        for model in algorithm.models[1:]:
            yield build(model)
