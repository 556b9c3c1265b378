"""Give whole groups of equal subtrees another parent, and keep what makes the program smaller."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noc.networks import ABSENT, IntArray, Network
from noc.trees.bfs_levels import BfsLevels, fingerprints
from noc.trees.draws import Draws
from noc.trees.tiebreak import Score, score

__all__ = ["swapped_parents"]

Marks = npt.NDArray[np.uint64]
Mask = npt.NDArray[np.bool_]

# One move in this many is confined to one distance from the root.
CONFINED = 4


@dataclass(frozen=True)
class _Alternatives:
    """Every link by which a node with more than one possible parent could receive.

    Parameters
    ----------
    place, in_port : array (links)
        Who would receive, and by which in-port.
    source, out_port : array (links)
        Who would send, and by which out-port.
    ties : array (links)
        All in-ports that the receiver could choose, as a number that stands for the set.
    level : array (links)
        The receiver's distance from the root.
    """

    place: IntArray
    in_port: IntArray
    source: IntArray
    out_port: IntArray
    ties: IntArray
    level: IntArray

    @staticmethod
    def of(around: BfsLevels) -> "_Alternatives":
        possible = around.source != ABSENT
        several = possible.sum(axis=1) > 1
        place, in_port = np.nonzero(possible & several[:, None])
        ties = np.unique(possible, axis=0, return_inverse=True)[1].reshape(-1)
        level = np.searchsorted(around.starts, place, side="right")
        link = place, in_port
        return _Alternatives(
            place, in_port, around.source[link], around.out_port[link], ties[place], level
        )


def _group(
    choice: IntArray, mark: Marks, around: BfsLevels, links: _Alternatives, wanted: int, kind: int
) -> Mask:
    """All links that are like the wanted one in one of four ways.

    0: the sender's subtree and port are the same (such senders take that child). 1: the
    receiver's subtree, its possible in-ports and the in-port. 2: as 0, and the present
    parents are alike as well. 3: the present parents' subtree and port are the same and the
    in-port (such parents give that child away).
    """
    place, in_port = links.place, links.in_port
    alike = np.ones(place.size, dtype=bool)
    if kind == 1:
        alike &= mark[place] == mark[place[wanted]]
        alike &= links.ties == links.ties[wanted]
    if kind in (0, 2):
        alike &= mark[links.source] == mark[links.source[wanted]]
        alike &= links.out_port == links.out_port[wanted]
    if kind in (2, 3):
        now = choice[place]
        giver, by = mark[around.source[place, now]], around.out_port[place, now]
        alike &= (giver == giver[wanted]) & (by == by[wanted])
    if kind in (1, 3):
        alike &= in_port == in_port[wanted]
    return alike


def swapped_parents(
    network: Network, around: BfsLevels, choice: IntArray, tries: int, seed: int = 0
) -> tuple[Score, IntArray]:
    """Improve a choice of parents on a symmetric network by a counted number of moves.

    A move takes one link that the tree does not use and makes its receiver, and all receivers
    that are alike, choose it. Moves that make no difference to the score are kept as well.
    The search is random with a fixed seed.
    """
    draws, links = Draws(seed), _Alternatives.of(around)
    best = score(network, [around], [choice])
    mark = fingerprints(around, choice)
    for _ in range(tries if links.place.size else 0):
        wanted = draws.below(links.place.size)
        kind, confined = draws.below(4), draws.below(CONFINED) == 0
        if choice[links.place[wanted]] == links.in_port[wanted]:
            continue
        moved = _group(choice, mark, around, links, wanted, kind)
        if confined:
            moved &= links.level == links.level[wanted]
        other = choice.copy()
        other[links.place[moved]] = links.in_port[moved]
        reached = score(network, [around], [other])
        if reached <= best:
            best, choice, mark = reached, other, fingerprints(around, other)
    return best, choice
