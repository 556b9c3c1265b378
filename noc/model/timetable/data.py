"""The data of the words of a run in which words are added up: of own ones, and of sums.

Data decide nothing, and so are found after a run: which words a round has been given, and what of
them came where it is added, is known by then. What a node has not given is in no sum, nor is what a
dead link has lost.
"""

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from noc.model.operators import Rows, combine_rows, count_columns
from noc.model.timetable.kernel import FIRST_SUM
from noc.model.traffic import BoolArray, payload_rows
from noc.networks import IntArray
from noc.programs.round_table import NONE, first_inject, first_lane, loop_of
from noc.programs.sums import SumProgram

if TYPE_CHECKING:
    from noc.model.timetable.run import Events


def find_given(program: SumProgram, events: "Events") -> tuple[IntArray, IntArray, IntArray]:
    """Which events are those of words that nodes give; the flow of each, and its round."""
    first = first_inject(program.network)
    given = np.flatnonzero(events.port >= first)
    # Each leaves in the next phase.
    leaves = (events.phase[given] + 1) % program.round
    flow = program.flows.number[leaves, events.node[given], events.port[given] - first]
    rounds: IntArray = events.round[given] - program.waits[flow]
    return given, flow, rounds


class SumData:
    """The data of sums, round by round."""

    def __init__(self, program: SumProgram, width: int, seed: int) -> None:
        self._program, self._width, self._seed = program, width, seed
        # By round the words that were given, and how many sums of it have been ejected.
        self._given: dict[int, IntArray] = {}
        self._ejected: Counter[int] = Counter()
        # And what came of it to be added.
        self._came: dict[int, BoolArray] = {}
        self._parts, self._place = _find_parts(program)
        receivers = Counter(program.taken[program.taken != NONE].tolist())
        #: Of each sum that nodes get its words, and how many nodes get it.
        self._totals = [([*program.members[total]], count) for total, count in receivers.items()]

    def rows(self, events: "Events") -> Rows:
        """The data of the words of some events, which follow those that were asked for before."""
        self._learn(events)
        result = np.zeros((len(events), count_columns(self._width)), dtype=np.uint32)
        own = events.word >= 0
        result[own] = payload_rows(self._seed, self._width, events.word[own])
        if not own.all():
            count = len(self._program.inputs)
            rounds, sums = divmod(FIRST_SUM - events.word[~own], count)
            used, place = np.unique(rounds, return_inverse=True)
            result[~own] = self._add_up(used.tolist())[sums, place]
            ejects = events.port[~own] >= first_lane(self._program.network)
            self._ejected.update(rounds[ejects].tolist())
        self._forget(events)
        return result

    def _learn(self, events: "Events") -> None:
        """The words that were given, by round."""
        given, flow, rounds = find_given(self._program, events)
        for number in np.unique(rounds).tolist():
            some = rounds == number
            fresh = np.full_like(self._program.waits, NONE)
            self._given.setdefault(number, fresh)[flow[some]] = events.word[given[some]]
            self._came.setdefault(number, np.zeros(self._place.max() + 1, dtype=np.bool_))
        self._learn_came(events)

    def _learn_came(self, events: "Events") -> None:
        """What came to be added, by round."""
        linked = np.flatnonzero(events.port < len(self._program.network.in_ports))
        place = self._place[events.phase[linked], events.node[linked], events.port[linked]]
        linked, place = linked[place != NONE], place[place != NONE]
        rounds = self._rounds(events.word[linked])
        order = np.argsort(rounds, kind="stable")
        numbers, first = np.unique(rounds[order], return_index=True)
        ends = [*first[1:].tolist(), rounds.size][: numbers.size]
        for number, begin, end in zip(numbers.tolist(), first.tolist(), ends, strict=True):
            self._came[number][place[order[begin:end]]] = True

    def _rounds(self, words: IntArray) -> IntArray:
        """The round of each own word that was given, and of each sum."""
        rounds: IntArray = (FIRST_SUM - words) // len(self._program.inputs)
        own, count = words >= 0, self._program.waits.size
        if own.any():
            given = np.concatenate([*self._given.values()])
            order = np.argsort(given)
            place = order[np.searchsorted(given, words[own], sorter=order)]
            rounds[own] = np.array([*self._given])[place // count]
        return rounds

    def _forget(self, events: "Events") -> None:
        """Rounds for which no more words are taken, and of which all sums have been ejected.

        Those are kept of which a dead link has lost one.
        """
        now = int(events.round.max(initial=0)) - int(self._program.waits.max())
        for number in [each for each in self._given if each < now]:
            given = self._given[number] != NONE
            expected = sum(count for members, count in self._totals if given[members].any())
            if self._ejected[number] == expected:
                del self._given[number], self._came[number], self._ejected[number]

    def _add_up(self, rounds: list[int]) -> Rows:
        """All sums of some rounds: an array (sums, rounds, columns)."""
        given = np.stack([self._given[number] for number in rounds], axis=1)
        there = [*(given != NONE)]
        words = payload_rows(self._seed, self._width, given.clip(0).ravel())
        rows = [*words.reshape(*given.shape, -1)]
        came = np.stack([self._came[number] for number in rounds], axis=1)
        for parts in self._parts:
            here = [there[value] if at == NONE else came[at] for value, at in parts]
            some, data = here[0], rows[parts[0][0]]
            for each, (value, _) in zip(here[1:], parts[1:], strict=True):
                both = combine_rows(self._program.exchange.operator, data, rows[value], self._width)
                alone = np.where(some[:, None], data, rows[value])
                data = np.where((some & each)[:, None], both, alone)
                some = some | each
            there.append(some)
            rows.append(data)
        return np.array(rows[given.shape[0] :])


def _find_parts(program: SumProgram) -> tuple[list[list[tuple[int, int]]], IntArray]:
    """The parts of each sum: the value, and the place of what comes of it by a link, or ``NONE``.

    Places are by phase, node and in-port in the second.
    """
    place = np.full(program.carried.shape, NONE, dtype=np.int64)
    parts, loop = [], loop_of(program.network)
    for values, comes in zip(program.inputs, program.comes, strict=True):
        parts.append([(value, NONE) for value in values])
        for number, each in enumerate(comes):
            # By a loop nothing is lost.
            if each is not None and each.in_port != loop:
                where = each.phase, each.node, each.in_port
                if place[where] == NONE:
                    place[where] = place.max() + 1
                parts[-1][number] = values[number], int(place[where])
    return parts, place
