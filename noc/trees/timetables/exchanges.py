"""Timetables of exchanges in which each word is for one node: fewest steps come first."""

from itertools import count

from noc.networks import Network, memory
from noc.trees.bounds import exchange_bound
from noc.trees.timetables import flow, routing
from noc.trees.timetables.routes import Exchange, Routes
from noc.trees.timetables.search import (
    MOST_TRIES,
    Effort,
    Progress,
    Tried,
    kept_too_short,
    of_some,
    search_best,
)

# A limit is given up after as many attempts as take a few seconds in all.
_WORK_OF_ROUTES = 600_000_000

#: What is kept of each pair of nodes.
_BYTES = 64


def bound_of(network: Network, exchange: Exchange, words: int = 1) -> int:
    """The steps below which no exchange stays, of some words from each source to each target."""
    pairs = exchange.pairs(network)
    return exchange_bound(network, *pairs, alike=exchange.alike(network), words=words)


def find_routes(
    network: Network | str,
    exchange: Exchange,
    *,
    kept: int | None = None,
    tries: int | None = None,
    seed: int = 0,
    progress: Progress = lambda _: None,
    tried: Tried = lambda _: None,
) -> Routes:
    """Search for a timetable of an exchange in which each word is for one node; it is verified.

    A scatter or a gather takes the fewest steps there are, whatever the tries and the seed.

    >>> routes = find_routes("star:4", Exchange("all_to_all"))
    >>> routes.steps, routes.kept
    (21, 0)

    The parameters are those of :func:`find_timetable`.
    """
    network = of_some(network)
    memory.require(
        _BYTES * network.nodes**2,
        purpose=f"routes on {network.spec}",
        remedy="choose a smaller network",
    )
    bound, effort = bound_of(network, exchange), Effort(kept, tries, seed, progress, tried)
    if exchange.rooted:
        return _of_root(network, exchange, bound, effort).check()
    best = _of_all(network, exchange, bound, effort, translated=exchange.alike(network))
    # Where all nodes do the same, fewer steps may do if they need not.
    if best.translated and best.steps > bound:
        ways = routing.ways_of(network, exchange, translated=False)
        if _work(ways, bound) <= _WORK_OF_ROUTES:
            other = _of_all(network, exchange, bound, effort, translated=False)
            best = other if other.steps < best.steps else best
    return best.check()


def _of_root(network: Network, exchange: Exchange, bound: int, effort: Effort) -> Routes:
    """The fewest steps there are: as many as a flow from the root, or to it, needs."""
    for steps in count(bound):
        effort.progress(f"seeking {steps} steps")
        best = flow.route_all(network, exchange, steps)
        if best is None:
            continue
        if effort.kept is not None and best.kept > effort.kept:
            raise kept_too_short(network, effort.kept)
        effort.tried(1.0)
        return best
    raise AssertionError("one word after the other comes at last")


def _of_all(
    network: Network, exchange: Exchange, bound: int, effort: Effort, *, translated: bool
) -> Routes:
    """The best of many attempts to route one word after the other."""
    ways = routing.ways_of(network, exchange, translated=translated)

    def attempt(limit: int, kept: int, seed: int) -> Routes | None:
        return routing.attempt(network, exchange, ways, seed=seed, limit=limit, kept=kept)

    # With a step for each hop there is always a way.
    worst, hops = 2 * bound, int(ways.hops.sum())
    while worst < hops and attempt(worst, worst, effort.seed) is None:
        worst *= 2
    usual = max(2, min(_WORK_OF_ROUTES // _work(ways, bound), MOST_TRIES))
    return search_best(network, attempt, bound=bound, worst=worst, usual=usual, effort=effort)


def _work(ways: routing.Ways, steps: int) -> int:
    """How long an attempt takes, in units of :data:`_WORK_OF_ROUTES`."""
    nodes, ports = ways.neighbour.shape
    return int(ways.hops.sum() * steps * ports + ways.source.size * nodes)
