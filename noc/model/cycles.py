"""The cycle model: every router, clock cycle by clock cycle, as ``docs/router.md`` says.

Plain software that shares no code with the hardware. It gives the list of events that the
hardware must equal.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from noc.errors import CheckError, InputError
from noc.model import kernel
from noc.model.dependencies import Dependencies, find_cycle, find_dependencies, pending
from noc.model.events import Events
from noc.model.kernel import NONE, Fixed, Offered, Registers
from noc.model.traffic import Traffic
from noc.networks import IntArray
from noc.programs.automaton import NOTHING
from noc.programs.program import Program

__all__ = ["End", "Run", "simulate"]

# Cycles are stored in 32 bits.
_MOST_CYCLES = 2**31 - 1

# An arbiter tree passes by each of its requesters in twice their number of wins, if it is fair; and
# a word that finds room again is requested one cycle late.
_TURNS = 4 * kernel.LAPS

# Room for so many events at a time, or for one cycle of all routers if that is more.
_EVENTS_AT_A_TIME = 1 << 16

#: Why a run ended, see :class:`Run`.
End = Literal["drained", "deadlock", "starved", "limit"]


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
    checksum : int
        Of all events, in any order; equal to that of an equal list of events.
    events : Events or None
        Every transfer, sorted by cycle, node and port; None if it was not wanted.
    idle : array or None
        The first cycles in which the network holds a word, and holds none again, by turns: it is
        empty at first, and what waits for a sink in a queue is out of it. None where events were
        not wanted, or several sources send at the same time.
    arrival : array (words, nodes) or None
        The cycle in which each node's sink took each word, or -1; None if it was not wanted.
    dependencies : Dependencies
        Which VCs of routers wait for which, where the run ended deadlocked or starved.
    """

    end: End
    cycles: int
    accepted: IntArray = field(repr=False)
    injected: int
    hops: int
    delivered: int
    checksum: int
    events: Events | None = field(repr=False)
    idle: IntArray | None = field(repr=False)
    arrival: IntArray | None = field(repr=False)
    dependencies: Dependencies = field(repr=False)

    @property
    def drained(self) -> bool:
        """Whether every word has arrived everywhere."""
        return self.end == "drained"

    @property
    def deadlocked(self) -> bool:
        """Whether words are held that can never move again."""
        return self.end == "deadlock"

    @cached_property
    def dependency_cycle(self) -> list[tuple[int, int]]:
        """VCs (node, VC) of which each waits for the next and the last for the first."""
        return find_cycle(self.dependencies)


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
    if cycles is not None and not 0 <= cycles <= _MOST_CYCLES:
        raise InputError(f"cycles: {cycles} is out of range; 0 to {_MOST_CYCLES} are allowed")
    traffic.check(program)
    fixed = _fixed(program)
    offered = _offered(program, traffic, _MOST_CYCLES if cycles is None else cycles)
    registers = _reset(program, traffic)
    nodes, total = program.network.nodes, registers.total
    taken = np.full((traffic.words if arrival else 0, nodes), NONE, dtype=np.int32)
    parts: list[IntArray] = []
    room = max(_EVENTS_AT_A_TIME, nodes * (program.inject + 2) + 1) if events else 0
    code = kernel.FULL
    while code == kernel.FULL:
        part = np.empty((room, Events.COLUMNS), dtype=np.int32)
        code = kernel.advance(fixed, offered, registers, taken, part)
        parts.append(part[: room - int(total[kernel.ROOM])])
    if (taken == kernel.TWICE).any():
        raise CheckError(f"{program.network.spec}: a sink took a word twice")
    injected = int(total[kernel.INJECTED])
    listed = np.concatenate(parts)
    table = listed[listed[:, 1] != NONE]
    changes = listed[listed[:, 1] == NONE, 0]
    if code == kernel.LIMIT:
        changes = changes[changes < total[kernel.CYCLE]]
    return Run(
        end=_end(code, fixed, registers),
        cycles=int(total[kernel.CYCLE]),
        accepted=_accepted(registers, traffic),
        injected=injected,
        hops=int(total[kernel.TAKEN]) - injected,
        delivered=int(total[kernel.EJECTED]),
        checksum=int(total[kernel.CHECKSUM]),
        events=Events(program, _sorted(table, program)) if events else None,
        idle=changes if events and program.one_source else None,
        arrival=taken if arrival else None,
        dependencies=find_dependencies(fixed, registers) if code == kernel.STILL else {},
    )


def _accepted(registers: Registers, traffic: Traffic) -> IntArray:
    router = registers.router
    offered = np.bincount(traffic.source, minlength=router.shape[0])
    return offered - (router[:, kernel.END] - router[:, kernel.NEXT])


def _sorted(table: IntArray, program: Program) -> IntArray:
    if not program.config.link_registers:
        # The kernel goes from node to node, and each has its eject before its in-port.
        return table
    cycle, node, port = table[:, :3].T
    return table[np.lexsort((port, node, cycle))]


def _end(code: int, fixed: Fixed, registers: Registers) -> End:
    if code != kernel.STILL:
        return "drained" if code == kernel.DRAINED else "limit"
    waiting = registers.router[:, kernel.WAITING].any()
    starved = waiting or (pending(fixed, registers) & kernel.EJECT).any()
    return "starved" if starved else "deadlock"


def _fixed(program: Program) -> Fixed:
    network, slots = program.network, program.send_port.shape[1]
    if slots > kernel.MOST_SENDS:
        raise InputError(
            f"{network.spec}: a router sends {slots} copies of a word; "
            f"the cycle model allows {kernel.MOST_SENDS}"
        )
    requester = _requesters(program)
    if requester.max(initial=0) >= kernel.MOST_REQUESTERS or program.vcs > kernel.MOST_REQUESTERS:
        raise InputError(
            f"{network.spec}: the cycle model allows {kernel.MOST_REQUESTERS} in-ports and VCs"
        )
    sends = (program.send_port != NOTHING) @ (2 << np.arange(slots, dtype=np.int64))
    return Fixed(
        wires=_stacked(network.neighbour, network.arrival, program.table[network.neighbour]),
        sends=_stacked(program.send_port, program.send_code),
        requester=requester,
        requesters=requester.max(axis=1) + 1,
        copies=sends + np.where(program.delivers, kernel.EJECT, 0),
        row_of_code=program.row_of_code,
        row_vc=program.row_vc,
        vcs=program.vcs,
        own=program.inject,
        one_port=program.ports == "one",
        one_source=program.one_source,
        relayed=program.config.link_registers == 1,
        queue=program.config.queue,
    )


def _requesters(program: Program) -> IntArray:
    """For each node and in-port its number among those that some word uses, or NONE."""
    requester = np.full((len(program.tables), program.inject + 1), NONE, dtype=np.int32)
    for number, table in enumerate(program.tables):
        used = [port.number for port in table.in_ports] + [program.inject] * (table.trees > 0)
        requester[number, used] = np.arange(len(used))
    return requester[program.table]


def _stacked(*columns: IntArray) -> IntArray:
    return np.stack(columns, axis=-1).astype(np.int32)


def _offered(program: Program, traffic: Traffic, stop: int) -> Offered:
    order = np.argsort(traffic.source, kind="stable")
    row = program.first_own_row[program.table[traffic.source]] + traffic.tree
    return Offered(
        queue=np.stack([order, row[order], traffic.release[order]], axis=-1).astype(np.int64),
        ready=traffic.ready.astype(np.int8),
        stop=stop,
        # While no slot changes, a router gives every VC its turn within so many cycles, every
        # in-port wins within two each, or the bus is kept for an eject: then the sink that does
        # not take it in a whole period never will.
        patience=_TURNS * program.vcs + 2 * (program.inject + 1) + traffic.ready.shape[0],
    )


def _reset(program: Program, traffic: Traffic) -> Registers:
    """All slots empty, active VC 0, and the turn of the first side everywhere."""
    nodes, queue = program.network.nodes, program.config.queue
    columns = kernel.SLOTS + 6 * program.vcs + kernel.REQUESTED * (program.inject + 1)
    relays = (nodes, program.inject, kernel.FIRST + 2 * kernel.RELAY)
    words = np.bincount(traffic.source, minlength=nodes)
    router = np.full((nodes, columns), NONE, dtype=np.int64)
    router[:, : kernel.SLOTS] = 0
    router[:, kernel.END] = np.cumsum(words)
    router[:, kernel.NEXT] = router[:, kernel.END] - words
    return Registers(
        router=router,
        granted=np.full(nodes, NONE, dtype=np.int32),
        queued=np.zeros((nodes, queue, 2), dtype=np.int64),
        relays=np.zeros(relays if program.config.link_registers else (0, 0, 0), dtype=np.int64),
        total=np.zeros(kernel.TOTALS, dtype=np.int64),
    )
