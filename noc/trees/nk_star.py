"""``greedy`` and ``multiple``: the trees of the (n,k)-star paper.

Everything is written in the root's own frame: its i-th symbol is called i, so that the root reads
1…k, symbols up to k are *home* symbols and the others are *strangers*. A home symbol is either
somewhere in a label or *absent*. The positions of a label fall into cycles: position p wants
symbol p, which is at another position, and so on, until the cycle closes (internal), or ends
at an absent symbol (external, which needs a stranger at its beginning).

After "Optimum Broadcasting Algorithms in (n, k)-Star Graphs Using Spanning Trees".
"""

import numpy as np

from noc.networks import IntArray, Network, permutations
from noc.networks.permutations import outside_symbols
from noc.trees.algorithms import Algorithm
from noc.trees.tree import NO_PARENT, Ports, Tree, TreeFamily, scheduled

Symbols = permutations.Symbols


def _size(network: Network) -> tuple[int, int]:
    n, k = network.parameters
    return int(n), int(k)


def _root_symbols(network: Network, root: int) -> Symbols:
    n, k = _size(network)
    return np.array(permutations.parse(network.label(root), n, k), dtype=np.uint8)


def _framed(symbols: Symbols, home: Symbols, n: int) -> Symbols:
    """The labels with the root's symbols called 1…k and the strangers k+1…n, ascending."""
    order = np.concatenate([home, outside_symbols(home[:, None], n)[:, 0]])
    name = np.zeros(n + 1, dtype=np.uint8)
    name[order] = np.arange(1, n + 1)
    return name[symbols]


def _positions(framed: Symbols) -> Symbols:
    """The position of home symbol s (row s, positions from 1), 0 where it is absent."""
    k, count = framed.shape
    positions = np.zeros((k + 1, count), dtype=np.uint8)
    for position, symbol in enumerate(framed, start=1):
        node = np.flatnonzero(symbol <= k)
        positions[symbol[node], node] = position
    return positions


def _first_wrong(framed: Symbols) -> Symbols:
    """The smallest position after the first whose symbol differs from the root's; 0 if none."""
    first = np.zeros(framed.shape[1], dtype=np.uint8)
    for position in range(framed.shape[0], 1, -1):
        first[framed[position - 1] != position] = position
    return first


def _desired(positions: Symbols) -> Symbols:
    """The absent home symbol that a label with a stranger in front fetches in its stead.

    Bringing the absent symbol at the end of the first position's own cycle would close that
    cycle, and the other external cycles would have to be opened again: that one comes last.
    Among the others the lowest goes first.
    """
    # The proof of Theorem 6 takes it for the root's first symbol where n = k+1; it is whichever
    # one is absent: from 412 the way to 123 leads through 312 [nk-star-theorem-6].
    end = np.ones(positions.shape[1], dtype=np.uint8)
    node = np.arange(end.size)
    for _ in range(positions.shape[0] - 1):
        following = positions[end, node]
        end = np.where(following > 0, following, end)
    desired = end.copy()
    for symbol in range(positions.shape[0] - 1, 0, -1):
        desired[(positions[symbol] == 0) & (end != symbol)] = symbol
    return desired


def _ports_to_parent(network: Network, root: int) -> IntArray:
    """The port of every node that leads to its parent: Definition 3, decided from two labels."""
    n, k = _size(network)
    symbols = permutations.arrangements(n, k)
    home = _root_symbols(network, root)
    framed = _framed(symbols, home, n)
    front = framed[0]
    # The first symbol goes home; the root's own first symbol goes to the first wrong position.
    position = np.where(front == 1, _first_wrong(framed), front).astype(np.int16)
    port = position - 2
    stranger = np.flatnonzero(front > k)
    fetched = home[_desired(_positions(framed[:, stranger])) - 1]
    # The ports after the swaps fetch the outside symbols in ascending order.
    smaller_inside = (symbols[:, stranger] < fetched).sum(axis=0)
    port[stranger] = k - 1 + (fetched.astype(np.int16) - 1) - smaller_inside
    port[root] = NO_PARENT
    return port


def greedy(network: Network, root: int, ports: Ports) -> Tree:
    """The tree of Definition 3: every node's parent is one step nearer the root.

    The copy of the paper lacks the definition; this is what its proof of Theorem 6 says of it,
    completed by a rule for several strangers that brings every node nearer.
    """
    return scheduled(network, "greedy", ports, root, *_greedy_links(network, root))


def _greedy_links(network: Network, root: int) -> tuple[IntArray, IntArray]:
    upward = _ports_to_parent(network, root)
    node = np.arange(network.nodes)
    parent = network.neighbour[node, upward].astype(np.int32)
    port = network.arrival[node, upward].astype(np.int16)
    parent[root] = port[root] = NO_PARENT
    return parent, port


def rotated_roots(network: Network, root: int) -> tuple[int, ...]:
    """R¹…Rⁿ⁻¹ of a node: its label, continued by the outside symbols, shifted to the right."""
    n, k = _size(network)
    symbols = _root_symbols(network, root)
    whole = np.concatenate([symbols, outside_symbols(symbols[:, None], n)[:, 0]])
    return tuple(
        int(permutations.rank(np.roll(whole, shift)[:k, None], n)[0]) for shift in range(1, n)
    )


def multiple(network: Network, root: int, ports: Ports) -> TreeFamily:
    """The trees MT of Definition 5: each rotated tree, turned round to hang from ``root``.

    Every symbol relabelling is a symmetry of the (n,k)-star, so the same construction serves
    any root; it does not keep port numbers, so the trees of two roots differ in their ports.
    """
    trees = []
    for rotated in rotated_roots(network, root):
        parent, port = _greedy_links(network, rotated)
        _turn_round(network, parent, port, root)
        trees.append(scheduled(network, "multiple", ports, root, parent, port))
    return TreeFamily(network, "multiple", ports, root, tuple(trees)).check()


def _turn_round(network: Network, parent: IntArray, port: IntArray, root: int) -> None:
    """Reverse the path from the old root to ``root``, in place."""
    above, via, node = NO_PARENT, NO_PARENT, root
    while node != NO_PARENT:
        up, down_port = int(parent[node]), int(port[node])
        parent[node], port[node] = above, via
        above, via = node, int(network.arrival[up, down_port])
        node = up


ALGORITHMS = (
    Algorithm(
        name="greedy",
        summary="every parent one step nearer the root, decided from two labels; least height",
        families=("nk-star",),
        models=("all", "one"),
        build=greedy,
        paper="nk-star",
    ),
    Algorithm(
        name="multiple",
        summary="n-1 trees, each the greedy tree of a rotated label turned round to the root",
        families=("nk-star",),
        models=("all", "one"),
        build=multiple,
        paper="nk-star",
    ),
)
