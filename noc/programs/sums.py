"""The sums of a program of the timetable fabric: numbers, members, rounds, and who gets them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray, Network
from noc.programs.round_table import NONE, RoundTable, loop_of
from noc.programs.sum_trace import Place, Send, trace_sums

if TYPE_CHECKING:
    from noc.programs.rounds import RoundProgram


@dataclass(frozen=True, eq=False)
class Summed:
    """What comes where, as numbers: those of own words come first, and sums behind them.

    Parameters
    ----------
    value : array (round, nodes, in-ports)
        Which word or sum comes in a phase; ``NONE`` where none does. The last in-port is the loop.
    after : array (round, nodes, in-ports)
        How many rounds after the first words of its sum.
    inputs : tuple of tuple of int
        What each sum is made of, in the order of the tables; each behind what it needs.
    waits : array (flows)
        How many rounds after the first word of its sum each own word is taken.
    """

    value: IntArray
    after: IntArray
    inputs: tuple[tuple[int, ...], ...]
    waits: IntArray

    @property
    def flows(self) -> int:
        """How many own words there are: the number of the first sum."""
        return self.waits.size

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The own words of each sum."""
        result: list[tuple[int, ...]] = [(flow,) for flow in range(self.flows)]
        for made_of in self.inputs:
            result.append(tuple(flow for each in made_of for flow in result[each]))
        return tuple(result[self.flows :])

    def latency(self, phase: IntArray, taken: IntArray) -> IntArray:
        """Cycles from the acceptance of each own word to the last eject of its sum."""
        length = self.value.shape[0]
        result: IntArray = self._last(taken) - phase - length * self.waits
        return result

    def cycles(self, phase: IntArray, taken: IntArray) -> int:
        """Cycles from the acceptance of the first word of a round to the last eject of a sum."""
        first = phase + self.value.shape[0] * self.waits
        return int(self._last(taken).max() - first.min())

    def _last(self, taken: IntArray) -> IntArray:
        """For each own word the cycle of the last eject of its sum."""
        length, last = self.value.shape[0], np.zeros(self.flows, dtype=np.int64)
        places = np.argwhere(taken != NONE)
        for place in map(tuple, places.tolist()):
            end = place[0] + 1 + length * int(self.after[place])
            own = list(self.members[int(self.value[place]) - self.flows])
            last[own] = np.maximum(last[own], end)
        return last


def number_sums(
    network: Network, tables: Sequence[RoundTable], table: IntArray, own: IntArray
) -> Summed:
    """Follow the tables; ``own`` numbers the own words by phase, node and out-port."""
    length, loop = tables[0].round, loop_of(network)
    sends = {}
    for node in range(network.nodes):
        for port, choices in tables[int(table[node])].sends:
            looped = port == loop
            there = node if looped else int(network.neighbour[node, port])
            entry = loop if looped else int(network.arrival[node, port])
            for phase, choice in enumerate(choices):
                if choice is not None:
                    sends[Send(phase, node, port)] = Place(phase, there, entry), choice
    trace = trace_sums(sends, length)
    shape = length, network.nodes, loop + 1
    value, after = np.full(shape, NONE, dtype=np.int32), np.zeros(shape, dtype=np.int32)
    sent = [each for each in trace.after if isinstance(each, Send)]
    flows, inputs = len(sent), list[tuple[int, ...]]()
    for place in trace.order:
        where = place.phase, place.node, place.in_port
        made_of = [
            int(own[each.phase, each.node, each.out_port])
            if isinstance(each, Send)
            else int(value[each.phase, each.node, each.in_port])
            for each, _ in trace.parts[place]
        ]
        value[where], after[where] = made_of[0], trace.after[place]
        if len(made_of) > 1:
            value[where] = flows + len(inputs)
            inputs.append(tuple(made_of))
    waits = np.zeros(flows, dtype=np.int64)
    for send in sent:
        waits[own[send.phase, send.node, send.out_port]] = trace.after[send]
    return Summed(value, after, tuple(inputs), waits)


def list_totals(program: "RoundProgram") -> list[int]:
    """The sums that nodes get, by the first node, and there by the phase, that gets each."""
    _, node, _ = np.nonzero(program.taken != NONE)
    values = program.taken[program.taken != NONE]
    order = np.argsort(node, kind="stable")
    return [*dict.fromkeys(values[order].tolist())]


#: For each phase a sum and how many rounds it is old then; both None where there is none.
Told = tuple[list[int | None], list[int | None]]


def list_ejected(program: "RoundProgram", node: int) -> list[Told]:
    """For each eject stream of a node which sum comes in a phase, and of the round how long ago."""
    totals = {value: number for number, value in enumerate(list_totals(program))}
    length, result = program.round, []
    for port in program.table_of(node).lanes:
        told: Told = [None] * length, [None] * length
        for phase in np.flatnonzero(program.taken[:, node, port] != NONE).tolist():
            # What is on a link is ejected in the next cycle.
            later, there = divmod(phase + 1, length)
            told[0][there] = totals[int(program.taken[phase, node, port])]
            told[1][there] = int(program.summed.after[phase, node, port]) + later
        result.append(told)
    return result


def list_given(program: "RoundProgram", node: int) -> list[Told]:
    """For each inject stream of a node into which sum its word goes, and of which round."""
    summed, result = program.summed, []
    of_flow = {
        flow: number
        for number, value in enumerate(list_totals(program))
        for flow in (summed.members[value - summed.flows] if value >= summed.flows else (value,))
    }
    for stream, inject in enumerate(program.injects):
        if inject.node == node:
            told: Told = [None] * program.round, [None] * program.round
            for flow in np.flatnonzero(program.flows.inject == stream).tolist():
                phase = int(program.flows.phase[flow])
                told[0][phase], told[1][phase] = of_flow[flow], int(summed.waits[flow])
            result.append(told)
    return result


def check_sums(program: "RoundProgram") -> None:
    """Refuse a program by which not every node gets its sums, of a word of each node, once."""
    network, summed, flows = program.network, program.summed, program.flows
    everybody = [*range(network.nodes)]
    if not list_totals(program):
        raise CheckError(f"{network.spec}: no node gets a sum")
    used: list[int] = []
    scattered = []
    for number, total in enumerate(list_totals(program)):
        _, node, _ = np.nonzero(program.taken == total)
        members = list(summed.members[total - summed.flows]) if total >= summed.flows else [total]
        if sorted(flows.source[members].tolist()) != everybody:
            raise _error(program, number, "is not made of one word of each node")
        if program.exchange.scatters_sums:
            scattered += node.tolist()
        elif sorted(node.tolist()) != everybody:
            raise _error(program, number, "does not come once to each node")
        used += members
    if program.exchange.scatters_sums and sorted(scattered) != everybody:
        raise CheckError(f"{network.spec}: not every node gets one sum")
    if sorted(used) != [*range(flows.inject.size)]:
        raise CheckError(f"{network.spec}: an own word is in no sum, or in several")
    waits = (wait for each in everybody for wait in program.table_of(each).waits or ())
    for stream, wait in enumerate(waits):
        own = np.flatnonzero(flows.inject == stream)
        if (np.array(wait)[flows.phase[own]] != summed.waits[own]).any():
            label = network.label(program.injects[stream].node)
            raise CheckError(
                f"{network.spec}: {label} takes its words in other rounds than those to which they "
                "are added"
            )


def _error(program: "RoundProgram", number: int, what: str) -> CheckError:
    return CheckError(f"{program.network.spec}: sum {number} {what}")
