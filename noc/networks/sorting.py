"""Cayley graphs of permutations by other moves than the star's: pancake and bubble-sort."""

from collections.abc import Sequence
from math import factorial

import numpy as np

from noc.networks import permutations
from noc.networks.network import Network
from noc.networks.permutations import PermutationLabels
from noc.networks.spec import Family, Parameters, Size, split, whole_number

__all__ = ["FAMILIES"]

PANCAKE_ALLOWED = "pancake:n with n from 2 up"
BUBBLE_SORT_ALLOWED = "bubble-sort:n with n from 2 up"


def _parse(name: str, allowed: str, text: str) -> Parameters:
    spec = f"{name}:{text}"
    (n,) = split(text, 1, spec=spec, allowed=allowed)
    return (whole_number(n, spec=spec, allowed=allowed, least=2),)


def _size(parameters: Parameters) -> Size:
    n = int(parameters[0])
    return factorial(n), n - 1


def _moved(
    spec: str, name: str, parameters: Parameters, moves: Sequence[list[int]], ports: Sequence[int]
) -> Network:
    """Each port moves the symbols to other positions, and moved again they are back."""
    n = int(parameters[0])
    symbols = permutations.arrangements(n, n)
    neighbour = np.empty((symbols.shape[1], n - 1), dtype=np.int32)
    for port, order in enumerate(moves):
        neighbour[:, port] = permutations.rank(symbols[order], n)
    arrival = np.broadcast_to(np.arange(n - 1, dtype=np.int16), neighbour.shape)
    names = tuple(str(port) for port in ports)
    labels = PermutationLabels(n, n)
    return Network(spec, name, parameters, neighbour, arrival, names, names, labels)


def _build_pancake(spec: str, parameters: Parameters) -> Network:
    """Port d turns the first d symbols round."""
    n = int(parameters[0])
    moves = [[*range(d - 1, -1, -1), *range(d, n)] for d in range(2, n + 1)]
    return _moved(spec, "pancake", parameters, moves, range(2, n + 1))


def _build_bubble_sort(spec: str, parameters: Parameters) -> Network:
    """Port d swaps the symbols at positions d and d+1."""
    n = int(parameters[0])
    moves = [[*range(d - 1), d, d - 1, *range(d + 1, n)] for d in range(1, n)]
    return _moved(spec, "bubble-sort", parameters, moves, range(1, n))


FAMILIES = (
    Family(
        name="pancake",
        signature="n",
        allowed=PANCAKE_ALLOWED,
        example="pancake:4",
        summary="permutations of n symbols; port d turns the first d symbols round",
        parse=lambda text: _parse("pancake", PANCAKE_ALLOWED, text),
        size=_size,
        build=_build_pancake,
    ),
    Family(
        name="bubble-sort",
        signature="n",
        allowed=BUBBLE_SORT_ALLOWED,
        example="bubble-sort:4",
        summary="permutations of n symbols; port d swaps the symbols at d and d+1",
        parse=lambda text: _parse("bubble-sort", BUBBLE_SORT_ALLOWED, text),
        size=_size,
        build=_build_bubble_sort,
    ),
)
