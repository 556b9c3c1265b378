"""(n,k)-star graphs and arrangement graphs: nodes are k of n symbols in order."""

from math import perm

import numpy as np

from noc.networks import permutations
from noc.networks.arrays import IntArray, PortGraph
from noc.networks.permutations import PermutationLabels, Symbols
from noc.networks.spec import NetworkFamily, Number, numbers

WHERE = "n from 2 up and k from 1 to n-1"


def outside_symbols(symbols: Symbols, n: int) -> Symbols:
    """The symbols that no position of a label holds, ascending: one column for each node."""
    k, count = symbols.shape
    free = np.ones((n + 1, count), dtype=bool)
    free[0] = False
    node = np.arange(count)
    for position in range(k):
        free[symbols[position], node] = False
    outside = np.nonzero(free.T)[1].reshape(count, n - k).T
    return np.ascontiguousarray(outside, dtype=np.uint8)


def _k_not_below_n(n: int, k: int) -> str | None:
    return f"k = {k} must be less than n = {n}" if k >= n else None


_parse = numbers(Number(2), Number(1), refuse=_k_not_below_n)


def _build_nk_star(n: int, k: int) -> PortGraph:
    """Ports 2…k swap with the first symbol; ports k+1…n fetch the outside symbols, ascending."""
    symbols = permutations.arrangements(n, k)
    outside = outside_symbols(symbols, n)
    neighbour = np.empty((symbols.shape[1], n - 1), dtype=np.int32)
    arrival = np.empty(neighbour.shape, dtype=np.int16)
    for port in range(k - 1):
        neighbour[:, port] = permutations.rank(permutations.swapped(symbols, 0, port + 1), n)
        arrival[:, port] = port
    for index in range(n - k):
        port = k - 1 + index
        neighbour[:, port], back = _exchanged(symbols, outside, 0, index)
        arrival[:, port] = k - 1 + back
    ports = tuple(str(port) for port in range(2, n + 1))
    return PortGraph(neighbour, arrival, ports, ports, PermutationLabels(n, k))


def _build_arrangement(n: int, k: int) -> PortGraph:
    """Port i.j puts the j-th of the outside symbols (ascending, from k+1) at position i."""
    symbols = permutations.arrangements(n, k)
    outside = outside_symbols(symbols, n)
    neighbour = np.empty((symbols.shape[1], k * (n - k)), dtype=np.int32)
    arrival = np.empty(neighbour.shape, dtype=np.int16)
    for port in range(k * (n - k)):
        position, index = divmod(port, n - k)
        neighbour[:, port], back = _exchanged(symbols, outside, position, index)
        arrival[:, port] = position * (n - k) + back
    ports = tuple(f"{i}.{j}" for i in range(1, k + 1) for j in range(k + 1, n + 1))
    return PortGraph(neighbour, arrival, ports, ports, PermutationLabels(n, k))


def _exchanged(
    symbols: Symbols, outside: Symbols, position: int, index: int
) -> tuple[IntArray, IntArray]:
    """Put an outside symbol at a position: the rank, and the old symbol's index outside."""
    result = symbols.copy()
    result[position] = outside[index]
    back = (np.delete(outside, index, axis=0) < symbols[position]).sum(axis=0)
    return permutations.rank(result, n=symbols.shape[0] + outside.shape[0]), back


FAMILIES = (
    NetworkFamily(
        name="nk-star",
        signature="n,k",
        where=WHERE,
        example="nk-star:4,2",
        summary="k of n symbols; swap the first with another, or fetch one from outside",
        parse=_parse,
        size=lambda n, k: (perm(n, k), n - 1),
        build=_build_nk_star,
    ),
    NetworkFamily(
        name="arrangement",
        signature="n,k",
        where=WHERE,
        example="arrangement:4,2",
        summary="k of n symbols; replace any one symbol by one from outside",
        parse=_parse,
        size=lambda n, k: (perm(n, k), k * (n - k)),
        build=_build_arrangement,
    ),
)
