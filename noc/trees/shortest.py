"""``shortest``: the tree of the least height on any network, with a small program."""

from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from noc.networks import IntArray, Network
from noc.trees.algorithms import Algorithm
from noc.trees.bfs_levels import BfsLevels, bfs_levels
from noc.trees.tiebreak import Rule, apply, best_rules, swapped_parents
from noc.trees.tree import Ports, Tree, scheduled

# The search is bounded by the candidate links that it looks at, never by the clock: this many
# for each node of the network, within these bounds (half a second, and ten seconds).
LOOKS_PER_NODE = 10_000
FEWEST_LOOKS, MOST_LOOKS = 10_000_000, 100_000_000

# What one more tree costs in addition to its links, in looks.
TREE_LOOKS = 3_000

# With fewer tries than this, moves of single groups do not pay; rules get them all.
FEWEST_MOVES = 100

# Where the trees of all roots differ they are judged by a sample: no more roots than this, and
# trees of about this many nodes together.
SAMPLE_NODES, SAMPLE_ROOTS = 20_000, 36

# The networks whose result is kept: those in use, not all that were ever seen.
REMEMBERED = 8


@dataclass
class _Result:
    """What the search found: one rule for all roots, or on symmetric networks the choice of each.

    It depends on the links alone, so that equal networks share it.
    """

    rule: Rule | None = None
    choices: dict[int, IntArray] = field(default_factory=dict)


@lru_cache(maxsize=REMEMBERED)
def _remembered(links: bytes) -> _Result:  # noqa: ARG001
    return _Result()


def _result_of(network: Network) -> _Result:
    digest = blake2b(repr((network.neighbour.shape, len(network.in_ports))).encode())
    for part in (network.neighbour, network.arrival):
        digest.update(np.ascontiguousarray(part).data)
    return _remembered(digest.digest())


def _tries(network: Network, views: list[BfsLevels]) -> int:
    """How many choices of parents the search may compare."""
    looks = min(max(FEWEST_LOOKS, LOOKS_PER_NODE * network.nodes), MOST_LOOKS)
    return looks // sum(around.source.size + TREE_LOOKS for around in views)


def _searched_choice(network: Network, around: BfsLevels) -> IntArray:
    """The best choice of a rule, or one step further, of a rule and moves of groups."""
    tries = _tries(network, [around])
    moves = tries // 2 if tries // 2 >= FEWEST_MOVES else 0
    starts = [apply(rule, around) for _, rule in best_rules(network, [around], tries - moves)]
    if not moves:
        return starts[0]
    first = [swapped_parents(network, around, choice, moves // 4) for choice in starts]
    _, better = min(first, key=lambda entry: entry[0])
    return swapped_parents(network, around, better, moves // 2, seed=1)[1]


def _common_rule(network: Network) -> Rule:
    """One rule for all roots, chosen for a sample of them.

    The routers of such a network hold the rows of all sources. A choice made for one root
    alone would not fit those of the others.
    """
    count = min(network.nodes, SAMPLE_ROOTS, max(2, SAMPLE_NODES // network.nodes))
    roots = np.linspace(0, network.nodes, count, endpoint=False, dtype=np.int64)
    views = [bfs_levels(network, int(root)) for root in roots]
    return best_rules(network, views, _tries(network, views))[0][1]


def _choice(network: Network, root: int, around: BfsLevels) -> IntArray:
    result = _result_of(network)
    if network.symmetric:
        if root not in result.choices:
            result.choices[root] = _searched_choice(network, around).astype(np.int16)
        return result.choices[root]
    if result.rule is None:
        result.rule = _common_rule(network)
    return apply(result.rule, around)


def _build(network: Network, root: int, ports: Ports) -> Tree:
    around = bfs_levels(network, root)
    choice = _choice(network, root, around)
    return scheduled(network, "shortest", ports, root, *around.tree(choice))


ALGORITHMS = (
    Algorithm(
        name="shortest",
        summary="least height on any network; among equally short trees one with few states",
        families=None,
        models=("all", "one"),
        build=_build,
    ),
)
