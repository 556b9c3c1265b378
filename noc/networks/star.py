"""Star graphs and their kin: permutations of n symbols, or k of n symbols in order."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from math import factorial, perm

import numpy as np

from noc.networks import permutations
from noc.networks.arrays import ABSENT, IntArray, PortGraph, no_node, two_way_graph
from noc.networks.permutations import PermutationLabels, Symbols, outside_symbols, rank
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


def _moved(n: int, moves: Moves, first_port: int) -> PortGraph:
    """All permutations of n symbols, and a port for each move."""
    symbols = permutations.arrangements(n, n)
    columns = ((rank(symbols[positions], n), port) for port, positions in enumerate(moves))
    ports = tuple(str(first_port + port) for port in range(n - 1))
    return two_way_graph(symbols.shape[1], columns, ports, PermutationLabels(n, n))


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
        in_star = self._star.node(text)
        node = int(np.searchsorted(self._ranks, in_star))
        if node == self._ranks.size or self._ranks[node] != in_star:
            last = f"{self.n - self.k + 1}…{self.n}"
            raise no_node(text, f"the last symbol must be among {last}")
        return node

    def relabellings(self) -> Iterator[IntArray]:
        """Where nodes go if symbols are renamed: those that may be last, and the others."""
        n, k = self.n, self.k
        symbols = incomplete_star_symbols(n, k)
        kinds = range(1, n - k + 1), range(n - k + 1, n + 1)
        for renamed in permutations.relabelled(symbols, n, *kinds):
            yield np.searchsorted(self._ranks, rank(renamed, n))


def _build_incomplete(n: int, k: int) -> PortGraph:
    symbols = incomplete_star_symbols(n, k)
    ranks = rank(symbols, n)

    def nodes_at(far: IntArray) -> IntArray:
        node = np.minimum(np.searchsorted(ranks, far), ranks.size - 1)
        return np.where(ranks[node] == far, node, ABSENT)

    columns = (
        (nodes_at(rank(symbols[positions], n)), port) for port, positions in enumerate(_swaps(n))
    )
    ports = tuple(str(d) for d in range(2, n + 1))
    return two_way_graph(ranks.size, columns, ports, IncompleteStarLabels(n, k, ranks))


def _build_nk_star(n: int, k: int) -> PortGraph:
    """Ports 2…k swap with the first symbol; ports k+1…n fetch the outside symbols, ascending."""
    symbols = permutations.arrangements(n, k)
    outside = outside_symbols(symbols, n)
    swaps = ((rank(permutations.swapped(symbols, 0, port + 1), n), port) for port in range(k - 1))
    fetched = (_exchanged(symbols, outside, 0, index, k - 1) for index in range(n - k))
    ports = tuple(str(port) for port in range(2, n + 1))
    return two_way_graph(symbols.shape[1], chain(swaps, fetched), ports, PermutationLabels(n, k))


def _build_arrangement(n: int, k: int) -> PortGraph:
    """Port i.j puts the j-th of the outside symbols (ascending, from k+1) at position i."""
    symbols = permutations.arrangements(n, k)
    outside = outside_symbols(symbols, n)
    columns = (
        _exchanged(symbols, outside, position, index, position * (n - k))
        for position in range(k)
        for index in range(n - k)
    )
    ports = tuple(f"{i}.{j}" for i in range(1, k + 1) for j in range(k + 1, n + 1))
    return two_way_graph(symbols.shape[1], columns, ports, PermutationLabels(n, k))


def _exchanged(
    symbols: Symbols, outside: Symbols, position: int, index: int, first: int
) -> tuple[IntArray, IntArray]:
    """Put an outside symbol at a position with ports from ``first`` on: the rank, the way back."""
    result = symbols.copy()
    result[position] = outside[index]
    back = (np.delete(outside, index, axis=0) < symbols[position]).sum(axis=0)
    return rank(result, n=symbols.shape[0] + outside.shape[0]), first + back


def _of_permutations(
    name: str, summary: str, moves: Callable[[int], Moves], first_port: int = 2
) -> NetworkFamily:
    return NetworkFamily(
        name=name,
        signature="n",
        where="n from 2 up",
        example=f"{name}:4",
        summary=f"permutations of n symbols; port d {summary}",
        parse=numbers(Number(2)),
        size=lambda n: (factorial(n), n - 1),
        build=lambda n: _moved(n, moves(n), first_port),
    )


def _of_choices(
    name: str, summary: str, ports: Callable[[int, int], int], build: Callable[..., PortGraph]
) -> NetworkFamily:
    return NetworkFamily(
        name=name,
        signature="n,k",
        where="n from 2 up and k from 1 to n-1",
        example=f"{name}:4,2",
        summary=summary,
        parse=numbers(
            *(Number(2), Number(1)),
            refuse=lambda n, k: f"k = {k} must be less than n = {n}" if k >= n else None,
        ),
        size=lambda n, k: (perm(n, k), ports(n, k)),
        build=build,
    )


FAMILIES = (
    _of_permutations("star", "swaps the first symbol and the d-th", _swaps),
    NetworkFamily(
        name="incomplete-star",
        signature="n,k",
        where="n from 3 up and k from 2 to n",
        example="incomplete-star:4,3",
        summary="the part of star n whose last symbol is among the k largest",
        parse=numbers(
            *(Number(3), Number(2)),
            refuse=lambda n, k: f"k = {k} is more than n = {n}" if k > n else None,
        ),
        # The whole star is enumerated on the way; its size is what must fit.
        size=lambda n, k: (k * factorial(n - 1), n - 1),
        build=_build_incomplete,
    ),
    _of_choices(
        "nk-star",
        "k of n symbols; swap the first with another, or fetch one from outside",
        lambda n, k: n - 1,  # noqa: ARG005
        _build_nk_star,
    ),
    _of_choices(
        "arrangement",
        "k of n symbols; replace any one symbol by one from outside",
        lambda n, k: k * (n - k),
        _build_arrangement,
    ),
)

SORTING_FAMILIES = (
    _of_permutations("pancake", "turns the first d symbols round", _reversals),
    _of_permutations("bubble-sort", "swaps the symbols at d and d+1", _adjacent_swaps, 1),
)
