"""Words with operations for tests and measurements, drawn from a seed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from noc.model import mixing
from noc.model.ordered.traffic import CollectiveTraffic, LongCollective
from noc.model.traffic import BoolArray
from noc.programs.operations import Operation
from noc.programs.ordered import OrderedProgram

__all__ = ["SEGMENT", "Given", "Mixture", "as_traffic", "mixed_operations", "repeated"]

#: Messages of a mixture whose words are made at a time.
SEGMENT = 256


@dataclass(frozen=True)
class Given:
    """A word that is given at some node.

    Parameters
    ----------
    release : int
        The first cycle in which it may be offered.
    operation, node, last, data : int
        Its fields.
    """

    release: int
    operation: int
    node: int = 0
    last: int = 0
    data: int = 0


@dataclass(frozen=True)
class Mixture:
    """What :func:`mixed_operations` draws.

    Parameters
    ----------
    messages : int
        Messages that are joined, of all groups together, and messages that each node sends.
    longest : int
        The most words of a message.
    gap : int
        Between two words of a node lie from 0 to twice as many cycles.
    skew : int
        Each node begins from 0 to so many cycles late.
    wrong : int
        Percent of a node's words before which it gives one that is dropped.
    shuffled : bool
        Whether each node gives its words in an order of its own, which is not allowed.
    """

    messages: int = 8
    longest: int = 1
    gap: int = 1
    skew: int = 0
    wrong: int = 0
    shuffled: bool = False


class _Draw:
    """One number after the other."""

    def __init__(self, *parts: int) -> None:
        self._parts, self._count = parts, 0

    def below(self, end: int) -> int:
        self._count += 1
        return mixing.key(*self._parts, self._count) % end

    def shuffle(self, items: list[Given]) -> None:
        """Another order."""
        for place in reversed(range(1, len(items))):
            other = self.below(place + 1)
            items[place], items[other] = items[other], items[place]

    def data(self, width: int) -> int:
        """Any number, and often one at which operators turn over."""
        edges = [0, 1, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1]
        place = self.below(2 * len(edges))
        if place < len(edges):
            return edges[place] & ((1 << width) - 1)
        return mixing.bits(width, self.below(1 << 63))


def as_traffic(
    program: OrderedProgram, given: Sequence[Iterable[Given]], ready: BoolArray | None = None
) -> CollectiveTraffic:
    """The words that each node gives; without other sinks, they are always ready."""
    words = [(node, word) for node, words in enumerate(given) for word in words]

    def column(name: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([getattr(word, name) for _, word in words], dtype=np.int64)

    return CollectiveTraffic(
        source=np.array([node for node, _ in words], dtype=np.int64),
        release=column("release"),
        operation=column("operation"),
        node=column("node"),
        last=column("last"),
        data=tuple(word.data for _, word in words),
        ready=np.ones((1, program.network.nodes), dtype=np.bool_) if ready is None else ready,
    )


def repeated(
    program: OrderedProgram,
    width: int,
    operation: int,
    words: int = 1,
    *,
    nodes: Iterable[int] | None = None,
    named: int = 0,
    cycle: int = 0,
    seed: int = 0,
) -> CollectiveTraffic:
    """Words of one operation, without a pause, from some nodes; without, from all that may.

    Parameters
    ----------
    program : OrderedProgram
        What runs.
    width : int
        Bits of a word's data.
    operation : int
        Its number.
    words : int
        How many each node gives; together they are a message.
    nodes : iterable of int, optional
        The nodes that give them.
    named : int
        The number of the node that the words name.
    cycle : int
        When the first ones are offered.
    seed : int
        Names the data.
    """
    operations = program.operations
    if nodes is None:
        joined = operations.listed[operation].joined
        members = operations.members(operations.group_of(operation))
        nodes = members if joined else program.sources
    given: list[list[Given]] = [[] for _ in range(program.network.nodes)]
    draw, marked = _Draw(seed), operations.marks_last
    for node in nodes:
        for place in range(words):
            last = int(marked and place == words - 1)
            given[node].append(Given(cycle, operation, named, last, draw.data(width)))
    return as_traffic(program, given)


def mixed_operations(
    program: OrderedProgram,
    width: int,
    mixture: Mixture,
    *,
    ready: BoolArray | None = None,
    seed: int = 0,
) -> LongCollective:
    """Words of all operations from all nodes.

    What is joined is in one order, of all groups together, which all nodes follow; what is sent
    comes anywhere between. Words that need not name a node name any. More than ``SEGMENT`` messages
    are as many mixtures one after the other as that takes.
    """
    nodes = range(program.network.nodes)
    ready = np.ones((1, len(nodes)), dtype=np.bool_) if ready is None else ready
    injecting = [node for node in nodes if program.plan_of(node).injects]

    def segments() -> Iterator[_Mixer]:
        for number, begin in enumerate(range(0, mixture.messages, SEGMENT)):
            some = replace(mixture, messages=min(SEGMENT, mixture.messages - begin))
            key = mixing.key(seed, 2, number) if number else seed
            yield _Mixer(program, width, some, key)

    def parts(node: int) -> Iterator[CollectiveTraffic]:
        cycle = 0
        for mixer in segments():
            words, cycle = mixer.give(node, cycle)
            given: list[list[Given]] = [[] for _ in nodes]
            given[node] = words
            yield as_traffic(program, given)

    return LongCollective(injecting, parts, ready)


class _Mixer:
    def __init__(self, program: OrderedProgram, width: int, mixture: Mixture, seed: int) -> None:
        self._program, self._width, self._mixture, self._seed = program, width, mixture, seed
        self._operations = program.operations
        fields = program.words(width).inject
        self._numbers = 1 << fields.get("operation", 0)
        self._names = 1 << fields.get("node", 0)
        self._marked = "last" in fields

    def give(self, node: int, cycle: int) -> tuple[list[Given], int]:
        """What one node gives from a cycle on, and from when on it gives more."""
        listed = self._operations.listed
        joined = [n for n, operation in enumerate(listed) if operation.joined]
        draw = _Draw(self._seed, 1, node)
        return self._in_time(
            self._given(node, self._messages(joined, _Draw(self._seed, 0)), draw), cycle, draw
        )

    def _messages(self, operations: Sequence[int], draw: _Draw) -> list[Given]:
        """The words of some messages."""
        result: list[Given] = []
        for _ in range(self._mixture.messages if operations else 0):
            number = operations[draw.below(len(operations))]
            named = draw.below(self._program.network.nodes) if self._names > 1 else 0
            length = 1 + draw.below(self._mixture.longest)
            result += [
                Given(0, number, named, int(self._marked and place == length - 1))
                for place in range(length)
            ]
        return result

    def _given(self, node: int, messages: list[Given], draw: _Draw) -> list[Given]:
        """What one node gives, at any time and with any data."""
        own = [word for word in messages if self._gives(node, word.operation)]
        if self._mixture.shuffled:
            draw.shuffle(own)
        if self._program.plan_of(node).sends:
            own = self._between(own, self._messages(self._operations.sent, draw), draw)
        return self._with_wrong(node, own, draw)

    def _operation(self, number: int) -> Operation | None:
        listed = self._operations.listed
        return listed[number] if number < len(listed) else None

    def _gives(self, node: int, number: int) -> bool:
        """Whether a node may give words of an operation."""
        operation = self._operation(number)
        if operation is None:
            return False
        if not operation.joined:
            return self._program.plan_of(node).sends
        return node in self._operations.members(self._operations.group_of(number))

    def _between(self, one: list[Given], other: list[Given], draw: _Draw) -> list[Given]:
        """Two sequences as one; each keeps its order."""
        one, other, result = one[::-1], other[::-1], []
        while one or other:
            first = draw.below(len(one) + len(other)) < len(one)
            result.append((one if first else other).pop())
        return result

    def _with_wrong(self, node: int, words: list[Given], draw: _Draw) -> list[Given]:
        """Some words that are dropped, before some of the others."""
        nodes = self._program.network.nodes
        of_nobody = [n for n in range(self._numbers) if not self._gives(node, n)]
        naming = [n for n, operation in enumerate(self._operations.listed) if operation.to_node]
        wrong = [(number, draw.below(self._names)) for number in of_nobody]
        wrong += [(number, name) for number in naming for name in range(nodes, self._names)]
        result: list[Given] = []
        for word in words:
            if wrong and draw.below(100) < self._mixture.wrong:
                result.append(Given(0, *wrong[draw.below(len(wrong))]))
            result.append(word)
        return result

    def _in_time(self, words: list[Given], cycle: int, draw: _Draw) -> tuple[list[Given], int]:
        """The words with releases, data, and any names where none is needed; when they end."""
        result: list[Given] = []
        cycle += draw.below(self._mixture.skew + 1)
        for word in words:
            operation = self._operation(word.operation)
            named = word.node
            if operation is None or not operation.to_node:
                named = draw.below(self._names)
            data = draw.data(self._width)
            result.append(Given(cycle, word.operation, named, word.last, data))
            cycle += draw.below(2 * self._mixture.gap + 1)
        return result, cycle
