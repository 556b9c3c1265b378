"""Runs of the timetable fabric: round after round, which words are where in which cycle."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from noc.model.runs import (
    DRAINED,
    EVENTS_AT_A_TIME,
    FULL,
    HUNGRY,
    LIMIT,
    NONE,
    Chunk,
    Feed,
    Offered,
    last_cycle,
)
from noc.model.traffic import LongTraffic, Traffic, Words, check_stalls
from noc.networks import IntArray
from noc.programs.rounds import RoundProgram

#: Why a run ended: every word has arrived, or the cycles that were asked for are over.
End = Literal["drained", "limit"]


@dataclass(frozen=True, eq=False)
class Events:
    """Every transfer of a run, sorted by cycle, then node, then port."""

    #: What the routers ran.
    program: RoundProgram = field(repr=False)
    #: Array (events). When; cycle 0 is the first after reset.
    cycle: IntArray = field(repr=False)
    #: Array (events). The node that receives, or that gives.
    node: IntArray = field(repr=False)
    #: Array (events). The in-port; behind the last the node's inject stream, behind that the eject
    #: streams, by in-port, and behind those its inject streams, by out-port, where it has several.
    port: IntArray = field(repr=False)
    #: Array (events). The word, by its position in the traffic.
    word: IntArray = field(repr=False)

    def __len__(self) -> int:
        return int(self.cycle.size)

    def tuples(self) -> list[tuple[int, int, int, int]]:
        """(cycle, node, port, word) of every event."""
        columns = (self.cycle, self.node, self.port, self.word)
        return list(zip(*(column.tolist() for column in columns), strict=True))


@dataclass(frozen=True, eq=False)
class Run:
    """What a run gave."""

    #: Why it ended.
    end: End
    #: Number of cycles simulated.
    cycles: int
    #: Array (inject streams). How many words of each were taken.
    accepted: IntArray = field(repr=False)
    #: Transfers at inject streams and at eject streams.
    injected: int
    delivered: int
    #: Array (taken, 2). Each word that was taken, and the cycle, round by round.
    taken: IntArray = field(repr=False)
    #: Every transfer, if they were asked for.
    events: Events | None = field(repr=False)


class _Window(NamedTuple):
    """What can happen in the cycles of one round, sorted as events are.

    What was on the links in the last cycle is ejected in the first one of the next round.
    """

    phase: IntArray
    node: IntArray
    port: IntArray
    flow: IntArray
    late: IntArray  # how many rounds ago the router took the word
    ejected: IntArray  # whether it leaves the network


def simulate(
    program: RoundProgram,
    traffic: Traffic | LongTraffic,
    *,
    cycles: int | None = None,
    events: bool = True,
) -> Run:
    """Run the rounds until every word has arrived, or the cycles are over.

    Without the list of events long runs take little memory.
    """
    model = _Model(program, traffic, cycles)
    parts = [model.empty]
    for _, part in model.run():
        parts += [part] * events
    return Run(
        end=model.end,
        cycles=model.cycle,
        accepted=model.feed.accepted,
        injected=model.injected,
        delivered=model.delivered,
        taken=np.concatenate([np.zeros((0, 2), dtype=np.int64), *model.taken]),
        events=Events(program, *np.concatenate(parts, axis=1)) if events else None,
    )


def stream(
    program: RoundProgram, traffic: Traffic | LongTraffic, *, cycles: int | None = None
) -> Iterator[Chunk]:
    """The same in constant memory: the events of some cycles after the other."""
    model = _Model(program, traffic, cycles)
    for code, table in model.run():
        events, fresh = Events(program, *table), model.feed.take_fresh()
        model.taken.clear()
        end = None if code == FULL else model.end
        yield Chunk(events, None, fresh, model.cycle, model.injected, end)


class _Model:
    """The words that are under way, and what was counted."""

    empty = np.zeros((4, 0), dtype=np.int64)

    def __init__(
        self, program: RoundProgram, traffic: Traffic | LongTraffic, cycles: int | None
    ) -> None:
        traffic.check(program)
        check_stalls(traffic.ready, program.config)
        self._program, self._window = program, _lay_out(program)
        self._stop = last_cycle(cycles)
        self.feed: Feed[Words] = Feed(
            program.sources, traffic.draw(), _columns, (traffic.ready, 0, self._stop)
        )
        # What was taken in this round, the one before, and that before; by the words of a round.
        self._given = np.full((3, program.flows.inject.size), NONE, dtype=np.int64)
        # The phases in which words are taken, and which words; and how many of these are over.
        self._slots = [
            (int(phase), np.flatnonzero(program.flows.phase == phase))
            for phase in np.unique(program.flows.phase)
        ]
        self._over = 0
        # The cycle in which the round begins, and that after the last event.
        self._begin = self._after = 0
        self.cycle = self.injected = self.delivered = 0
        self.taken: list[IntArray] = []
        self.end: End = "drained"

    def run(self) -> Iterator[tuple[int, IntArray]]:
        """Why it paused or ended, and the events since, part by part."""
        code = FULL
        while code == FULL:
            self._parts, self._room = [self.empty], EVENTS_AT_A_TIME
            code = self.feed.go_on(self._advance)
            yield code, np.concatenate(self._parts, axis=1)

    def _advance(self, offered: Offered) -> int:
        """Go on round by round until there are many events, or the run ends, and say why."""
        while self._room > 0:
            for phase, flows in self._slots[self._over :]:
                if ((offered.next == offered.end) & (offered.more != 0)).any():
                    return HUNGRY
                self._take(offered, phase, flows)
                self._over += 1
            self._over = 0
            happens = self._happens()
            self._parts.append(happens)
            self._room -= happens.shape[1]
            waiting = (offered.next < offered.end).any()
            if not waiting and (self._given[:2] == NONE).all():
                self.cycle = self._after
                return DRAINED
            self._given[1:] = self._given[:-1]
            self._given[0] = NONE
            self._begin += self._program.round
            self.cycle = self._begin
            if self._begin >= self._stop:
                self.cycle, self.end = self._stop, "limit"
                return LIMIT
        return FULL

    def _take(self, offered: Offered, phase: int, flows: IntArray) -> None:
        """Take the words that are taken in a phase, of the streams that have one by then."""
        at, stream = self._begin + phase, self._program.flows.inject[flows]
        # What would be taken behind the last cycle stays.
        has = (offered.next[stream] < offered.end[stream]) & (at < self._stop)
        has[has] = offered.release[offered.next[stream[has]]] <= at
        given = offered.word[offered.next[stream[has]]]
        self._given[0, flows[has]] = given
        offered.next[stream[has]] += 1
        self.injected += int(has.sum())
        self.taken.append(np.stack([given, np.full_like(given, at)], axis=1))

    def _happens(self) -> IntArray:
        """The events of a round."""
        window = self._window
        word = self._given[window.late, window.flow]
        cycle = self._begin + window.phase
        real = (word != NONE) & (cycle < self._stop)
        if real.any():
            self._after = int(cycle[real][-1]) + 1
        self.delivered += int((real & window.ejected).sum())
        return np.stack([cycle[real], window.node[real], window.port[real], word[real]])


def _columns(words: Words, first: int) -> tuple[IntArray, ...]:
    number = np.arange(first, first + words.source.size, dtype=np.int64)
    return number, np.zeros_like(number), words.release.astype(np.int64)


def _lay_out(program: RoundProgram) -> _Window:
    """Injects, what comes on each link, and its eject a cycle later, where it is for the node."""
    flows, ports, before = program.flows, len(program.network.in_ports), int(program.own_register)
    lanes = [ports if port is None else 2 * ports + 1 + port for _, port in program.injects]
    word = np.arange(flows.phase.size)
    injects = _rows(flows.phase, flows.source, np.array(lanes)[flows.inject], word, 0, 0)
    phase, node, port = np.nonzero(program.carried != NONE)
    comes = _rows(phase, node, port, program.carried[phase, node, port], before, 0)
    phase, node, port = np.nonzero(program.taken != NONE)
    eject, later = (phase + 1) % program.round, (phase + 1) // program.round
    word = program.taken[phase, node, port]
    ejects = _rows(eject, node, port + ports + 1, word, before + later, 1)
    table = np.concatenate([injects, comes, ejects], axis=1)
    return _Window(*table[:, np.lexsort(table[2::-1])])


def _rows(*columns: IntArray | int) -> IntArray:
    """Columns of one length; a number stands for all rows."""
    return np.stack(np.broadcast_arrays(*columns)).astype(np.int64)
