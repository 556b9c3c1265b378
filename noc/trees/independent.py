"""Trees from one root whose ways to any node have no node in common but their ends.

They have no common link either, and a dead node takes a word from others in one tree at most, where
of trees that are only without a common link it may take it in several. How many there can be is
bounded by the ways from the root to each node that meet nowhere (Menger). They are found by exact
search, from the least height on.

Where the network can be turned about the root, so that each of its links takes the place of the
next, one tree is searched that has no node in common with its own turned copies. It has so much
fewer variables that star:6 takes a minute or two. Only if no such tree has some height, others are
searched; in networks too large for that, trees are as low as turned ones can be.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np

from noc.errors import InputError, option
from noc.networks import ABSENT, IntArray, Network
from noc.trees.algorithms import Algorithm
from noc.trees.disjoint import least_height
from noc.trees.tree import NO_PARENT, Ports, TreeFamily, scheduled

#: What users type after ``--algorithm``.
NAME = "independent"

#: So many clauses are searched in seconds, or some minutes.
_MOST_CLAUSES = 4_000_000

_PACKAGE = "python-sat"

Clauses = Iterator[list[int]]


def most_ways(network: Network, root: int) -> int:
    """How many ways from a root to any other node, at least, have no common node between.

    >>> from noc.networks import build_network
    >>> most_ways(build_network("star:4"), 0)
    3
    """
    import networkx

    graph = networkx.DiGraph()
    graph.add_edges_from(((node, 0), (node, 1)) for node in range(network.nodes) if node != root)
    networkx.set_edge_attributes(graph, 1, "capacity")
    for node, port in np.argwhere(network.neighbour != ABSENT).tolist():
        ends = (node, 1), (int(network.neighbour[node, port]), 0)
        known = graph.get_edge_data(*ends, {"capacity": 0})["capacity"]
        graph.add_edge(*ends, capacity=known + 1)
    # What all flows share is built once, and none goes on beyond the least so far.
    flow = networkx.algorithms.flow.shortest_augmenting_path
    residual = networkx.algorithms.flow.build_residual_network(graph, "capacity")
    least = int((network.neighbour[root] != ABSENT).sum())
    for node in range(network.nodes):
        if node != root:
            found = flow(graph, (root, 1), (node, 0), residual=residual, cutoff=least)
            least = min(least, int(found.graph["flow_value"]))
    return least


class Turn(NamedTuple):
    """A map of a network onto itself: where its nodes and its out-ports go."""

    nodes: Sequence[int]
    ports: Sequence[int]

    def after(self, first: "Turn") -> "Turn":
        """The one that does another first, and then this."""
        return Turn([self.nodes[n] for n in first.nodes], [self.ports[p] for p in first.ports])


class Formula:
    """What independent trees of some height are, as clauses: there are such trees if it holds.

    With a turn, each tree is the one before turned, and only the first has variables.
    """

    def __init__(
        self, network: Network, root: int, trees: int, height: int, turn: Turn | None = None
    ) -> None:
        self._network, self._root, self._trees, self._height = network, root, range(trees), height
        self._others = [node for node in range(network.nodes) if node != root]
        self._hops = network.distances(root).tolist()
        turned = [Turn(range(network.nodes), range(network.neighbour.shape[1]))]
        while turn is not None and len(turned) < trees:
            turned.append(turn.after(turned[-1]))
        #: What turns each tree on to be the first again.
        self._back = [turned[-tree % len(turned)] for tree in self._trees]
        self._turned = turn is not None
        self._first = range(1) if turn else self._trees
        # Of turned trees, what holds for the first and another holds for any two so far apart.
        apart = [(0, tree) for tree in range(1, trees // 2 + 1)]
        self._pairs = apart if turn else list(combinations(self._trees, 2))
        #: For each node the links that lead to it, by sender and out-port.
        self.links: dict[int, list[tuple[int, int]]] = {node: [] for node in self._others}
        for sender, port in np.argwhere(network.neighbour != ABSENT).tolist():
            if network.neighbour[sender, port] != root:
                self.links[int(network.neighbour[sender, port])].append((sender, port))
        self._numbers: dict[tuple[object, ...], int] = {}

    def enters(self, tree: int, node: int, link: tuple[int, int]) -> int:
        """The variable: a tree comes to a node by a link."""
        owner, (nodes, ports) = self._owner(tree)
        return self._number("enters", owner, nodes[node], nodes[link[0]], ports[link[1]])

    def _above(self, tree: int, above: int, node: int) -> int:
        """A node is on the way to another one."""
        owner, (nodes, _) = self._owner(tree)
        return self._number("above", owner, nodes[above], nodes[node])

    def _within(self, tree: int, node: int, depth: int) -> int:
        """A node is no deeper than this."""
        return self._number("within", tree, node, depth)

    def _owner(self, tree: int) -> tuple[int, Turn]:
        """The tree that has the variables of a tree, and where they are there."""
        return 0 if self._turned else tree, self._back[tree]

    def _number(self, *variable: object) -> int:
        return self._numbers.setdefault(variable, len(self._numbers) + 1)

    def clauses(self) -> Clauses:
        """All of them."""
        for node in self._others:
            for tree in self._first:
                yield from self._one_link(tree, node)
                for link in self.links[node]:
                    if link[0] != self._root:
                        yield from self._below(tree, node, link)
            for pair in self._pairs:
                yield from self._apart(pair, node)

    def _one_link(self, tree: int, node: int) -> Clauses:
        """It comes to each node by one link, and no deeper than it may be."""
        ways = [self.enters(tree, node, link) for link in self.links[node]]
        yield ways
        yield from ([-one, -other] for one, other in combinations(ways, 2))
        depths = range(self._hops[node], self._height)
        for depth in depths:
            yield [-self._within(tree, node, depth), self._within(tree, node, depth + 1)]
        yield [self._within(tree, node, self._height)]

    def _below(self, tree: int, node: int, link: tuple[int, int]) -> Clauses:
        """What is above the sender of a link, and the sender, is above the node, and it is not."""
        sender, enters = link[0], self.enters(tree, node, link)
        if sender not in self._aboves[node]:
            yield [-enters]
            return
        yield [-enters, self._above(tree, sender, node)]
        if node in self._aboves[sender]:
            yield [-enters, -self._above(tree, node, sender)]
        for above in self._aboves[sender] - {node}:
            below = [self._above(tree, above, node)] if above in self._aboves[node] else []
            yield [-enters, -self._above(tree, above, sender), *below]
        for depth in range(self._hops[node], self._height + 1):
            higher = [self._within(tree, sender, depth - 1)]
            known = higher if depth > self._hops[sender] else []
            yield [-enters, -self._within(tree, node, depth), *known]

    def _apart(self, pair: tuple[int, int], node: int) -> Clauses:
        """No node is on the ways of two trees, and no link from the root."""
        for above in self._aboves[node]:
            yield [-self._above(tree, above, node) for tree in pair]
        for link in self.links[node]:
            if link[0] == self._root:
                yield [-self.enters(tree, node, link) for tree in pair]

    @cached_property
    def _aboves(self) -> dict[int, set[int]]:
        """For each node those that may be above it in trees of this height."""
        away = [self._network.distances(node).tolist() for node in range(self._network.nodes)]
        return {
            node: {
                above
                for above in self._others
                if above != node and self._hops[above] + away[above][node] <= self._height
            }
            for node in self._others
        }

    @property
    def size(self) -> int:
        """About how many clauses there are."""
        links = sum(map(len, self.links.values()))
        others = len(self._others)
        return others * (len(self._first) * links + len(self._pairs) * others)


def _solver() -> Any:
    try:
        from pysat.solvers import (  # type: ignore[import-untyped,import-not-found,unused-ignore]
            Cadical195,
        )
    except ImportError:
        raise InputError(
            f"{option('algorithm', NAME)}: needs the package {_PACKAGE}: "
            f"pip install '{_PACKAGE}>=1.9.dev16'"
        ) from None
    return Cadical195


def _search(formula: Formula) -> frozenset[int] | None:
    """The variables that hold, if all clauses can."""
    with _solver()(bootstrap_with=formula.clauses()) as solver:
        return frozenset(solver.get_model()) if solver.solve() else None


def _build(network: Network, root: int, ports: Ports) -> TreeFamily:
    # One tree has the fewest clauses: what is too large for it is refused before flows are sought.
    _searched(network, root, 1)
    # Of undirected networks that many are known to exist up to four; for more it is a conjecture.
    for count in range(most_ways(network, root), 0, -1):
        turns = _searched(network, root, count)
        for height in range(least_height(network, root, count), network.nodes):
            for turn in turns:
                formula = Formula(network, root, count, height, turn)
                holds = _search(formula)
                if holds is not None:
                    members = (
                        scheduled(network, NAME, ports, root, *_ends(network, formula, tree, holds))
                        for tree in range(count)
                    )
                    return TreeFamily(network, NAME, ports, root, tuple(members))
    raise AssertionError("a network that is connected has a tree")


def _searched(network: Network, root: int, count: int) -> list[Turn | None]:
    """How so many trees are searched: turned, and in any other way."""
    turn = network.find_turn(root) if count == (network.neighbour[root] != ABSENT).sum() else None
    ways = [None] if turn is None else [Turn(*turn), None]
    allowed = [w for w in ways if Formula(network, root, count, 1, w).size <= _MOST_CLAUSES]
    if not allowed:
        raise InputError(
            f"{option('algorithm', NAME)}: {network.spec} is too large for an exact search; use "
            f"{option('algorithm', 'disjoint')}"
        )
    return allowed


def _ends(
    network: Network, formula: Formula, tree: int, holds: frozenset[int]
) -> tuple[IntArray, IntArray]:
    """The parents in a tree, and the ports by which they send."""
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    port = np.full(network.nodes, NO_PARENT, dtype=np.int16)
    for node, link in chain.from_iterable(
        ((node, link) for link in links) for node, links in formula.links.items()
    ):
        if formula.enters(tree, node, link) in holds:
            parent[node], port[node] = link
    return parent, port


def _at_once(network: Network, _root: int) -> bool:
    """Of small networks one root; without the solver none."""
    try:
        _solver()
    except InputError:
        return False
    return network.symmetric and network.nodes <= 32


ALGORITHMS = (
    Algorithm(
        name=NAME,
        summary="trees without a common node on the ways to any node, as low as can be found",
        families=None,
        models=("all",),
        build=_build,
        arc_disjoint=True,
        at_once=_at_once,
    ),
)
