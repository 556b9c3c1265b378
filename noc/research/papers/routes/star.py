"""Algorithm 1 of the SCC report: routes on a star, by the cycles of a permutation.

After Azevedo, Bagherzadeh and Latifi (1993).
"""

from math import factorial, prod

from noc.networks import Network
from noc.networks.permutations import parse

__all__ = ["Permutation", "cycles", "distance", "one_at_a_time_routes", "relative", "route"]

#: The symbols of 1…n by position.
Permutation = tuple[int, ...]


def relative(source: Permutation, destination: Permutation) -> Permutation:
    """What is left to sort: the source when the destination's symbols are renamed 1…n in order.

    >>> relative((2, 3, 1), (3, 2, 1))
    (2, 1, 3)
    """
    place = {symbol: position for position, symbol in enumerate(destination, start=1)}
    return tuple(place[symbol] for symbol in source)


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


def route(network: Network, source: int, destination: int) -> list[int]:
    """The out-ports of a shortest route between two nodes of a star."""
    n = int(network.parameters[0])
    here, there = (parse(network.label(node), n, n) for node in (source, destination))
    q, ports = relative(here, there), []
    while parts := cycles(q):
        # 1 goes where the symbol is wrong; any other symbol goes home.
        d = q[0] if q[0] != 1 else parts[0][0]
        q = swap(q, d)
        ports.append(d - 2)
    return ports
