"""The data of the words of a run in which words are added up: of own ones, and of sums.

Data decide nothing, and so are found after a run: which words a round has been given is known by
then. What a node has not given is in no sum.
"""

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from noc.model.operators import Rows, combine_rows, count_columns
from noc.model.timetable.kernel import FIRST_SUM
from noc.model.traffic import payload_rows
from noc.networks import IntArray
from noc.programs.round_table import NONE, first_inject, first_lane
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

    def _forget(self, events: "Events") -> None:
        """Rounds for which no more words are taken, and of which all sums have been ejected."""
        now = int(events.round.max(initial=0)) - int(self._program.waits.max())
        for number in [each for each in self._given if each < now]:
            given = self._given[number] != NONE
            expected = sum(count for members, count in self._totals if given[members].any())
            if self._ejected[number] == expected:
                del self._given[number], self._ejected[number]

    def _add_up(self, rounds: list[int]) -> Rows:
        """All sums of some rounds: an array (sums, rounds, columns)."""
        given = np.stack([self._given[number] for number in rounds], axis=1)
        there = [*(given != NONE)]
        words = payload_rows(self._seed, self._width, given.clip(0).ravel())
        rows = [*words.reshape(*given.shape, -1)]
        for made_of in self._program.inputs:
            some, data = there[made_of[0]], rows[made_of[0]]
            for each in made_of[1:]:
                both = combine_rows(self._program.exchange.operator, data, rows[each], self._width)
                alone = np.where(some[:, None], data, rows[each])
                data = np.where((some & there[each])[:, None], both, alone)
                some = some | there[each]
            there.append(some)
            rows.append(data)
        return np.array(rows[given.shape[0] :])
