"""What ``noc tree`` says of the trees from all roots, where they differ."""

from collections.abc import Callable
from statistics import fmean
from typing import Any

from noc.networks import Network
from noc.trees import TreeFamily, build_from, fewest_steps, find_algorithm
from noc.trees.tree import Ports

__all__ = ["MOST_ROOTS", "compare_roots"]

#: In larger networks trees from all roots would take minutes.
MOST_ROOTS = 1_000


def compare_roots(
    network: Network, algorithm: str, ports: Ports, progress: Callable[[float], None] | None = None
) -> dict[str, Any]:
    """The worst and the mean height and balance over all roots; empty where they do not differ.

    In a symmetric network they never do. Neither are they compared where the tree of a single
    root is a long search, nor in networks of more than :data:`MOST_ROOTS` nodes.
    """
    if network.symmetric or algorithm == fewest_steps.NAME or network.nodes > MOST_ROOTS:
        return {}
    chosen, heights, balances = find_algorithm(network, algorithm), [], []
    for root in range(network.nodes):
        tree = build_from(chosen, network, root, ports)
        heights.append(tree.height)
        if not isinstance(tree, TreeFamily):
            balances.append(tree.balance)
        if progress is not None:
            progress((root + 1) / network.nodes)
    return {
        f"{name}_over_roots": {"worst": max(values), "mean": fmean(values)}
        for name, values in (("height", heights), ("balance", balances))
        if values and min(values) < max(values)
    }
