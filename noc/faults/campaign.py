"""A campaign: faults by number, many runs at once, and what became of each."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Literal

import numpy as np

from noc.errors import CheckError, InputError, option
from noc.faults.bench import Subject
from noc.faults.kernel import SAME, Faults, Planes, Seen, advance, machine, play
from noc.faults.outcomes import Outcome
from noc.networks import IntArray, memory

#: Tells the words of one sink from those of another.
_APART = np.uint64(0x9E3779B97F4A7C15)

#: A flip-flop that changes its value once, a gate or flip-flop that always has one value, or a
#: link by which no word comes.
FaultKind = Literal["flip", "stuck", "link"]

#: Words of 64 runs that are played at once.
GROUPS = 16

#: Faults that are played at once; one run has none.
BATCH = 64 * GROUPS - 1

#: The log of a run has room for so many times the words of one without a fault, of so many bytes.
_ROOM, _ENTRY = 2, 12


@dataclass(frozen=True)
class Fault:
    """One fault."""

    #: One of :data:`FaultKind`.
    kind: FaultKind
    #: The flip-flop, or the signal.
    site: int
    #: The cycle before which it flips; of others the value at which it is stuck.
    when: int


@dataclass(frozen=True)
class Injection:
    """A fault, where it is, and what became of it."""

    fault: Fault
    part: str
    outcome: Outcome
    #: Whether some flip-flop at the end is not as without the fault, although nobody saw it.
    latent: bool


@dataclass(frozen=True, eq=False)
class Campaign:
    """All faults of a kind, or as many as are drawn by lot."""

    #: What has the faults.
    subject: Subject
    #: One of :data:`FaultKind`.
    kind: FaultKind
    #: How many; None is every one there is, flips in every cycle.
    count: int | None
    #: Draws them.
    seed: int

    def __post_init__(self) -> None:
        memory.require(
            64 * GROUPS * (log_room(self.subject) * _ENTRY + self.subject.gates.signals // 8),
            purpose="a campaign on a run of so many words",
            remedy=f"use fewer {option('words')}",
        )
        if not self._sites.size:
            raise InputError(f"{option('faults', self.kind)}: there is nothing of the kind")

    @cached_property
    def _sites(self) -> IntArray:
        """The flip-flops, or the signals, that can have a fault."""
        gates = self.subject.gates
        if self.kind == "flip":
            return np.arange(len(gates.registers))
        driven = np.sort(np.concatenate([gates.registers[:, 1], gates.gates[:, 1]]))
        if self.kind == "stuck":
            return driven
        valid = [gates.wires[stream.valid][0] for stream in self.subject.interface.links]
        return np.intersect1d(np.array(valid, dtype=np.int32), driven)

    @property
    def all(self) -> int:
        """How many there are."""
        return self._sites.size * self._times

    @property
    def total(self) -> int:
        """How many are tried."""
        return self.all if self.count is None else self.count

    @property
    def batches(self) -> int:
        """How many batches they are."""
        return -(-self.total // BATCH)

    @property
    def _times(self) -> int:
        return {"flip": self.subject.bench.busy, "stuck": 2, "link": 1}[self.kind]

    @cached_property
    def _player(self) -> "_Player":
        return _Player(self.subject)

    @cached_property
    def _drawn(self) -> IntArray | None:
        """The numbers of those that are drawn by lot."""
        if self.count is None:
            return None
        lots = np.random.default_rng(self.seed)
        return np.sort(lots.integers(self.all, size=self.count))

    @property
    def name(self) -> str:
        """A name that no other campaign has: hexadecimal digits."""
        bench, interface = self.subject.bench, self.subject.interface
        digest = hashlib.sha256()
        facts = self.subject.design.digest, interface.top, self.kind, self.count, self.seed
        digest.update(repr(facts).encode())
        for array in (self.subject.gates.gates, self.subject.gates.registers, *bench[:-2]):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    def numbers(self, batch: int) -> IntArray:
        """Which of all faults a batch has: the same ones whenever it is played."""
        first, last = batch * BATCH, min(self.total, (batch + 1) * BATCH)
        return np.arange(first, last) if self._drawn is None else self._drawn[first:last]

    def faults(self, batch: int) -> list[Fault]:
        """The faults of a batch."""
        # Those of one cycle are together: until then all runs are alike.
        times, sites = np.divmod(self.numbers(batch), self._sites.size)
        pairs = zip(self._sites[sites].tolist(), times.tolist(), strict=True)
        return [Fault(self.kind, site, when) for site, when in pairs]

    def part(self, fault: Fault) -> str:
        """Where a fault is: the flip-flop or wire without its node and bit."""
        gates = self.subject.gates
        if fault.kind == "link":
            return "links"
        if fault.kind == "flip":
            return _without_node(gates.names[fault.site])
        register = self._of_output.get(fault.site)
        return "gates" if register is None else _without_node(gates.names[register])

    @cached_property
    def _of_output(self) -> dict[int, int]:
        outputs = self.subject.gates.registers[:, 1].tolist()
        return {signal: number for number, signal in enumerate(outputs)}

    def play(self, batch: int) -> list[Injection]:
        """Play a batch."""
        faults = self.faults(batch)
        judge = Judge(self.subject, *self._player.play(faults))
        return [
            Injection(fault, self.part(fault), *judge.judge(run))
            for run, fault in enumerate(faults, 1)
        ]


def log_room(subject: Subject) -> int:
    """How many words the log of a run has room for."""
    return _ROOM * len(subject.expected.sink) + 1


def _without_node(name: str) -> str:
    """A register without its instance and bit: it is the same in all nodes."""
    return re.sub(r"\[\d+\]$", "", name).partition(".")[2] or name


class _Player:
    """Plays the faults of a subject, from where a run without a fault was."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._begin()

    def _begin(self) -> None:
        gates, sources = self._subject.gates, len(self._subject.bench.inject)
        none = np.zeros((0, 3), dtype=np.int32)
        self._cycle = 0
        self._machine = machine(gates.registers, gates.signals, sources, none, 1)
        self._seen = self._room(1)

    def _room(self, groups: int) -> Seen:
        """Room for what becomes of runs."""
        runs, room = 64 * groups, log_room(self._subject)
        return Seen(
            since=np.full(runs, SAME, dtype=np.int32),
            alarm=np.full(runs, SAME, dtype=np.int32),
            logged=np.zeros(runs, dtype=np.int32),
            cycle=np.zeros(room, dtype=np.int32),
            stream=np.zeros((runs, room), dtype=np.int32),
            word=np.zeros((runs, room), dtype=np.uint64),
            taken=np.zeros(runs, dtype=np.int32),
            latent=np.zeros(runs, dtype=np.bool_),
        )

    def play(self, faults: list[Fault]) -> tuple[Seen, int]:
        """What becomes of faults, each in a run of its own, run 0 without; and the last cycle."""
        subject, seen = self._subject, self._room(-(-(len(faults) + 1) // 64))
        flips = [(f.when, f.site, run) for run, f in enumerate(faults, 1) if f.kind == "flip"]
        stuck = [(f.site, f.when, run) for run, f in enumerate(faults, 1) if f.kind != "flip"]
        begin = 0 if stuck else min(flips)[0]
        if begin < self._cycle:
            self._begin()
        fixed = subject.gates.gates, subject.gates.registers, self._machine, subject.bench
        advance(*fixed, subject.bits, self._seen, self._cycle, begin)
        self._cycle, known = begin, self._seen.logged[0]
        seen.logged[0], seen.taken[:] = known, self._seen.taken[0]
        seen.cycle[:known] = self._seen.cycle[:known]
        seen.stream[0, :known] = self._seen.stream[0, :known]
        seen.word[0, :known] = self._seen.word[0, :known]
        listed = (np.array(sorted(each), dtype=np.int32).reshape(-1, 3) for each in (flips, stuck))
        end = play(*fixed, Faults(*listed), subject.bits, seen, begin)
        return seen, end


class Judge:
    """Judges the runs of a batch, which were played up to a cycle: from the last on all are alike.

    A run without a fault that is not as the model says is an error.
    """

    def __init__(self, subject: Subject, seen: Seen, end: int) -> None:
        self._subject, self._seen, expected = subject, seen, subject.expected
        due = int(np.searchsorted(expected.cycle, end))
        model = (column[:due] for column in (expected.cycle, expected.sink, expected.name))
        log = seen.cycle[: seen.logged[0]], *self._log(0)
        if not all(map(np.array_equal, log, model)):
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
        if _more(keys, self._keys) or seen.taken[run] == self._subject.taken:
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
