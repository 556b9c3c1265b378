"""The program of the timetable fabric: which word each out-port sends in each cycle of a round.

Rounds follow one another without a gap, and all nodes are in the same cycle of a round, its
*phase*. In the phase f, counted from 0, links carry what the timetable has in its step f + 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from noc.errors import CheckError
from noc.networks import ABSENT, IntArray, Network
from noc.programs.config import RouterConfig
from noc.trees.timetables import Timetable, registers_of, rows_of
from noc.trees.tree import NO_PARENT, Tree

#: In place of an in-port: the node's own word.
OWN = NO_PARENT

#: No word.
NONE = -1

#: Up to so many words an out-port chooses its own node's from without a register for it.
FEW = 3

#: Sinks take what comes.
ROUNDS = RouterConfig(sinks="always-ready")


class Register(NamedTuple):
    """Where an out-port finds a word.

    Parameters
    ----------
    in_port : int
        The in-port by which it came, or ``OWN``.
    age : int
        Before how many cycles it was on the link: from 1 on; 0 for an own word.
    """

    in_port: int
    age: int


@dataclass(frozen=True)
class RoundTable:
    """What one router does in each phase. The node's own words leave in the first one.

    Parameters
    ----------
    in_ports : tuple of int
        The in-ports on which words arrive.
    sends : tuple of (out-port, tuple of Register or None)
        For each out-port that is used the word that it sends, by phase; None for no word.
    """

    in_ports: tuple[int, ...]
    sends: tuple[tuple[int, tuple[Register | None, ...]], ...]

    @property
    def round(self) -> int:
        """The cycles of a round."""
        return len(self.sends[0][1])

    @property
    def phase_bits(self) -> int:
        """Bits of the number of a phase; at least one."""
        return max(1, (self.round - 1).bit_length())

    @property
    def registers(self) -> frozenset[Register]:
        """All that some out-port chooses from."""
        return frozenset(each for _, choices in self.sends for each in choices if each is not None)

    def depth(self, in_port: int) -> int:
        """How many words of an in-port the router keeps."""
        return max((age for port, age in self.registers if port == in_port), default=1)

    @property
    def inputs(self) -> int:
        """Out of how many registers an out-port chooses at most."""
        return max(len({*choices} - {None}) for _, choices in self.sends)

    @property
    def rom_bits(self) -> int:
        """Bits of the choices of all phases."""
        return sum((len({*choices}) - 1).bit_length() * len(choices) for _, choices in self.sends)


@dataclass(frozen=True, eq=False)
class RoundProgram:
    """The routers of a network: each different table once, and which node has which.

    Parameters
    ----------
    network : Network
        The network it runs on.
    tables : tuple of RoundTable
        The different router modules.
    table : array (nodes)
        The module of each node.
    config : RouterConfig
        How the routers are built.
    """

    network: Network
    tables: tuple[RoundTable, ...] = field(repr=False)
    table: IntArray = field(repr=False)
    config: RouterConfig = ROUNDS

    #: How its trees were built, and how many each source has.
    algorithm = "timetable"
    trees = 1

    @property
    def sources(self) -> tuple[int, ...]:
        """All nodes send."""
        return tuple(range(self.network.nodes))

    @property
    def round(self) -> int:
        """The cycles of a round."""
        return self.tables[0].round

    @property
    def own_register(self) -> bool:
        """Whether an own word waits for its first step in a register, which is zero otherwise.

        Where an out-port chooses from many others that is smaller than to choose from it, too.
        """
        return max(table.inputs for table in self.tables) > FEW

    @property
    def inject_phase(self) -> int:
        """The phase in which routers take a word of their node, for the same round or the next."""
        return self.round - 1 if self.own_register else 0

    def table_of(self, node: int) -> RoundTable:
        """The table of a node's router."""
        return self.tables[int(self.table[node])]

    def links(self) -> Iterator[tuple[int, int, int, int]]:
        """Every link that words use: sender, out-port, receiver, in-port."""
        net = self.network
        for node in range(net.nodes):
            for port, _ in self.table_of(node).sends:
                yield node, port, int(net.neighbour[node, port]), int(net.arrival[node, port])

    @cached_property
    def carried(self) -> IntArray:
        """Whose word comes to each node by each in-port in each phase; ``NONE`` where none does.

        An array (round, nodes, in-ports), found by following the tables, from a round in which all
        nodes give a word, until the last of these has left.
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
                    if register is not None:
                        there, arrival = net.neighbour[nodes, port], net.arrival[nodes, port]
                        words = self._found(result, nodes, phase, register)
                        result[phase, there, arrival] = words
        return result

    def _found(
        self,
        carried: IntArray,
        nodes: IntArray,
        phase: int,
        register: Register,
    ) -> IntArray:
        """Whose words of this round lie in a register of some nodes."""
        if register.in_port == OWN:
            if register.age:
                raise self._error(int(nodes[0]), phase, "sends an own word with an age")
            if phase:
                raise self._error(int(nodes[0]), phase, "sends an own word, which is for step 1")
            return nodes
        came = phase - register.age
        words: IntArray = carried[max(came, 0), nodes, register.in_port]
        lacks = nodes[(words == NONE) | (came < 0) | (register.age < 1)]
        if lacks.size:
            port = self.network.in_ports[register.in_port]
            what = f"sends a word of in-port {port} that has not come"
            raise self._error(int(lacks[0]), phase, what)
        return words

    def sources_of(self, node: int) -> list[list[int | None]]:
        """For each eject stream of a node whose word comes in which phase; None where none does."""
        # What is on a link is ejected in the next cycle.
        ejected = np.roll(self.carried[:, node], 1, axis=0)
        return [
            [None if source == NONE else source for source in ejected[:, port].tolist()]
            for port in self.table_of(node).in_ports
        ]

    def check(self) -> "RoundProgram":
        """Refuse a program by which some word does not come to every other node once.

        Returns the program itself.
        """
        seen = np.eye(self.network.nodes, dtype=np.bool_)
        for phase, node, port in np.argwhere(self.carried != NONE).tolist():
            source = int(self.carried[phase, node, port])
            if seen[source, node]:
                word = f"the word of {self.network.label(source)}"
                raise self._error(node, phase, f"gets {word}, which it has")
            seen[source, node] = True
        if not seen.all():
            source, node = np.argwhere(~seen)[0].tolist()
            labels = [self.network.label(each) for each in (source, node)]
            raise CheckError(
                f"{self.network.spec}: the word of {labels[0]} does not come to {labels[1]}"
            )
        return self

    def _error(self, node: int, phase: int, what: str) -> CheckError:
        label = self.network.label(node)
        return CheckError(f"{self.network.spec}: in step {phase + 1} {label} {what}")

    @cached_property
    def latency(self) -> IntArray:
        """Cycles from the acceptance of a word of each source to its eject at each node.

        An array (sources, nodes); 0 at the source.
        """
        result = np.zeros((self.network.nodes, self.network.nodes), dtype=np.int64)
        phase, node, _ = np.nonzero(self.carried != NONE)
        source = self.carried[self.carried != NONE]
        result[source, node] = phase + 1 + self.own_register
        return result


def compile_rounds(timetable: Timetable) -> RoundProgram:
    """The routers by which all nodes broadcast as a timetable says."""
    network, length = timetable.network, timetable.steps
    trees = {0: timetable.trees[0]} if network.symmetric else dict(enumerate(timetable.trees))
    sends: dict[int, dict[int, list[Register | None]]] = {node: {} for node in trees}
    for tree in trees.values():
        for node, port, phase, register in _sends_of(tree):
            choices = sends[0 if network.symmetric else node].setdefault(port, [None] * length)
            choices[phase] = register
    arrival = np.stack([tree.arrival() for tree in trees.values()])
    built = [
        RoundTable(
            # On a symmetric network what comes to any node comes to this one in another tree.
            tuple(
                np.setdiff1d(arrival if network.symmetric else arrival[:, node], ABSENT).tolist()
            ),
            tuple((port, tuple(choices)) for port, choices in sorted(sends[node].items())),
        )
        for node in trees
    ]
    numbers = {table: number for number, table in enumerate(dict.fromkeys(built))}
    table = np.array([numbers[each] for each in built], dtype=np.int32)
    table = np.broadcast_to(table, network.nodes) if network.symmetric else table
    return RoundProgram(network, tuple(numbers), table).check()


def _sends_of(tree: Tree) -> Iterator[tuple[int, int, int, Register]]:
    """Sender, out-port, phase and register of each link of a tree."""
    for row, (in_port, age) in zip(rows_of(tree), registers_of(tree), strict=True):
        yield row.sender, row.port, row.step - 1, Register(in_port, age)
