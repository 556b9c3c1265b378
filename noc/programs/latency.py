"""How long an operation takes when nothing else moves, and how long it takes at least.

Nodes that give words offer the first one in cycle 0, and each following one as soon as the one
before is taken. Sinks are always ready. The count ends with the last word that a node takes.

The least cycles follow from the distances in the network alone: a hop takes a cycle, and one for
each register of the link; a node gives one word a cycle, and gets one word a cycle. Nothing else is
assumed: trees, merges and joins do not count.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import networkx as nx
import numpy as np

from noc.errors import InputError
from noc.networks import ABSENT, IntArray
from noc.programs.operations import Operation
from noc.programs.ordered import OrderedProgram

#: Kinds whose words come from one node; of the first ones a node may lose its own.
_BROADCASTS = frozenset({"broadcast", "multicast"})
_FROM_ONE = _BROADCASTS | {"send", "scatter"}

#: Kinds whose words come down to one node, for all words the same.
_TO_ONE = frozenset({"send", "gather", "reduce"})


@dataclass(frozen=True)
class Parties:
    """Who gives words, and who gets them."""

    #: The nodes, ascending.
    givers: tuple[int, ...]
    receivers: tuple[int, ...]
    #: The only giver and the only receiver, of operations that name one.
    source: int | None
    to: int | None


def find_parties(
    program: OrderedProgram,
    operation: Operation,
    *,
    source: int | None = None,
    to: int | None = None,
) -> Parties:
    """The nodes that take part in an operation.

    An operation may name a node that gives the words: without a ``source`` the one from which a
    word takes longest, of a scatter to the root; and one that gets them: without ``to`` the one to
    which they take longest from the root, but not the source that is given.
    """
    kind, group = operation.kind, dict(program.operations.groups)[operation.group]
    givers = group if operation.joined else [n for n in group if n in program.sources]
    receivers = list(range(program.network.nodes) if kind in ("send", "reduce") else group)
    others = None if source is None else [node for node in receivers if node != source]
    if kind in _FROM_ONE:
        allowed = givers if kind == "scatter" else program.sources
        cycles = _to_last(program, receivers) if kind in _BROADCASTS else program.up
        source = _farthest(program, cycles, allowed, source)
        givers = [] if source is None else [source]
    else:
        source = None
    if kind in _TO_ONE:
        allowed = receivers if others is None or to is not None else others
        to = _farthest(program, program.down_cycles, allowed, to)
        receivers = [] if to is None else [to]
    else:
        to = None
    if kind == "gather":
        givers = [node for node in givers if node != to]
    elif kind == "scatter" or (kind in _BROADCASTS and not program.config.own_words):
        receivers = [node for node in receivers if node != source]
    return Parties(tuple(givers), tuple(receivers), source, to)


def _to_last(program: OrderedProgram, receivers: Sequence[int]) -> IntArray:
    """From each source, cycles to the last of these nodes, but the source if it drops its words."""
    down = program.down_cycles[list(receivers)]
    cycles: IntArray = program.up + down.max()
    if not program.config.own_words:
        last = receivers[int(down.argmax())]
        cycles[last] = program.up[last] + np.delete(down, down.argmax()).max(initial=-1)
    return cycles


def _farthest(
    program: OrderedProgram, cycles: IntArray, nodes: Sequence[int], chosen: int | None
) -> int | None:
    """The node that was chosen, or else the one with the most cycles, if there is any."""
    if chosen is not None and chosen not in nodes:
        raise InputError(f"{program.network.label(chosen)} takes no part in it")
    farthest = max(nodes, key=lambda node: int(cycles[node]), default=None)
    return farthest if chosen is None else chosen


def count_cycles(
    program: OrderedProgram, operation: Operation, parties: Parties, words: int
) -> int | None:
    """Cycles from the first words, given in one cycle, to the last that a node takes.

    Each giver has so many words; in a scatter, so many for each receiver. None where only the cycle
    model gives it: of ``all_gather`` where the node that is farthest from the root drops its own
    words, since one of these may be the last; and of ``all_gather`` and ``scatter`` where a queue
    of one word takes a word in every second cycle.
    """
    if not parties.givers or not parties.receivers:
        return 0
    down = program.down_cycles[list(parties.receivers)]
    apart = _apart(program)
    if operation.joined:
        group = [name for name, _ in program.operations.groups].index(operation.group)
        return program.joined_cycles(group) + int(down.max()) + apart * (words - 1)
    if operation.kind in (*_BROADCASTS, "send"):
        return int(program.up[parties.source] + down.max()) + apart * (words - 1)
    if operation.kind == "scatter" and (apart == 1 or words == 1):
        # One word a cycle, all of a node before those of the next one.
        order = np.argsort([program.numbers[node] for node in parties.receivers])
        ends = words * np.arange(1, len(order) + 1) - 1
        return int(program.up[parties.source] + (ends + down[order]).max())
    if operation.kind == "gather" or (apart == 1 and _last_is_seen(program, down)):
        # Merges never idle: it is as if all words met at once, each after its own way up.
        up = program.up[list(parties.givers)]
        offered = np.sort(np.add.outer(up, np.arange(words)), axis=None)
        return int(_served(offered + int(down.max()), apart)[-1])
    return None


def _last_is_seen(program: OrderedProgram, down: IntArray) -> bool:
    """Whether one of the farthest receivers takes the last word, whoever has sent it."""
    return program.config.own_words or bool(np.count_nonzero(down == down.max()) > 1)


def _apart(program: OrderedProgram) -> int:
    """Cycles between two words that a sink takes: a queue of one is not ready while it is full."""
    return 2 if program.config.queue == 1 else 1


def _served(offered: IntArray, apart: int) -> IntArray:
    """When words move on that are offered in these cycles, one after the other."""
    turns = apart * np.arange(offered.size)
    return np.maximum.accumulate(offered - turns) + turns


def bound_cycles(
    program: OrderedProgram, operation: Operation, parties: Parties, words: int
) -> int:
    """The least number of cycles, in any network with these links."""
    ways = _Ways(program)
    if parties.source is not None:
        away = ways.away(parties.source)
        if operation.kind == "scatter":
            return _in_turn(away, parties.receivers, words)
        return _most(away, parties.receivers) + words - 1
    serial = not operation.joined
    return max(
        (
            _in_turn(back, [node for node in parties.givers if node != to], words)
            if serial
            else _most(back, parties.givers) + words - 1
            for to in ways.different(parties, parties.receivers)
            for back in [ways.back(to)]
        ),
        default=0,
    )


def bound_with_root(program: OrderedProgram, parties: Parties, words: int) -> int:
    """Likewise where all words meet at one node before any comes down: at the best one."""
    ways = _Ways(program)
    return (
        words
        - 1
        + min(
            _most(ways.back(root), parties.givers) + _most(ways.away(root), parties.receivers)
            for root in ways.different(parties, range(program.network.nodes))
        )
    )


class _Ways:
    """Cycles of the shortest ways in a network."""

    def __init__(self, program: OrderedProgram) -> None:
        self._network, self._config = program.network, program.config
        self._reversed = program.network.reversed()
        self._links = nx.DiGraph()
        if self._config.registers_of:
            sender, port = np.nonzero(self._network.neighbour != ABSENT)
            for link in zip(
                sender.tolist(), self._network.neighbour[sender, port].tolist(), strict=True
            ):
                registers = self._config.registers_of.get(link, self._config.link_registers)
                self._links.add_edge(*link, cycles=1 + registers)

    def away(self, node: int) -> IntArray:
        """From a node to each other one."""
        return self._cycles(node, back=False)

    def back(self, node: int) -> IntArray:
        """To a node from each other one."""
        return self._cycles(node, back=True)

    def different(self, parties: Parties, nodes: Iterable[int]) -> list[int]:
        """Those of some nodes that may see other distances: one, where all see the same."""
        listed, all_nodes = list(nodes), range(self._network.nodes)
        everybody = len(parties.givers) == len(parties.receivers) == len(all_nodes)
        alike = everybody and self._network.symmetric and not self._config.registers_of
        return listed[:1] if alike else listed

    def _cycles(self, node: int, *, back: bool) -> IntArray:
        if not self._config.registers_of:
            network = self._reversed if back else self._network
            return network.distances(node) * (1 + self._config.link_registers)
        links = self._links.reverse(copy=False) if back else self._links
        cycles = nx.single_source_dijkstra_path_length(links, node, weight="cycles")
        return np.array([cycles[each] for each in range(self._network.nodes)])


def _most(cycles: IntArray, nodes: Sequence[int]) -> int:
    return int(cycles[list(nodes)].max(initial=0))


def _in_turn(cycles: IntArray, nodes: Sequence[int], words: int) -> int:
    """Words of each node that go, or come, one a cycle: those of far nodes first, or last."""
    far = -np.sort(-cycles[list(nodes)])
    ends = words * np.arange(1, far.size + 1) - 1
    return int((far + ends).max(initial=0))
