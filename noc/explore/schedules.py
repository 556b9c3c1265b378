"""Broadcasts in the papers' step model: every tree there is on a network, with its steps."""

from collections.abc import Iterator
from typing import Any

from noc.errors import InputError
from noc.networks import Network
from noc.trees import Algorithm, Ports, Tree, TreeFamily, algorithms_on, build_from
from noc.trees.fewest_steps import NAME as FEWEST_STEPS
from noc.trees.search import store

__all__ = ["list_schedules"]

# Trees from every root are listed for so few nodes; otherwise from one root.
_EVERY_ROOT = 64

# Schedules of fewest steps are searched for on networks of so few nodes, and otherwise taken
# from those that are kept.
_SEARCHED = 64


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
    if algorithm.name == FEWEST_STEPS:
        kept = [each for each in roots if store.best_known(network, each) is not None]
        roots = kept or (roots[:1] if network.nodes <= _SEARCHED else [])
    try:
        families = [build_from(algorithm, network, each, ports) for each in roots]
    except InputError:
        # Some refuse members of their families, such as adst a hypercube of odd dimension.
        return
    for place in range(len(families[0].trees) if families else 0):
        yield _schedule(network, families, place)


def _schedule(network: Network, families: list[Tree | TreeFamily], place: int) -> dict[str, Any]:
    """One tree of an algorithm, from each root."""
    first = families[0]
    several = len(first.trees)
    return {
        "algorithm": first.algorithm,
        "ports": first.ports,
        "tree": place if several > 1 else None,
        "trees": several,
        "anyRoot": network.symmetric,
        "from": {str(each.root): _tree(each.trees[place]) for each in families},
    }


def _tree(tree: Tree) -> dict[str, Any]:
    return {
        "height": tree.height,
        "steps": tree.steps,
        "parent": tree.parent.tolist(),
        "port": tree.port.tolist(),
        "step": tree.step.tolist(),
    }
