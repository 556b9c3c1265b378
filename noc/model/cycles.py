"""The cycle model: every router, clock cycle by clock cycle, as ``docs/router.md`` says.

Plain software that shares no code with the hardware. It gives the list of events that the
hardware must equal.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from noc.model.common import (
    DRAINED,
    FULL,
    LIMIT,
    NONE,
    STILL,
    Chunk,
    last_cycle,
    new_arrival,
    new_record,
    refuse_doubled,
    run_in_parts,
)
from noc.model.events import Events
from noc.model.kernel import advance
from noc.model.signals import Signals, watch_in_parts
from noc.model.state import EJECT, Counts, Log, Offered, feed_words, lay_out, reset
from noc.model.traffic import LongTraffic, Traffic
from noc.networks import IntArray
from noc.programs.program import Program

__all__ = ["End", "Run", "simulate", "stream", "watch"]

#: Why a run ended, see :class:`Run`.
End = Literal["drained", "deadlock", "starved", "limit"]

# No events, and no signals of streams.
_UNLISTED = np.zeros((0, Events.COLUMNS), dtype=np.int32)
_UNWATCHED = np.zeros((0, 0, 0), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class Run:
    """What a run gave.

    Parameters
    ----------
    end : str
        Why it ended. ``drained``: every word was taken in and every copy has left. ``deadlock``:
        words are held and none of them can ever move, whatever the sinks do. ``starved``: none
        moves again because the sinks that are asked are never ready.
        ``limit``: the cycles that were asked for are over.
    cycles : int
        Number of cycles simulated.
    accepted : array (nodes)
        How many words of each node its router took.
    injected, hops, delivered : int
        Transfers at inject streams, on links and at eject streams.
    events : Events or None
        Every transfer, sorted by cycle, node and port; None if it was not wanted.
    idle : array or None
        The first cycles in which the network holds a word, and holds none again, by turns: it is
        empty at first, and what waits for a sink in a queue is out of it. None where events were
        not wanted.
    arrival : array (words, nodes) or None
        The cycle in which each node's sink took each word, or -1; None if it was not wanted.
    """

    end: End
    cycles: int
    accepted: IntArray = field(repr=False)
    injected: int
    hops: int
    delivered: int
    events: Events | None = field(repr=False)
    idle: IntArray | None = field(repr=False)
    arrival: IntArray | None = field(repr=False)

    @property
    def drained(self) -> bool:
        """Whether every word has arrived everywhere."""
        return self.end == "drained"

    @property
    def deadlocked(self) -> bool:
        """Whether words are held that can never move again."""
        return self.end == "deadlock"


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
        Simulate at most so many cycles.
    events : bool
        Whether to list every event; without, a run is faster and only counts.
    arrival : bool
        Whether to give the cycle of every delivery, an array (words, nodes).
    """
    model = _Model(program, traffic, cycles, arrival=arrival)
    *parts, (code, last) = model.run(events=events)
    listed = np.concatenate([*(part for _, part in parts), last])
    refuse_doubled(model.arrival, program.network)
    counts, feed = model.counts, model.feed
    found, changes = model.listed(listed, code)
    return Run(
        end=model.end(code),
        cycles=int(counts.cycle),
        accepted=feed.given - (feed.end - feed.next),
        injected=int(counts.injected),
        hops=int(counts.taken - counts.injected),
        delivered=int(counts.ejected),
        events=found if events else None,
        idle=changes if events else None,
        arrival=model.arrival if arrival else None,
    )


def stream(
    program: Program, traffic: Traffic | LongTraffic, *, cycles: int | None = None
) -> Iterator[Chunk]:
    """The same in constant memory: the events of some cycles after the other.

    Parameters
    ----------
    program, traffic, cycles
        As :func:`simulate` takes them.
    """
    model = _Model(program, traffic, cycles)
    for code, table in model.run(events=True):
        yield Chunk(
            *model.listed(table, code),
            model.feed.take_fresh(),
            int(model.counts.cycle),
            int(model.counts.injected),
            None if code == FULL else model.end(code),
        )


def watch(program: Program, traffic: Traffic, cycles: int) -> Signals:
    """What all streams show in every cycle of a run.

    The number of the stream at an in-port, or of an eject stream, is node * (in-ports + 2) + port,
    where events name it by node and port; an eject stream stands in the last place of its node.

    Parameters
    ----------
    program, traffic
        As :func:`simulate` takes them.
    cycles : int
        As many as the run had.
    """
    model = _Model(program, traffic, cycles)
    return watch_in_parts(
        lambda part: model.advance(_UNLISTED, part),
        model.counts,
        (program.network.nodes, program.inject + 2),
    )


class _Model:
    """The compiled form with everything that it works on."""

    def __init__(
        self,
        program: Program,
        traffic: Traffic | LongTraffic,
        cycles: int | None,
        *,
        arrival: bool = False,
    ) -> None:
        traffic.check(program)
        self._program, self.fixed, self.counts = program, lay_out(program), new_record(Counts)
        self.feed, self.routers = feed_words(program, traffic.draw()), reset(program)
        # Routers have no state but their words: what does not move in a whole period of the sinks
        # never will.
        self._rest = traffic.ready, last_cycle(cycles), 1 + traffic.ready.shape[0]
        self.arrival = new_arrival(traffic, program.network, wanted=arrival)

    def run(self, *, events: bool) -> Iterator[tuple[int, IntArray]]:
        """Why it ended, and its events, part by part."""
        most = self._program.network.nodes * (self._program.inject + 2) + 1
        return run_in_parts(
            lambda part: self.advance(part, _UNWATCHED),
            *(self.counts, most, Events.COLUMNS),
            events=events,
        )

    def advance(self, events: IntArray, signals: IntArray) -> int:
        """Go on until one of these is full, or the run ends."""
        log = Log(self.counts, self.arrival, events, signals)
        return self.feed.go_on(
            lambda feed: advance(self.fixed, feed.offered(Offered, *self._rest), self.routers, log)
        )

    def listed(self, table: IntArray, code: int) -> tuple[Events, IntArray]:
        """Events, and the cycles in which the network became empty or ceased to be."""
        at_node = table[:, 1] != NONE
        changes = table[~at_node, 0]
        if code == LIMIT:
            changes = changes[changes < self.counts.cycle]
        events = Events(self._program, _sorted(table[at_node], self._program))
        return events, changes

    def end(self, code: int) -> End:
        """Why it ended, in a word."""
        if code != STILL:
            return "drained" if code == DRAINED else "limit"
        waits_for_sink = self.routers.queue_length.any() or (self.routers.pending & EJECT).any()
        return "starved" if waits_for_sink else "deadlock"


def _sorted(table: IntArray, program: Program) -> IntArray:
    if not program.config.link_registers:
        # The kernel goes from node to node, and each has its eject before its in-port.
        return table
    cycle, node, port = table[:, :3].T
    return table[np.lexsort((port, node, cycle))]
