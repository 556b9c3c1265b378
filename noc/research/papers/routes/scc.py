"""Routes on star-connected cycles: the report's Algorithm 3, and a search that is optimal.

A route is a word of laterals with the shorter way round a ring between two of them. Algorithm 3
finishes every cycle of the permutation before it begins another, and orders them by a tree
search. Shorter routes may begin a cycle in the middle of another one: between two laterals that
are far apart on the ring it costs nothing to stop on the way. :func:`best_word` searches all
words with the fewest laterals. No other word is shorter: let a lateral at position a lead away
from the goal and the rest of the word be one with the fewest laterals, nested as it may be.

- If a held its own symbol, the rest visits a again, and without both visits still sorts.
- Otherwise a splits the cycle (1 … a …) and the rest sorts the split-off part somewhere, in a
  closed walk through a. Take that walk first, from its second position to a; go on as from a.
  By the triangle inequality that is no longer, and it has two laterals less.

By induction over the word from its end, every word has one with the fewest laterals that is no
longer.

After Azevedo, Bagherzadeh and Latifi (1993).
"""

from functools import lru_cache
from heapq import heappop, heappush
from itertools import pairwise

from noc.networks import Network
from noc.networks.cycles import LATERAL
from noc.networks.permutations import parse
from noc.research.papers.routes import ring
from noc.research.papers.routes.star import Permutation, cycles, relative, swap

__all__ = ["best_word", "problem", "route", "word_length", "word_ports"]


def problem(network: Network, source: int, destination: int) -> tuple[Permutation, int, int]:
    """The permutation to sort, and the ring positions I (2…n) of source and destination."""
    n = int(network.parameters[0])
    (first, _, here), (last, _, there) = (
        network.label(node).partition(":") for node in (source, destination)
    )
    return relative(parse(here, n, n), parse(there, n, n)), int(first), int(last)


def route(network: Network, source: int, destination: int) -> list[int]:
    """The out-ports of a shortest route between two nodes of an SCC."""
    q, start, end = problem(network, source, destination)
    return word_ports(best_word(q, start, end), len(q) - 1, start, end)


def word_ports(word: list[int], size: int, start: int, end: int) -> list[int]:
    """The out-ports of a word of laterals, with the local links that join them."""
    ports, here = [], start
    for lateral in word:
        ports += [*ring.route(size, here, lateral), LATERAL]
        here = lateral
    return ports + ring.route(size, here, end)


def word_length(word: list[int], size: int, start: int, end: int) -> int:
    """The links of a word of laterals, the local ones included."""
    return len(word_ports(word, size, start, end))


def best_word(q: Permutation, start: int, end: int) -> list[int]:
    """The laterals of a shortest route that sorts ``q`` from position ``start`` to ``end``.

    A* over the permutations on the way. The local links still needed are at least those of a
    walk through all positions with a wrong symbol.
    """
    size = len(q) - 1
    came: dict[tuple[Permutation, int], tuple[Permutation, int]] = {}
    locals_to = {(q, start): 0}
    heap = [(_least_walk(size, start, end, _wrong(q)), 0, q, start)]
    while heap:
        _, minus_laterals, q, here = heappop(heap)
        if not _wrong(q):
            break
        for lateral in _towards(q):
            state = swap(q, lateral), lateral
            cost = locals_to[q, here] + ring.distance(size, here, lateral)
            if cost < locals_to.get(state, cost + 1):
                locals_to[state], came[state] = cost, (q, here)
                estimate = cost + _least_walk(size, lateral, end, _wrong(state[0]))
                heappush(heap, (estimate, minus_laterals - 1, *state))
    word, state = [], (q, here)
    while state in came:
        word.append(state[1])
        state = came[state]
    return word[::-1]


def _wrong(q: Permutation) -> tuple[int, ...]:
    """The positions 2…n whose symbol is not their own."""
    return tuple(d for d in range(2, len(q) + 1) if q[d - 1] != d)


def _towards(q: Permutation) -> list[int]:
    """The laterals that lead one link nearer on the star.

    The first symbol goes home, or a cycle without 1 begins, from any of its positions.
    """
    home = [q[0]] if q[0] != 1 else []
    return home + [d for cycle in cycles(q) if cycle[0] != 1 for d in cycle]


@lru_cache(maxsize=1 << 16)
def _least_walk(size: int, here: int, end: int, visit: tuple[int, ...]) -> int:
    """Local links of the shortest walk on a ring through some positions to the last one.

    It turns back at most once: it visits some positions to the right and the others to the
    left, on one side first.
    """
    ahead = [0, *sorted((place - here) % size for place in visit), size]
    last, best = (end - here) % size, 2 * size
    for right, beyond in pairwise(ahead):
        left = size - beyond
        best = min(
            best,
            2 * right + left + ring.distance(size, beyond % size, last),
            2 * left + right + ring.distance(size, right, last),
        )
    return best
