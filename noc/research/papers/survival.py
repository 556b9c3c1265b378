"""How often a word comes to all nodes although links or nodes are dead, drawn by lot.

Of trees that have no common link each may carry a part of every word, a sum that makes up for one
part, or the whole. Beside them stand a single tree, and trees that are built anew around what is
dead, for which it is enough that all nodes can be reached.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from noc.errors import InputError, option
from noc.networks import ABSENT, Network
from noc.trees import Tree, TreeFamily, build_tree
from noc.trees.tree import NO_PARENT

#: What is dead.
Dead = Literal["links", "nodes"]

#: In how many draws something holds.
Bools = npt.NDArray[np.bool_]

#: Where 95 % of the normal distribution lie between minus this and this.
_NORMAL = 1.959964


class Rate(NamedTuple):
    """How often a word comes to all, and its 95 % confidence interval: Wilson's.

    Where all sets of dead links or nodes were tried, the interval is nothing but the rate.
    """

    rate: float
    low: float
    high: float


def wilson(held: int, tried: int) -> Rate:
    """The rate and interval of draws by lot.

    >>> [round(value, 3) for value in wilson(8, 10)]
    [0.8, 0.49, 0.943]
    """
    rate, square = held / tried, _NORMAL**2
    middle = (rate + square / (2 * tried)) / (1 + square / tried)
    spread = rate * (1 - rate) / tried + square / (4 * tried**2)
    half = _NORMAL * math.sqrt(spread) / (1 + square / tried)
    return Rate(rate, max(0.0, middle - half), min(1.0, middle + half))


@dataclass(frozen=True, eq=False)
class Draws:
    """Sets of dead links or nodes, a row each.

    Parameters
    ----------
    alive : array of bool (sets, nodes, out-ports)
        The links that carry words.
    living : array of bool (sets, nodes)
        The nodes that are not dead.
    every : bool
        Whether they are all sets there are.
    """

    alive: Bools
    living: Bools
    every: bool


def mortal(network: Network, dead: Dead) -> int:
    """How many links, or nodes but the root, may be dead."""
    return network.nodes - 1 if dead == "nodes" else int((network.neighbour != ABSENT).sum())


def draw(network: Network, root: int, dead: Dead, count: int, draws: int, seed: int = 0) -> Draws:
    """Sets of this many dead links, or nodes but the root: all, or as many as are drawn by lot."""
    links = np.argwhere(network.neighbour != ABSENT)
    others = np.delete(np.arange(network.nodes), root)
    most = mortal(network, dead)
    sets = math.comb(most, count)
    every = sets <= draws
    if every:
        listed = [*combinations(range(most), count)]
        chosen = np.array(listed, dtype=np.int64).reshape(sets, count)
    else:
        lots = np.random.default_rng([seed, count])
        chosen = lots.random((draws, most)).argpartition(count, axis=1)[:, :count]
    rows = np.arange(len(chosen))[:, None]
    alive = np.zeros((len(chosen), *network.neighbour.shape), dtype=np.bool_)
    alive[:, links[:, 0], links[:, 1]] = True
    living = np.ones((len(chosen), network.nodes), dtype=np.bool_)
    if dead == "links":
        alive[rows, links[chosen, 0], links[chosen, 1]] = False
    else:
        living[rows, others[chosen]] = False
        alive &= living[:, :, None]
    return Draws(alive, living, every)


def reached(tree: Tree, drawn: Draws) -> Bools:
    """For each draw the nodes to which a word comes along a tree."""
    result = np.zeros(drawn.living.shape, dtype=np.bool_)
    result[:, tree.root] = True
    # By steps: each node after the one from which it gets the word.
    for node in np.argsort(tree.step, kind="stable").tolist():
        above, port = int(tree.parent[node]), int(tree.port[node])
        if above != NO_PARENT:
            result[:, node] = result[:, above] & drawn.alive[:, above, port]
    return result


def reachable(network: Network, root: int, drawn: Draws) -> Bools:
    """For each draw the nodes to which any way leads."""
    result = np.zeros(drawn.living.shape, dtype=np.bool_)
    result[:, root] = True
    links = np.argwhere(network.neighbour != ABSENT).tolist()
    while True:
        before = int(result.sum())
        for node, port in links:
            there = int(network.neighbour[node, port])
            result[:, there] |= result[:, node] & drawn.alive[:, node, port]
        if result.sum() == before:
            return result


def survival(
    family: TreeFamily, dead: Dead, counts: Sequence[int], draws: int, seed: int = 0
) -> Iterator[dict[str, Rate]]:
    """For each number of dead links or nodes how often a word of the root comes to all that live.

    By a single tree of least height; by the trees of the family, of which all must bring a part, or
    all but F; and by trees that are built anew.
    """
    network, root = family.network, family.root
    most, there = max(counts), mortal(network, dead)
    if most > there:
        raise InputError(f"{option('most', most)}: {network.spec} has {there} such {dead}")
    single, trees = build_tree(network, "shortest", root=root), len(family.trees)
    survived = sorted({0, min(1, trees - 1), trees - 1})
    for count in counts:
        drawn = draw(network, root, dead, count, draws, seed)

        def rate(comes: Bools, drawn: Draws = drawn) -> Rate:
            held = int((comes | ~drawn.living).all(axis=1).sum())
            share = held / len(comes)
            return Rate(share, share, share) if drawn.every else wilson(held, len(comes))

        copies = np.stack([reached(tree, drawn) for tree in family.trees]).sum(axis=0)
        row = {"one tree": rate(reached(single, drawn))}
        for spare in survived if trees > 1 else ():
            row[f"survive {spare}"] = rate(copies >= trees - spare)
        row["trees anew"] = rate(reachable(network, root, drawn))
        yield row
