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

__all__ = ["CollectiveEvents", "build_events", "list_events"]


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


def build_events(
    program: OrderedProgram, width: int, traffic: CollectiveTraffic, table: IntArray
) -> CollectiveEvents:
    """The same from cycles, streams, and the bits that words have on a link."""
    streams = collective_streams(program)
    words, operations = word_format(program, width), operations_of(program)
    bits, given = table[:, 2].copy(), _Given(traffic, words.inject)
    order = np.argsort(table[:, 1], kind="stable")
    ends = np.searchsorted(table[order, 1], np.arange(len(streams) + 1))
    for number, stream in enumerate(streams):
        mine = order[ends[number] : ends[number + 1]]
        if stream.kind == "inject":
            bits[mine] = given.first(stream.node, mine.size)
        elif stream.kind == "join":
            choice = np.zeros(1 << operations.bits, dtype=np.int64)
            numbers = list(operations.joined_in(stream.group))
            choice[numbers] = np.arange(len(numbers))
            bits[mine] = _moved(bits[mine], words.inside, fields_of(stream, words), choice)
        elif stream.kind == "eject":
            bits[mine] = _moved(bits[mine], words.inside, words.eject)
    return CollectiveEvents(table[:, 0], table[:, 1], bits)


class _Given:
    """The bits of words as nodes give them."""

    def __init__(self, traffic: CollectiveTraffic, fields: Fields) -> None:
        self._bits = np.zeros(traffic.words, dtype=np.int64)
        for name in fields:
            column = np.array(getattr(traffic, name), dtype=np.int64)
            self._bits |= column << place_of(name, fields)[0]
        self._order = np.argsort(traffic.source, kind="stable")
        self._source = traffic.source[self._order]

    def first(self, node: int, count: int) -> IntArray:
        """The first words that a node gives, which may give all of them again."""
        begin, end = np.searchsorted(self._source, [node, node + 1])
        return np.resize(self._bits[self._order[begin:end]], count)


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
