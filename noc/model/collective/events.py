"""The events of a run, with the bits that words have on each stream."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from noc.model.collective.state import place_of
from noc.model.collective.streams import (
    collective_streams,
    fields_of,
    operations_of,
    word_format,
)
from noc.model.collective.traffic import CollectiveTraffic
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram
from noc.programs.word_format import Fields

__all__ = ["CollectiveEvents", "EventBuilder", "list_events"]


@dataclass(frozen=True, eq=False)
class CollectiveEvents:
    """Every transfer and alarm of a run, sorted by cycle, then stream.

    Parameters
    ----------
    cycle, stream : array (events)
        When, and the number of the stream or alarm.
    bits : array (events)
        The bits of the word, 0 for an alarm without any; Python's whole numbers where numpy's might
        be too small.
    """

    cycle: IntArray = field(repr=False)
    stream: IntArray = field(repr=False)
    bits: npt.NDArray[Any] = field(repr=False)

    def __len__(self) -> int:
        return self.cycle.size

    def __iter__(self) -> Iterator[tuple[int, int, int]]:
        """Cycle, stream and bits of every event."""
        yield from zip(self.cycle.tolist(), self.stream.tolist(), self.bits.tolist(), strict=True)


def list_events(events: Sequence[tuple[int, int, int]]) -> CollectiveEvents:
    """The same from a list, whose words may have any number of bits."""
    cycle, stream = (np.array([event[at] for event in events], dtype=np.int64) for at in range(2))
    return CollectiveEvents(cycle, stream, np.array([bits for _, _, bits in events], dtype=object))


class EventBuilder:
    """The same from tables of cycles, streams, and the bits that words have on a link.

    Parameters
    ----------
    program : OrderedProgram
        What runs.
    width : int
        Bits of a word's data.
    """

    def __init__(self, program: OrderedProgram, width: int) -> None:
        self._streams, self._operations = collective_streams(program), operations_of(program)
        self._words = word_format(program, width)
        #: For each node the bits of words as it gives them, of which no table has told yet.
        self._given: dict[int, IntArray] = {}

    def build(
        self, parts: Sequence[CollectiveTraffic], table: IntArray, *, rounds: int = 1
    ) -> CollectiveEvents:
        """The events of a table, before which nodes have got more words, each some times."""
        for part in parts:
            self._add(part, rounds)
        bits, words = table[:, 2].copy(), self._words
        order = np.argsort(table[:, 1], kind="stable")
        ends = np.searchsorted(table[order, 1], np.arange(len(self._streams) + 1))
        for number, stream in enumerate(self._streams):
            mine = order[ends[number] : ends[number + 1]]
            if stream.kind == "inject" and mine.size:
                given = self._given[stream.node]
                bits[mine], self._given[stream.node] = given[: mine.size], given[mine.size :]
            elif stream.kind == "join":
                choice = np.zeros(1 << self._operations.bits, dtype=np.int64)
                numbers = list(self._operations.joined_in(stream.group))
                choice[numbers] = np.arange(len(numbers))
                bits[mine] = _moved(bits[mine], words.inside, fields_of(stream, words), choice)
            elif stream.kind == "eject":
                bits[mine] = _moved(bits[mine], words.inside, words.eject)
        return CollectiveEvents(table[:, 0], table[:, 1], bits)

    def _add(self, part: CollectiveTraffic, rounds: int) -> None:
        fields, order = self._words.inject, np.argsort(part.source, kind="stable")
        bits = np.zeros(part.words, dtype=np.int64)
        for name in fields:
            column = np.array(getattr(part, name), dtype=np.int64)
            bits |= column << place_of(name, fields)[0]
        nodes, begins = np.unique(part.source[order], return_index=True)
        for node, given in zip(nodes.tolist(), np.split(bits[order], begins[1:]), strict=True):
            before = self._given.get(node, bits[:0])
            self._given[node] = np.concatenate([before, *[given] * rounds])


def _moved(
    words: IntArray, inside: Fields, fields: Fields, choice: IntArray | None = None
) -> IntArray:
    """Words with other fields, and with these at other places."""
    result = np.zeros_like(words)
    for name in fields:
        place, ones = place_of("operation" if name == "choice" else name, inside)
        value = (words >> place) & ones
        if name == "choice" and choice is not None:
            value = choice[value]
        result |= value << place_of(name, fields)[0]
    return result
