"""The timetable fabric cycle by cycle, for words that are offered while it runs.

Sinks are always ready. What a node is given is in no list of events, but in the answer of the next
cycles.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import reduce

import numpy as np

from noc.model.operators import combine
from noc.model.runs import LIMIT, Offered, new_record
from noc.model.timetable.kernel import FIRST_SUM, Counts, advance
from noc.model.timetable.run import lay_out, most_events, reset
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
        self._ready = np.ones((1, program.network.nodes), dtype=np.bool_)
        self._events = np.zeros((6, most_events(fixed)), dtype=np.int64)
        nodes = [inject.node for inject in program.injects]
        #: The inject streams, each as its node's.
        self._ends = [(node, number - nodes.index(node)) for number, node in enumerate(nodes)]
        #: The words that each takes, by their phases.
        flows = program.flows
        pairs = zip(flows.inject.tolist(), flows.phase.tolist(), strict=True)
        self._flows = {pair: flow for flow, pair in enumerate(pairs)}
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
        nexts = [self._next(stream) if end in data else -1 for stream, end in enumerate(self._ends)]
        offered, most = self._offer(nexts), self._events.shape[1]
        self._counts.room = most
        code = advance(self._fixed, offered, self._state, self._counts, most, self._events)
        assert code == LIMIT
        taken = np.flatnonzero(offered.next % 2).tolist()
        for stream in taken:
            number, flow = divmod(nexts[stream], len(self._fixed.flows))
            if number not in self._given:
                self._forget(number - self._longest)
            self._given[number][flow] = data[self._ends[stream]]
        first, last = first_lane(self._program.network), first_inject(self._program.network)
        rows = self._events[:, : most - self._counts.room].T.tolist()
        came = [self._tell(row[1], row[3]) for row in rows if first <= row[2] < last]
        return [self._ends[stream] for stream in taken], came, bool(self._counts.came)

    def _next(self, stream: int) -> int:
        """The word that a stream can take, as round and flow; less than 0 for none."""
        fixed = self._fixed
        if fixed.kept:
            begin, end = fixed.first_own[stream : stream + 2].tolist()
            number, place = divmod(int(self._state.entered[stream]), int(end - begin))
            flow = int(fixed.own[begin + place])
        else:
            flow = int(self._flows.get((stream, int(self._counts.phase)), -1))
            if flow < 0:
                return flow
            number = int(self._counts.rounds - fixed.waits[flow])
        return number * len(fixed.flows) + flow

    def _offer(self, nexts: list[int]) -> Offered:
        """A word of each stream that has one and can take it, and one that never comes."""
        ones = np.arange(len(nexts))
        return Offered(
            word=np.repeat(nexts, 2),
            way=np.zeros(2 * ones.size, dtype=np.int64),
            release=np.array([[0 if word >= 0 else _NEVER, _NEVER] for word in nexts]).ravel(),
            next=2 * ones,
            end=2 * ones + 2,
            more=np.zeros_like(ones),
            drawn=np.zeros_like(ones),
            ready=self._ready,
            patience=0,
            stop=int(self._counts.cycle) + 1,
        )

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
