"""Runs of the timetable fabric: round after round, which words are where in which cycle."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from noc.errors import InputError, option
from noc.model.faults import NO_FAULTS, Faults
from noc.model.runs import (
    DRAINED,
    FULL,
    LIMIT,
    NONE,
    STILL,
    Chunk,
    Feed,
    Model,
    by_number,
    last_cycle,
    new_record,
)
from noc.model.timetable.kernel import Counts, Fixed, State, advance
from noc.model.timetable.waiting import Waiting, find_waiting
from noc.model.timetable.ways import NO_WAYS, find_ways
from noc.model.traffic import LongTraffic, Traffic, Words, check_stalls
from noc.networks import IntArray
from noc.programs.round_table import first_inject, first_lane, loop_of
from noc.programs.rounds import RoundProgram

#: Why a run ended: every word has arrived, or is lost; or those that are left wait for a round that
#: never becomes whole; or they never move again, as a sink is dead; or the cycles that were asked
#: for are over.
End = Literal["drained", "incomplete", "starved", "limit"]

_ENDS: dict[int, End] = {DRAINED: "drained", STILL: "starved", LIMIT: "limit"}


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
    #: A node's loop is a port behind those of its links.
    port: IntArray = field(repr=False)
    #: Array (events). The word, by its position in the traffic; or the number of a sum.
    word: IntArray = field(repr=False)
    #: Array (events). The phase in which that was; in which the word came, if it waited then. Of a
    #: word by the only eject stream of a node, what it is known by: its source, or its sum.
    phase: IntArray = field(repr=False)
    #: Array (events). The round in which that was.
    round: IntArray = field(repr=False)

    def __len__(self) -> int:
        return int(self.cycle.size)

    def tuples(self) -> list[tuple[int, int, int, int, int]]:
        """(cycle, node, port, word, phase) of every event."""
        columns = (self.cycle, self.node, self.port, self.word, self.phase)
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
    #: What waits for ever, if anything does.
    waiting: Waiting | None
    #: Every transfer, if they were asked for.
    events: Events | None = field(repr=False)


def simulate(
    program: RoundProgram,
    traffic: Traffic | LongTraffic,
    *,
    cycles: int | None = None,
    events: bool = True,
    starts: Sequence[bool] = (True,),
) -> Run:
    """Run the rounds until every word has arrived, or the cycles are over.

    Without the list of events long runs take little memory. Where rounds begin with pulses,
    ``starts`` says in which cycles there is one, repeated for ever.
    """
    model = _Model(program, traffic, cycles, starts)
    parts = list(model.run(events=events))
    code, _ = parts[-1]
    end, waiting = model.end(code)
    return Run(
        end=end,
        cycles=model.cycles(code),
        accepted=model.feed.accepted,
        injected=int(model.counts.injected),
        delivered=int(model.counts.ejected),
        waiting=waiting,
        events=model.listed(np.concatenate([part for _, part in parts])) if events else None,
    )


def stream(
    program: RoundProgram,
    traffic: Traffic | LongTraffic,
    *,
    cycles: int | None = None,
    starts: Sequence[bool] = (True,),
    faults: Faults = NO_FAULTS,
) -> Iterator[Chunk]:
    """The same with faults, the events of some cycles after the other, in constant memory.

    But rounds are kept of which a dead link has lost sums, if data are asked for.
    """
    model = _Model(program, traffic, cycles, starts, faults)
    for code, table in model.run(events=True):
        end, waiting = (None, None) if code == FULL else model.end(code)
        fresh, injected = model.feed.take_fresh(), int(model.counts.injected)
        told = model.cycles(code), injected, end
        yield Chunk(model.listed(table), None, fresh, *told, waiting=waiting)


class _Model(Model):
    counts: Counts

    def __init__(
        self,
        program: RoundProgram,
        traffic: Traffic | LongTraffic,
        cycles: int | None,
        starts: Sequence[bool],
        faults: Faults = NO_FAULTS,
    ) -> None:
        if faults.links and program.config.merged:
            raise InputError(
                f"{option('faults')}: links do not die with {option('ejects', 'one')}: where words "
                "of a round lack, a node takes others out of its memory in their place, which the "
                f"model does not follow; use {option('ejects', 'each')}, or let only sinks die"
            )
        traffic.check(program)
        check_stalls(traffic.ready, program.config)
        if not any(starts):
            raise InputError("starts: a round begins in one cycle at least")
        self._program, self._fixed = program, lay_out(program, starts, faults)
        self._words = traffic.words
        self._state = reset(self._fixed, program)
        most = most_events(self._fixed)
        super().__init__(new_record(Counts), most, np.zeros((6, 0), dtype=np.int64))
        # Where it is decided whether a round has words, nodes are told later.
        self.counts.ahead = program.ahead
        rest = traffic.ready, self._patience(traffic.ready.shape[0]), last_cycle(cycles)
        self.feed: Feed[Words] = Feed(program.sources, traffic.draw(), by_number, rest)

    def _patience(self, period: int) -> int:
        """Quiet cycles after which only a new word could move; more than there can be before that.

        Sinks take words in their turn; then a round begins, perhaps with a pulse, when the pacer
        knows of it; and words that are added up wait for rounds to pass.
        """
        program, fixed = self._program, self._fixed
        knows = program.start_cycles + program.pace_levels + program.gather_levels + program.ahead
        rounds = 4 + int(fixed.late.max(initial=0)) + int(fixed.waits.max(initial=0))
        return period + 2 * fixed.starts.size + 2 * knows + 8 + rounds * program.round

    def advance(self, events: IntArray, _signals: IntArray) -> int:
        return self.feed.go_on(
            lambda offered: advance(
                self._fixed, offered, self._state, self.counts, self._most, events
            )
        )

    def listed(self, table: IntArray) -> Events:
        """The columns of events, in their order."""
        # In a cycle what is ejected comes first.
        columns = table.T
        return Events(self._program, *columns[:, np.lexsort(columns[2::-1])])

    def cycles(self, code: int) -> int:
        """How many were simulated."""
        return int(self.counts.after if code == DRAINED else self.counts.cycle)

    def end(self, code: int) -> tuple[End, Waiting | None]:
        """Why it ended, in a word, and what waits for ever, if anything does."""
        if code != DRAINED or not self._fixed.kept:
            return _ENDS[code], None
        refused = self._words - int(self.counts.injected)
        begun, entered = int(self.counts.opened), self._state.entered
        waiting = find_waiting(self._program, begun, entered, refused)
        return "incomplete" if waiting else "drained", waiting


def reset(fixed: Fixed, program: RoundProgram) -> State:
    """No words, and nobody stands still."""
    lanes, room = fixed.lane_node.size, max(1, program.queue_depth)
    word, phase = np.full((2, lanes, room), NONE, dtype=np.int64)
    oldest, length = np.zeros((2, lanes), dtype=np.int64)
    rounds = 1 + max(2, int(fixed.late.max(initial=0)), int(fixed.waits.max(initial=0)))
    nodes = fixed.words.size
    waits = np.full((nodes, max(1, fixed.rooms), *fixed.numbers.shape[1:]), NONE, dtype=np.int64)
    read, shown = np.full((2, nodes), NONE, dtype=np.int64)
    whole, named, sunk = np.zeros((3, nodes), dtype=np.int64)
    given = np.full((rounds, fixed.receivers.size), NONE, dtype=np.int64)
    # Before that is known at one place there is a register at the node.
    full = np.zeros(program.pace_levels + 1, dtype=np.int64)
    goes = np.full(program.pace_levels, not program.config.pulsed, dtype=np.int64)
    # And two before that is known of words that nodes have given.
    filled = np.zeros(program.gather_levels + 2, dtype=np.int64)
    room = max(1, program.kept_rounds * int(np.diff(fixed.first_own).max()))
    entered, left = np.zeros((2, len(program.injects)), dtype=np.int64)
    return State(
        given,
        word,
        phase,
        oldest,
        length,
        full,
        goes,
        opens=np.zeros_like(goes),
        filled=filled,
        entered=entered,
        left=left,
        inject=np.full((len(program.injects), room), NONE, dtype=np.int64),
        there=np.zeros((rounds, fixed.dies.size), dtype=np.int64),
        number=np.full(rounds, NONE, dtype=np.int64),
        waits=waits,
        came=np.zeros(waits.shape[:2], dtype=np.int64),
        whole=whole,
        named=named,
        read=read,
        shown=shown,
        taken=sunk,
    )


def most_events(fixed: Fixed) -> int:
    """What a phase has at most, and a word by each inject stream and each eject stream."""
    return int(np.diff(fixed.first[0]).max()) + fixed.stream_node.size + fixed.lane_node.size


def lay_out(program: RoundProgram, starts: Sequence[bool], faults: Faults = NO_FAULTS) -> Fixed:
    """Injects, what comes on each link, and its eject a cycle later, where it is for the node."""
    network, flows, given = program.network, program.flows, first_inject(program.network)
    lane_node, lane_port = program.ejects.T
    if program.config.merged:
        lane_port = np.zeros(1, dtype=np.int64)
    ends = [len(network.in_ports) if port is None else given + port for _, port in program.injects]
    order = _lay_out_order(program)
    transfers = _transfers(program, ends, loops=bool(faults))
    tables = transfers, _ejects(program, order.pop("place", None))
    parts = [table[:, np.lexsort(table[2::-1])] for table in tables]
    phases = np.arange(program.round + 1)
    first = [np.searchsorted(part[0], phases) for part in parts]
    first[1] += transfers.shape[1]
    in_order = np.argsort(flows.phase, kind="stable")
    member, total = program.memberships
    sums = total >= flows.phase.size
    node, port, flow, late, lane_of, came = np.concatenate(parts, axis=1)[1:]
    ways = find_ways(program, faults, flow, came, transfers.shape[1]) if faults else NO_WAYS
    return Fixed(
        first=np.stack(first),
        node=node,
        port=port,
        flow=flow,
        late=late,
        lane=lane_of,
        first_flow=np.searchsorted(flows.phase[in_order], phases),
        flows=in_order,
        phase=flows.phase.astype(np.int64),
        inject=flows.inject.astype(np.int64),
        waits=program.waits.astype(np.int64),
        first_sum=np.searchsorted(member[sums], np.arange(flows.phase.size + 1)),
        sums=total[sums],
        receivers=np.bincount(
            program.taken[program.taken != NONE], minlength=1 + int(total.max(initial=-1))
        ),
        lane_node=lane_node.copy(),
        lane_port=lane_port + first_lane(network),
        turn=np.arange(lane_node.size) - np.searchsorted(lane_node, lane_node),
        queue=program.config.queue if program.config.queued else 0,
        pulses=int(program.config.pulsed),
        starts=np.array(starts, dtype=np.int64),
        stream_node=np.array([node for node, _ in program.injects]),
        stream_port=np.array(ends),
        **_lay_out_turns(program),
        **order,
        **ways,
    )


def _transfers(program: RoundProgram, ends: Sequence[int], *, loops: bool) -> IntArray:
    """What nodes give, by the ports of their streams, and what comes on links, or by loops."""
    flows, ports = program.flows, len(program.network.in_ports)
    # By a loop nothing is seen to come; but where links die it is followed what does.
    phase, node, port = at = np.nonzero(program.carried[:, :, : None if loops else ports] != NONE)
    seen = np.where(port < ports, port, NONE)
    comes = _rows(
        *(phase, node, seen, program.carried[at], program.after[at], NONE), _places(program)[at]
    )
    if program.config.complete:
        # Into queues words come when nodes give them.
        return comes
    word, port = np.arange(flows.phase.size), np.array(ends)[flows.inject]
    injects = _rows(flows.phase, flows.source, port, word, program.waits, NONE, NONE)
    return np.concatenate([injects, comes], axis=1)


def _ejects(program: RoundProgram, place: IntArray | None) -> IntArray:
    """What leaves, by eject streams; or by the only one of a node, with its place in a round."""
    network = program.network
    phase, node, port = at = np.nonzero(program.taken != NONE)
    # What was on the links in the last phase is ejected in the first one of the next round.
    eject, later = (phase + 1) % program.round, (phase + 1) // program.round
    out = port + first_lane(network)
    if place is None:
        lane = np.full((network.nodes, loop_of(network) + 1), NONE, dtype=np.int64)
        lane[tuple(program.ejects.T)] = np.arange(len(program.ejects))
        place = lane[node, port]
    else:
        out = np.full_like(out, first_lane(network))
    late = program.after[at] + later
    return _rows(eject, node, out, program.taken[at], late, place, _places(program)[at])


def _places(program: RoundProgram) -> IntArray:
    """A number for each phase, node and in-port in which words come."""
    return np.arange(program.carried.size).reshape(program.carried.shape)


def _lay_out_turns(program: RoundProgram) -> dict[str, Any]:
    """In which order words of a round leave the queues of their streams, where they wait there."""
    flows, streams = program.flows, np.arange(len(program.injects) + 1)
    own = np.lexsort((flows.phase + program.round * program.waits, flows.inject))
    return {
        "kept": program.kept_rounds,
        "begins": program.inject_phase,
        "own": own,
        "first_own": np.searchsorted(flows.inject[own], streams),
    }


def _lay_out_order(program: RoundProgram) -> dict[str, Any]:
    """The place of each word among those of its round at the only eject stream of a node.

    They are in the order of their sources, or sums, at each node.
    """
    nodes = program.network.nodes if program.config.merged else 0
    if not nodes:
        none = np.zeros(0, dtype=np.int64)
        return {"rooms": 0, "words": none, "numbers": none.reshape(0, 0)}
    _, node, _ = np.nonzero(program.taken != NONE)
    number = program.numbers[program.taken[program.taken != NONE]]
    words, place = np.bincount(node, minlength=nodes), np.empty_like(node)
    numbers = np.full((nodes, int(words.max(initial=1))), NONE, dtype=np.int64)
    for each in range(nodes):
        own = np.flatnonzero(node == each)
        in_order = np.argsort(number[own])
        place[own[in_order]] = np.arange(own.size)
        numbers[each, : own.size] = number[own[in_order]]
    return {"rooms": program.room_rounds, "words": words, "numbers": numbers, "place": place}


def _rows(*columns: IntArray | int) -> IntArray:
    """Columns of one length; a number stands for all rows."""
    return np.stack(np.broadcast_arrays(*columns)).astype(np.int64)
