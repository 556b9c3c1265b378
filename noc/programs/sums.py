"""The program of the timetable fabric where words are added up on their way.

What comes to a node by an in-port in a phase is made of what lies in the registers of the sender,
which came there by other in-ports before, perhaps in the round before.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import NamedTuple

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray
from noc.programs.round_table import NONE, OWN, Choice, Register, loop_of, terms
from noc.programs.round_words import Told
from noc.programs.rounds import RoundProgram


@dataclass(frozen=True, order=True)
class Arrival:
    """What comes to a node by an in-port in a phase."""

    phase: int
    node: int
    in_port: int


@dataclass(frozen=True, order=True)
class Send:
    """What a node sends by an out-port in a phase."""

    phase: int
    node: int
    out_port: int


#: What a value is made of: an own word, or what came before, and how many rounds.
Part = tuple[Send | Arrival, int]


@dataclass(frozen=True)
class SumTrace:
    """What comes where."""

    #: What each value is made of, in the order of the tables.
    parts: dict[Arrival, list[Part]]
    #: All arrivals, each behind those that it needs.
    order: tuple[Arrival, ...]
    #: How many rounds after the first word of its sum each value comes, and each own word is taken.
    after: dict[Arrival | Send, int]


def trace_sums(sends: Mapping[Send, tuple[Arrival, Choice]], length: int) -> SumTrace:
    """Follow what nodes send; refuse what has not come, waits for itself, or mixes rounds."""
    parts = {
        arrival: [_part(send, each, length) for each in terms(choice)]
        for send, (arrival, choice) in sends.items()
    }
    needs = {
        arrival: [part for part, _ in made_of if isinstance(part, Arrival)]
        for arrival, made_of in parts.items()
    }
    for arrival, before in needs.items():
        if not parts.keys() >= {*before}:
            raise CheckError(f"{_at(arrival)} is made of what has not come")
    try:
        order = tuple(TopologicalSorter(needs).static_order())
    except CycleError as error:
        raise CheckError(f"{_at(min(error.args[1]))} waits for itself") from None
    return SumTrace(parts, order, _count_rounds(parts))


def _part(send: Send, register: Register, length: int) -> Part:
    in_port, age = register
    if age < 1 or (in_port == OWN and age > 1):
        raise CheckError(f"a word of phase {send.phase} cannot be {age} cycles old")
    rounds, phase = divmod(send.phase - age, length)
    return send if in_port == OWN else Arrival(phase, send.node, in_port), -rounds


def _at(arrival: Arrival) -> str:
    return f"what comes in step {arrival.phase + 1} to node {arrival.node}"


def _count_rounds(parts: dict[Arrival, list[Part]]) -> dict[Arrival | Send, int]:
    """The rounds of all arrivals and own words; of those added up together the first is in 0."""
    # What is joined has a fixed distance in time.
    joined: dict[Arrival | Send, list[Part]] = {arrival: [] for arrival in parts}
    for arrival, made_of in parts.items():
        for part, rounds in made_of:
            joined.setdefault(part, []).append((arrival, rounds))
            joined[arrival].append((part, -rounds))
    found: dict[Arrival | Send, int] = {}
    for first in parts:
        if first not in found:
            found |= _follow(first, joined)
    return found


def _follow(first: Arrival, joined: dict[Arrival | Send, list[Part]]) -> dict[Arrival | Send, int]:
    """The rounds of all that is joined to an arrival."""
    rounds: dict[Arrival | Send, int] = {first: 0}
    waiting: list[Arrival | Send] = [first]
    while waiting:
        each = waiting.pop()
        for other, later in joined[each]:
            if other not in rounds:
                rounds[other] = rounds[each] + later
                waiting.append(other)
            elif rounds[other] != rounds[each] + later:
                raise CheckError(f"{_at(first)} is made of words of different rounds")
    least = min(count for each, count in rounds.items() if isinstance(each, Send))
    return {each: count - least for each, count in rounds.items()}


class _Traced(NamedTuple):
    """What comes where, and when, as :class:`SumProgram` has it."""

    carried: IntArray
    after: IntArray
    waits: IntArray
    inputs: tuple[tuple[int, ...], ...]
    comes: tuple[tuple[Arrival | None, ...], ...]


class SumProgram(RoundProgram):
    """The routers of a network that adds words up.

    Sums have numbers behind those of the words. One in-port more is the loop. Rounds overlap: what
    comes is of a round some rounds before, and words that have a longer way are taken earlier than
    those to which they are added.
    """

    #: In a register.
    own_cycles = 1

    @cached_property
    def _traced(self) -> _Traced:
        """What the tables say, followed from word to sum."""
        net, length, own = self.network, self.round, self.flows.number
        sends = {}
        for node in range(net.nodes):
            for port, choices in self.table_of(node).sends:
                ends = self._end_of(node, port)
                for phase, choice in enumerate(choices):
                    if choice is not None:
                        sends[Send(phase, node, port)] = Arrival(phase, *ends), choice
        trace = trace_sums(sends, length)
        shape = length, net.nodes, loop_of(net) + 1
        carried, after = np.full(shape, NONE, dtype=np.int32), np.zeros(shape, dtype=np.int32)
        waits, inputs = np.zeros_like(self.flows.phase), list[tuple[int, ...]]()
        comes = list[tuple[Arrival | None, ...]]()
        for arrival in trace.order:
            where = arrival.phase, arrival.node, arrival.in_port
            made_of = [
                int(own[each.phase, each.node, each.out_port])
                if isinstance(each, Send)
                else int(carried[each.phase, each.node, each.in_port])
                for each, _ in trace.parts[arrival]
            ]
            carried[where], after[where] = made_of[0], trace.after[arrival]
            if len(made_of) > 1:
                carried[where] = waits.size + len(inputs)
                inputs.append(tuple(made_of))
                parts = (part for part, _ in trace.parts[arrival])
                comes.append(tuple(p if isinstance(p, Arrival) else None for p in parts))
        for each, rounds in trace.after.items():
            if isinstance(each, Send):
                waits[own[each.phase, each.node, each.out_port]] = rounds
        return _Traced(carried, after, waits, tuple(inputs), tuple(comes))

    def _end_of(self, node: int, port: int) -> tuple[int, int]:
        """Where an out-port leads, and by which in-port what it sends comes there."""
        if port == loop_of(self.network):
            return node, port
        return int(self.network.neighbour[node, port]), int(self.network.arrival[node, port])

    @property
    def carried(self) -> IntArray:
        """Which word or sum comes to each node by each in-port in each phase, or ``NONE``."""
        return self._traced.carried

    @property
    def after(self) -> IntArray:
        """How many rounds after the first word of its sum each comes."""
        return self._traced.after

    @property
    def waits(self) -> IntArray:
        """How many rounds after the first word of its sum each word is taken."""
        return self._traced.waits

    @property
    def inputs(self) -> tuple[tuple[int, ...], ...]:
        """What each sum is made of, in the order of the tables; each behind what it needs."""
        return self._traced.inputs

    @property
    def comes(self) -> tuple[tuple[Arrival | None, ...], ...]:
        """How each of these came to where it is added; None of own words."""
        return self._traced.comes

    @cached_property
    def members(self) -> list[tuple[int, ...]]:
        """The words of each word, itself, and of each sum."""
        result: list[tuple[int, ...]] = [(word,) for word in range(self.waits.size)]
        for made_of in self.inputs:
            result.append(tuple(word for each in made_of for word in result[each]))
        return result

    @cached_property
    def memberships(self) -> IntArray:
        """Each word and each sum that it is in, itself too."""
        pairs = [(word, value) for value, words in enumerate(self.members) for word in words]
        return np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T.copy()

    @cached_property
    def totals(self) -> list[int]:
        """The sums that nodes get, by the first node, and there by the phase, that gets each."""
        _, node, _ = np.nonzero(self.taken != NONE)
        values = self.taken[self.taken != NONE]
        return [*dict.fromkeys(values[np.argsort(node, kind="stable")].tolist())]

    @property
    def numbers(self) -> IntArray:
        """The number of each sum that nodes get, by the sum."""
        result = np.full(self.waits.size + len(self.inputs), NONE, dtype=np.int64)
        result[self.totals] = np.arange(len(self.totals))
        return result

    def arrivals(self, node: int) -> list[Told]:
        """For each lane of a node which sum comes in a phase, and of which round."""
        totals, result = {value: number for number, value in enumerate(self.totals)}, []
        for port in self.table_of(node).lanes:
            told: Told = [None] * self.round, [None] * self.round
            for phase in np.flatnonzero(self.taken[:, node, port] != NONE).tolist():
                # What is on a link is ejected in the next cycle.
                later, there = divmod(phase + 1, self.round)
                told[0][there] = totals[int(self.taken[phase, node, port])]
                told[1][there] = int(self.after[phase, node, port]) + later
            result.append(told)
        return result

    def given_sums(self, node: int) -> list[Told]:
        """For each inject stream of a node into which sum its word goes, and of which round."""
        result = []
        for stream, inject in enumerate(self.injects):
            if inject.node == node:
                told: Told = [None] * self.round, [None] * self.round
                for word in np.flatnonzero(self.flows.inject == stream).tolist():
                    phase = int(self.flows.phase[word])
                    told[0][phase], told[1][phase] = self.total_of[word], int(self.waits[word])
                result.append(told)
        return result

    @cached_property
    def total_of(self) -> dict[int, int]:
        """In which of the sums that nodes get each word is."""
        return {
            word: number for number, value in enumerate(self.totals) for word in self.members[value]
        }

    def check(self) -> "SumProgram":
        """Refuse a program by which not every node gets its sums, of a word of each node, once.

        Returns the program itself.
        """
        everybody, scattered = [*range(self.network.nodes)], self.exchange.scatters_sums
        if not self.totals:
            raise self._wrong("no node gets a sum")
        for number, total in enumerate(self.totals):
            if sorted(self.flows.source[[*self.members[total]]].tolist()) != everybody:
                raise self._wrong(f"sum {number} is not made of one word of each node")
            if not scattered and self._receivers(total) != everybody:
                raise self._wrong(f"sum {number} does not come once to each node")
        if scattered and self._receivers(*self.totals) != everybody:
            raise self._wrong("not every node gets one sum")
        used = [word for total in self.totals for word in self.members[total]]
        if sorted(used) != [*range(self.waits.size)]:
            raise self._wrong("an own word is in no sum, or in several")
        told = (wait for node in everybody for wait in self.table_of(node).waits or ())
        for stream, wait in enumerate(told):
            own = np.flatnonzero(self.flows.inject == stream)
            if (np.array(wait)[self.flows.phase[own]] != self.waits[own]).any():
                label = self.network.label(self.injects[stream].node)
                raise self._wrong(
                    f"{label} takes its words in other rounds than those to which they are added"
                )
        return self

    def _receivers(self, *totals: int) -> list[int]:
        """The nodes that get one of some sums, as often as they do."""
        _, node, _ = np.nonzero(np.isin(self.taken, totals))
        return sorted(node.tolist())

    def _wrong(self, what: str) -> CheckError:
        return CheckError(f"{self.network.spec}: {what}")
