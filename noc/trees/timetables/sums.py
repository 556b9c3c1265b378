"""Timetables of sums: each word of a round is added up on its way along a tree, to the tree's root.

In a reduce-scatter each node has a word for each node, and gets the sum of all that are for it. In
an all-reduce each node has a word for each of some trees, and all get all sums, which come back
along the same trees. Rounds may overlap: what does not fit into one goes on in the next, while that
begins. So a link is free for a step if it carries nothing in any step that is a round before or
later, and with enough trees at once all links are busy in all steps.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import NamedTuple

from noc.errors import CheckError, InputError
from noc.networks import ABSENT, Network
from noc.trees.timetables.packing import Edge, Walk, pack_trees
from noc.trees.timetables.routes import Exchange
from noc.trees.timetables.search import Effort, Progress, Tried, find_timetable
from noc.trees.timetables.timetable import Timetable, backwards
from noc.trees.tree import NO_PARENT

#: The longest round of an all-reduce.
MOST_ROUND = 64

#: Of several rounds the shortest is chosen with this share of the words a step that links allow.
_SHARE = 15 / 16

#: The longest that is tried for it.
_LONGEST = 16

#: How often trees and steps are sought anew, for better ones.
_TRIES = 40
#: Of large networks as often as takes some seconds.
_WORK = 4_000_000


class SumHop(NamedTuple):
    """In ``step`` a sum of the tree leaves ``sender`` by the out-port ``port``.

    On its way ``up`` it is that of the words of all nodes from which it has come, and of the
    sender's own; on its way back it is that of all nodes. At the root, where the last are added,
    ``port`` and ``receiver`` are those of no link: ``ABSENT``, and the root itself.
    """

    tree: int
    step: int
    sender: int
    port: int
    receiver: int
    up: bool


@dataclass(frozen=True, eq=False)
class Sums:
    """A timetable of sums."""

    #: The network.
    network: Network
    #: Which sums, and who gets them.
    exchange: Exchange
    #: The steps after which the next round begins.
    round: int
    #: All hops, each behind those that bring what it needs. Steps count from 1 on.
    hops: tuple[SumHop, ...] = field(repr=False)
    #: Whether the hops are those of the tree of node 0, and those of others are its translates.
    translated: bool = field(kw_only=True)

    @property
    def words(self) -> int:
        """How many words each node gives in a round, which is how many trees there are."""
        return self.network.nodes if self.translated else len({hop.tree for hop in self.hops})

    @cached_property
    def steps(self) -> int:
        """How many steps a round takes until all have their sums."""
        return max(hop.step for hop in self.hops)

    def needs(self, hop: SumHop) -> list[SumHop]:
        """What a hop waits for: the sums that its sender adds to its own word; or all of it."""
        arriving = self._arriving.get((hop.tree, hop.sender), ())
        if hop.up:
            return [other for other in arriving if other.up and other.port != ABSENT]
        return [other for other in arriving if not other.up or other.port == ABSENT]

    @cached_property
    def _arriving(self) -> dict[tuple[int, int], list[SumHop]]:
        result: dict[tuple[int, int], list[SumHop]] = {}
        for hop in self.hops:
            result.setdefault((hop.tree, hop.receiver), []).append(hop)
        return result

    @cached_property
    def kept(self) -> int:
        """How many steps a word that has arrived waits at most before it is added, or goes on."""
        return max(hop.step - need.step - 1 for hop in self.hops for need in self.needs(hop))

    @cached_property
    def registers(self) -> int:
        """Words that all nodes keep: of each in-port as many as one of it waits steps at most."""
        most: dict[tuple[int, int], int] = {}
        for hop in self.hops:
            for need in self.needs(hop):
                node = 0 if self.translated else hop.sender
                key = node, _arrival(self.network, need)
                most[key] = max(most.get(key, 1), hop.step - need.step)
        return sum(most.values()) * (self.network.nodes if self.translated else 1)

    def check(self) -> "Sums":
        """Verify that all get their sums, and that no link carries two words in a step.

        Returns the sums themselves.
        """
        if self.translated and not (self.network.symmetric and self.exchange.scatters_sums):
            raise CheckError(f"{self.network.spec}: the nodes do not all do the same")
        carried: dict[tuple[int, int, int], SumHop] = {}
        for hop in self.hops:
            node = NO_PARENT if self.translated else hop.sender
            if carried.setdefault((hop.step % self.round, hop.port, node), hop) is not hop:
                raise self._error(hop, "takes the link that another word has in that step")
        for tree in sorted({hop.tree for hop in self.hops}):
            self._check_tree([hop for hop in self.hops if hop.tree == tree])
        return self

    def _check_tree(self, hops: list[SumHop]) -> None:
        """Verify that every node adds its word once, and which nodes get the sum."""
        nodes = set(range(self.network.nodes))
        inside: dict[SumHop, list[int]] = {}
        for hop in hops:
            if hop.port != ABSENT and self.network.neighbour[hop.sender, hop.port] != hop.receiver:
                raise self._error(hop, "has no link to follow")
            needs = self.needs(hop)
            if any(need not in inside or need.step >= hop.step for need in needs):
                raise self._error(hop, "lacks what has not come yet")
            inside[hop] = [node for need in needs for node in inside[need]]
            inside[hop] += [hop.sender] * hop.up
        ends = [hop for hop in hops if hop.port == ABSENT]
        if len(ends) != 1 or sorted(inside[ends[0]]) != sorted(nodes):
            raise self._error(hops[-1], "is not the sum of one word of each node")
        senders = [hop.sender for hop in hops if hop.up]
        if len(senders) != len({*senders}):
            raise self._error(hops[-1], "is sent twice by a node")
        got = [ends[0].receiver, *(hop.receiver for hop in hops if not hop.up)]
        wanted = got[:1] if self.exchange.scatters_sums else sorted(nodes)
        if sorted(got) != wanted or (self.exchange.scatters_sums and got[0] != hops[0].tree):
            raise self._error(hops[-1], "does not come once to each node that it is for")

    def _error(self, hop: SumHop, what: str) -> CheckError:
        where = f"in step {hop.step} at {self.network.label(hop.sender)}"
        return CheckError(f"{self.network.spec}: {where} the sum of tree {hop.tree} {what}")


def _arrival(network: Network, hop: SumHop) -> int:
    """The in-port by which a hop comes; of the last one, none."""
    return ABSENT if hop.port == ABSENT else int(network.arrival[hop.sender, hop.port])


def find_sums(
    network: Network,
    exchange: Exchange,
    *,
    length: int | None = None,
    tries: int | None = None,
    seed: int = 0,
    progress: Progress = lambda _: None,
    tried: Tried = lambda _: None,
) -> Sums:
    """A timetable of sums; it is verified.

    >>> from noc.networks import build_network
    >>> sums = find_sums(build_network("mesh:4,4"), Exchange("all_reduce"), length=5)
    >>> sums.words, sums.round
    (8, 5)

    Parameters
    ----------
    network, exchange : Network, Exchange
        Where, and which.
    length : int, optional
        Steps of a round of an all-reduce. Without, so many that nearly all links are always busy.
    tries : int, optional
        How often to seek better ones. Without, as often as takes some seconds at most.
    seed : int
        Of the search.
    progress, tried : callable
        Told what is sought, and which share of that is over.
    """
    if not exchange.adds or (length is not None and (exchange.scatters_sums or length < 1)):
        raise InputError(
            f"exchange {exchange}, length {length}: an all_reduce has a length, from 1"
        )
    if exchange.scatters_sums:
        timetable = find_timetable(
            network.reversed(), tries=tries, seed=seed, progress=progress, tried=tried
        )
        return _scattered(network, exchange, timetable).check()
    effort = Effort(None, tries, seed, progress, tried)
    return _all_reduced(network, exchange, length, effort).check()


def _all_reduced(
    network: Network,
    exchange: Exchange,
    length: int | None,
    effort: Effort,
) -> Sums:
    """The best of some packings of trees."""
    if not network.two_way:
        raise InputError(
            f"exchange {exchange}: {network.spec} has links that carry words one way only; "
            "reduce_scatter and then all_gather give the same"
        )
    edges = [
        (node, int(there), port)
        for port in range(network.ports)
        for node, there in enumerate(network.neighbour[:, port].tolist())
        if there > node
    ]
    if length is None:
        words, length = _best_rate(network, edges)
    else:
        words = _count_trees(network, edges, length)
    effort.progress(f"seeking {words} trees with {length} steps for each link")
    usual = max(2, min(_TRIES, _WORK // (words * network.nodes**2)))
    tries, best = effort.tries or usual, []
    for number in range(tries):
        seed = effort.seed + number
        walks = pack_trees(network.nodes, edges, words, length, seed)
        if walks is not None:
            best.append(_timed(network, exchange, walks, length, seed))
            best = [min(best, key=_price)]
        effort.tried((number + 1) / tries)
    return best[0]


def _price(sums: Sums) -> tuple[int, int]:
    """What is to be little: sums one behind the other in a step, as long as a clock must be.

    Then a step until all have their sums is worth a register at each node.
    """
    inputs = 1 + max(len(sums.needs(hop)) for hop in sums.hops if hop.up)
    return (inputs - 1).bit_length(), sums.registers + sums.steps * sums.network.nodes


def sum_bound(network: Network, words: int) -> int:
    """The steps below which no round of an all-reduce stays in which all add so many words each.

    Every word takes a link to each node but one, and one from each.
    """
    return -(-2 * words * (network.nodes - 1) // network.arcs)


def _best_rate(network: Network, edges: list[Edge]) -> tuple[int, int]:
    """Trees, and steps of a round: as many for a step as nearly all links allow, in a short one."""
    best = 0, 1
    for length in range(1, _LONGEST + 1):
        trees = _count_trees(network, edges, length)
        if trees * best[1] > best[0] * length:
            best = trees, length
        if best[0] * (network.nodes - 1) >= _SHARE * best[1] * len(edges):
            break
    return best


def _count_trees(network: Network, edges: list[Edge], length: int) -> int:
    """The most spanning trees with each link in so many of them."""
    most = length * len(edges) // (network.nodes - 1)
    return next(
        trees
        for trees in count(most, -1)
        if pack_trees(network.nodes, edges, trees, length, 0) is not None
    )


def _scattered(network: Network, exchange: Exchange, timetable: Timetable) -> Sums:
    """An all-gather of the network turned round, backwards."""
    rows, ends = backwards(timetable, network), dict[int, int]()
    hops = [SumHop(*row, up=True) for row in rows]
    for row in rows:
        if row.receiver == row.source:
            ends[row.source] = row.step + 1
    hops += [SumHop(root, step, root, ABSENT, root, up=True) for root, step in ends.items()]
    return Sums(network, exchange, timetable.steps, tuple(hops), translated=network.symmetric)


def _timed(network: Network, exchange: Exchange, walks: list[Walk], length: int, seed: int) -> Sums:
    """Steps for all links of some trees: from each root on, as near to it in time as can be.

    In as many steps as a round has, each link is free for one of all words that are to take it, so
    that none waits for longer.
    """
    lots, taken = random.Random(seed), set[tuple[int, int, int]]()

    def take(node: int, port: int, step: int, change: int) -> int:
        """The next step in which a link is free."""
        while (node, port, step % length) in taken:
            step += change
        taken.add((node, port, step % length))
        return step

    hops: list[list[SumHop]] = [[] for _ in walks]
    for tree in lots.sample(range(len(walks)), len(walks)):
        walk = walks[tree]
        root = walk[0][0] if walk else 0
        end = take(root, ABSENT, 0, 1)
        there, back = {root: end}, {root: end}
        ups, downs = [], []
        for parent, node, (first, _, port) in walk:
            out = {first: port}
            other = int(network.arrival[first, port])
            up_port, down_port = out.get(node, other), out.get(parent, other)
            there[node] = take(node, up_port, there[parent] - 1, -1)
            back[node] = take(parent, down_port, back[parent] + 1, 1)
            ups.append(SumHop(tree, there[node], node, up_port, parent, up=True))
            downs.append(SumHop(tree, back[node], parent, down_port, node, up=False))
        hops[tree] = [*ups[::-1], SumHop(tree, end, root, ABSENT, root, up=True), *downs]
    return Sums(
        network,
        exchange,
        length,
        tuple(hop for each in hops for hop in _from_first(each, length)),
        translated=False,
    )


def _from_first(hops: list[SumHop], length: int) -> Iterator[SumHop]:
    """The same hops some rounds later, so that the first is in the first round."""
    later = -((min(hop.step for hop in hops) - 1) // length) * length
    return (hop._replace(step=hop.step + later) for hop in hops)
