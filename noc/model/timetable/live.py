"""The timetable fabric cycle by cycle, for words that are offered while it runs.

Sinks are always ready, and rounds follow one another. What a node is given is in no list of events,
but in the answer of the next cycles.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import reduce

import numpy as np

from noc.model.operators import combine
from noc.programs.round_table import NONE
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
        stream = [number - nodes.index(node) for number, node in enumerate(nodes)]
        #: By phase the words that are taken: the flow of each by its node and its stream there.
        self._gives: list[dict[tuple[int, int], int]] = [{} for _ in range(program.round)]
        for flow, (inject, phase) in enumerate(zip(flows.inject, flows.phase, strict=True)):
            self._gives[phase][nodes[inject], stream[inject]] = flow
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
