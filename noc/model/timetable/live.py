"""The timetable fabric cycle by cycle, for words that are offered while it runs.

Sinks are always ready. Rounds follow one another, or have words where all nodes have given theirs.
What a node is given is in no list of events, but in the answer of the next cycles.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator
from functools import reduce

import numpy as np

from noc.model.operators import combine
from noc.model.runs import LIMIT, Offered, new_record
from noc.model.timetable.kernel import FIRST_SUM, Counts, advance
from noc.model.timetable.run import lay_out, reset
from noc.programs.round_table import NONE, first_inject, first_lane
from noc.programs.rounds import RoundProgram
from noc.programs.sums import SumProgram

#: A word that comes: the node, its data, and whose it is or, of a sum, which one.
Came = tuple[int, int, int]


class LiveRounds:
    """The routers of a network, and the words that are on their way."""

    def __init__(self, program: RoundProgram, width: int) -> None:
        self._program, self._width = program, width
        flows = program.flows
        nodes = [inject.node for inject in program.injects]
        #: The inject streams, each as its node's.
        self._ends = [(node, number - nodes.index(node)) for number, node in enumerate(nodes)]
        #: By phase the words that are taken: the flow of each by its node and its stream there.
        self._gives: list[dict[tuple[int, int], int]] = [{} for _ in range(program.round)]
        for flow, (inject, phase) in enumerate(zip(flows.inject, flows.phase, strict=True)):
            self._gives[phase][self._ends[inject]] = flow
        #: By phase what is ejected: its node, which word or sum it is, and of which round before.
        self._takes: list[list[tuple[int, int, int]]] = [[] for _ in range(program.round)]
        for phase, node, port in np.argwhere(program.taken != NONE).tolist():
            value, after = program.taken[phase, node, port], program.after[phase, node, port]
            later, there = divmod(phase + 1, program.round)
            self._takes[there].append((node, int(value), int(after) + later))
        #: Of each value that is ejected the sums that are needed for it, each behind what it needs.
        self._needs = {value: self._needed(value) for taken in self._takes for _, value, _ in taken}
        self._longest = max(after for taken in self._takes for _, _, after in taken)
        #: By round, what was given by each flow.
        self._given: defaultdict[int, dict[int, int]] = defaultdict(dict)
        # Before the first round begins, if that needs a pulse.
        self._turn = -program.start_cycles if program.config.pulsed else 0
        #: In queues.
        self._waiting: list[list[Came]] = [[] for _ in range(program.eject_cycles)]

    def move(
        self, offers: Iterable[tuple[int, int, int]]
    ) -> tuple[list[tuple[int, int]], list[Came], bool]:
        """One cycle, with a word for some nodes and streams.

        By which of them it was taken, what came, and whether all nodes moved on.
        """
        turn, moved, taken = self._turn, self._turn >= 0, []
        self._turn += 1
        if moved:
            now, phase = divmod(turn, self._program.round)
            self._waiting.append([*self._eject(now, phase)])
            for node, stream, data in offers:
                flow = self._gives[phase].get((node, stream))
                if flow is not None and now >= self._program.waits[flow]:
                    self._given[now - int(self._program.waits[flow])][flow] = data
                    taken.append((node, stream))
            self._given.pop(now - self._longest - 1, None)
        else:
            self._waiting.append([])
        return taken, self._waiting.pop(0), moved

    def _eject(self, now: int, phase: int) -> Iterator[Came]:
        """What comes out in a phase."""
        program = self._program
        for node, value, after in self._takes[phase]:
            data = self._data(self._given.get(now - after, {}), value)
            if data is not None:
                if isinstance(program, SumProgram):
                    yield node, data, program.totals.index(value)
                else:
                    yield node, data, int(program.flows.source[value])

    def _needed(self, value: int) -> list[int]:
        program, words = self._program, self._program.waits.size
        if not isinstance(program, SumProgram):
            return []
        needed, left = set[int](), [value]
        while left:
            each = left.pop()
            if each >= words and each not in needed:
                needed.add(each)
                left += program.inputs[each - words]
        return sorted(needed)

    def _data(self, given: dict[int, int], value: int) -> int | None:
        """The data of a word of a round, or the sum of those that were given; None for none."""
        program = self._program
        if isinstance(program, SumProgram) and value not in given:
            operator, words = program.exchange.operator, program.waits.size
            for total in self._needs[value]:
                data = [given[part] for part in program.inputs[total - words] if part in given]
                if data:
                    given[total] = reduce(
                        lambda one, other: combine(operator, one, other, self._width), data
                    )
        return given.get(value)


class LiveComplete(LiveRounds):
    """The same where a round has the words of all: the model of whole runs, a cycle at a time."""

    def __init__(self, program: RoundProgram, width: int) -> None:
        super().__init__(program, width)
        self._fixed = lay_out(program, (True,))
        self._state, self._counts = reset(self._fixed, program), new_record(Counts)
        self._counts.ahead = program.ahead
        #: How many words each inject stream has given.
        self._entered = np.zeros(len(self._ends), dtype=np.int64)
        self._ready = np.ones((1, program.network.nodes), dtype=np.bool_)
        most = int(np.diff(self._fixed.first[0]).max()) + len(self._ends) + len(program.ejects)
        self._events = np.zeros((6, most), dtype=np.int64)
        #: What comes out of a round, and how much of each has.
        self._copies, self._came = int((program.taken != NONE).sum()), Counter[int]()

    def move(
        self, offers: Iterable[tuple[int, int, int]]
    ) -> tuple[list[tuple[int, int]], list[Came], bool]:
        """One cycle, as above; no node stands still."""
        data, events = {(node, stream): word for node, stream, word in offers}, self._events
        offered, most = self._offer(data), events.shape[1]
        self._counts.room = most
        code = advance(self._fixed, offered, self._state, self._counts, most, events)
        assert code == LIMIT
        taken = np.flatnonzero(offered.next % 2)
        for stream in taken.tolist():
            begin, end = self._fixed.first_own[stream : stream + 2]
            number, place = divmod(int(self._entered[stream]), int(end - begin))
            flow = int(self._fixed.own[begin + place])
            self._given[number][flow] = data[self._ends[stream]]
        self._entered[taken] += 1
        first, last = first_lane(self._program.network), first_inject(self._program.network)
        rows = events[:, : most - self._counts.room].T.tolist()
        came = [self._tell(row[1], row[3]) for row in rows if first <= row[2] < last]
        return [self._ends[stream] for stream in taken], came, True

    def _offer(self, data: Container[tuple[int, int]]) -> Offered:
        """A word of each stream that has one, and one that never comes, so that time goes on."""
        ones, never = np.arange(len(self._ends)), 1 << 62
        release = np.array([[0 if end in data else never, never] for end in self._ends])
        word = self._entered * ones.size + ones
        return Offered(
            word=np.repeat(word, 2),
            way=np.zeros(release.size, dtype=np.int64),
            release=release.ravel(),
            next=2 * ones,
            end=2 * ones + 2,
            more=np.zeros_like(ones),
            drawn=np.zeros_like(ones),
            ready=self._ready,
            patience=0,
            stop=int(self._counts.cycle) + 1,
        )

    def _tell(self, node: int, word: int) -> Came:
        """What a word is that comes, by its number."""
        program, streams = self._program, len(self._ends)
        if isinstance(program, SumProgram):
            number, value = divmod(FIRST_SUM - word, len(program.inputs))
            value += program.waits.size
            key = program.totals.index(value)
        else:
            begin, end = self._fixed.first_own[word % streams : word % streams + 2]
            number, place = divmod(word // streams, int(end - begin))
            value = int(self._fixed.own[begin + place])
            key = int(program.flows.source[value])
        data = self._data(self._given[number], value)
        assert data is not None
        self._came[number] += 1
        if self._came[number] == self._copies:
            del self._came[number], self._given[number]
        return node, data, key
