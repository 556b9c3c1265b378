"""The timetable fabric cycle by cycle, for words that are offered while it runs.

Sinks are always ready. What a node is given is in no list of events, but in the answer of the next
cycles.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import reduce
from typing import Any

import numpy as np

from noc.model.operators import combine
from noc.model.runs import LIMIT, NONE, Offered, new_record
from noc.model.timetable.kernel import FIRST_SUM, Counts, Fixed, State, advance
from noc.model.timetable.run import lay_out, most_events, reset
from noc.networks import IntArray
from noc.programs.round_table import first_inject, first_lane
from noc.programs.rounds import RoundProgram
from noc.programs.sums import SumProgram

#: A word that comes: the node, its data, and whose it is or, of a sum, which one.
Came = tuple[int, int, int]

# Words that never come, so that time goes on.
_NEVER = 1 << 62


class _TimedNexts:
    """The word that each stream can take in a cycle, as round and flow; less than 0 for none."""

    def __init__(self, program: RoundProgram, fixed: Fixed) -> None:
        self._flows = fixed.flows.size
        #: In each phase that of round 0.
        self._first = np.full((program.round, len(program.injects)), _NEVER, dtype=np.int64)
        flows, number = program.flows, np.arange(self._flows)
        self._first[flows.phase, flows.inject] = number - fixed.waits * self._flows
        self._none = self._first == _NEVER

    def find(self, _state: State, counts: Any) -> IntArray:
        """In the phase that nodes have."""
        phase = int(counts["phase"])
        nexts: IntArray = self._first[phase] + int(counts["rounds"]) * self._flows
        nexts[self._none[phase]] = NONE
        return nexts


class _CompleteNexts:
    """The same where streams take the words of round after round, whatever the phase is."""

    def __init__(self, fixed: Fixed) -> None:
        self._flows, self._own = fixed.flows.size, fixed.own
        self._first, self._share = fixed.first_own[:-1], np.diff(fixed.first_own)

    def find(self, state: State, _counts: Any) -> IntArray:
        """By how many have come into each queue."""
        number, place = np.divmod(state.entered, self._share)
        return number * self._flows + self._own[self._first + place]


class LiveRounds:
    """The model of whole runs, a cycle at a time."""

    def __init__(self, program: RoundProgram, width: int) -> None:
        self._program, self._width = program, width
        self._fixed = fixed = lay_out(program, (True,))
        self._state = reset(fixed, program)
        # A record takes longer to read and write by attributes than by its names as keys.
        self._counts: Any = new_record(Counts)
        self._counts.ahead = program.ahead
        self._events = np.zeros((6, most_events(fixed)), dtype=np.int64)
        nodes = [inject.node for inject in program.injects]
        self._flows = fixed.flows.size
        #: The inject streams, each as its node's, and the number of each.
        self._ends = [(node, number - nodes.index(node)) for number, node in enumerate(nodes)]
        self._streams = {end: number for number, end in enumerate(self._ends)}
        self._nexts = _CompleteNexts(fixed) if fixed.kept else _TimedNexts(program, fixed)
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
        self._first_words = self._offered.next.copy()
        self._ejects = first_lane(program.network), first_inject(program.network)
        #: Whose a word is that comes, by its flow, or which sum, by its number in a round.
        self._told: list[int] = program.numbers.tolist()
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
        data = {self._streams[node, stream]: word for node, stream, word in offers}
        nexts = self._offer([*data]) if data else None
        counts, events = self._counts, self._events
        counts["room"] = most = events.shape[1]
        offered = self._offered._replace(stop=int(counts["cycle"]) + 1)
        code = advance(self._fixed, offered, self._state, counts, most, events)
        assert code == LIMIT
        taken = [] if nexts is None else self._keep(data, nexts)
        came = self._tell(most - int(counts["room"]))
        return taken, came, bool(counts["came"])

    def _offer(self, streams: list[int]) -> IntArray:
        """A word of each of some streams, if it can take one; what each can."""
        nexts, offered = self._nexts.find(self._state, self._counts), self._offered
        offered.word[::2] = nexts
        own = offered.release[::2]
        own[streams] = 0
        own[nexts < 0] = _NEVER
        return nexts

    def _keep(self, data: dict[int, int], nexts: IntArray) -> list[tuple[int, int]]:
        """Which streams had their words taken, whose data are known from now on."""
        offered = self._offered
        taken = np.flatnonzero(offered.next != self._first_words).tolist()
        for stream in taken:
            number, flow = divmod(int(nexts[stream]), self._flows)
            if number not in self._given:
                self._forget(number - self._longest)
            self._given[number][flow] = data[stream]
        # Nothing is offered until somebody does.
        offered.next[:] = self._first_words
        offered.release.fill(_NEVER)
        return [self._ends[stream] for stream in taken]

    def _forget(self, before: int) -> None:
        """Rounds all of whose words have left."""
        for number in [each for each in self._given if each < before]:
            del self._given[number]

    def _tell(self, events: int) -> list[Came]:
        """What comes, of so many events."""
        _, node, port, word, *_ = self._events[:, :events]
        first, last = self._ejects
        comes = (port >= first) & (port < last)
        if not comes.any():
            return []
        node, word = node[comes], word[comes]
        program, given = self._program, self._given
        if isinstance(program, SumProgram):
            number, value = np.divmod(FIRST_SUM - word, len(program.inputs))
            flow = value + program.waits.size
            rows = zip(number.tolist(), flow.tolist(), strict=True)
            data: list[Any] = [self._add_up(program, given[n], total) for n, total in rows]
        else:
            number, flow = np.divmod(word, self._flows)
            rows = zip(number.tolist(), flow.tolist(), strict=True)
            data = [given[n][own] for n, own in rows]
        told = [self._told[each] for each in flow.tolist()]
        return list(zip(node.tolist(), data, told, strict=True))

    def _add_up(self, program: SumProgram, given: dict[int, int], total: int) -> int | None:
        """A word, or a sum, of those that a round was given; None where none was."""
        own = total - program.waits.size
        if total not in given and own >= 0:
            parts = (self._add_up(program, given, part) for part in program.inputs[own])
            there = [part for part in parts if part is not None]
            if there:
                operator, width = program.exchange.operator, self._width
                given[total] = reduce(lambda a, b: combine(operator, a, b, width), there)
        return given.get(total)
