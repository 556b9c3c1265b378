"""What a run of the ordered fabric gave: when words were accepted, in which order, and where."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np

from noc.errors import CheckError
from noc.model.ordered.data import Data
from noc.model.ordered.events import OrderedEvents, Values, bits_of
from noc.model.ordered.streams import OrderedStream, fields_of, unpack
from noc.model.ordered.traffic import CollectiveTraffic
from noc.model.runs import NONE
from noc.model.traffic import Traffic
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram
from noc.programs.word_format import WordFormat

#: Why a run ended, see :class:`OrderedRun`.
OrderedEnd = Literal["drained", "starved", "limit"]


@dataclass(frozen=True)
class OrderedEvent:
    """A transfer, or an alarm.

    Parameters
    ----------
    cycle : int
        When; cycle 0 is the first after reset.
    stream : OrderedStream
        Where.
    fields : dict
        The fields of the word, none of an alarm.
    """

    cycle: int
    stream: OrderedStream
    fields: dict[str, int]


@dataclass(frozen=True, eq=False)
class OrderedRun:
    """What a run gave.

    Parameters
    ----------
    program : OrderedProgram
        What ran.
    traffic : Traffic or CollectiveTraffic
        With which words and sinks.
    width : int or None
        Bits of a word's data, if the run knows them.
    end : str
        Why it ended. ``drained``: every word was accepted, and no node holds one, but before a sink
        that was given up and is never ready again. ``starved``: no word moves again, because a sink
        that is asked is never ready, or because words that others wait for are not given.
        ``limit``: the cycles that were asked for are over.
    cycles : int
        Number of cycles simulated.
    injected, delivered, passed : int
        Transfers at inject and at eject streams, and words that passed the root.
    listed : OrderedEvents or None
        What happened in each cycle; None if that was not asked for.
    """

    program: OrderedProgram = field(repr=False)
    traffic: Traffic | CollectiveTraffic = field(repr=False)
    width: int | None
    end: OrderedEnd
    cycles: int
    injected: int
    delivered: int
    passed: int
    listed: OrderedEvents | None = field(repr=False)

    @property
    def _all(self) -> OrderedEvents:
        if self.listed is None:
            raise ValueError("the run was not asked for its events")
        return self.listed

    @cached_property
    def events(self) -> OrderedEvents:
        """Every transfer at a stream, and every alarm."""
        return self._all.at_streams

    @cached_property
    def root(self) -> OrderedEvents:
        """Every word that passed the root."""
        return self._all.of_kind("root")

    @property
    def drained(self) -> bool:
        """Whether every word has arrived everywhere."""
        return self.end == "drained"

    @cached_property
    def accepted(self) -> IntArray:
        """The cycle in which each word was accepted at its inject stream, or -1."""
        return self._cycles(self.events.of_kind("inject"))

    @cached_property
    def at_root(self) -> IntArray:
        """The cycle in which each word, unless it was joined, passed the root, or -1."""
        return self._cycles(self.root)

    def _cycles(self, events: OrderedEvents) -> IntArray:
        """By word the cycle of its event, or NONE."""
        result, known = np.full(self.traffic.words, NONE, dtype=np.int64), events.word >= 0
        result[events.word[known]] = events.cycle[known]
        return result

    @cached_property
    def arrival(self) -> IntArray:
        """The cycle in which each node's sink took each word (words, nodes), or -1."""
        events, nodes = self.events.of_kind("eject"), self.program.network.nodes
        words, node = events.word, np.array([each.node for each in events.streams])[events.stream]
        cells = (words * nodes + node)[words >= 0]
        if np.unique(cells).size != cells.size:
            raise CheckError(f"{self.program.network.spec}: a sink took a word twice")
        result = np.full((self.traffic.words, nodes), NONE, dtype=np.int64)
        result.flat[cells] = events.cycle[words >= 0]
        return result

    @cached_property
    def order(self) -> IntArray:
        """The words that have passed the root, in their order."""
        return self.root.word

    @cached_property
    def offered(self) -> IntArray:
        """The first cycle in which each word was offered, or -1.

        That is when it is released, and the word of its source before it has been accepted.
        """
        offered = np.full(self.traffic.words, NONE, dtype=np.int64)
        for source in np.unique(self.traffic.source).tolist():
            words = np.flatnonzero(self.traffic.source == source)
            # What was not accepted holds up all that follows.
            before = np.concatenate([[-1], self.accepted[words][:-1]])
            first = np.maximum(self.traffic.release[words], before + 1)
            comes = (first < self.cycles) & ((before != NONE) | (np.arange(words.size) == 0))
            offered[words[comes]] = first[comes]
        return offered

    @cached_property
    def longest_wait(self) -> IntArray:
        """For each node the most words that passed the root while one of its own waited for that.

        Counted from the cycle in which the word is first offered to that of its passing, or to the
        end of the run, the word itself among them; 0 for nodes that offered none.
        """
        passes = np.sort(self.at_root[self.at_root != NONE])
        words = np.flatnonzero(self.offered != NONE)
        until = np.where(self.at_root[words] == NONE, self.cycles, self.at_root[words])
        waited = np.searchsorted(passes, until, side="right")
        waited -= np.searchsorted(passes, self.offered[words], side="left")
        longest = np.zeros(self.program.network.nodes, dtype=np.int64)
        np.maximum.at(longest, self.traffic.source[words], waited)
        return longest

    @cached_property
    def format(self) -> WordFormat:
        """The fields of words."""
        if self.width is None:
            raise ValueError("the run was not asked for the data of words: give width")
        return self.program.words(self.width)

    @cached_property
    def values(self) -> Values:
        """The fields of the word of every event at a stream."""
        return Values(self.events, self._data)

    @cached_property
    def bits(self) -> list[tuple[int, int, int]]:
        """Cycle, stream and bits of every event at a stream."""
        return bits_of(self.events, self.format, self._data)

    @cached_property
    def passing(self) -> list[tuple[int, int]]:
        """The cycle in which each word passed the root, and its bits there, as on a link."""
        words = bits_of(self.root, self.format, self._data)
        return [(cycle, bits) for cycle, _, bits in words]

    @cached_property
    def _data(self) -> Data:
        seed = self.traffic.seed if isinstance(self.traffic, Traffic) else None
        data = Data(self.program, self.format.width, seed)
        given = [self.traffic] if isinstance(self.traffic, CollectiveTraffic) else []
        data.learn(given, self.events.joins)
        return data

    def named(self) -> list[OrderedEvent]:
        """All events, with their fields by name."""
        streams = self.events.streams
        fields = [fields_of(stream, self.format) for stream in streams]
        return [
            OrderedEvent(cycle, streams[stream], unpack(bits, fields[stream]))
            for cycle, stream, bits in self.bits
        ]

    def at(self, kind: str, node: int, group: int = 0) -> list[tuple[int, dict[str, int]]]:
        """The cycle of each event at one stream or alarm, and the fields of its word."""
        at = (kind, node, group)
        return [
            (event.cycle, event.fields)
            for event in self.named()
            if (event.stream.kind, event.stream.node, event.stream.group) == at
        ]
