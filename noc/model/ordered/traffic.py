"""Words with operations that nodes give, and the cycles in which sinks are ready."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from noc.errors import InputError
from noc.model.feed import Draw
from noc.model.ordered.words import Word
from noc.model.traffic import WIDEST, BoolArray, check_ready
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram

__all__ = ["AnyCollective", "CollectiveTraffic", "LongCollective", "join_traffic"]


@dataclass(frozen=True, eq=False)
class CollectiveTraffic:
    """The words that nodes give, and the cycles in which sinks are ready.

    A word is named by its place in the arrays. A node offers its words in this order, each from
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
    data : tuple of int
        The bits of each word.
    ready : array of bool (period, nodes)
        When each node's sink takes a word, repeated for ever.
    """

    source: IntArray = field(repr=False)
    release: IntArray = field(repr=False)
    operation: IntArray = field(repr=False)
    node: IntArray = field(repr=False)
    last: IntArray = field(repr=False)
    data: tuple[int, ...] = field(repr=False)
    ready: BoolArray = field(repr=False)

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
        )

    def check(self, program: OrderedProgram, width: int | None) -> None:
        """Refuse words that do not fit their fields, and sinks that do not fit the network."""
        if width is not None and not 1 <= width <= WIDEST:
            raise InputError(f"width: {width} is out of range; 1 to {WIDEST} are allowed")
        nodes = program.network.nodes
        check_ready(self.ready, nodes)
        columns = (self.source, self.release, self.operation, self.node, self.last)
        if any(column.shape != (self.words,) for column in columns):
            raise InputError("traffic: all columns must be as long as each other")
        injecting = [node for node in range(nodes) if program.plan_of(node).injects]
        wrong = self.source[~np.isin(self.source, injecting)].tolist()
        if wrong:
            raise InputError(f"traffic: node {wrong[0]} has no inject stream")
        bits = program.words(width or WIDEST).inject
        for name in ("operation", "node", "last", *(["data"] if width is not None else [])):
            column = getattr(self, name)
            values = column if name == "data" else column.tolist()
            if any(value < 0 or value >> bits.get(name, 0) for value in values):
                raise InputError(f"traffic: {name} does not fit {bits.get(name, 0)} bits")


def join_traffic(parts: Iterable[CollectiveTraffic], ready: BoolArray) -> CollectiveTraffic:
    """All words of some parts, and sinks."""
    each = list(parts)
    columns = {
        name: np.concatenate([getattr(part, name) for part in each])
        for name in ("source", "release", "operation", "node", "last")
    }
    return CollectiveTraffic(
        **columns, data=tuple(word for part in each for word in part.data), ready=ready
    )


@dataclass(frozen=True, eq=False)
class LongCollective:
    """Traffic of any length, whose words are made when they are wanted.

    Parameters
    ----------
    nodes : sequence of int
        The nodes that give words.
    parts : callable
        From a node to all words that it gives, part by part.
    ready : array of bool (period, nodes)
        As :class:`CollectiveTraffic` has it.
    """

    nodes: Sequence[int] = field(repr=False)
    parts: Callable[[int], Iterator[CollectiveTraffic]] = field(repr=False)
    ready: BoolArray = field(repr=False)

    @cached_property
    def whole(self) -> CollectiveTraffic:
        """All words at once."""
        return join_traffic((p for node in self.nodes for p in self.parts(node)), self.ready)

    def draw(self) -> Draw[CollectiveTraffic]:
        """The words, part by part, as the cycle model asks for them."""
        parts = {node: self.parts(node) for node in self.nodes}
        return lambda node: next(parts[node], None) if node in parts else None

    def check(self, program: OrderedProgram, _: int | None) -> None:
        """Refuse sinks that do not fit the network; words are made to fit."""
        check_ready(self.ready, program.network.nodes)


#: With all words, or with words that are made when they are wanted.
AnyCollective = CollectiveTraffic | LongCollective
