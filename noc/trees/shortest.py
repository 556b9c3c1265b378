"""``shortest``: the tree of the least height on any network, with a small program.

Choices among equally near parents are rules, and moves of groups, searched for few states.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from noc.errors import CheckError
from noc.networks import ABSENT, IntArray, Network
from noc.trees.algorithms import Algorithm
from noc.trees.bfs_levels import BfsLevels, bfs_levels, fingerprints
from noc.trees.tree import Ports, Tree, scheduled

# The search is bounded by the candidate links that it looks at, never by the clock: this many
# for each node of the network, within these bounds (half a second, and ten seconds).
LOOKS_PER_NODE = 10_000
FEWEST_LOOKS, MOST_LOOKS = 10_000_000, 100_000_000

# What one more tree costs in addition to its links, in looks.
TREE_LOOKS = 3_000

# With fewer tries than this, moves of single groups do not pay; rules get them all.
FEWEST_MOVES = 100

# Where the trees of all roots differ they are judged by a sample: no more roots than this, and
# trees of about this many nodes together.
SAMPLE_NODES, SAMPLE_ROOTS = 20_000, 36

# The networks whose result is kept: those in use, not all that were ever seen.
REMEMBERED = 8

#: What is to be small, the most important first.
Score = tuple[int, int]

# An odd multiplier that spreads the number of a link over a fingerprint.
LINK = np.uint64(0xD1342543DE82EF95)

# How often the search may come upon a rule that it has seen, for each one that it measures.
REPETITIONS = 4

# Sorts behind every real candidate.
NEVER = np.iinfo(np.int64).max

# Of the moves of groups one in this many is confined to one distance from the root.
CONFINED = 4

# Bits of a random number.
_WORD = 32


class Draws:
    """Random whole numbers, the same with every release of Python and numpy.

    numpy promises the sequence of this generator for a seed. It begins as Python's does, with which
    the first trees were found, and numbers are made of it as ``randrange`` does now.
    """

    def __init__(self, seed: int) -> None:
        self._words = _words(np.random.RandomState([seed]))

    def below(self, end: int) -> int:
        """The next number from 0 to ``end`` - 1: as many bits as ``end`` has, until one is less.

        >>> draws = Draws(0)
        >>> [draws.below(100) for _ in range(5)]
        [49, 97, 53, 5, 33]
        """
        if not 0 < end < 1 << _WORD:
            raise CheckError(f"numbers below {end} cannot be drawn")
        unused = _WORD - end.bit_length()
        return next(number for word in self._words if (number := word >> unused) < end)


def _words(generator: np.random.RandomState) -> Iterator[int]:
    while True:
        yield from generator.randint(0, 1 << _WORD, 1024, dtype=np.uint32).tolist()


@dataclass(frozen=True)
class Rule:
    """A fixed preference by which every node chooses one of its possible parents.

    Both kinds choose one path to every node such that each part of a chosen path is chosen too,
    so that subtrees of different nodes, and of different roots, tend to coincide.
    """

    #: Whether paths are compared from the root's end, first difference first; otherwise each node
    #: looks at its own in-ports only.
    from_root: bool
    #: Array (situations, ports). From the root's end, for each in-port by which the path came (the
    #: last row: it begins here) the rank of every out-port, least preferred last. At the node's end
    #: one row, the rank of every in-port.
    rank: IntArray = field(repr=False)

    @staticmethod
    def plain(network: Network, *, from_root: bool) -> "Rule":
        """The rule that prefers ports in their own order."""
        in_ports, out_ports = len(network.in_ports), network.ports
        rows, columns = (in_ports + 1, out_ports) if from_root else (1, in_ports)
        return Rule(from_root, np.tile(np.arange(columns), (rows, 1)))

    def altered(self, draws: Draws) -> "Rule":
        """The rule with the ranks of two ports exchanged, in one situation or in all."""
        rows, columns = self.rank.shape
        one, other = draws.below(columns), draws.below(columns - 1)
        other += other >= one
        row = draws.below(rows + 1)
        chosen = slice(None) if row == rows else slice(row, row + 1)
        rank = self.rank.copy()
        rank[chosen, one], rank[chosen, other] = self.rank[chosen, other], self.rank[chosen, one]
        return Rule(self.from_root, rank)


def apply(rule: Rule, around: BfsLevels) -> IntArray:
    """The in-port that each rank chooses; the root's entry means nothing."""
    if rule.from_root:
        return _least_path(rule.rank, around)
    return np.asarray(np.where(around.source == ABSENT, NEVER, rule.rank[0]).argmin(axis=1))


def _least_path(rank: IntArray, around: BfsLevels) -> IntArray:
    situations, out_ports = rank.shape
    flat = rank.reshape(-1)
    choice = np.zeros(around.size, dtype=np.int64)
    # The position of each path among those of its level, and the row of ranks that the in-port
    # selects.
    path = np.zeros(around.size, dtype=np.int64)
    row = np.zeros(around.size, dtype=np.int64)
    row[0] = (situations - 1) * out_ports
    for level in around.levels:
        source = around.source[level]
        key = path[source] * out_ports + flat[row[source] + around.out_port[level]]
        key[source == ABSENT] = NEVER
        chosen = key.argmin(axis=1)
        choice[level], row[level] = chosen, chosen * out_ports
        best = np.take_along_axis(key, chosen[:, None], axis=1)[:, 0]
        path[level.start + np.argsort(best)] = np.arange(best.size)
    return choice


def score(network: Network, views: Sequence[BfsLevels], choices: Sequence[IntArray]) -> Score:
    """How large the program of some trees is, the parts that all routers share counted once.

    On a symmetric network first the states, then the rows: states by in-port. On any
    other the rows of all routers come first, for there each link has states of its own.
    """
    marks, links = [], []
    in_ports = np.uint64(len(network.in_ports))
    for around, choice in zip(views, choices, strict=True):
        mark = fingerprints(around, choice)
        site = np.zeros(around.size - 1) if network.symmetric else around.order[1:]
        link = site.astype(np.uint64) * in_ports + choice[1:].astype(np.uint64)
        marks.append(mark)
        links.append(mark[1:] ^ ((link + np.uint64(1)) * LINK))
    states, rows = (int(np.unique(np.concatenate(part)).size) for part in (marks, links))
    return (states, rows) if network.symmetric else (rows, states)


def best_rules(
    network: Network, views: Sequence[BfsLevels], tries: int
) -> list[tuple[Score, Rule]]:
    """One rule of each kind, the better first, improved step by step by a number of tries.

    Both kinds get a quarter of the tries, the better one the rest. The search is random with a
    fixed seed.
    """

    def measured(rule: Rule) -> Score:
        return score(network, views, [apply(rule, around) for around in views])

    def improved(start: tuple[Score, Rule], tries: int, seed: int) -> tuple[Score, Rule]:
        (best, rule), draws = start, Draws(seed)
        seen = {rule.rank.tobytes()}
        # Small networks have few different rules: give up after many repetitions.
        for _ in range(REPETITIONS * tries if rule.rank.shape[1] > 1 else 0):
            other = rule.altered(draws)
            if other.rank.tobytes() in seen:
                continue
            if len(seen) > tries:
                break
            seen.add(other.rank.tobytes())
            reached = measured(other)
            if reached <= best:
                best, rule = reached, other
        return best, rule

    plain = [Rule.plain(network, from_root=from_root) for from_root in (False, True)]
    first = [improved((measured(rule), rule), tries // 4, seed=0) for rule in plain]
    better, other = sorted(first, key=lambda entry: entry[0])
    return [improved(better, tries // 2, seed=1), other]


class _Alternatives(NamedTuple):
    """Every link by which a node with more than one possible parent could receive."""

    receiver: IntArray
    in_port: IntArray
    source: IntArray
    out_port: IntArray
    #: All in-ports that the receiver could choose, as a number of the set.
    ties: IntArray
    #: The receiver's distance from the root.
    level: IntArray

    @staticmethod
    def of(around: BfsLevels) -> "_Alternatives":
        possible = around.source != ABSENT
        several = possible.sum(axis=1) > 1
        receiver, in_port = np.nonzero(possible & several[:, None])
        ties = np.unique(possible, axis=0, return_inverse=True)[1].reshape(-1)
        level = np.searchsorted(around.starts, receiver, side="right")
        link = receiver, in_port
        return _Alternatives(
            receiver, in_port, around.source[link], around.out_port[link], ties[receiver], level
        )


def _group(
    choice: IntArray,
    mark: npt.NDArray[np.uint64],
    around: BfsLevels,
    links: _Alternatives,
    pattern: int,
    kind: int,
) -> npt.NDArray[np.bool_]:
    """All links that are like the link ``pattern`` in one of four ways.

    0: the sender's subtree and port are the same (such senders take that child). 1: the
    receiver's subtree, its possible in-ports and the in-port. 2: as 0, and the present
    parents are alike as well. 3: the present parents' subtree and port are the same and the
    in-port (such parents give that child away).
    """
    receiver, in_port = links.receiver, links.in_port
    features: list[npt.NDArray[np.integer]] = []
    if kind == 1:
        features += [mark[receiver], links.ties]
    if kind in (0, 2):
        features += [mark[links.source], links.out_port]
    if kind in (2, 3):
        present = receiver, choice[receiver]
        features += [mark[around.source[present]], around.out_port[present]]
    if kind in (1, 3):
        features.append(in_port)
    alike = np.ones(receiver.size, dtype=bool)
    for feature in features:
        alike &= feature == feature[pattern]
    return alike


def swapped_parents(
    network: Network, around: BfsLevels, choice: IntArray, tries: int, seed: int = 0
) -> tuple[Score, IntArray]:
    """Improve a choice of parents on a symmetric network by a counted number of moves.

    A move takes one link that the tree does not use and makes its receiver, and all receivers
    that are alike, choose it. Moves that make no difference to the score are kept as well.
    The search is random with a fixed seed.
    """
    draws, links = Draws(seed), _Alternatives.of(around)
    best = score(network, [around], [choice])
    mark = fingerprints(around, choice)
    for _ in range(tries if links.receiver.size else 0):
        pattern = draws.below(links.receiver.size)
        kind, confined = draws.below(4), draws.below(CONFINED) == 0
        if choice[links.receiver[pattern]] == links.in_port[pattern]:
            continue
        moved = _group(choice, mark, around, links, pattern, kind)
        if confined:
            moved &= links.level == links.level[pattern]
        other = choice.copy()
        other[links.receiver[moved]] = links.in_port[moved]
        reached = score(network, [around], [other])
        if reached <= best:
            best, choice, mark = reached, other, fingerprints(around, other)
    return best, choice


@dataclass
class _Result:
    """What the search found: one rule for all roots, or on symmetric networks the choice of each.

    It depends on the links alone, so that equal networks share it.
    """

    rule: Rule | None = None
    choices: dict[int, IntArray] = field(default_factory=dict)


@lru_cache(maxsize=REMEMBERED)
def _remembered(links: bytes) -> _Result:  # noqa: ARG001
    return _Result()


def _result_of(network: Network) -> _Result:
    digest = blake2b(repr((network.neighbour.shape, len(network.in_ports))).encode())
    for part in (network.neighbour, network.arrival):
        digest.update(np.ascontiguousarray(part).data)
    return _remembered(digest.digest())


def _tries(network: Network, views: list[BfsLevels]) -> int:
    """How many choices of parents the search may compare."""
    looks = min(max(FEWEST_LOOKS, LOOKS_PER_NODE * network.nodes), MOST_LOOKS)
    return looks // sum(around.source.size + TREE_LOOKS for around in views)


def _searched_choice(network: Network, around: BfsLevels) -> IntArray:
    """The best choice of a rule, or one step further, of a rule and moves of groups."""
    tries = _tries(network, [around])
    moves = tries // 2 if tries // 2 >= FEWEST_MOVES else 0
    starts = [apply(rule, around) for _, rule in best_rules(network, [around], tries - moves)]
    if not moves:
        return starts[0]
    first = [swapped_parents(network, around, choice, moves // 4) for choice in starts]
    _, better = min(first, key=lambda entry: entry[0])
    return swapped_parents(network, around, better, moves // 2, seed=1)[1]


def _common_rule(network: Network) -> Rule:
    """One rule for all roots, chosen for a sample of them.

    The routers of such a network hold the rows of all sources. A choice made for one root
    alone would not fit those of the others.
    """
    count = min(network.nodes, SAMPLE_ROOTS, max(2, SAMPLE_NODES // network.nodes))
    roots = np.linspace(0, network.nodes, count, endpoint=False, dtype=np.int64)
    views = [bfs_levels(network, int(root)) for root in roots]
    return best_rules(network, views, _tries(network, views))[0][1]


def _choice(network: Network, root: int, around: BfsLevels) -> IntArray:
    result = _result_of(network)
    if network.symmetric:
        if root not in result.choices:
            result.choices[root] = _searched_choice(network, around).astype(np.int16)
        return result.choices[root]
    if result.rule is None:
        result.rule = _common_rule(network)
    return apply(result.rule, around)


def _build(network: Network, root: int, ports: Ports) -> Tree:
    around = bfs_levels(network, root)
    choice = _choice(network, root, around)
    return scheduled(network, "shortest", ports, root, *around.tree(choice))


ALGORITHMS = (
    Algorithm(
        name="shortest",
        summary="least height on any network; among equally short trees one with few states",
        families=None,
        models=("all", "one"),
        build=_build,
    ),
)
