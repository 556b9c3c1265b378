"""The timetable fabric cycle by cycle, for words that are offered while it runs.

Sinks are always ready. What a node is given is in no list of events, but in the answer of the next
cycles.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import reduce

import numpy as np

from noc.model.operators import combine
from noc.model.runs import LIMIT, NONE, Offered, new_record
from noc.model.timetable.kernel import FIRST_SUM, Counts, advance
from noc.model.timetable.run import lay_out, most_events, reset
from noc.networks import IntArray
from noc.programs.round_table import first_inject, first_lane
from noc.programs.rounds import RoundProgram
from noc.programs.sums import SumProgram

#: A word that comes: the node, its data, and whose it is or, of a sum, which one.
Came = tuple[int, int, int]

# Words that never come, so that time goes on.
_NEVER = 1 << 62


class LiveRounds:
    """The model of whole runs, a cycle at a time."""

    def __init__(self, program: RoundProgram, width: int) -> None:
        self._program, self._width = program, width
        self._fixed = fixed = lay_out(program, (True,))
        self._state, self._counts = reset(fixed, program), new_record(Counts)
        self._counts.ahead = program.ahead
        self._events = np.zeros((6, most_events(fixed)), dtype=np.int64)
        nodes = [inject.node for inject in program.injects]
        #: The inject streams, each as its node's.
        self._ends = [(node, number - nodes.index(node)) for number, node in enumerate(nodes)]
        #: In each phase the word that each takes.
        self._flows = np.full((program.round, len(nodes)), NONE, dtype=np.int64)
        self._flows[program.flows.phase, program.flows.inject] = np.arange(len(fixed.flows))
        zeros = np.zeros(len(nodes), dtype=np.int64)
        #: A word of each stream, and one that never comes.
        self._offered = Offered(
            word=zeros.repeat(2),
            way=zeros.repeat(2),
            release=np.full(2 * zeros.size, _NEVER),
            next=2 * np.arange(zeros.size),
            end=2 * np.arange(zeros.size) + 2,
            more=zeros,
            drawn=zeros.copy(),
            ready=np.ones((1, program.network.nodes), dtype=np.bool_),
            patience=0,
            stop=0,
        )
        #: By round, the data of what was given by each flow, and of sums.
        self._given: defaultdict[int, dict[int, int]] = defaultdict(dict)
        # Behind the first of its words, in queues and on links, the last of a round leaves.
        late = int(fixed.late.max(initial=0) + fixed.waits.max(initial=0))
        self._longest = 2 + late + fixed.kept + fixed.rooms + program.eject_cycles

    def move(
        self, offers: Iterable[tuple[int, int, int]]
    ) -> tuple[list[tuple[int, int]], list[Came], bool]:
        """One cycle, with a word for some nodes and streams.

        By which of them it was taken, what came, and whether all nodes moved on.
        """
        data = {(node, stream): word for node, stream, word in offers}
        nexts = np.where([end in data for end in self._ends], self._nexts(), NONE)
        offered, most = self._offer(nexts), self._events.shape[1]
        self._counts.room = most
        code = advance(self._fixed, offered, self._state, self._counts, most, self._events)
        assert code == LIMIT
        taken = np.flatnonzero(offered.next % 2).tolist()
        for stream in taken:
            number, flow = divmod(int(nexts[stream]), len(self._fixed.flows))
            if number not in self._given:
                self._forget(number - self._longest)
            self._given[number][flow] = data[self._ends[stream]]
        first, last = first_lane(self._program.network), first_inject(self._program.network)
        rows = self._events[:, : most - self._counts.room].T.tolist()
        came = [self._tell(row[1], row[3]) for row in rows if first <= row[2] < last]
        return [self._ends[stream] for stream in taken], came, bool(self._counts.came)

    def _nexts(self) -> IntArray:
        """The word that each stream can take, as round and flow; less than 0 for none."""
        fixed = self._fixed
        if fixed.kept:
            number, place = np.divmod(self._state.entered, np.diff(fixed.first_own))
            return number * len(fixed.flows) + fixed.own[fixed.first_own[:-1] + place]
        flow = self._flows[int(self._counts.phase)]
        number = int(self._counts.rounds) - fixed.waits[flow]
        return np.where(flow == NONE, NONE, number * len(fixed.flows) + flow)

    def _offer(self, nexts: IntArray) -> Offered:
        """A word of each stream that has one and can take it."""
        offered = self._offered
        offered.word[::2] = nexts
        offered.release[::2] = np.where(nexts == NONE, _NEVER, 0)
        offered.next[:] = 2 * np.arange(nexts.size)
        return offered._replace(stop=int(self._counts.cycle) + 1)

    def _forget(self, before: int) -> None:
        """Rounds all of whose words have left."""
        for number in [each for each in self._given if each < before]:
            del self._given[number]

    def _tell(self, node: int, word: int) -> Came:
        """What a word is that comes, by its number."""
        program = self._program
        if isinstance(program, SumProgram):
            number, value = divmod(FIRST_SUM - word, len(program.inputs))
            data = self._add_up(program, self._given[number], value + program.waits.size)
            return node, data, program.totals.index(value + program.waits.size)
        number, flow = divmod(word, len(self._fixed.flows))
        return node, self._given[number][flow], int(program.flows.source[flow])

    def _add_up(self, program: SumProgram, given: dict[int, int], total: int) -> int:
        """A sum of what a round was given."""
        if total not in given:
            words, operator = program.waits.size, program.exchange.operator
            parts = [
                given[part] if part < words else self._add_up(program, given, part)
                for part in program.inputs[total - words]
                if not given.keys().isdisjoint(program.members[part])
            ]
            given[total] = reduce(lambda a, b: combine(operator, a, b, self._width), parts)
        return given[total]
