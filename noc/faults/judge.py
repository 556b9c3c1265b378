"""What became of a run with a fault, beside what the cycle model says of one without."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise

import numpy as np

from noc.errors import CheckError
from noc.faults.bench import Subject
from noc.faults.kernel import SAME, Planes, Seen
from noc.faults.outcomes import Outcome
from noc.networks import IntArray

#: Tells the words of one sink from those of another.
_APART = np.uint64(0x9E3779B97F4A7C15)


class Judge:
    """Judges the runs of a batch.

    Parameters
    ----------
    subject : Subject
        What was played.
    seen : Seen
        What became of it; a run without a fault that is not as the model says is an error.
    end : int
        The cycle up to which runs were played: all are alike if that is not the last.
    """

    def __init__(self, subject: Subject, seen: Seen, end: int) -> None:
        self._subject, self._seen, expected = subject, seen, subject.expected
        sinks, names = self._log(0)
        due = int(np.searchsorted(expected.cycle, end))
        right = np.array_equal(sinks, expected.sink[:due])
        if not right or not np.array_equal(names, expected.name[:due]):
            raise CheckError("without a fault the gates do not do what the cycle model does")

    @cached_property
    def _keys(self) -> Planes:
        """The words at all sinks, as numbers in their order."""
        return np.sort(_keys(*self._log(0)))

    @cached_property
    def _words(self) -> dict[tuple[int, int], list[int]]:
        """For each word at a sink its numbers in the traffic; several may have the same bits."""
        result = defaultdict[tuple[int, int], list[int]](list)
        sinks, names = self._log(0)
        known = sinks.tolist(), names.tolist(), self._subject.expected.word.tolist()
        for sink, name, word in zip(*known, strict=True):
            result[sink, name].append(word)
        return result

    def judge(self, run: int) -> tuple[Outcome, bool]:
        """What became of a run, and whether there is more of it that nobody has seen."""
        outcome = self._outcome(run)
        return outcome, bool(self._seen.latent[run]) and outcome in ("masked", "late")

    def _outcome(self, run: int) -> Outcome:
        """What became of a run."""
        seen = self._seen
        if seen.alarm[run] != SAME:
            return "detected"
        if seen.since[run] == SAME:
            return "masked"
        sinks, names = self._log(run)
        keys = np.sort(_keys(sinks, names))
        if np.array_equal(keys, self._keys):
            return "late" if self._ordered(sinks, names) else "wrong"
        if _more(keys, self._keys) or seen.taken[run] == self._subject.source.size:
            return "wrong"
        return "hung"

    def _log(self, run: int) -> tuple[IntArray, Planes]:
        count = self._seen.logged[run]
        return self._seen.stream[run, :count], self._seen.word[run, :count]

    def _ordered(self, sinks: IntArray, names: Planes) -> bool:
        """Whether each sink gets the words of a source in their order, and all in one order.

        Where several sources send at a time only the ordered fabric promises one order.
        """
        of_sink = defaultdict[int, list[int]](list)
        numbers = {key: iter(words) for key, words in self._words.items()}
        for key in zip(sinks.tolist(), names.tolist(), strict=True):
            if (word := next(numbers[key])) >= 0:
                of_sink[key[0]].append(word)
        source = self._subject.source
        if any(_falls(source[words], words) for words in of_sink.values()):
            return False
        return self._subject.design.fabric != "ordered" or agree(of_sink.values())


def agree(orders: Iterable[Sequence[int]]) -> bool:
    """Whether there is one order of all things in which all of these are.

    >>> agree([[1, 2, 3], [1, 3, 4]]), agree([[1, 2], [2, 3], [3, 1]])
    (True, False)
    """
    before = TopologicalSorter[int]()
    for order in orders:
        for one, other in pairwise(order):
            before.add(other, one)
    try:
        before.prepare()
    except CycleError:
        return False
    return True


def _falls(source: IntArray, words: Sequence[int]) -> bool:
    """Whether some word comes after a later one of its source."""
    order = np.lexsort((np.arange(len(words)), source))
    sources, numbers = source[order], np.array(words)[order]
    return bool(((sources[1:] == sources[:-1]) & (numbers[1:] <= numbers[:-1])).any())


def _keys(sinks: IntArray, names: Planes) -> Planes:
    """A number for each word at a sink."""
    return names ^ ((sinks.astype(np.uint64) + np.uint64(1)) * _APART)


def _more(keys: Planes, right: Planes) -> bool:
    """Whether there are some that are not among the right ones, or are there more often."""
    known, often = np.unique(right, return_counts=True)
    got, count = np.unique(keys, return_counts=True)
    index = np.searchsorted(known, got).clip(max=known.size - 1)
    return bool(((known[index] != got) | (count > often[index])).any())
