"""Routes: the way of every word of an exchange, and the step of each of its hops."""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, get_args

import numpy as np

from noc.errors import CheckError, InputError
from noc.networks import IntArray, Network
from noc.options import ExchangeName
from noc.trees.tree import NO_PARENT

#: The name of an exchange of listed words.
LISTED = "listed"


@dataclass(frozen=True)
class Exchange:
    """Which nodes have words for which."""

    #: ``all_to_all``, every node for every other; ``scatter`` and ``gather``, the root for every
    #: other, and these for the root; ``all_gather``, the same word of each node for all others;
    #: ``reduce_scatter`` and ``all_reduce``, words of all nodes that are added up, for one node
    #: each sum or for all; or ``listed``.
    name: str
    #: The node that scatters or gathers.
    root: int | None = None
    #: Source and target of each word that is listed.
    words: tuple[tuple[int, int], ...] = ()
    # Not shown, so that a design has the digest it always had; others add it to theirs.
    #: What adds words up, where they are.
    operator: str = field(default="", repr=False)

    def __post_init__(self) -> None:
        if self.name not in (*get_args(ExchangeName), LISTED):
            allowed = ", ".join((*get_args(ExchangeName), LISTED))
            raise InputError(f"exchange {self.name!r}: {allowed} are allowed")

    def __str__(self) -> str:
        return f"{self.name}:{self.operator}" if self.operator else self.name

    def check(self, network: Network) -> "Exchange":
        """Refuse words that no round can have; returns the exchange itself."""
        if self.root is not None and not self.rooted:
            raise InputError(f"root: {self.name} has none")
        if (self.name == LISTED) != bool(self.words):
            raise InputError(
                "at least one word is needed" if not self.words else "words are listed"
            )
        for (source, target), count in Counter(self.words).items():
            ends = f"from {network.label(source)} to {network.label(target)}"
            if source == target:
                raise InputError(f"the word {ends} has no way to go")
            if count > 1:
                raise InputError(f"the word {ends} is listed twice")
        return self

    @property
    def adds(self) -> bool:
        """Whether words are added up on their way."""
        return self.name in ("reduce_scatter", "all_reduce")

    @property
    def scatters_sums(self) -> bool:
        """Whether each node gets one sum; else all get all, if words are added up."""
        return self.name == "reduce_scatter"

    @property
    def rooted(self) -> bool:
        """Whether one node sends, or receives, all words."""
        return self.name in ("scatter", "gather")

    def alike(self, network: Network) -> bool:
        """Whether the words of every node are translates of those of node 0."""
        if self.rooted or not network.symmetric:
            return False
        if self.name != LISTED:
            return True
        targets: dict[int, set[int]] = {}
        for source, target in self.words:
            targets.setdefault(source, set()).add(target)
        first = sorted(targets.get(0, ()))
        return all(
            targets.get(node) == {*network.translation(node)[first].tolist()}
            for node in range(network.nodes)
        )

    def pairs(self, network: Network) -> tuple[IntArray, IntArray]:
        """The source and the target of every word."""
        if self.name == LISTED:
            source, target = np.array(self.words, dtype=np.int64).T
            return source, target
        nodes = np.arange(network.nodes)
        if self.rooted:
            others = nodes[nodes != self.root]
            root = np.full_like(others, self.root)
            return (root, others) if self.name == "scatter" else (others, root)
        source, target = (each.ravel() for each in np.meshgrid(nodes, nodes, indexing="ij"))
        return source[source != target], target[source != target]


#: What a round is for where nothing else is asked for.
ALL_GATHER = Exchange("all_gather")


class Hop(NamedTuple):
    """In ``step`` the word of a route leaves ``sender`` by the out-port ``port``.

    There it had come by ``in_port`` so many steps before as ``age`` says; the source's own word
    came by none, ``NO_PARENT``, before 0 steps.
    """

    route: int
    step: int
    sender: int
    port: int
    receiver: int
    in_port: int
    age: int


@dataclass(frozen=True, eq=False)
class Routes:
    """A timetable of an exchange in which each word is for one node.

    Where all nodes do the same, the routes may be those of the words of node 0; those of others
    are then their translates.
    """

    #: The network.
    network: Network
    #: Who has words for whom.
    exchange: Exchange
    #: Array (routes). The ends of each route.
    source: IntArray = field(repr=False)
    target: IntArray = field(repr=False)
    #: Array (routes + 1). Where the hops of each route begin, and behind the last one.
    first: IntArray = field(repr=False)
    #: Array (hops). Who sends by which out-port in which step, from 1 on.
    node: IntArray = field(repr=False)
    port: IntArray = field(repr=False)
    step: IntArray = field(repr=False)
    #: Whether the routes are those of the words of node 0.
    translated: bool = field(kw_only=True)

    @cached_property
    def steps(self) -> int:
        """How many steps it takes."""
        return int(self.step.max())

    @cached_property
    def age(self) -> IntArray:
        """Before how many steps the word of each hop had come; 0 where it is the source's own."""
        age = np.diff(self.step, prepend=0)
        age[self.first[:-1]] = 0
        return age

    @cached_property
    def in_port(self) -> IntArray:
        """By which in-port it had come; ``NO_PARENT`` where it is the source's own."""
        in_port = np.roll(self.network.arrival[self.node, self.port], 1).astype(np.int64)
        in_port[self.first[:-1]] = NO_PARENT
        return in_port

    @cached_property
    def hops(self) -> list[Hop]:
        """All hops, route by route."""
        route = np.repeat(np.arange(self.source.size), np.diff(self.first))
        receiver = self.network.neighbour[self.node, self.port]
        columns = (route, self.step, self.node, self.port, receiver, self.in_port, self.age)
        return [Hop(*row) for row in zip(*(each.tolist() for each in columns), strict=True)]

    @cached_property
    def kept(self) -> int:
        """How many steps a word that has arrived waits at most before it goes on."""
        return max(0, int(self.age.max()) - 1)

    @property
    def area(self) -> tuple[int]:
        """By what routers are found that are small."""
        return (self.inputs,)

    @cached_property
    def inputs(self) -> int:
        """Out of how many registers an out-port chooses at most, a node's own words as one."""
        node = np.zeros_like(self.node) if self.translated else self.node
        choices = np.unique(np.stack([node, self.port, self.in_port, self.age]), axis=1)
        return int(np.unique(choices[:2], axis=1, return_counts=True)[1].max())

    def in_order(self) -> list[Hop]:
        """All hops, step by step."""
        return sorted(self.hops, key=lambda hop: (hop.step, hop.port, hop.sender, hop.route))

    def check(self) -> "Routes":
        """Verify that every word comes to its node, and that no link carries two in a step.

        Returns the routes themselves.
        """
        self._check_ends()
        where, since = self.source.copy(), np.zeros_like(self.source)
        carried: dict[tuple[int, int, int], Hop] = {}
        for hop in self.hops:
            if hop.sender != where[hop.route] or hop.step <= since[hop.route] or hop.receiver < 0:
                raise self._error(hop, "does not go on from where it is")
            if hop.sender == self.target[hop.route]:
                raise self._error(hop, "goes on from where it is to be")
            where[hop.route], since[hop.route] = hop.receiver, hop.step
            link = (hop.step, hop.port, NO_PARENT if self.translated else hop.sender)
            if carried.setdefault(link, hop) is not hop:
                other = self._named(carried[link].route)
                raise self._error(hop, f"takes the link that {other} has")
        if (where != self.target).any():
            route = int(np.flatnonzero(where != self.target)[0])
            raise CheckError(f"{self.network.spec}: {self._named(route)} does not get there")
        return self

    def _check_ends(self) -> None:
        """Every word that the exchange has must have a route, and no other."""
        source, target = self.exchange.pairs(self.network)
        if self.translated:
            if not self.exchange.alike(self.network):
                raise CheckError(f"{self.network.spec}: the nodes do not all do the same")
            source, target = source[source == 0], target[source == 0]
        nodes = self.network.nodes
        wanted, has = sorted(source * nodes + target), sorted(self.source * nodes + self.target)
        if wanted != has:
            raise CheckError(
                f"{self.network.spec}: not every word of the {self.exchange} has a route"
            )

    def _named(self, route: int) -> str:
        ends = (self.network.label(int(each[route])) for each in (self.source, self.target))
        return "the word of {} for {}".format(*ends)

    def _error(self, hop: Hop, what: str) -> CheckError:
        where = f"in step {hop.step} at {self.network.label(hop.sender)}"
        return CheckError(f"{self.network.spec}: {where} {self._named(hop.route)} {what}")
