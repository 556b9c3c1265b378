"""The cycle model: every router, clock cycle by clock cycle, as ``docs/router.md`` says.

Plain software that shares no code with the hardware. It gives the list of events that the
hardware must equal.
"""

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from noc.model.common import (
    DRAINED,
    LIMIT,
    NONE,
    STILL,
    last_cycle,
    new_arrival,
    new_record,
    refuse_doubled,
    run_in_parts,
)
from noc.model.events import Events
from noc.model.kernel import advance
from noc.model.signals import Signals, watch_in_parts
from noc.model.state import EJECT, Counts, Log, Routers, lay_out, offer, reset
from noc.model.traffic import Traffic
from noc.networks import IntArray
from noc.programs.program import Program

__all__ = ["End", "Run", "simulate", "watch"]

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
    traffic: Traffic,
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
    traffic.check(program)
    network, fixed, counts = program.network, lay_out(program), new_record(Counts)
    offered, routers = offer(program, traffic, last_cycle(cycles)), reset(program, traffic)
    first_word = routers.next_word.copy()
    taken = new_arrival(traffic, network, wanted=arrival)
    code, listed = run_in_parts(
        lambda part: advance(fixed, offered, routers, Log(counts, taken, part, _UNWATCHED)),
        counts,
        network.nodes * (program.inject + 2) + 1,
        Events.COLUMNS,
        events=events,
    )
    refuse_doubled(taken, network)
    at_node = listed[:, 1] != NONE
    changes = listed[~at_node, 0]
    if code == LIMIT:
        changes = changes[changes < counts.cycle]
    return Run(
        end=_end(code, routers),
        cycles=int(counts.cycle),
        accepted=routers.next_word - first_word,
        injected=int(counts.injected),
        hops=int(counts.taken - counts.injected),
        delivered=int(counts.ejected),
        events=Events(program, _sorted(listed[at_node], program)) if events else None,
        idle=changes if events else None,
        arrival=taken if arrival else None,
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
    traffic.check(program)
    fixed, counts = lay_out(program), new_record(Counts)
    offered, routers = offer(program, traffic, last_cycle(cycles)), reset(program, traffic)
    unwanted = new_arrival(traffic, program.network, wanted=False)
    return watch_in_parts(
        lambda part: advance(fixed, offered, routers, Log(counts, unwanted, _UNLISTED, part)),
        counts,
        (program.network.nodes, program.inject + 2),
    )


def _sorted(table: IntArray, program: Program) -> IntArray:
    if not program.config.link_registers:
        # The kernel goes from node to node, and each has its eject before its in-port.
        return table
    cycle, node, port = table[:, :3].T
    return table[np.lexsort((port, node, cycle))]


def _end(code: int, routers: Routers) -> End:
    if code != STILL:
        return "drained" if code == DRAINED else "limit"
    waits_for_sink = routers.queue_length.any() or (routers.pending & EJECT).any()
    return "starved" if waits_for_sink else "deadlock"
