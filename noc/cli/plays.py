"""Communications of many words for the page of ``noc explore``, as the papers count their steps."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from noc.errors import InputError
from noc.networks import Network
from noc.papers.steps.all_to_all import all_to_all
from noc.papers.steps.slices import pipelined
from noc.trees import Ports, TreeFamily, algorithms_on, build_trees
from noc.trees.fewest_steps import NAME as FEWEST_STEPS

if TYPE_CHECKING:
    from noc.explore import Play

__all__ = ["list_plays"]

# From every node of larger networks there are more words than one can follow.
_ALL_TO_ALL = 32

# Slices of a message that one tree carries.
_SLICES = 4


def list_plays(network: Network, algorithm: str) -> "Iterator[Play]":
    """Messages in slices along several trees; and of one algorithm slices, and all to all."""
    for each in algorithms_on(network):
        if each.name == FEWEST_STEPS != algorithm:
            # One tree, and a long search.
            continue
        for ports in each.models:
            try:
                family = build_trees(network, each.name, ports=ports)
            except InputError:
                # As in the list of schedules.
                continue
            if len(family.trees) > 1 or each.name == algorithm:
                yield _slices(family, ports)
            if each.name == algorithm and network.nodes <= _ALL_TO_ALL:
                yield _all_to_all(family, ports)


def _slices(family: TreeFamily, ports: Ports) -> "Play":
    """A slice along each tree, or some along the only one."""
    from noc.explore import Play

    count = len(family.trees)
    slices = count if count > 1 else _SLICES
    return Play(
        f"{family.algorithm}, {ports}-port, a message in {slices} slices",
        f"{slices} slices from {family.network.label(family.root)}, along {_named(count)}",
        [family.trees[place % count] for place in range(slices)],
        pipelined(family, slices, ports).received,
    )


def _all_to_all(first: TreeFamily, ports: Ports) -> "Play":
    from noc.explore import Play

    network, algorithm = first.network, first.algorithm
    roots = range(1, network.nodes)
    others = [build_trees(network, algorithm, root=root, ports=ports) for root in roots]
    sources = [first, *others]
    return Play(
        f"{algorithm}, {ports}-port, all to all",
        "a message from every node to all others",
        [tree for source in sources for tree in source.trees],
        all_to_all(sources, ports).outcome.received,
    )


def _named(count: int) -> str:
    return "one tree" if count == 1 else f"{count} trees"
