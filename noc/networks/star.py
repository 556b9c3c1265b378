"""Star graphs and their kin: permutations of n symbols, moved in n - 1 ways."""

from collections.abc import Iterator, Sequence
from math import factorial

import numpy as np

from noc.networks import permutations
from noc.networks.arrays import ABSENT, IntArray, PortGraph, no_node
from noc.networks.permutations import PermutationLabels, Symbols
from noc.networks.spec import NetworkFamily, Number, numbers

#: For each port the positions, from 0, that the symbols come from; moved again they are back.
Moves = Sequence[list[int]]


def _swaps(n: int) -> Moves:
    """Port d, from 2 on, swaps the first symbol and the d-th."""
    return [[d - 1, *range(1, d - 1), 0, *range(d, n)] for d in range(2, n + 1)]


def _reversals(n: int) -> Moves:
    """Port d, from 2 on, turns the first d symbols round."""
    return [[*range(d - 1, -1, -1), *range(d, n)] for d in range(2, n + 1)]


def _adjacent_swaps(n: int) -> Moves:
    """Port d, from 1 on, swaps the symbols at positions d and d+1."""
    return [[*range(d - 1), d, d - 1, *range(d + 1, n)] for d in range(1, n)]


def _moved(n: int, moves: Moves, first_port: int = 2) -> PortGraph:
    """All permutations of n symbols, and a port for each move."""
    symbols = permutations.arrangements(n, n)
    neighbour = np.empty((symbols.shape[1], n - 1), dtype=np.int32)
    for port, positions in enumerate(moves):
        neighbour[:, port] = permutations.rank(symbols[positions], n)
    arrival = np.broadcast_to(np.arange(n - 1, dtype=np.int16), neighbour.shape)
    ports = tuple(str(first_port + port) for port in range(n - 1))
    return PortGraph(neighbour, arrival, ports, ports, PermutationLabels(n, n))


def incomplete_star_symbols(n: int, k: int) -> Symbols:
    """The strings of the incomplete star: the last symbol is among n-k+1…n."""
    symbols = permutations.arrangements(n, n)
    return np.ascontiguousarray(symbols[:, symbols[-1] > n - k])


class IncompleteStarLabels:
    """Labels of an incomplete star: permutations whose last symbol is among n-k+1…n."""

    def __init__(self, n: int, k: int, ranks: IntArray) -> None:
        self.n, self.k = n, k
        self._star = PermutationLabels(n, n)
        self._ranks = ranks

    def text(self, node: int) -> str:
        """The label of a node."""
        return self._star.text(int(self._ranks[node]))

    def node(self, text: str) -> int:
        """The node of a label."""
        rank = self._star.node(text)
        node = int(np.searchsorted(self._ranks, rank))
        if node == self._ranks.size or self._ranks[node] != rank:
            last = f"{self.n - self.k + 1}…{self.n}"
            raise no_node(text, f"the last symbol must be among {last}")
        return node

    def relabellings(self) -> Iterator[IntArray]:
        """Where nodes go if symbols are renamed: those that may be last, and the others."""
        n, k = self.n, self.k
        symbols = incomplete_star_symbols(n, k)
        kinds = range(1, n - k + 1), range(n - k + 1, n + 1)
        for renamed in permutations.relabelled(symbols, n, *kinds):
            yield np.searchsorted(self._ranks, permutations.rank(renamed, n))


def _k_above_n(n: int, k: int) -> str | None:
    return f"k = {k} is more than n = {n}" if k > n else None


def _build_incomplete(n: int, k: int) -> PortGraph:
    symbols = incomplete_star_symbols(n, k)
    ranks = permutations.rank(symbols, n)
    neighbour = np.full((ranks.size, n - 1), ABSENT, dtype=np.int32)
    arrival = np.full(neighbour.shape, ABSENT, dtype=np.int16)
    for port, positions in enumerate(_swaps(n)):
        rank = permutations.rank(symbols[positions], n)
        node = np.minimum(np.searchsorted(ranks, rank), ranks.size - 1)
        present = ranks[node] == rank
        neighbour[present, port] = node[present]
        arrival[present, port] = port
    ports = tuple(str(d) for d in range(2, n + 1))
    return PortGraph(neighbour, arrival, ports, ports, IncompleteStarLabels(n, k, ranks))


FAMILIES = (
    NetworkFamily(
        name="star",
        signature="n",
        where="n from 2 up",
        example="star:4",
        summary="permutations of n symbols; port d swaps the first symbol and the d-th",
        parse=numbers(Number(2)),
        size=lambda n: (factorial(n), n - 1),
        build=lambda n: _moved(n, _swaps(n)),
    ),
    NetworkFamily(
        name="incomplete-star",
        signature="n,k",
        where="n from 3 up and k from 2 to n",
        example="incomplete-star:4,3",
        summary="the part of star n whose last symbol is among the k largest",
        parse=numbers(Number(3), Number(2), refuse=_k_above_n),
        # The whole star is enumerated on the way; its size is what must fit.
        size=lambda n, k: (k * factorial(n - 1), n - 1),
        build=_build_incomplete,
    ),
)

SORTING_FAMILIES = (
    NetworkFamily(
        name="pancake",
        signature="n",
        where="n from 2 up",
        example="pancake:4",
        summary="permutations of n symbols; port d turns the first d symbols round",
        parse=numbers(Number(2)),
        size=lambda n: (factorial(n), n - 1),
        build=lambda n: _moved(n, _reversals(n)),
    ),
    NetworkFamily(
        name="bubble-sort",
        signature="n",
        where="n from 2 up",
        example="bubble-sort:4",
        summary="permutations of n symbols; port d swaps the symbols at d and d+1",
        parse=numbers(Number(2)),
        size=lambda n: (factorial(n), n - 1),
        build=lambda n: _moved(n, _adjacent_swaps(n), first_port=1),
    ),
)
