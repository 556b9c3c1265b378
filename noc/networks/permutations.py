"""Ordered choices of k out of n symbols, as arrays: one row for each position.

The papers write a node of a star, (n,k)-star or arrangement graph as a string of k distinct
symbols out of 1…n. Here the strings of a whole network are one array of shape (k, count), a row
for each position, so that comparing two positions of every node is one fast pass over bytes.
"""

from collections.abc import Iterator
from math import perm

import numpy as np
import numpy.typing as npt

from noc.networks.arrays import IntArray, no_node

Symbols = npt.NDArray[np.uint8]

# Beyond 9 symbols a label puts this between them.
SEPARATOR = "."


def arrangements(n: int, k: int) -> Symbols:
    """All strings of k distinct symbols of 1…n, in lexicographic order, one column each."""
    count = perm(n, k)
    symbols = np.empty((k, count), dtype=np.uint8)
    remaining = np.arange(count, dtype=np.int64)
    for position in range(k):
        block = perm(n - 1 - position, k - 1 - position)
        symbols[position] = remaining // block
        remaining %= block
    # Digit i counts the smaller symbols that are still free; make it the symbol itself.
    for position in range(k - 2, -1, -1):
        symbols[position + 1 :] += symbols[position + 1 :] >= symbols[position]
    symbols += 1
    return symbols


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


def rank(symbols: Symbols, n: int) -> IntArray:
    """The position of each column in the lexicographic order of :func:`arrangements`."""
    k, count = symbols.shape
    ranks = np.zeros(count, dtype=np.int64)
    for position in range(k):
        free_below = symbols[position] - np.uint8(1)
        for earlier in range(position):
            free_below -= symbols[earlier] < symbols[position]
        ranks *= n - position
        ranks += free_below
    return ranks


def relabelled(symbols: Symbols, n: int, *kinds: range) -> Iterator[Symbols]:
    """The strings with their symbols renamed, each kind of symbols among themselves.

    Two ways for each kind, which make up all others: its first two swapped, and all moved up.
    """
    for kind in kinds:
        for moved in {2, len(kind)}:
            name = np.arange(n + 1, dtype=np.uint8)
            if moved <= len(kind):
                name[kind[:moved]] = np.roll(kind[:moved], -1)
            yield name[symbols]


def swapped(symbols: Symbols, first: int, second: int) -> Symbols:
    """A copy in which two positions (counted from 0) have changed places."""
    result = symbols.copy()
    result[[first, second]] = symbols[[second, first]]
    return result


def spell(symbols: tuple[int, ...], n: int) -> str:
    """A label: digits while every symbol is one digit, else separated by full stops."""
    return (SEPARATOR if n > 9 else "").join(str(symbol) for symbol in symbols)


def parse(text: str, n: int, k: int) -> tuple[int, ...]:
    """The symbols of a label, or an :class:`~noc.errors.InputError` that says what is allowed."""
    parts = text.split(SEPARATOR) if n > 9 else list(text)
    symbols = tuple(int(part) for part in parts if part.isascii() and part.isdigit())
    proper = len(symbols) == len(parts) == k and len(set(symbols)) == k
    if not (proper and all(1 <= symbol <= n for symbol in symbols)):
        example = spell(tuple(range(1, k + 1)), n)
        raise no_node(text, f"{k} different symbols of 1…{n} are allowed, as in {example}")
    return symbols


class PermutationLabels:
    """Labels of all strings of k distinct symbols of 1…n, in lexicographic order."""

    def __init__(self, n: int, k: int) -> None:
        self.n, self.k = n, k

    def text(self, node: int) -> str:
        """The label of a node."""
        free, symbols = list(range(1, self.n + 1)), []
        for position in range(self.k):
            block = perm(self.n - 1 - position, self.k - 1 - position)
            symbols.append(free.pop(node // block))
            node %= block
        return spell(tuple(symbols), self.n)

    def node(self, text: str) -> int:
        """The node of a label."""
        column = np.array(parse(text, self.n, self.k), dtype=np.uint8)[:, None]
        return int(rank(column, self.n)[0])

    def relabellings(self) -> Iterator[IntArray]:
        """Where nodes go if symbols are renamed."""
        symbols = arrangements(self.n, self.k)
        for renamed in relabelled(symbols, self.n, range(1, self.n + 1)):
            yield rank(renamed, self.n)
