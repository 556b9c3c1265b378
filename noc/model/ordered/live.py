"""The ordered fabric cycle by cycle, for words that are offered while it runs.

Sinks are always ready.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from noc.model.operators import combine
from noc.model.ordered.data import FIRST_RESULT
from noc.model.ordered.run import OrderedModel
from noc.model.ordered.streams import ordered_streams
from noc.model.ordered.traffic import Given, as_traffic
from noc.model.runs import LIMIT, Feed, Offered
from noc.model.traffic import BoolArray
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram

# When words come that never do, and when a run is given up, so that time goes on.
_NEVER = 1 << 62

#: So many cycles after each other words are forgotten that no node holds any more.
_FORGETS = 256

_UNWATCHED = np.zeros((0, 0), dtype=np.int32)


class LiveOrdered(OrderedModel):
    """The model of whole runs, a cycle at a time; nobody gives void words."""

    def __init__(self, program: OrderedProgram, width: int) -> None:
        nodes, operations = program.network.nodes, program.operations
        super().__init__(program, as_traffic(program, [[]] * nodes), None, width=width)
        self._width, words = width, program.words(width)
        self._given, self._fields = words.inject, words.eject
        #: By operation what joins data.
        self._operators = [operation.operator for operation in operations.listed]
        self._events = np.zeros((3, self._most), dtype=np.int64)
        #: By stream its node, first of those of nodes' own words, then of those to sinks.
        self._node = [stream.node for stream in ordered_streams(program)]
        self._sources, self._ejects = self.fixed.sources, self.fixed.sources + nodes
        ready = np.arange(nodes + len(program.stand_ins)) < nodes
        self.feed = self._offers = _Offers(self._node[: self._sources], ready.reshape(1, -1))
        #: Nodes whose word is offered and not yet taken.
        self._waiting: set[int] = set()
        #: By the numbers of words what data they have.
        self._data: dict[int, int] = {}

    def move(
        self, offers: Mapping[int, Mapping[str, int]]
    ) -> tuple[list[int], list[tuple[int, dict[str, int]]]]:
        """One cycle, with the word that nodes offer until it is taken.

        Whose was taken, and what came to which nodes.
        """
        cycle = int(self.counts.cycle)
        self._offers.begin(cycle)
        # Some nodes have no inject stream.
        fresh = sorted(offers.keys() & self._offers.places.keys() - self._waiting)
        if fresh:
            self._offer({node: offers[node] for node in fresh})
        self.counts.room = self._most
        end = self.advance(self._events, _UNWATCHED)
        assert end == LIMIT
        self._join()
        rows = self._events[1:, : self._most - self.counts.room].T.tolist()
        taken = [self._node[stream] for stream, _ in rows if stream < self._sources]
        self._waiting.difference_update(taken)
        sinks = range(self._sources, self._ejects)
        came = [(self._node[stream], self._read(word)) for stream, word in rows if stream in sinks]
        if cycle % _FORGETS == 0:
            self._forget()
        return taken, came

    def _offer(self, words: Mapping[int, Mapping[str, int]]) -> None:
        """Nodes begin to offer words, of which fields that the network has not are left out."""
        self._waiting.update(words)
        given: list[list[Given]] = [[] for _ in self._node[self._sources : self._ejects]]
        for node, word in words.items():
            known = {name: word[name] for name in self._given if name in word}
            given[node].append(Given(0, **{"operation": 0} | known))
        part, numbers = as_traffic(self._program, given), self._offers.words + np.arange(len(words))
        self._data.update(zip(numbers.tolist(), part.data, strict=True))
        self._offers.add([*words], *self._columns(part, numbers))

    def _join(self) -> None:
        """Find the data of the results of this cycle, of words that were there before."""
        number = FIRST_RESULT - int(self._registers.results[1])
        for place, (first, second) in enumerate(self.joins.tolist()):
            left, right = (self._data[word >> self._header.bits] for word in (first, second))
            operator = self._operators[self._header.read("operation", first)]
            data = combine(operator, left, right, self._width) if operator else 0
            self._data[number - place] = data

    def _read(self, word: int) -> dict[str, int]:
        """The fields of a word that comes."""
        fields = {name: self._header.read(name, word) for name in self._fields if name != "data"}
        operation = self._program.operations.listed[self._header.read("operation", word)]
        if "source" in fields:
            fields["source"] = 0 if operation.joined else self._program.numbers[fields["source"]]
        empty = operation.joined and not operation.operator
        return {"data": 0 if empty else self._data[word >> self._header.bits], **fields}

    def _forget(self) -> None:
        """The data of words that no node holds any more."""
        given, results = self.oldest()
        held = (n for n in self._data if n >= given or n <= FIRST_RESULT - results)
        self._data = {number: self._data[number] for number in held}


class _Offers(Feed[Any]):
    """Drawn from nowhere: a word of each source, and one that never comes."""

    def __init__(self, nodes: list[int], ready: BoolArray) -> None:
        self.places = {node: place for place, node in enumerate(nodes)}
        self.words = 0
        word, way, release = np.zeros((3, 2 * len(nodes)), dtype=np.int64)
        release[1::2] = _NEVER
        self._after = 2 * np.arange(len(nodes)) + 1
        more, drawn = np.zeros((2, len(nodes)), dtype=np.int64)
        progress = self._after.copy(), self._after + 1, more, drawn
        self._begun = Offered(word, way, release, *progress, ready, patience=_NEVER, stop=0)

    def begin(self, cycle: int) -> None:
        """Nobody begins to offer a word in a cycle, which is the last for now."""
        self._begun.next[:] = self._after
        self._begun = self._begun._replace(stop=cycle + 1)

    def add(self, nodes: list[int], word: IntArray, way: IntArray) -> None:
        """Or some nodes do."""
        places = np.array([self.places[node] for node in nodes])
        self._begun.next[places] -= 1
        self._begun.word[2 * places], self._begun.way[2 * places] = word, way
        self.words += len(nodes)

    def go_on(self, advance: Callable[[Offered], int]) -> int:
        """Why compiled code ended."""
        return advance(self._begun)

    @property
    def left(self) -> IntArray:
        """None: what nodes begin to offer is in their buffers in the same cycle."""
        return np.zeros(0, dtype=np.int64)
