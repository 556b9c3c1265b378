"""Quotients: partitions of the nodes into a few parts, such that a port leads from part to part.

The orbits of some of the relabellings of a symmetric network are one. Give its parts an order, and
words that only ascend in it can wait in one virtual channel: no dependency cycle closes.
"""

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt

from noc.networks import ABSENT, IntArray, Network

__all__ = ["Sends", "fill_vcs", "find_quotients"]

BoolArray = npt.NDArray[np.bool_]

#: For each subtree, those below it first, its copies: (port, subtree).
Sends = Sequence[Sequence[tuple[int, int]]]

#: Every part is a router module of its own.
MOST_PARTS = 8

#: So many relabellings are drawn, and so many chains of them are tried.
_POOL, _CHAINS = 60, 400

#: Nodes that all chains together may touch, so that large networks take seconds too.
_WORK = 20_000_000

#: So many quotients of each number of parts are kept, and so many orders tried at first.
_KEPT, _ORDERS = 100, 300


@lru_cache(maxsize=1)
def find_quotients(network: Network) -> tuple[IntArray, ...]:
    """The part of each node of a symmetric network, fewest parts first; not all that there are."""
    draw = random.Random(0)
    nodes = network.nodes
    chains = min(_CHAINS, _WORK // (nodes * network.degree))
    # Only random() gives the same numbers in every release of Python.
    drawn = {1 + int(draw.random() * (nodes - 1)) for _ in range(_POOL)} if chains else set()
    pool = [network.translation(node) for node in sorted(drawn)]
    partitions: dict[bytes, IntArray] = {}
    for _ in range(chains):
        part: IntArray = np.arange(nodes, dtype=np.int32)
        while part.max() > 0:
            if part.max() < MOST_PARTS:
                partitions.setdefault(part.tobytes(), part)
            part = _joined(part, pool[int(draw.random() * len(pool))])
    kept: dict[int, list[IntArray]] = {}
    for part in partitions.values():
        kept.setdefault(int(part.max()), []).append(part)
    return tuple(part for count in sorted(kept) for part in kept[count][:_KEPT])


def _joined(part: IntArray, image: IntArray) -> IntArray:
    """The finest partition that has a node and its image in one part, as well as before."""
    while True:
        least = np.full(int(part.max()) + 1, part.size, dtype=np.int32)
        np.minimum.at(least, part, np.minimum(part, part[image]))
        if (least == np.arange(least.size)).all():
            return part
        # Number them as they appear.
        part = np.unique(least[part], return_inverse=True)[1].astype(np.int32)


def fill_vcs(network: Network, part: IntArray, sends: Sends, most: int) -> IntArray | None:
    """For each part and subtree its VC, or None where more than ``most`` would be needed.

    Each VC in turn is filled with what depends on earlier VCs, or ascends in an order of the
    parts, which is chosen anew for each VC. So no VC has a dependency cycle.
    """
    leads = _leads(network, part)
    subtrees, parts = len(sends), leads.shape[0]
    vcs = np.full((subtrees, parts), most, dtype=np.int32)
    for vc in range(most):
        fits = _best_filling(leads, vcs < vc, sends)
        vcs[fits] = np.minimum(vcs[fits], vc)
        if fits.all():
            return vcs.T
    return None


def _best_filling(leads: IntArray, settled: BoolArray, sends: Sends) -> BoolArray:
    """What fits into a VC, and all that was settled before, in the best order tried."""
    ranks = np.array(list(_first_orders(leads.shape[0])))
    best: BoolArray | None = None
    while True:
        fits = _fits(leads, settled, ranks, sends)
        counts = fits.sum(axis=(1, 2))
        most = int(counts.argmax())
        if best is not None and counts[most] <= best.sum():
            return best
        best = fits[most]
        ranks = np.array(list(_swapped(ranks[most])))


def _fits(leads: IntArray, settled: BoolArray, ranks: IntArray, sends: Sends) -> BoolArray:
    """For each order, subtree and part, whether all below fits and is settled or ascends."""
    ascends = ranks[:, leads] > ranks[:, :, None]
    result = np.zeros((len(ranks), *settled.shape), dtype=bool)
    for subtree, below in enumerate(sends):
        fits = np.ones(ranks.shape, dtype=bool)
        for port, child in below:
            there = leads[:, port]
            fits &= result[:, child, there] & (settled[child, there] | ascends[:, :, port])
        result[:, subtree] = fits
    return result


def _leads(network: Network, part: IntArray) -> IntArray:
    """For each part and port the part at the far end."""
    node = np.unique(part, return_index=True)[1]
    there = network.neighbour[node]
    return np.where(there == ABSENT, ABSENT, part[there])


def _first_orders(parts: int) -> Iterator[Sequence[int]]:
    """All orders of a few parts, some of many."""
    if parts <= 5:
        yield from permutations(range(parts))
        return
    draw = random.Random(0)
    for _ in range(_ORDERS):
        keys = [draw.random() for _ in range(parts)]
        yield sorted(range(parts), key=keys.__getitem__)


def _swapped(rank: IntArray) -> Iterator[IntArray]:
    for one, other in combinations(range(rank.size), 2):
        result = rank.copy()
        result[[one, other]] = rank[[other, one]]
        yield result
