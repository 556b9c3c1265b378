"""Words with operations: what nodes give, when sinks are ready, and mixtures drawn from a seed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from noc.errors import InputError
from noc.model import mixing
from noc.model.ordered.streams import Word
from noc.model.runs import Draw
from noc.model.sinks import always
from noc.model.traffic import BoolArray, check_ready
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram
from noc.programs.word_format import MOST_WIDTH

#: Messages of a mixture whose words are made at a time.
SEGMENT = 256

_COLUMNS = ("source", "release", "operation", "node", "last", "void")

#: Percent of the words that are joined which are void, where any can be.
_VOID = 30


@dataclass(frozen=True, eq=False)
class CollectiveTraffic:
    """The words that nodes give, and the cycles in which sinks are ready.

    A word is named by its position in the arrays. A node offers its words in this order, each from
    its release on until it is taken.

    Parameters
    ----------
    source : array (words)
        The node that gives each word, numbered as in the network.
    release : array (words)
        The first cycle in which the inject stream may be valid with it.
    operation : array (words)
        The number of its operation; numbers without an operation are allowed, for wrong words.
    node : array (words)
        The number of the node that it names, as in ``program.numbers``; 0 where it names none.
    last : array (words)
        1 for the last word of a message; 0 where no word is marked.
    void : array (words)
        1 for a void word of those that are joined.
    data : tuple of int
        The bits of each word.
    ready : array of bool (period, nodes)
        When each node's sink takes a word, repeated for ever.
    away : array of bool (period, stand-ins), optional
        When void words are given for a member, in the order of ``program.stand_ins``, repeated for
        ever in the same period; without, never.
    """

    source: IntArray = field(repr=False)
    release: IntArray = field(repr=False)
    operation: IntArray = field(repr=False)
    node: IntArray = field(repr=False)
    last: IntArray = field(repr=False)
    void: IntArray = field(repr=False)
    data: tuple[int, ...] = field(repr=False)
    ready: BoolArray = field(repr=False)
    away: BoolArray | None = field(default=None, repr=False)

    @property
    def words(self) -> int:
        """Number of words."""
        return len(self.data)

    @property
    def whole(self) -> "CollectiveTraffic":
        """All words."""
        return self

    def draw(self) -> "Draw[CollectiveTraffic]":
        """The words, part by part, as the cycle model asks for them."""
        parts = iter([self])
        return lambda _: next(parts, None)

    def word(self, number: int) -> Word:
        """A word, as its node gives it."""
        return Word(
            data=self.data[number],
            operation=int(self.operation[number]),
            last=int(self.last[number]),
            node=int(self.node[number]),
            void=int(self.void[number]),
        )

    def check(self, program: OrderedProgram, width: int | None) -> None:
        """Refuse words that do not fit their fields, and sinks that do not fit the network."""
        if width is not None and not 1 <= width <= MOST_WIDTH:
            raise InputError(f"width: {width} is out of range; 1 to {MOST_WIDTH} are allowed")
        nodes = program.network.nodes
        check_ready(self.ready, nodes)
        _check_away(self.away, self.ready, program)
        if any(getattr(self, name).shape != (self.words,) for name in _COLUMNS):
            raise InputError("traffic: all columns must be as long as each other")
        injecting = [node for node in range(nodes) if program.plan_of(node).injects]
        wrong = self.source[~np.isin(self.source, injecting)].tolist()
        if wrong:
            raise InputError(f"traffic: node {wrong[0]} has no inject stream")
        bits = program.words(width or MOST_WIDTH).inject
        for name in ("operation", "node", "last", "void", *(["data"] if width is not None else [])):
            column = getattr(self, name)
            values = column if name == "data" else column.tolist()
            if any(value < 0 or value >> bits.get(name, 0) for value in values):
                raise InputError(f"traffic: {name} does not fit {bits.get(name, 0)} bits")


@dataclass(frozen=True, eq=False)
class LongCollective:
    """Traffic of any length, whose words are made when they are asked for."""

    #: The nodes that give words.
    nodes: Sequence[int] = field(repr=False)
    #: From a node to all words that it gives, part by part.
    parts: Callable[[int], Iterator[CollectiveTraffic]] = field(repr=False)
    #: Arrays of bool (period, nodes) and (period, stand-ins). As :class:`CollectiveTraffic` has
    #: them.
    ready: BoolArray = field(repr=False)
    away: BoolArray | None = field(default=None, repr=False)

    @cached_property
    def whole(self) -> CollectiveTraffic:
        """All words at once."""
        parts = [part for node in self.nodes for part in self.parts(node)]
        columns = {name: np.concatenate([getattr(p, name) for p in parts]) for name in _COLUMNS}
        data = tuple(word for part in parts for word in part.data)
        return CollectiveTraffic(**columns, data=data, ready=self.ready, away=self.away)

    def draw(self) -> Draw[CollectiveTraffic]:
        """The words, part by part, as the cycle model asks for them."""
        parts = {node: self.parts(node) for node in self.nodes}
        return lambda node: next(parts[node], None) if node in parts else None

    def check(self, program: OrderedProgram, _: int | None) -> None:
        """Refuse sinks that do not fit the network; words are made to fit."""
        check_ready(self.ready, program.network.nodes)
        _check_away(self.away, self.ready, program)


def _check_away(away: BoolArray | None, ready: BoolArray, program: OrderedProgram) -> None:
    """Refuse a pattern of who is away that does not fit the network."""
    shape = len(ready), len(program.stand_ins)
    if away is not None and (away.dtype != np.bool_ or away.shape != shape):
        raise InputError(f"traffic: away must be an array of bool of the shape {shape}")


#: With all words, or with words that are made when they are asked for.
AnyCollective = CollectiveTraffic | LongCollective


@dataclass(frozen=True)
class Given:
    """A word that is given at some node.

    Parameters
    ----------
    release : int
        The first cycle in which it may be offered.
    operation, node, last, data, void : int
        Its fields.
    """

    release: int
    operation: int
    node: int = 0
    last: int = 0
    data: int = 0
    void: int = 0


def as_traffic(
    program: OrderedProgram,
    given: Sequence[Iterable[Given]],
    ready: BoolArray | None = None,
    away: BoolArray | None = None,
) -> CollectiveTraffic:
    """The words that each node gives; without other sinks, they are always ready."""
    if ready is None and away is not None:
        ready = np.ones((len(away), program.network.nodes), dtype=np.bool_)
    words = [(node, word) for node, words in enumerate(given) for word in words]
    columns = {
        name: np.array([getattr(word, name) for _, word in words], dtype=np.int64)
        for name in _COLUMNS[1:]
    }
    return CollectiveTraffic(
        source=np.array([node for node, _ in words], dtype=np.int64),
        **columns,
        data=tuple(word.data for _, word in words),
        ready=always(program.network.nodes) if ready is None else ready,
        away=away,
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
    draw = _Draw(seed)
    for node in nodes:
        for number in range(words):
            last = int(operations.marks_last and number == words - 1)
            given[node].append(Given(cycle, operation, named, last, draw.data(width)))
    return as_traffic(program, given)


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
        Each node begins from 0 to ``skew`` cycles late.
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


def mixed_operations(
    program: OrderedProgram,
    width: int,
    mixture: Mixture,
    *,
    ready: BoolArray | None = None,
    away: BoolArray | None = None,
    seed: int = 0,
) -> LongCollective:
    """Words of all operations from all nodes.

    What is joined is in one order, of all groups together, which all nodes follow; what is sent
    comes anywhere between. Words that need not name a node name any. More than ``SEGMENT`` messages
    are as many mixtures one after the other as that takes.
    """
    nodes = range(program.network.nodes)

    def segments() -> Iterator[_Mixer]:
        for number, begin in enumerate(range(0, mixture.messages, SEGMENT)):
            some = replace(mixture, messages=min(SEGMENT, mixture.messages - begin))
            key = mixing.key(seed, 2, number) if number else seed
            yield _Mixer(program, width, some, key)

    def parts(node: int) -> Iterator[CollectiveTraffic]:
        cycle = 0
        for mixer in segments():
            words, cycle = mixer.give(node, cycle)
            yield as_traffic(program, [words if each == node else [] for each in nodes])

    injecting = [node for node in nodes if program.plan_of(node).injects]
    return LongCollective(injecting, parts, always(len(nodes)) if ready is None else ready, away)


class _Draw:
    """One number after the other."""

    def __init__(self, *parts: int) -> None:
        self._parts, self._count = parts, 0

    def below(self, end: int) -> int:
        self._count += 1
        return mixing.key(*self._parts, self._count) % end

    def shuffle(self, items: list[Given]) -> None:
        for index in reversed(range(1, len(items))):
            other = self.below(index + 1)
            items[index], items[other] = items[other], items[index]

    def data(self, width: int) -> int:
        """Any number, and often one at which operators turn over."""
        edges = [0, 1, (1 << width) - 1, 1 << (width - 1), (1 << (width - 1)) - 1]
        drawn = self.below(2 * len(edges))
        if drawn < len(edges):
            return edges[drawn] & ((1 << width) - 1)
        return mixing.bits(width, self.below(1 << 63))


class _Mixer:
    """One mixture: its joined messages are the same for all nodes, the rest is a node's own."""

    def __init__(self, program: OrderedProgram, width: int, mixture: Mixture, seed: int) -> None:
        self._program, self._width, self._mixture, self._seed = program, width, mixture, seed
        self._listed = program.operations.listed
        fields = program.words(width).inject
        self._numbers = 1 << fields.get("operation", 0)
        self._names = 1 << fields.get("node", 0)
        self._marked, self._voids = "last" in fields, "void" in fields

    def give(self, node: int, cycle: int) -> tuple[list[Given], int]:
        """What one node gives from a cycle on, and from when on it gives more."""
        joined = [n for n, operation in enumerate(self._listed) if operation.joined]
        draw = _Draw(self._seed, 1, node)
        words = self._messages(joined, _Draw(self._seed, 0))
        words = [word for word in words if self._gives(node, word.operation)]
        if self._mixture.shuffled:
            draw.shuffle(words)
        if self._program.plan_of(node).sends:
            sent = self._messages(self._program.operations.sent, draw)
            words = _interleaved(words, sent, draw)
        return self._in_time(self._with_wrong(node, words, draw), cycle, draw)

    def _messages(self, operations: Sequence[int], draw: _Draw) -> list[Given]:
        """The words of some messages, at no time and without data."""
        result: list[Given] = []
        for _ in range(self._mixture.messages if operations else 0):
            number = operations[draw.below(len(operations))]
            named = draw.below(self._program.network.nodes) if self._names > 1 else 0
            length = 1 + draw.below(self._mixture.longest)
            result += [
                Given(0, number, named, int(self._marked and left == 0))
                for left in reversed(range(length))
            ]
        return result

    def _gives(self, node: int, number: int) -> bool:
        """Whether a node may give words of an operation."""
        if number >= len(self._listed):
            return False
        if not self._listed[number].joined:
            return self._program.plan_of(node).sends
        operations = self._program.operations
        return node in operations.members(operations.group_of(number))

    def _with_wrong(self, node: int, words: list[Given], draw: _Draw) -> list[Given]:
        """Some words that are dropped, before some of the others."""
        nodes = self._program.network.nodes
        of_nobody = [n for n in range(self._numbers) if not self._gives(node, n)]
        naming = [n for n, operation in enumerate(self._listed) if operation.to_node]
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
            named, number = word.node, word.operation
            if number >= len(self._listed) or not self._listed[number].to_node:
                named = draw.below(self._names)
            word = replace(word, release=cycle, node=named, data=draw.data(self._width))
            if self._voids and number < len(self._listed) and self._listed[number].joined:
                word = replace(word, void=int(draw.below(100) < _VOID))
            result.append(word)
            cycle += draw.below(2 * self._mixture.gap + 1)
        return result, cycle


def _interleaved(one: list[Given], other: list[Given], draw: _Draw) -> list[Given]:
    """Two sequences as one; each keeps its order."""
    one, other, result = one[::-1], other[::-1], []
    while one or other:
        first = draw.below(len(one) + len(other)) < len(one)
        result.append((one if first else other).pop())
    return result
