"""Routes of the SCC report: Algorithms 1 to 3, and a search that is optimal.

On a star a route sorts a permutation by its cycles (Algorithm 1), on a ring it takes the shorter
way round (Algorithm 2). On star-connected cycles it is a word of laterals with the shorter way
round a ring between two of them. Algorithm 3 finishes every cycle of the permutation before it
begins another, and orders them by a tree search [scc-algorithm-3]. Shorter routes may begin a
cycle in the middle of another one: between two laterals that are far apart on the ring it costs
nothing to stop on the way. :func:`best_word` searches all words with the fewest laterals. No other
word is shorter: let a lateral at position a lead away from the goal and the rest of the word be
one with the fewest laterals, nested as it may be.

- If a held its own symbol, the rest visits a again, and without both visits still sorts.
- Otherwise a splits the cycle (1 … a …) and the rest sorts the split-off part somewhere, in a
  closed walk through a. Take that walk first, from its second position to a; go on as from a.
  By the triangle inequality that is no longer, and it has two laterals less.

By induction over the word from its end, every word has one with the fewest laterals that is no
longer.

After Azevedo, Bagherzadeh and Latifi (1993).
"""

from collections.abc import Iterable
from functools import lru_cache
from heapq import heappop, heappush
from itertools import chain, pairwise, permutations, product
from math import factorial, prod
from typing import NamedTuple

from noc.networks import Network
from noc.networks.cycles import LATERAL, LEFT, RIGHT
from noc.networks.permutations import parse

#: The symbols of 1…n by position.
Permutation = tuple[int, ...]


def relative(source: Permutation, destination: Permutation) -> Permutation:
    """What is left to sort: the source when the destination's symbols are renamed 1…n in order.

    >>> relative((2, 3, 1), (3, 2, 1))
    (2, 1, 3)
    """
    position = {symbol: i for i, symbol in enumerate(destination, start=1)}
    return tuple(position[symbol] for symbol in source)


def cycles(q: Permutation) -> list[Permutation]:
    """The cycles of at least two symbols, each from its smallest.

    A symbol's own position holds the next symbol of its cycle. (The symbols of a cycle are
    printed as ascending; only the first needs to be the least [scc-cycles-ascending].)

    >>> cycles((2, 6, 5, 4, 3, 1, 8, 7))
    [(1, 2, 6), (3, 5), (7, 8)]
    """
    parts, seen = [], set()
    for smallest in range(1, len(q) + 1):
        cycle, symbol = [], smallest
        while symbol not in seen:
            seen.add(symbol)
            cycle.append(symbol)
            symbol = q[symbol - 1]
        if len(cycle) > 1:
            parts.append(tuple(cycle))
    return parts


def permutation(n: int, parts: Iterable[Permutation]) -> Permutation:
    """The permutation with these cycles: a symbol's own position holds the next of its cycle.

    >>> permutation(4, ((1, 3, 4),))
    (3, 2, 4, 1)
    """
    q = list(range(1, n + 1))
    for cycle in parts:
        for symbol, following in pairwise((*cycle, cycle[0])):
            q[symbol - 1] = following
    return tuple(q)


def distance(q: Permutation) -> int:
    """Links from a permutation to the sorted one: c + m, or c + m - 2 if 1 is not first."""
    parts = cycles(q)
    return len(parts) + sum(map(len, parts)) - (2 if q[0] != 1 else 0)


def one_at_a_time_routes(q: Permutation) -> int:
    """The report's count T_p of optimal routes: cycles in any order, each from any symbol.

    It is the number of optimal routes that finish every cycle before they begin another, and
    less than all of them once a cycle can be begun in the middle of one with three symbols
    [scc-routes].
    """
    parts = cycles(q)
    return factorial(len(parts)) * prod(len(cycle) for cycle in parts if cycle[0] != 1)


def swap(q: Permutation, d: int) -> Permutation:
    """The permutation after the first symbol and the d-th have changed places."""
    return (q[d - 1], *q[1 : d - 1], q[0], *q[d:])


def star_route(network: Network, source: int, destination: int) -> list[int]:
    """Algorithm 1: the out-ports of a shortest route between two nodes of a star."""
    n = int(network.parameters[0])
    ends = (parse(network.label(node), n, n) for node in (source, destination))
    q, ports = relative(*ends), []
    while parts := cycles(q):
        # 1 goes where the symbol is wrong; any other symbol goes home.
        d = q[0] if q[0] != 1 else parts[0][0]
        q = swap(q, d)
        ports.append(d - 2)
    return ports


def ring_distance(ring: int, start: int, end: int) -> int:
    """Local links between two ring positions, as Equation 1 counts them.

    >>> ring_distance(7, 0, 5)
    2
    """
    return min(abs(end - start), ring - abs(end - start))


def ring_route(ring: int, start: int, end: int) -> list[int]:
    """Algorithm 2: the out-ports from one ring position to another on a shortest way.

    >>> ring_route(7, 0, 5) == [LEFT, LEFT]
    True
    """
    # With ring = n-1 the report divides by floor((n+1)/2): 1 where the way round is shorter.
    beyond_half = abs(end - start) // ((ring + 2) // 2)
    right = (end > start) == (beyond_half == 0)
    # One link joins a ring of two, and it is named right at both ends.
    return [RIGHT if right or ring == 2 else LEFT] * ring_distance(ring, start, end)


def _problem(network: Network, source: int, destination: int) -> tuple[Permutation, int, int]:
    """The permutation to sort, and the ring positions I (2…n) of source and destination."""
    n = int(network.parameters[0])
    start, end = (network.label(node).partition(":") for node in (source, destination))
    q = relative(parse(start[2], n, n), parse(end[2], n, n))
    return q, int(start[0]), int(end[0])


def scc_route(network: Network, source: int, destination: int) -> list[int]:
    """The out-ports of a shortest route between two nodes of an SCC."""
    q, start, end = _problem(network, source, destination)
    return _word_ports(best_word(q, start, end), len(q) - 1, start, end)


def report_route(network: Network, source: int, destination: int) -> list[int]:
    """The out-ports of the route that Algorithm 3 finds between two nodes of an SCC."""
    q, start, end = _problem(network, source, destination)
    return _word_ports(tree_search(q, start, end)[0], len(q) - 1, start, end)


def _word_ports(word: list[int], size: int, start: int, end: int) -> list[int]:
    """The out-ports of a word of laterals, with the local links that join them."""
    ports, position = [], start
    for lateral in word:
        ports += [*ring_route(size, position, lateral), LATERAL]
        position = lateral
    return ports + ring_route(size, position, end)


def word_length(word: list[int], size: int, start: int, end: int) -> int:
    """The links of a word of laterals, the local ones included."""
    return len(_word_ports(word, size, start, end))


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
        _, minus_laterals, q, position = heappop(heap)
        if not _wrong(q):
            break
        for lateral in _towards(q):
            state = swap(q, lateral), lateral
            cost = locals_to[q, position] + ring_distance(size, position, lateral)
            if cost < locals_to.get(state, cost + 1):
                locals_to[state], came[state] = cost, (q, position)
                estimate = cost + _least_walk(size, lateral, end, _wrong(state[0]))
                heappush(heap, (estimate, minus_laterals - 1, *state))
    word, state = [], (q, position)
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
def _least_walk(size: int, start: int, end: int, visit: tuple[int, ...]) -> int:
    """Local links of the shortest walk on a ring through some positions to the last one.

    It turns back at most once: it visits some positions to the right and the others to the
    left, on one side first.
    """
    ahead = [0, *sorted((position - start) % size for position in visit), size]
    last = (end - start) % size
    return min(
        min(
            2 * right + size - beyond + ring_distance(size, beyond % size, last),
            2 * (size - beyond) + right + ring_distance(size, right, last),
        )
        for right, beyond in pairwise(ahead)
    )


def executions(cycle: Permutation) -> list[Permutation]:
    """The words of one cycle: from its second symbol with 1, else round from any symbol."""
    if cycle[0] == 1:
        return [cycle[1:]]
    turned = (cycle[k:] + cycle[:k] for k in range(len(cycle)))
    return [(*word, word[0]) for word in turned]


def best_order(q: Permutation, start: int, end: int) -> list[int]:
    """The laterals of the best route that finishes every cycle before it begins another."""
    words = (
        list(chain(*choice))
        for order in permutations(cycles(q))
        for choice in product(*map(executions, order))
    )
    return min(words, key=lambda word: word_length(word, len(q) - 1, start, end))


class _Vertex(NamedTuple):
    """A vertex of the report's routing tree.

    The lateral that ends its cycle; the local links from its parent, and between cycles so far,
    the report's D_r; the cycles still to be executed; the laterals so far; whether it is the
    destination.
    """

    last: int
    entry: int
    from_root: int
    remaining: tuple[Permutation, ...]
    word: tuple[int, ...] = ()
    final: bool = False

    @property
    def virtual_distance(self) -> int:
        """The report's D_v: one link is assumed for each level that is still below."""
        return self.from_root + (0 if self.final else len(self.remaining) + 1)

    def children(self, size: int, end: int) -> list["_Vertex"]:
        if not self.remaining:
            entry = ring_distance(size, self.last, end)
            return [_Vertex(end, entry, self.from_root + entry, (), self.word, final=True)]
        children = []
        for cycle in self.remaining:
            others = tuple(other for other in self.remaining if other is not cycle)
            for word in executions(cycle):
                entry = ring_distance(size, self.last, word[0])
                total = self.from_root + entry
                children.append(_Vertex(word[-1], entry, total, others, self.word + word))
        return children


def tree_search(q: Permutation, start: int, end: int) -> list[list[int]]:
    """The words of laterals that Algorithm 3 leaves, the shortest first.

    All new vertices at distance 0 are enabled, else all at distance 1, else those of the least
    virtual distance in the whole tree. The report takes any word that is left; they need not
    be equally long.
    """
    leaves: list[_Vertex] = []
    enabled = [_Vertex(start, 0, 0, tuple(cycles(q)))]
    while not all(vertex.final for vertex in enabled):
        done = [vertex for vertex in enabled if vertex.final]
        new = [child for v in enabled if not v.final for child in v.children(len(q) - 1, end)]
        near = [v for v in new if v.entry == 0] or [v for v in new if v.entry == 1]
        leaves += [vertex for vertex in new if vertex not in near]
        enabled = done + near
        if not near:
            leaves += done
            least = min(vertex.virtual_distance for vertex in leaves)
            enabled = [vertex for vertex in leaves if vertex.virtual_distance == least]
            leaves = [vertex for vertex in leaves if vertex.virtual_distance != least]
    return [list(v.word) for v in sorted(enabled, key=lambda vertex: vertex.from_root)]
