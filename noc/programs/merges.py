"""The merges of a node of the ordered fabric: which streams meet where, and what is stored."""

from dataclasses import dataclass, replace
from math import gcd
from operator import add

from noc.programs.joins import pair_least

#: How many merges without a buffer words pass in a cycle, at most.
_MOST_BARE = 2


@dataclass(frozen=True)
class Merge:
    """Two streams into one.

    Parameters
    ----------
    first, second : int
        The streams: the node's inputs are numbered from 0, its merges behind them.
    weights : (int, int)
        The numbers of sources behind the two, in lowest terms.
    slots : 0, 1 or 2
        How many words its buffer holds. With two its ``ready`` is a register; with one, which is
        smaller, it passes on that of the next merge, which then has two. Without a buffer its words
        go on in the same cycle, to another merge of the node.
    """

    first: int
    second: int
    weights: tuple[int, int]
    slots: int


def plan_merges(weights: list[int], results: int = 0) -> tuple[Merge, ...]:
    """The two lightest streams first, over and over: most words pass the fewest merges.

    Results of joins are inputs behind those with weights, alike among each other; in the end words
    that are sent and results take turns.
    """
    inputs = len(weights) + results
    pairs = _pair(list(enumerate(weights)), inputs)
    joined = _pair([(number, 1) for number in range(len(weights), inputs)], inputs + len(pairs))
    if weights and results:
        ends = (
            inputs + len(pairs) - 1 if pairs else 0,
            inputs + len(pairs) + len(joined) - 1 if joined else inputs - 1,
        )
        joined.append((*ends, (1, 1)))
    pairs += joined
    # From the last merge back: what enters a merge of two slots needs one only.
    slots = [2] * len(pairs)
    for index in reversed(range(len(pairs))):
        for stream in pairs[index][:2]:
            if stream >= inputs:
                slots[stream - inputs] = 3 - slots[index]
    return tuple(Merge(*pair, count) for pair, count in zip(pairs, slots, strict=True))


def widened(merges: tuple[Merge, ...], inputs: int, slots: int) -> tuple[Merge, ...]:
    """The merges of a node with a buffer only where a word has passed several without one.

    That of the last has these ``slots``, any other two.
    """
    result: list[Merge] = []
    # How many merges a word of each stream has passed in the same cycle.
    bare = [0] * inputs
    for merge in merges[:-1]:
        before = max(bare[merge.first], bare[merge.second])
        result.append(replace(merge, slots=2 if before == _MOST_BARE else 0))
        bare.append(0 if before == _MOST_BARE else before + 1)
    return *result, *(replace(last, slots=slots) for last in merges[-1:])


def _pair(inputs: list[tuple[int, int]], free: int) -> list[tuple[int, int, tuple[int, int]]]:
    """Merges of streams, each a (number, weight); their results are numbered from ``free`` on."""
    streams = [(weight, number) for number, weight in inputs]
    return [
        (first, second, (light // gcd(light, heavy), heavy // gcd(light, heavy)))
        for (light, first), (heavy, second) in pair_least(streams, free, add)
    ]
