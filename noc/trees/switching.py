"""``switching-nlogn`` and ``switching-n2``: broadcasts on SCC from two switching networks.

A switching network is a list of stages of switches (i, j); if every permutation comes from
some setting of the switches, then sending along every switch in turn informs every ring. On
a star a switch (i, j) is the laterals j, i, j in turn, or i, j, i; a switch (1, j) is j alone.

After Azevedo, Bagherzadeh and Latifi (1993).
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from noc.networks import Network
from noc.trees import sequences
from noc.trees.algorithms import Algorithm
from noc.trees.sequences import Moves
from noc.trees.tree import Ports, Tree

#: Stages of switches; a switch joins two of the positions 1…n, the lower one first.
Stages = list[list[tuple[int, int]]]

# For each ring position the least local steps of a word that ends there, and the word.
Words = dict[int, tuple[int, list[int]]]


def halving_stages(n: int) -> Stages:
    """The n log n network: switches between halves, inside halves, and between halves again.

    For a power of two this is the report's network. For other n the report drops positions of a
    larger network and does not say which: of 8, to leave 5, the last three fail and 2, 4 and 6
    serve [scc-section-8-1-digits]. Halving into unequal parts, the larger first, works for every
    n: a position without a partner stays in the larger half, and the switches of the others
    route as they do in the even case.
    """
    return _halves(1, n)


def _halves(first: int, count: int) -> Stages:
    if count < 2:
        return []
    larger = (count + 1) // 2
    outer = [(first + i, first + i + larger) for i in range(count // 2)]
    if count == 2:
        return [outer]
    upper, lower = _halves(first, larger), _halves(first + larger, count // 2)
    # The smaller half may need fewer stages; they meet its neighbour's in the middle.
    late = (len(upper) - len(lower)) // 2
    inner = [
        stage + (lower[k - late] if late <= k < late + len(lower) else [])
        for k, stage in enumerate(upper)
    ]
    return [outer, *inner, outer]


def neighbour_stages(n: int) -> Stages:
    """The n²/2 network: adjacent positions, odd pairs and even pairs in turn.

    For even n positions n and 1 are adjacent too and n-1 stages sort. For odd n a stage
    leaves one position out and n stages are needed, odd-even transposition sort; the
    report's n-1 stages of n/2 switches do not exist there [scc-theorem-4].
    """
    odd = [(i, i + 1) for i in range(1, n, 2)]
    even = [(i, i + 1) for i in range(2, n, 2)] + ([(1, n)] if n % 2 == 0 and n > 2 else [])
    return [even if k % 2 else odd for k in range(n - 1 + n % 2)]


def star_word(stages: Stages) -> list[int]:
    """A switching network as laterals 2…n of a star."""
    return [d for stage in stages for i, j in stage for d in ([j] if i == 1 else [j, i, j])]


def ring_word(stages: Stages, ring: int) -> list[int]:
    """The same as ring positions from 0, ordered for the fewest local steps between them.

    Switches of one stage may go in any order, and each may start at either of its positions.
    """
    best: Words = {position: (0, []) for position in range(ring)}
    for stage in stages:
        best = _through_stage([_forms(i, j) for i, j in stage], best, ring)
    return min(best.values())[1]


def _forms(i: int, j: int) -> list[list[int]]:
    """The ways to write a switch as ring positions; each ends where it starts."""
    return [[j - 2]] if i == 1 else [[i - 2, j - 2, i - 2], [j - 2, i - 2, j - 2]]


def _local_steps(word: list[int], ring: int) -> int:
    steps = ((following - position) % ring for position, following in pairwise(word))
    return sum(min(ahead, ring - ahead) for ahead in steps)


def _through_stage(stage: list[list[list[int]]], best: Words, ring: int) -> Words:
    """Extend the best words by one stage, by dynamic programming over the switches done."""
    reached = {(0, end): entry for end, entry in best.items()}
    for _ in stage:
        following: dict[tuple[int, int], tuple[int, list[int]]] = {}
        for (done, end), (cost, word) in reached.items():
            for index, forms in enumerate(stage):
                if done >> index & 1:
                    continue
                for form in forms:
                    key = (done | 1 << index, form[0])
                    entry = (cost + _local_steps([end, *form], ring), word + form)
                    following[key] = min(entry, following.get(key, entry))
        reached = following
    return {end: entry for (_, end), entry in reached.items()}


def _moves(stages: Stages, network: Network, root: int) -> Moves:
    ring = int(network.parameters[0]) - 1
    word = ring_word(stages, ring)
    # Turned so that the root holds the first turn: on SCC that is a translation.
    word = [(position - word[0] + root) % ring for position in word]
    # The sequence brings the word to every ring; the report leaves it there, with nodes of
    # the rings that were reached last uninformed [scc-sequence-ends]. One more pass round the
    # rings ends it.
    return np.concatenate([sequences.walk(ring, word), sequences.spread(ring, word[-1])])


def _algorithm(name: str, size: str, stages: Callable[[int], Stages]) -> Algorithm:
    def build(network: Network, root: int, ports: Ports) -> Tree:  # noqa: ARG001
        moves = _moves(stages(int(network.parameters[0])), network, root)
        return sequences.broadcast(network, name, moves, root)

    summary = f"a broadcast sequence from the {size} switching network"
    return Algorithm(name, summary, ("scc",), ("one",), build, paper="scc")


ALGORITHMS = (
    _algorithm("switching-nlogn", "n log n", halving_stages),
    _algorithm("switching-n2", "n²/2", neighbour_stages),
)
