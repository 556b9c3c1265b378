"""``balanced``: the balanced trees of complete and incomplete star graphs.

A star is split into substars of many sizes, chosen so that a word enters a large one early: the
substar of dimension n-1 at depth 1, those of dimension n-2 by depth 3. Each is served by the same
construction, one size down. Labels are read from the root: symbol i is the root's i-th.

After Chen, Tseng and Sheu (1996).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import factorial

import numpy as np

from noc.networks import IntArray, Network
from noc.networks.permutations import arrangements, rank
from noc.networks.star import incomplete_star_symbols
from noc.trees.algorithms import Algorithm
from noc.trees.tree import NO_PARENT, Ports, Tree, scheduled


@dataclass(frozen=True)
class Part:
    """One substar and how a word enters it."""

    #: The paper's name for it.
    name: str
    #: The label of its first node, seen from the root 12…n.
    entry: tuple[int, ...]
    #: The positions, counted from 0 and ascending, whose symbols vary inside it.
    free: tuple[int, ...]
    #: The position that swaps with the first on the hop into it; 0 where the root starts.
    position: int

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return factorial(len(self.free))


def _path(n: int, *ports: int) -> tuple[int, ...]:
    """The label reached from 12…n by swapping the first symbol with each of these in turn."""
    symbols = list(range(1, n + 1))
    for port in ports:
        symbols[0], symbols[port - 1] = symbols[port - 1], symbols[0]
    return tuple(symbols)


def substars(n: int) -> Iterator[Part]:
    """The parts into which the balanced tree splits star n, n from 2 up.

    The nodes a(i), b(i,j) and c(i,j) of the paper, with its misprints mended: b(i,j) is g_j(a(i))
    [star-trees-equation-2], i stops at n-1 in c(i,j) [star-trees-equation-3], and the last rule
    pairs c(i,n) with C(n,i) [star-trees-rule-r4b].
    """
    yield Part("R", _path(n), (0,), 0)
    yield Part("A", _path(n, n), tuple(range(n - 1)), n - 1)
    for i in range(2, n):
        yield Part(f"B(1,{i})", _path(n, i), tuple(range(i - 1)), i - 1)
        for j in range(i + 1, n):
            yield Part(f"B({i},{j})", _path(n, i, j), tuple(range(j - 1)), j - 1)
        free = tuple(position for position in range(n - 1) if position != i - 1)
        yield Part(f"C(1,{i})", _path(n, i, n), free, n - 1)
        yield Part(f"C({n},{i})", _path(n, i, n, i), free, i - 1)
        for j in range(2, n):
            if j != i:
                free = tuple(position for position in range(n - 1) if position != j - 1)
                yield Part(f"C({i},{j})", _path(n, i, j, n), free, n - 1)


def ports_to_parent(n: int, parts: Callable[[int], Iterator[Part]] = substars) -> IntArray:
    """The position that leads from each node of star n to its parent, 0 at the root 12…n.

    ``parts`` says how a star of each dimension from 2 up is split, each entry but the root's one
    hop from a node of another part. Each part is served by the tree of a smaller star, whose
    dimensions are its free positions in ascending order.
    """
    inside = {1: np.zeros(1, dtype=np.int8)}
    for size in range(2, n + 1):
        inside[size] = _joined(size, parts(size), inside)
    return inside[n]


def _joined(n: int, parts: Iterator[Part], inside: dict[int, IntArray]) -> IntArray:
    """The tree of star n from the trees of the smaller stars that serve its parts."""
    choices = {size: arrangements(size, size) for size in inside}
    position = np.zeros(factorial(n), dtype=np.int8)
    for part in parts:
        entry, free = np.array(part.entry, dtype=np.uint8), np.array(part.free, dtype=np.int8)
        symbols = np.repeat(entry[:, None], part.nodes, axis=1)
        symbols[free] = entry[free][choices[free.size] - 1]
        to_parent = free[inside[free.size]]
        to_parent[0] = part.position
        position[rank(symbols, n)] = to_parent
    return position


def balanced_tree(network: Network, root: int = 0, ports: Ports = "all") -> Tree:
    """The balanced tree of a complete or incomplete star.

    That of an incomplete star is the complete star's without the nodes that are absent.
    """
    # A star is the incomplete star that lacks nothing.
    n, k = int(network.parameters[0]), int(network.parameters[-1])
    symbols = incomplete_star_symbols(n, k)
    position_in_root = np.zeros(n + 1, dtype=np.uint8)
    position_in_root[symbols[:, root]] = np.arange(1, n + 1)
    position = ports_to_parent(n)[rank(position_in_root[symbols], n)]
    # A link has one port label at both ends, so the port to the parent is the parent's too.
    port = position.astype(np.int16) - 1
    parent = network.neighbour[np.arange(network.nodes), port]
    parent[root] = port[root] = NO_PARENT
    return scheduled(network, "balanced", ports, root, parent, port)


ALGORITHMS = (
    Algorithm(
        name="balanced",
        summary="least height, and branches at the root of nearly the same size",
        families=("star", "incomplete-star"),
        models=("all", "one"),
        build=balanced_tree,
        paper="star-trees",
    ),
)
