"""Runs of the direct fabric's cycle model: their transfers, one by one, and what they count."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from noc.errors import CheckError
from noc.model.direct.kernel import TWICE, advance
from noc.model.direct.sliced import SlicedModel
from noc.model.direct.state import EJECT, Counts, Log, lay_out, reset
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
    Signals,
    last_cycle,
    new_record,
)
from noc.model.traffic import LongTraffic, Traffic, Words, check_stalls
from noc.networks import IntArray
from noc.programs.program import Program

#: Why a run ended, see :class:`Run`.
End = Literal["drained", "deadlock", "starved", "limit"]

_UNLISTED = np.zeros((5, 0), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Events:
    """Every transfer of a run, sorted by cycle, then node, then port."""

    #: What the routers ran.
    program: Program = field(repr=False)
    #: Array (events). When; cycle 0 is the first after reset.
    cycle: IntArray = field(repr=False)
    #: Array (events). The node that receives, or whose sink takes.
    node: IntArray = field(repr=False)
    #: Array (events). The in-port; behind the last the node's own inject stream, and -1 for the
    #: eject stream.
    port: IntArray = field(repr=False)
    #: Array (events). The row of the program by which the word was looked up, in all rows of the
    #: program.
    row: IntArray = field(repr=False)
    #: Array (events). The word, by its position in the traffic.
    word: IntArray = field(repr=False)

    def __len__(self) -> int:
        return int(self.cycle.size)

    @property
    def code(self) -> IntArray:
        """The code by which the word was looked up."""
        return self.program.row_code[self.row]

    def tuples(self) -> list[tuple[int, int, int, int, int]]:
        """(cycle, node, port, code, word) of every event."""
        columns = (self.cycle, self.node, self.port, self.code, self.word)
        return list(zip(*(column.tolist() for column in columns), strict=True))


@dataclass(frozen=True, eq=False)
class Run:
    """What a run gave."""

    #: Why it ended. With ``drained`` every word was taken in and every copy has left. With
    #: ``deadlock`` words are held and none of them can ever move, whatever the sinks do. With
    #: ``starved`` none moves again because the sinks that are asked are never ready. With ``limit``
    #: the cycles that were asked for are over.
    end: End
    #: Number of cycles simulated.
    cycles: int
    #: Array (nodes). How many words of each node its router took.
    accepted: IntArray = field(repr=False)
    #: Transfers at inject streams, on links and at eject streams.
    injected: int
    hops: int
    delivered: int
    #: Every transfer, if they were asked for.
    events: Events | None = field(repr=False)
    #: The first cycles in which the network holds a word, and holds none again, by turns. It is
    #: empty at first, and what waits for a sink in a queue is out of it. None without events.
    idle: IntArray | None = field(repr=False)
    #: Array (words, nodes). The cycle in which each node's sink took each word, or -1, if that was
    #: asked for.
    arrival: IntArray | None = field(repr=False)

    @property
    def drained(self) -> bool:
        """Whether every word has arrived everywhere."""
        return self.end == "drained"


def simulate(
    program: Program,
    traffic: Traffic | LongTraffic,
    *,
    cycles: int | None = None,
    events: bool = True,
    arrival: bool = False,
) -> Run:
    """Run the routers until every word has arrived, or none can move, or the cycles are over.

    Parameters
    ----------
    program : Program
        What the routers run.
    traffic : Traffic
        Words and sinks.
    cycles : int, optional
        The most cycles to simulate.
    events : bool
        Whether to list every transfer; without the list long runs take little memory.
    arrival : bool
        Whether to keep the arrival of each word at each node.
    """
    model = _model(program)(program, traffic, cycles, arrival=arrival)
    *parts, (code, last) = model.run(events=events)
    if (model.arrival == TWICE).any():
        raise CheckError(f"{program.network.spec}: a sink took a word twice")
    counts = model.counts
    listed, changes = model.listed(np.concatenate([*(part for _, part in parts), last]), code)
    return Run(
        end=model.end(code),
        cycles=int(counts.cycle),
        accepted=model.feed.accepted,
        injected=int(counts.injected),
        hops=int(counts.taken - counts.injected),
        delivered=int(counts.ejected),
        events=Events(program, *listed) if events else None,
        idle=changes if events else None,
        arrival=model.arrival if arrival else None,
    )


def stream(
    program: Program,
    traffic: Traffic | LongTraffic,
    *,
    cycles: int | None = None,
    faults: Faults = NO_FAULTS,
) -> Iterator[Chunk]:
    """The same in constant memory, and with faults: the events of some cycles after the other."""
    model = _model(program)(program, traffic, cycles, faults=faults)
    for code, table in model.run(events=True):
        listed, changes = model.listed(table, code)
        yield Chunk(
            Events(program, *listed),
            changes,
            model.feed.take_fresh(),
            int(model.counts.cycle),
            int(model.counts.injected),
            None if code == FULL else model.end(code),
        )


def watch(program: Program, traffic: Traffic, cycles: int) -> Signals:
    """What all streams show in every cycle of a run, which had this many.

    The number of the stream at an in-port, or of an inject stream, is node * (in-ports + 2) + port,
    as events name it by node and port; the eject stream of a node is its last.
    """
    streams = program.network.nodes * (program.inject + 2)
    return _Model(program, traffic, cycles).watch(streams, streams)


def _model(program: Program) -> "type[_Model | SlicedModel]":
    """What runs a program."""
    return SlicedModel if program.slices > 1 else _Model


class _Model(Model):
    counts: Counts

    def __init__(
        self,
        program: Program,
        traffic: Traffic | LongTraffic,
        cycles: int | None,
        *,
        arrival: bool = False,
        faults: Faults = NO_FAULTS,
    ) -> None:
        traffic.check(program)
        check_stalls(traffic.ready, program.config)
        nodes = program.network.nodes
        super().__init__(new_record(Counts), nodes * (program.inject + 2) + 1, _UNLISTED)
        self._program, self._routers = program, reset(program)
        self._fixed = lay_out(program, faults)
        # Routers have no state but their words: what does not move in a whole period of the sinks
        # never will.
        rest = traffic.ready, 1 + traffic.ready.shape[0], last_cycle(cycles)
        self.feed = Feed(range(nodes), traffic.draw(), self._columns, rest)
        words = traffic.words if arrival else 0
        self.arrival = np.full((words, nodes), NONE, dtype=np.int32)

    def _columns(self, words: Words, numbers: IntArray) -> tuple[IntArray, IntArray]:
        row = self._program.first_own_row[self._program.table[words.source]]
        return numbers, row.astype(np.int64)

    def advance(self, events: IntArray, signals: IntArray) -> int:
        log = Log(self.counts, self.arrival, events, signals)
        return self.feed.go_on(lambda offered: advance(self._fixed, offered, self._routers, log))

    def listed(self, table: IntArray, code: int) -> tuple[IntArray, IntArray]:
        """The columns of events, and when the network became empty or ceased to be."""
        at_node = table[:, 1] != NONE
        changes, columns = table[~at_node, 0], table.T[:, at_node]
        if code == LIMIT:
            changes = changes[changes < self.counts.cycle]
        if self._fixed.relays:
            # Otherwise the kernel goes from node to node, each with its eject before its in-port.
            columns = columns[:, np.lexsort(columns[2::-1])]
        return columns, changes

    def end(self, code: int) -> End:
        """Why it ended, in a word."""
        if code != STILL:
            return "drained" if code == DRAINED else "limit"
        waits_for_sink = self._routers.queue_length.any() or (self._routers.pending & EJECT).any()
        return "starved" if waits_for_sink else "deadlock"
