"""Cayley graphs of permutations by other moves than the star's: pancake and bubble-sort."""

from collections.abc import Sequence
from math import factorial

import numpy as np

from noc.networks import permutations
from noc.networks.network import PortGraph
from noc.networks.permutations import PermutationLabels
from noc.networks.spec import NetworkFamily, Number, numbers

__all__ = ["FAMILIES"]


def _moved(n: int, moves: Sequence[list[int]], ports: Sequence[int]) -> PortGraph:
    """Each port moves the symbols to other positions, and moved again they are back."""
    symbols = permutations.arrangements(n, n)
    neighbour = np.empty((symbols.shape[1], n - 1), dtype=np.int32)
    for port, order in enumerate(moves):
        neighbour[:, port] = permutations.rank(symbols[order], n)
    arrival = np.broadcast_to(np.arange(n - 1, dtype=np.int16), neighbour.shape)
    names = tuple(str(port) for port in ports)
    return PortGraph(neighbour, arrival, names, names, PermutationLabels(n, n))


def _build_pancake(n: int) -> PortGraph:
    """Port d turns the first d symbols round."""
    moves = [[*range(d - 1, -1, -1), *range(d, n)] for d in range(2, n + 1)]
    return _moved(n, moves, range(2, n + 1))


def _build_bubble_sort(n: int) -> PortGraph:
    """Port d swaps the symbols at positions d and d+1."""
    moves = [[*range(d - 1), d, d - 1, *range(d + 1, n)] for d in range(1, n)]
    return _moved(n, moves, range(1, n))


FAMILIES = (
    NetworkFamily(
        name="pancake",
        signature="n",
        where="n from 2 up",
        example="pancake:4",
        summary="permutations of n symbols; port d turns the first d symbols round",
        parse=numbers(Number(2)),
        size=lambda n: (factorial(n), n - 1),
        build=_build_pancake,
    ),
    NetworkFamily(
        name="bubble-sort",
        signature="n",
        where="n from 2 up",
        example="bubble-sort:4",
        summary="permutations of n symbols; port d swaps the symbols at d and d+1",
        parse=numbers(Number(2)),
        size=lambda n: (factorial(n), n - 1),
        build=_build_bubble_sort,
    ),
)
