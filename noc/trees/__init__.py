"""Trees: broadcast along a network, as the papers describe and better."""

from importlib.metadata import entry_points

from noc.errors import InputError
from noc.networks import Network, as_network
from noc.registry import Registry
from noc.trees import (
    arrangement,
    balanced,
    disjoint,
    even,
    independent,
    nk_star,
    rings,
    shortest,
    uhc,
)
from noc.trees.algorithms import Algorithm, build_from, checked
from noc.trees.tree import NO_PARENT, Ports, Tree, TreeFamily, scheduled, to_networkx

__all__ = [
    "ALGORITHMS",
    "NO_PARENT",
    "Algorithm",
    "Ports",
    "Tree",
    "TreeFamily",
    "algorithms_on",
    "build_from",
    "build_tree",
    "build_trees",
    "find_algorithm",
    "register_algorithm",
    "scheduled",
    "to_networkx",
]

#: Where this package names the algorithms of its research, which nothing imports.
_ENTRY_POINTS = "arbornoc.algorithms"

#: Every algorithm by name, in the order in which ``noc list`` prints them.
ALGORITHMS: Registry[Algorithm] = Registry(
    "algorithm",
    (
        *shortest.ALGORITHMS,
        *even.ALGORITHMS,
        *sorted(entry_points(group=_ENTRY_POINTS)),
        *balanced.ALGORITHMS,
        *nk_star.ALGORITHMS,
        *arrangement.ALGORITHMS,
        *rings.ALGORITHMS,
        *uhc.ALGORITHMS,
        *disjoint.ALGORITHMS,
        *independent.ALGORITHMS,
    ),
)


def register_algorithm(algorithm: Algorithm, *, plugin: str | None = None) -> None:
    """Add an algorithm; from then on it is known by its name, and its trees are checked.

    A name that exists is refused; messages name the ``plugin`` that the algorithm comes from.
    """
    ALGORITHMS.add(checked(algorithm, ALGORITHMS.where(algorithm.name, plugin)), plugin)


def algorithms_on(network: Network) -> list[Algorithm]:
    """The algorithms that are defined on a network."""
    return [algorithm for algorithm in ALGORITHMS.values() if algorithm.defined_on(network)]


def find_algorithm(network: Network, algorithm: str) -> Algorithm:
    """The algorithm of a name; an error lists those of the network."""
    chosen = ALGORITHMS.get(algorithm)
    if chosen is None:
        known = ", ".join(entry.name for entry in algorithms_on(network))
        raise InputError(f"algorithm {algorithm!r} is unknown; {network.spec} has: {known}")
    return chosen


def build_tree(
    network: Network | str,
    algorithm: str = "shortest",
    *,
    root: int | str = 0,
    ports: Ports | None = None,
) -> Tree:
    """Build a broadcast tree.

    >>> build_tree("star:4").height
    4

    Parameters
    ----------
    network : Network or str
        The network, or its name.
    algorithm : str
        How to build the tree; of one that gives several see :func:`build_trees`.
    root : int or str
        The node that sends, or its label.
    ports : "all" or "one", optional
        On how many ports a node may send in a step; by default all if the algorithm has such trees.

    Returns
    -------
    Tree
        With ``height``, ``steps``, ``balance`` and ``branch_sizes``, and for each node ``parent``,
        ``port``, ``step`` and ``depth``.
    """
    family = build_trees(network, algorithm, root=root, ports=ports)
    if len(family.trees) != 1:
        raise InputError(
            f"algorithm {algorithm!r} gives {len(family.trees)} trees: build_trees builds them"
        )
    return family.trees[0]


def build_trees(
    network: Network | str,
    algorithm: str = "shortest",
    *,
    root: int | str = 0,
    ports: Ports | None = None,
) -> TreeFamily:
    """Build the trees of an algorithm that uses several, or the one of any other.

    The parameters are those of :func:`build_tree`.

    >>> [tree.height for tree in build_trees("uhc:4", "adst").trees]
    [6, 6]
    """
    network = as_network(network)
    start, chosen = network.node(root, argument="root"), find_algorithm(network, algorithm)
    built = build_from(chosen, network, start, ports or chosen.models[0])
    return built if isinstance(built, TreeFamily) else TreeFamily.of(built)
