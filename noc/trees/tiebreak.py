"""Rules that choose among equally near parents, and the search for the rule with few states."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from noc.networks import ABSENT, IntArray, Network
from noc.trees.bfs_levels import BfsLevels, fingerprints
from noc.trees.draws import Draws

__all__ = ["Rule", "Score", "apply", "best_rules", "score"]

#: What is to be small, the most important first.
Score = tuple[int, int]

# An odd multiplier that spreads the number of a link over a fingerprint.
LINK = np.uint64(0xD1342543DE82EF95)

# How often the search may come upon a rule that it has seen, for each one that it measures.
REPETITIONS = 4

# Sorts behind every real candidate.
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Rule:
    """A fixed preference by which every node chooses one of its possible parents.

    Both kinds choose one path to every node such that each part of a chosen path is chosen too,
    so that subtrees of different nodes, and of different roots, tend to coincide.

    Parameters
    ----------
    from_root : bool
        Whether paths are compared from the root's end, first difference first; otherwise each
        node looks at its own in-ports only.
    rank : array (situations, ports)
        From the root's end, for each in-port by which the path came (the last row: it begins
        here) the rank of every out-port, least preferred last. At the node's end one row, the
        rank of every in-port.
    """

    from_root: bool
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
    """The in-port that each place chooses; the root's entry means nothing."""
    if rule.from_root:
        return _least_path(rule.rank, around)
    key = np.where(around.source == ABSENT, NEVER, rule.rank[0])
    choice: IntArray = key.argmin(axis=1)
    return choice


def _least_path(rank: IntArray, around: BfsLevels) -> IntArray:
    situations, out_ports = rank.shape
    flat = rank.reshape(-1)
    choice = np.zeros(around.places, dtype=np.int64)
    # Where a place's path stands among all of its level, and the row of ranks that its in-port
    # selects.
    path = np.zeros(around.places, dtype=np.int64)
    row = np.zeros(around.places, dtype=np.int64)
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

    On a symmetric network first the states, then the rows: states told apart by in-port. On any
    other the rows of all routers come first, for there each link has states of its own.
    """
    marks, links = [], []
    in_ports = np.uint64(len(network.in_ports))
    for around, choice in zip(views, choices, strict=True):
        mark = fingerprints(around, choice)
        site = np.zeros(around.places - 1) if network.symmetric else around.order[1:]
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
    plain = [Rule.plain(network, from_root=from_root) for from_root in (False, True)]
    starts = [(_measured(network, views, rule), rule) for rule in plain]
    first = [_improved(network, views, start, tries // 4, seed=0) for start in starts]
    better, other = sorted(first, key=lambda entry: entry[0])
    return [_improved(network, views, better, tries // 2, seed=1), other]


def _measured(network: Network, views: Sequence[BfsLevels], rule: Rule) -> Score:
    return score(network, views, [apply(rule, around) for around in views])


def _improved(
    network: Network,
    views: Sequence[BfsLevels],
    start: tuple[Score, Rule],
    tries: int,
    seed: int,
) -> tuple[Score, Rule]:
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
        reached = _measured(network, views, other)
        if reached <= best:
            best, rule = reached, other
    return best, rule
