"""Foldings: a few colours for the nodes, such that a port leads from one colour to one colour.

The orbits of some of the relabellings of a symmetric network are a folding. Give its colours an
order, and words that only climb in it can wait in one class: no circle closes.
"""

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, permutations

import numpy as np
import numpy.typing as npt

from noc.networks import ABSENT, IntArray, Network

__all__ = ["Sends", "filled", "foldings"]

BoolArray = npt.NDArray[np.bool_]

#: For each subtree, those below it first, its copies: (port, subtree).
Sends = Sequence[Sequence[tuple[int, int]]]

#: Every colour of a folding is a router module of its own.
MOST_COLOURS = 8

#: So many relabellings are drawn, and so many chains of them are tried.
_POOL, _CHAINS = 60, 400

#: Nodes that all chains together may touch, so that large networks take seconds too.
_WORK = 20_000_000

#: So many foldings of each number of colours are kept, and so many orders tried at first.
_KEPT, _ORDERS = 100, 300


@lru_cache(maxsize=1)
def foldings(network: Network) -> tuple[IntArray, ...]:
    """Colours of the nodes of a symmetric network, fewest first; not all that there are."""
    draw = random.Random(0)
    nodes = network.nodes
    chains = min(_CHAINS, _WORK // (nodes * network.degree))
    # Only random() gives the same numbers in every release of Python.
    drawn = {1 + int(draw.random() * (nodes - 1)) for _ in range(_POOL)} if chains else set()
    pool = [network.translation(node) for node in sorted(drawn)]
    found: dict[bytes, IntArray] = {}
    for _ in range(chains):
        colour: IntArray = np.arange(nodes, dtype=np.int32)
        while colour.max() > 0:
            if colour.max() < MOST_COLOURS:
                found.setdefault(colour.tobytes(), colour)
            colour = _joined(colour, pool[int(draw.random() * len(pool))])
    kept: dict[int, list[IntArray]] = {}
    for colour in found.values():
        kept.setdefault(int(colour.max()), []).append(colour)
    return tuple(colour for count in sorted(kept) for colour in kept[count][:_KEPT])


def _joined(colour: IntArray, image: IntArray) -> IntArray:
    """The finest colours in which a node and its image have the same, as well as before."""
    while True:
        least = np.full(int(colour.max()) + 1, colour.size, dtype=np.int32)
        np.minimum.at(least, colour, np.minimum(colour, colour[image]))
        if (least == np.arange(least.size)).all():
            return colour
        # Number them as they appear.
        colour = np.unique(least[colour], return_inverse=True)[1].astype(np.int32)


def filled(network: Network, colour: IntArray, sends: Sends, most: int) -> IntArray | None:
    """For each colour and subtree its class, or None where more than ``most`` would be needed.

    Each class in turn is filled with as much as waits for earlier classes, or upwards in an order
    of the colours, which is chosen anew for each class. So no class has a circle.
    """
    leads = _leads(network, colour)
    subtrees, colours = len(sends), leads.shape[0]
    classes = np.full((subtrees, colours), most, dtype=np.int32)
    for class_ in range(most):
        fits = _best_filling(leads, classes < class_, sends)
        classes[fits] = np.minimum(classes[fits], class_)
        if fits.all():
            return classes.T
    return None


def _best_filling(leads: IntArray, settled: BoolArray, sends: Sends) -> BoolArray:
    """What fits into a class, and all that was settled before, in the best order tried."""
    ranks = np.array(list(_first_orders(leads.shape[0])))
    best: BoolArray | None = None
    while True:
        fits = _fits(leads, settled, ranks, sends)
        counts = fits.sum(axis=(1, 2))
        place = int(counts.argmax())
        if best is not None and counts[place] <= best.sum():
            return best
        best = fits[place]
        ranks = np.array(list(_swapped(ranks[place])))


def _fits(leads: IntArray, settled: BoolArray, ranks: IntArray, sends: Sends) -> BoolArray:
    """For each order, subtree and colour, whether all below fits and is settled or climbs."""
    climbs = ranks[:, leads] > ranks[:, :, None]
    result = np.zeros((len(ranks), *settled.shape), dtype=bool)
    for subtree, below in enumerate(sends):
        fits = np.ones(ranks.shape, dtype=bool)
        for port, child in below:
            there = leads[:, port]
            fits &= result[:, child, there] & (settled[child, there] | climbs[:, :, port])
        result[:, subtree] = fits
    return result


def _leads(network: Network, colour: IntArray) -> IntArray:
    """For each colour and port the colour at the far end."""
    node = np.unique(colour, return_index=True)[1]
    there = network.neighbour[node]
    return np.where(there == ABSENT, ABSENT, colour[there])


def _first_orders(colours: int) -> Iterator[Sequence[int]]:
    """All orders of a few colours, some of many."""
    if colours <= 5:
        yield from permutations(range(colours))
        return
    draw = random.Random(0)
    for _ in range(_ORDERS):
        keys = [draw.random() for _ in range(colours)]
        yield sorted(range(colours), key=keys.__getitem__)


def _swapped(rank: IntArray) -> Iterator[IntArray]:
    for one, other in combinations(range(rank.size), 2):
        result = rank.copy()
        result[[one, other]] = rank[[other, one]]
        yield result
