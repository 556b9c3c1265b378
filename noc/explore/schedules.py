"""Broadcasts in the papers' step model: all trees of a network, and plays of many words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from noc.errors import InputError
from noc.explore.recording import OUTSIDE, Recording, Stream
from noc.model.steps.all_to_all import all_to_all
from noc.model.steps.slices import pipelined
from noc.networks import IntArray, Network
from noc.trees import Algorithm, Ports, Tree, TreeFamily, algorithms_on, build_from, build_trees
from noc.trees.fewest_steps import NAME as FEWEST_STEPS
from noc.trees.search import store
from noc.trees.tree import NO_PARENT

# In larger networks trees are listed from one root.
_EVERY_ROOT = 64

# In larger networks schedules of fewest steps are not searched for, but taken from those kept.
_SEARCHED = 64

# From every node of larger networks there are more words than one can follow.
_ALL_TO_ALL = 32

# Slices of a message that one tree carries.
_SLICES = 4


def list_schedules(network: Network, root: int) -> list[dict[str, Any]]:
    """For each algorithm and model of ports, and each of its trees, the steps of a broadcast.

    Parameters
    ----------
    network : Network
        The network. Where it is symmetric, trees are listed from node 0, since those from other
        nodes are their translates; where it is not, from every node of a small network.
    root : int
        From where, where one root must do.
    """
    if network.symmetric:
        roots = [0]
    else:
        roots = list(range(network.nodes)) if network.nodes <= _EVERY_ROOT else [root]
    listed: list[dict[str, Any]] = []
    for algorithm in algorithms_on(network):
        for ports in algorithm.models:
            listed += _schedules(network, algorithm, ports, roots)
    return listed


def _schedules(
    network: Network, algorithm: Algorithm, ports: Ports, roots: list[int]
) -> Iterator[dict[str, Any]]:
    """Each tree of an algorithm, from each root."""
    if algorithm.name == FEWEST_STEPS:
        kept = [each for each in roots if store.best_known(network, each) is not None]
        roots = kept or (roots[:1] if network.nodes <= _SEARCHED else [])
    try:
        families = [build_from(algorithm, network, each, ports) for each in roots]
    except InputError:
        # Some refuse members of their families, such as adst a hypercube of odd dimension.
        return
    count = len(families[0].trees) if families else 0
    for number in range(count):
        yield {
            "algorithm": algorithm.name,
            "ports": ports,
            "tree": number if count > 1 else None,
            "trees": count,
            "anyRoot": network.symmetric,
            "from": {str(each.root): _tree(each.trees[number]) for each in families},
        }


def _tree(tree: Tree) -> dict[str, Any]:
    return {
        "height": tree.height,
        "steps": tree.steps,
        "parent": tree.parent.tolist(),
        "port": tree.port.tolist(),
        "step": tree.step.tolist(),
    }


@dataclass(frozen=True, eq=False)
class Play:
    """What was played.

    Parameters
    ----------
    trees : sequence of Tree
        The tree of each word.
    received : array (words, nodes)
        The step in which each node received each word; at its root the steps that were over when
        it began.
    """

    name: str
    what: str
    trees: Sequence[Tree] = field(repr=False)
    received: IntArray = field(repr=False)


def list_plays(network: Network, algorithm: str) -> Iterator[Play]:
    """Communications of many words, as the papers count their steps.

    Messages in slices along several trees; and of one algorithm slices, and all to all.
    """
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


def _slices(family: TreeFamily, ports: Ports) -> Play:
    """A slice along each tree, or some along the only one."""
    count = len(family.trees)
    slices = count if count > 1 else _SLICES
    return Play(
        f"{family.algorithm}, {ports}-port, a message in {slices} slices",
        f"{slices} slices from {family.network.label(family.root)}, along {_counted(count)}",
        [family.trees[index % count] for index in range(slices)],
        pipelined(family, slices, ports).received,
    )


def _all_to_all(first: TreeFamily, ports: Ports) -> Play:
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


def _counted(count: int) -> str:
    return "one tree" if count == 1 else f"{count} trees"


def describe_play(play: Play) -> dict[str, Any]:
    """A play as the page has it: step s is in place of cycle s - 1."""
    document = _recorded(play).document()
    return {"name": play.name, "what": play.what, "unit": "step", **document}


def _recorded(play: Play) -> Recording:
    streams: dict[Stream, int] = {}
    events: list[tuple[int, int, int]] = []
    for word, (tree, received) in enumerate(zip(play.trees, play.received, strict=True)):
        begins = Stream("inject", OUTSIDE, tree.root)
        events.append((streams.setdefault(begins, len(streams)), int(received[tree.root]), word))
        for node in np.flatnonzero(tree.parent != NO_PARENT).tolist():
            link = Stream("link", int(tree.parent[node]), node, int(tree.port[node]))
            events.append((streams.setdefault(link, len(streams)), int(received[node]) - 1, word))
    table = np.array(events, dtype=np.int64)
    return Recording(
        streams=list(streams),
        stream=table[:, 0],
        cycle=table[:, 1],
        word=table[:, 2],
        more={},
        words={"source": [tree.root for tree in play.trees]},
        cycles=int(play.received.max()),
        end="drained",
    )
