"""What a round of the timetable fabric carries: which word each out-port sends in each cycle of it.

Rounds follow one another without a gap, and all nodes are in the same cycle of a round, its
*phase*. In the phase f, counted from 0, links carry what the timetable has in its step f + 1.

In an all-gather a node gives one word in a round, which all others get. In other exchanges it has
an inject stream for each out-port by which words of its own leave, and gives one for each phase in
which one does: stream and phase say for whom it is, or into which sum it goes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray, Network
from noc.programs.round_config import RoundConfig
from noc.programs.round_table import FEW, NONE, OWN, Register, RoundTable, loop_of
from noc.trees.timetables import ALL_GATHER, Exchange

#: Rounds without a pause.
ROUNDS = RoundConfig()

#: For each phase what comes by a stream, a word of this source or a sum, None for nothing, and how
#: many rounds it is old then.
Told = tuple[list[int | None], list[int | None]]


class Place(NamedTuple):
    """A word of a round in the order in which a node with one eject stream gets them."""

    #: Its source, or the number of its sum.
    number: int
    #: Which of the node's eject lanes it comes by, and in which phase.
    lane: int
    phase: int


class Inject(NamedTuple):
    """An inject stream: whose, and by which out-port its words leave; ``None`` for all of them."""

    node: int
    out_port: int | None


@dataclass(frozen=True, eq=False)
class Flows:
    """The words of a round: by which inject stream each is given, and in which phase."""

    #: Array (flows). By stream, and of each by phase.
    inject: IntArray
    phase: IntArray
    #: Array (flows). Whose they are.
    source: IntArray
    #: Array (round, nodes, out-ports). Which one leaves as a node's own by an out-port in a phase;
    #: ``NONE`` where none does. Of one that leaves by several ports it is that of the node.
    number: IntArray


@dataclass(frozen=True, eq=False)
class RoundWords:
    """The routers of a network, each different table once, and the words that they lead."""

    #: The network it runs on.
    network: Network
    #: The different router modules.
    tables: tuple[RoundTable, ...] = field(repr=False)
    #: Array (nodes). The module of each node.
    table: IntArray = field(repr=False)
    #: How the routers are built.
    config: RoundConfig = ROUNDS
    #: Who has words for whom.
    exchange: Exchange = ALL_GATHER

    #: How its trees were built, and how many each source has.
    algorithm = "timetable"
    trees = 1

    #: How long an own word waits that has an out-port of its own, before it leaves.
    own_cycles = 0

    @property
    def gathers(self) -> bool:
        """Whether each node gives one word in a round, which all others get."""
        return self.exchange == ALL_GATHER

    @cached_property
    def injects(self) -> tuple[Inject, ...]:
        """The inject streams: of each node one, or one for each out-port that sends own words."""
        nodes = range(self.network.nodes)
        if self.gathers:
            return tuple(Inject(node, None) for node in nodes)
        lanes = (self.table_of(node).inject_lanes for node in nodes)
        return tuple(Inject(node, port) for node, ports in enumerate(lanes) for port in ports)

    @cached_property
    def ejects(self) -> IntArray:
        """The eject streams: the node and the in-port of each, an array (streams, 2)."""
        nodes = range(self.network.nodes)
        ends = [(node, port) for node in nodes for port in self.table_of(node).lanes]
        return np.array(ends, dtype=np.int64).reshape(-1, 2)

    @property
    def sources(self) -> tuple[int, ...]:
        """All inject streams send; where each node has one, they are the nodes."""
        return tuple(range(len(self.injects)))

    @property
    def round(self) -> int:
        """The cycles of a round."""
        return self.tables[0].round

    @property
    def own_register(self) -> bool:
        """Whether an own word waits for its first step in a register, which is zero otherwise.

        Where an out-port chooses from many others that is smaller than to choose from it, too. And
        out of a queue it would come too late to be chosen in the same cycle.
        """
        # If a round may be the last for long, words are to leave in the one that takes them.
        many = max(table.inputs for table in self.tables) > FEW
        waits = many or self.config.complete
        return self.gathers and waits and not self.config.pulsed

    @property
    def inject_phase(self) -> int:
        """The phase in which routers take the word of an all-gather, for this round or the next."""
        return self.round - 1 if self.own_register else 0

    def table_of(self, node: int) -> RoundTable:
        """The table of a node's router."""
        return self.tables[int(self.table[node])]

    def links(self) -> Iterator[tuple[int, int, int, int]]:
        """Every link that words use: sender, out-port, receiver, in-port."""
        net, loop = self.network, loop_of(self.network)
        for node in range(net.nodes):
            for port, _ in self.table_of(node).sends:
                if port != loop:
                    yield node, port, int(net.neighbour[node, port]), int(net.arrival[node, port])

    @cached_property
    def flows(self) -> Flows:
        """The words of a round in which all are given."""
        net, length = self.network, self.round
        number = np.full((length, net.nodes, loop_of(net) + 1), NONE, dtype=np.int32)
        if self.gathers:
            nodes = np.arange(net.nodes)
            number[0] = nodes[:, None]
            return Flows(nodes, np.full_like(nodes, self.inject_phase), nodes, number)
        count, columns = 0, [np.zeros((2, 0), dtype=np.int64)]
        for stream, (node, port) in enumerate(self.injects):
            assert port is not None
            phases = np.flatnonzero(self.table_of(node).gives(port))
            leaves = (phases + self.own_cycles) % length
            number[leaves, node, port] = np.arange(count, count + phases.size)
            columns.append(np.stack([np.full_like(phases, stream), phases]))
            count += phases.size
        inject, phase = np.concatenate(columns, axis=1)
        nodes = np.array([each.node for each in self.injects], dtype=np.int64)
        return Flows(inject, phase, nodes[inject], number)

    @cached_property
    def carried(self) -> IntArray:
        """Which word comes to each node by each in-port in each phase; ``NONE`` where none does.

        An array (round, nodes, in-ports), found by following the tables, from a round in which all
        words are given, until the last of these has left. In an all-gather the word is its node's.
        """
        net, length = self.network, self.round
        result = np.full((length, net.nodes, len(net.in_ports)), NONE, dtype=np.int32)
        routers = [
            (table, np.flatnonzero(self.table == number))
            for number, table in enumerate(self.tables)
        ]
        for phase in range(length):
            for table, nodes in routers:
                for port, choices in table.sends:
                    register = choices[phase]
                    if isinstance(register, Register):
                        there, arrival = net.neighbour[nodes, port], net.arrival[nodes, port]
                        words = self._found(result, nodes, port, phase, register)
                        result[phase, there, arrival] = words
        return result

    def _found(
        self,
        carried: IntArray,
        nodes: IntArray,
        out_port: int,
        phase: int,
        register: Register,
    ) -> IntArray:
        """Which words of this round lie in a register of some nodes, for one of their out-ports."""
        if register.in_port == OWN:
            if register.age:
                raise self._error(int(nodes[0]), phase, "sends an own word with an age")
            if phase and self.gathers:
                raise self._error(int(nodes[0]), phase, "sends an own word, which is for step 1")
            own: IntArray = self.flows.number[phase, nodes, out_port]
            return own
        came = phase - register.age
        words: IntArray = carried[max(came, 0), nodes, register.in_port]
        lacks = nodes[(words == NONE) | (came < 0) | (register.age < 1)]
        if lacks.size:
            port = self.network.in_ports[register.in_port]
            what = f"sends a word of in-port {port} that has not come"
            raise self._error(int(lacks[0]), phase, what)
        return words

    @cached_property
    def after(self) -> IntArray:
        """How many rounds after that in which it is taken each word of :attr:`carried` comes."""
        return np.full_like(self.carried, self.own_register)

    @cached_property
    def waits(self) -> IntArray:
        """For how many rounds at first each word is not taken yet; an array (flows)."""
        return np.zeros_like(self.flows.phase)

    @cached_property
    def memberships(self) -> IntArray:
        """Each word, and what comes of it; an array (2, …), by the word."""
        words = np.arange(self.flows.phase.size)
        return np.stack([words, words])

    @cached_property
    def taken(self) -> IntArray:
        """What of :attr:`carried` is for the node to which it comes; else ``NONE``."""
        result = self.carried.copy()
        for number, table in enumerate(self.tables):
            if table.takes is not None:
                nodes = np.flatnonzero(self.table == number)
                for port, phases in zip(table.in_ports, table.takes, strict=True):
                    passed = np.flatnonzero(~np.array(phases))
                    result[passed[:, None], nodes, port] = NONE
        return result

    def sources_of(self, node: int) -> list[list[int | None]]:
        """For each eject stream of a node whose word comes in which phase; None where none does."""
        # What is on a link is ejected in the next cycle.
        ejected = np.roll(self.taken[:, node], 1, axis=0)
        source = np.append(self.flows.source, NONE)[ejected]
        return [
            [None if each == NONE else each for each in source[:, port].tolist()]
            for port in self.table_of(node).lanes
        ]

    @cached_property
    def target(self) -> IntArray:
        """For whom each word is; ``NONE`` of those that nobody takes, or all others."""
        result = np.full(self.flows.inject.size, NONE, dtype=np.int64)
        if not self.gathers:
            _, node, _ = np.nonzero(self.taken != NONE)
            result[self.taken[self.taken != NONE]] = node
        return result

    def targets_of(self, node: int) -> list[list[int | None]]:
        """For each inject stream of a node for whom its word is in which phase, if it gives one."""
        flows, result = self.flows, []
        for stream, inject in enumerate(self.injects):
            if inject.node == node:
                own = flows.inject == stream
                phases: list[int | None] = [None] * self.round
                for phase, target in zip(flows.phase[own], self.target[own], strict=True):
                    phases[phase] = int(target)
                result.append(phases)
        return result

    @property
    def numbers(self) -> IntArray:
        """By what of :attr:`taken` a word is known, out of one eject stream; its source."""
        return self.flows.source

    def arrivals(self, node: int) -> list[Told]:
        """For each lane of a node whose word comes in a phase, and how many rounds old it is."""
        # Those of the last step come in the next round.
        after: list[int | None] = [int(phase == 0) for phase in range(self.round)]
        return [(sources, after) for sources in self.sources_of(node)]

    def order_of(self, node: int) -> list[Place]:
        """The words of a round as a node with one eject stream gets them, by their numbers."""
        return sorted(
            Place(number, lane, phase)
            for lane, (numbers, _) in enumerate(self.arrivals(node))
            for phase, number in enumerate(numbers)
            if number is not None
        )

    def check(self) -> Self:
        """Refuse a program by which some word does not come once to each node that it is for.

        Returns the program itself.
        """
        wanted = np.eye(self.network.nodes, dtype=np.bool_)
        wanted[self.exchange.pairs(self.network)] = True
        seen = np.eye(self.network.nodes, dtype=np.bool_)
        for phase, node, port in np.argwhere(self.taken != NONE).tolist():
            source = int(self.flows.source[self.taken[phase, node, port]])
            if seen[source, node] or not wanted[source, node]:
                why = "which it has" if seen[source, node] else "which is for others"
                word = f"the word of {self.network.label(source)}, {why}"
                raise self._error(node, phase, f"gets {word}")
            seen[source, node] = True
        if (wanted & ~seen).any():
            labels = map(self.network.label, np.argwhere(wanted & ~seen)[0].tolist())
            raise CheckError(
                "{}: the word of {} does not come to {}".format(self.network.spec, *labels)
            )
        return self._check_flows()

    def _check_flows(self) -> Self:
        """Refuse words that nobody takes, where each is for one node."""
        if not self.gathers and (self.target == NONE).any():
            flow = int(np.flatnonzero(self.target == NONE)[0])
            source, phase = int(self.flows.source[flow]), int(self.flows.phase[flow])
            raise self._error(source, phase, "sends an own word that nobody takes")
        return self

    def _error(self, node: int, phase: int, what: str) -> CheckError:
        label = self.network.label(node)
        return CheckError(f"{self.network.spec}: in step {phase + 1} {label} {what}")
