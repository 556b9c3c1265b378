"""The program of the timetable fabric: which word each out-port sends in each cycle of a round.

Rounds follow one another without a gap, and all nodes are in the same cycle of a round, its
*phase*. In the phase f, counted from 0, links carry what the timetable has in its step f + 1.

In an all-gather a node gives one word in a round, which all others get. In other exchanges it has
an inject stream for each out-port by which words of its own leave, and gives one for each phase in
which one does: stream and phase say for whom it is, or into which sum it goes.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray, Network
from noc.programs.pauses import count_levels
from noc.programs.round_config import RoundConfig
from noc.programs.round_pace import RoundPace
from noc.programs.round_table import FEW, NONE, OWN, Register, RoundTable, loop_of
from noc.trees.timetables import ALL_GATHER, Exchange

#: Rounds without a pause.
ROUNDS = RoundConfig()

#: Where a node has one eject stream, cycles from the last word of a round that comes to it to the
#: first that leaves by the stream: it is known, looked up, and read.
READ_CYCLES = 3

#: For each phase what comes by a stream, a word of this source or a sum, None for nothing, and how
#: many rounds it is old then.
Told = tuple[list[int | None], list[int | None]]


def comes_whole(told: Told) -> bool:
    """Whether all words of a round come by a stream before any of the next.

    >>> comes_whole(([0, 1, 2], [1, 0, 0])), comes_whole(([0, 1, 2], [0, 0, 1]))
    (True, False)
    """
    numbers, after = told
    when = [
        (after[phase] or 0) * len(numbers) + phase
        for phase, number in enumerate(numbers)
        if number is not None
    ]
    return not when or max(when) - min(when) < len(numbers)


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
class RoundProgram:
    """The routers of a network: each different table once, and which node has which."""

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
    def pace_levels(self) -> int:
        """Cycles from the place that knows whether all nodes move on to the nodes."""
        return count_levels(self.network.nodes)

    @property
    def queue_depth(self) -> int:
        """For how many words a queue has room; 0 for no queues.

        Once it is full, a register at the node and the trees each take cycles until all nodes stand
        still, and one more word is on its way then.
        """
        return self.config.queue + 2 * self.pace_levels + 2 if self.config.queued else 0

    @property
    def start_cycles(self) -> int:
        """Cycles from a pulse that begins a round to the first phase of that."""
        return self.pace_levels + 2

    @cached_property
    def givers(self) -> list[int]:
        """The nodes that give words."""
        return sorted({inject.node for inject in self.injects})

    @cached_property
    def tellers(self) -> list[int]:
        """The nodes that tell when they have words for a round; and room, if that is needed."""
        getters = self.ejects[:, 0].tolist() if self.config.merged else []
        return sorted({*self.givers, *getters})

    @property
    def gather_levels(self) -> int:
        """Cycles from the nodes that tell to the place that knows whether all have."""
        return count_levels(len(self.tellers))

    @property
    def open_cycles(self) -> int:
        """Cycles from the last word of a round to its first phase at least, where it needs all.

        Registers at both ends of the trees, and where that is decided; and the word's.
        """
        return self.gather_levels + self.pace_levels + 4 + self.own_register

    @property
    def ahead(self) -> int:
        """The phase of nodes of which is decided in the first cycle whether they take words.

        There is a register at the node. A round of taking words begins with a phase 0, or with the
        phase before that.
        """
        return (self.pace_levels + 1 + self.own_register) % self.round

    @property
    def kept_rounds(self) -> int:
        """For the words of how many rounds inject streams have queues; 0 for no queues.

        So many that no round has to wait for room: one of them is given, while those before wait
        until their last words have left.
        """
        if not self.config.complete:
            return 0
        return 1 + -(-(self.open_cycles + self.last_given) // self.period)

    @property
    def last_given(self) -> int:
        """When the last word of a round leaves its queue, counted from the first phase."""
        if self.gathers:
            # Into the register of an own word it leaves a cycle before.
            return -int(self.own_register)
        return int((self.flows.phase + self.round * self.waits).max())

    @cached_property
    def most_words(self) -> int:
        """The words of a round that are for the node for which most are."""
        words: IntArray = (self.taken != NONE).sum(axis=(0, 2))
        return int(words.max(initial=0))

    @property
    def period(self) -> int:
        """Cycles from one round with words to the next, at full speed.

        Out of one eject stream comes a word in a cycle.
        """
        words = self.most_words if self.config.merged else 0
        return self.round * max(1, -(-words // self.round))

    @cached_property
    def room_rounds(self) -> int:
        """For the words of how many rounds each node has room, behind one eject stream.

        So many that no round has to wait for room: from the first phase of one its words come, are
        read, and leave; the node tells that, and another one begins. And not less than asked for.
        """
        if not self.config.merged:
            return 0
        comes = self._comes[self.taken != NONE].max(initial=0) - self.round * self.own_register
        cycles = int(comes) + READ_CYCLES + self.most_words - 1 + self.open_cycles
        rounds = -(-cycles // self.round) * self.round
        return max(-(-rounds // self.period), -(-self.config.queue // max(1, self.most_words)))

    @cached_property
    def told_rounds(self) -> int:
        """For how many rounds at most a node has told that it is ready, before they begin."""
        if not self.config.merged:
            return self.kept_rounds
        givers, getters = {*self.givers}, {*self.ejects[:, 0].tolist()}
        limits = [
            *[self.kept_rounds] * bool(givers - getters),
            *[self.room_rounds] * bool(getters - givers),
            *[min(self.kept_rounds, self.room_rounds)] * bool(givers & getters),
        ]
        return max(limits)

    @property
    def eject_cycles(self) -> int:
        """Cycles that a word spends in a queue whose sink waits for it."""
        return int(self.config.queued)

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

    def check(self) -> "RoundProgram":
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

    def _check_flows(self) -> "RoundProgram":
        """Refuse words that nobody takes, where each is for one node."""
        if not self.gathers and (self.target == NONE).any():
            flow = int(np.flatnonzero(self.target == NONE)[0])
            source, phase = int(self.flows.source[flow]), int(self.flows.phase[flow])
            raise self._error(source, phase, "sends an own word that nobody takes")
        return self

    def check_turns(self) -> "RoundProgram":
        """Refuse words of one round that a stream gives behind some of the next one.

        In a queue their order would depend on when rounds begin. Returns the program itself.
        """
        when = self.flows.phase + self.round * self.waits
        for stream, inject in enumerate(self.injects if self.config.complete else ()):
            if np.ptp(when[self.flows.inject == stream]) >= self.round:
                raise CheckError(
                    f"{self.network.spec}: {self.network.label(inject.node)} gives words of one "
                    f"round of {self.round} cycles behind some of the next one, by the same stream;"
                    " rounds of other lengths may not"
                )
        return self

    def check_order(self) -> "RoundProgram":
        """Refuse words that come by an in-port behind some of the next round, where rounds wait.

        Whose they are would depend on when rounds begin. Returns the program itself.
        """
        for node in self.tellers if self.config.merged else ():
            if not all(map(comes_whole, self.arrivals(node))):
                raise CheckError(
                    f"{self.network.spec}: {self.network.label(node)} gets words of one round of "
                    f"{self.round} cycles behind some of the next one, by the same in-port; rounds "
                    "of one cycle have none"
                )
        return self

    def _error(self, node: int, phase: int, what: str) -> CheckError:
        label = self.network.label(node)
        return CheckError(f"{self.network.spec}: in step {phase + 1} {label} {what}")

    @cached_property
    def _first(self) -> IntArray:
        """When each word of a round is taken, counted from its first phase; an array (flows).

        Where a round needs those of all, it is when they have to be there.
        """
        if self.config.complete:
            leaves = self.round * self.own_register
            return np.full_like(self.flows.phase, leaves - self.open_cycles)
        first: IntArray = self.flows.phase + self.round * self.waits
        return first

    @cached_property
    def _comes(self) -> IntArray:
        """When what is taken comes out of the routers, counted likewise; an array like it."""
        phases: IntArray = np.arange(self.round)[:, None, None] + 1 + self.round * self.after
        return phases

    @cached_property
    def _pace(self) -> RoundPace:
        """How rounds follow one another where nodes have one eject stream."""
        (_, node, _), nodes = np.nonzero(self.taken != NONE), self.network.nodes
        whole = np.zeros(nodes, dtype=np.int64)
        np.maximum.at(whole, node, self._comes[self.taken != NONE] - self.round * self.own_register)
        words = np.bincount(node, minlength=nodes)
        given = self.last_given + 1 + self.open_cycles
        return RoundPace(
            *(self.round, whole + READ_CYCLES, words, self.room_rounds, self.open_cycles),
            *(self.kept_rounds, given),
        )

    def _leaves(self, later: int) -> IntArray:
        """When each of what is taken leaves the network, likewise, in the order of the array.

        It is what is taken so many rounds later at full speed.
        """
        _, node, _ = np.nonzero(self.taken != NONE)
        if not self.config.merged:
            comes: IntArray = self._comes[self.taken != NONE] + self.eject_cycles
            return comes + later * self.round
        in_order = np.lexsort((self.numbers[self.taken[self.taken != NONE]], node))
        place = np.empty_like(in_order)
        place[in_order] = np.arange(node.size) - np.searchsorted(node[in_order], node[in_order])
        first = self._pace.first + self.round * self.own_register + self._pace.delays(later)
        leaves: IntArray = first[node] + place
        return leaves

    def _last(self, later: int) -> IntArray:
        """When each word of a round is ejected for the last time, if all move on; the same."""
        taken, (word, value) = self.taken != NONE, self.memberships
        last = np.zeros(1 + int(value.max(initial=0)), dtype=np.int64)
        np.maximum.at(last, self.taken[taken], self._leaves(later))
        result = np.zeros(self.flows.phase.size, dtype=np.int64)
        np.maximum.at(result, word, last[value])
        return result

    @property
    def latency(self) -> IntArray:
        """Cycles from the acceptance of each word of a round to its last eject, if all move on.

        An array (flows).
        """
        return self.latency_of(1)

    def latency_of(self, rounds: int) -> IntArray:
        """The same until the last eject of that of the last of some rounds, at full speed."""
        return self._last(rounds - 1) - self._first

    @property
    def cycles(self) -> int:
        """Cycles from the acceptance of the first word of a round to the last eject."""
        return self.cycles_of(1)

    def cycles_of(self, rounds: int) -> int:
        """The same until the last eject of the last one of some rounds, at full speed."""
        return int(self._last(rounds - 1).max() - self._first.min())
