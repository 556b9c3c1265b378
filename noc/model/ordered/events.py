"""Every transfer of a run of the ordered fabric, by the numbers of words, and their fields."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from noc.model.operators import Rows, whole_numbers
from noc.model.ordered.data import Data, Header, header_of
from noc.model.ordered.streams import ALARMS, OrderedStream, fields_of, ordered_streams, pack
from noc.model.runs import NONE
from noc.networks import IntArray
from noc.programs.operations import Operations
from noc.programs.ordered import OrderedProgram
from noc.programs.word_format import WordFormat

#: The fields of a word above its data.
HEADER = ("source", "operation", "choice", "last", "node", "void", "parity")

#: Numbers behind those of streams, of which events have that of the root.
_BEHIND = 3


@dataclass(frozen=True, eq=False)
class OrderedEvents:
    """Every transfer and alarm of some cycles, sorted by cycle, then stream."""

    #: What ran.
    program: OrderedProgram = field(repr=False)
    #: Array (events, 3). Cycle, stream, and the word with its header, or the bits of an alarm. The
    #: number behind all streams stands for words that pass the root.
    table: IntArray = field(repr=False)
    #: Array (results, 2). Both words of each result that joins made.
    joins: IntArray = field(repr=False)

    def __len__(self) -> int:
        return int(self.table.shape[0])

    @cached_property
    def streams(self) -> tuple[OrderedStream, ...]:
        """The streams and alarms by number."""
        return ordered_streams(self.program)

    @cached_property
    def header(self) -> Header:
        """Where fields are in the words of the table."""
        return header_of(self.program)

    @property
    def cycle(self) -> IntArray:
        """The cycle of each event; cycle 0 is the first after reset."""
        return self.table[:, 0]

    @property
    def stream(self) -> IntArray:
        """The number of its stream."""
        return self.table[:, 1]

    @cached_property
    def kinds(self) -> npt.NDArray[np.str_]:
        """The kind of each stream; ``root`` of what stands for the root."""
        return np.array([stream.kind for stream in self.streams] + ["root"] * _BEHIND)

    @cached_property
    def word(self) -> IntArray:
        """The word, by its position in the traffic; less than -1 for the result of a join."""
        numbers, alarms = self.header.numbers(self.table[:, 2]), np.isin(self.kinds, ALARMS)
        return np.where(alarms[self.stream], NONE, numbers) if alarms.any() else numbers

    def of_kind(self, *kinds: str) -> "OrderedEvents":
        """Those at streams of some kinds; ``root`` is where words pass the root."""
        return self._only(np.isin(self.kinds, kinds)[self.stream])

    @cached_property
    def at_streams(self) -> "OrderedEvents":
        """Those at streams, and alarms: without words that pass the root."""
        return self._only(self.stream < len(self.streams))

    def _only(self, rows: npt.NDArray[np.bool_]) -> "OrderedEvents":
        return replace(self, table=self.table.T[:, rows].T)

    def tuples(self) -> list[tuple[int, int, int]]:
        """(cycle, stream, word) of every event."""
        columns = (self.cycle, self.stream, self.word)
        return list(zip(*(column.tolist() for column in columns), strict=True))


class Values:
    """The fields of the words of some events, whether or not their streams have them.

    Of an alarm they say nothing.
    """

    def __init__(self, events: OrderedEvents, data: Data) -> None:
        self._events, self._data = events, data
        self._program, self._operations = events.program, events.program.operations

    def _read(self, name: str) -> IntArray:
        return self._events.header.read(name, self._events.table[:, 2])

    @cached_property
    def _known(self) -> IntArray:
        """The operation; the last one instead of numbers that none has."""
        return np.minimum(self.operation, len(self._operations.listed) - 1)

    @cached_property
    def _joined(self) -> npt.NDArray[np.bool_]:
        """Which of the words are to be joined, or are results; not as they are given."""
        joined = np.array([operation.joined for operation in self._operations.listed])
        given = self._events.kinds == "inject"
        result: npt.NDArray[np.bool_] = joined[self._known] & ~given[self._events.stream]
        return result

    @cached_property
    def data(self) -> Rows:
        """The data; none of results of operations without any."""
        rows = self._data.rows(self._events.word)
        if (none := self._data.no_data).any():
            rows[self._joined & none[self._known]] = 0
        return rows

    @cached_property
    def source(self) -> IntArray:
        """The number of the node that sent it; 0 of results."""
        source, numbers = self._read("source"), np.array(self._program.numbers)
        if self._operations.routed:
            # What an alarm has instead need not be a node.
            source = numbers[source.clip(max=numbers.size - 1)]
        return np.where(self._joined, 0, source) if self._operations.joined_groups else source

    @cached_property
    def operation(self) -> IntArray:
        """The number of the operation."""
        return self._read("operation")

    @cached_property
    def choice(self) -> IntArray:
        """Its position among those that join the words of its group."""
        choice = np.zeros(len(self._operations.listed), dtype=np.int64)
        for group in self._operations.joined_groups:
            numbers = list(self._operations.joined_in(group))
            choice[numbers] = np.arange(len(numbers))
        return choice[self._known]

    @cached_property
    def last(self) -> IntArray:
        """Whether it is the last word of a message."""
        return self._read("last")

    @cached_property
    def node(self) -> IntArray:
        """The number of the node that it names; 0 of results that are for a group."""
        listed = range(len(self._operations.listed))
        named = np.array([_keeps_node(self._operations, number) for number in listed])
        return np.where(self._joined & ~named[self._known], 0, self._read("node"))

    @cached_property
    def void(self) -> IntArray:
        """Whether it is a void word of those that are joined."""
        return self._read("void")

    @cached_property
    def parity(self) -> IntArray:
        """What makes the number of ones in each part of a word between nodes an even one."""
        words = self._program.words(self._data.width)
        parity = np.zeros(len(self.data), dtype=np.int64)
        for number, part in enumerate(words.parity_parts):
            ones = np.zeros_like(parity)
            for name, bits in part.items():
                ones += self._count_ones(name, bits)
            parity |= (ones & 1) << number
        return parity

    def _count_ones(self, name: str, bits: range) -> IntArray:
        """How many of some bits of a field are 1."""
        if name == "data":
            first = bits.start // 8
            octets = self.data.astype("<u4").view(np.uint8)[:, first : -(-bits.stop // 8)]
            found = np.unpackbits(octets, axis=1, bitorder="little")
            of_part = found[:, bits.start - 8 * first : bits.stop - 8 * first]
            ones: IntArray = of_part.sum(axis=1, dtype=np.int64)
        else:
            field = getattr(self, name) >> bits.start & (1 << len(bits)) - 1
            ones = np.bitwise_count(field).astype(np.int64)
        return ones


def _keeps_node(operations: Operations, number: int) -> bool:
    """Whether a word of an operation says on its way for which node it is."""
    if not operations.listed[number].joined:
        return True
    group = operations.joined_in(operations.group_of(number))
    return any(operations.listed[other].to_node for other in group)


def bits_of(events: OrderedEvents, words: WordFormat, data: Data) -> list[tuple[int, int, int]]:
    """Cycle, stream and bits of every event, 0 of an alarm without any."""
    values = Values(events, data)
    fields = [fields_of(stream, words) for stream in events.streams] + [words.inside] * _BEHIND
    known = set().union(*fields)
    columns = {name: getattr(values, name).tolist() for name in HEADER if name in known}
    told = events.table[:, 2].tolist()
    columns |= {"data": whole_numbers(values.data), "late": told, "absent": told}
    result: dict[tuple[int, int], int] = {}
    rows = zip(events.cycle.tolist(), events.stream.tolist(), strict=True)
    for row, at in enumerate(rows):
        named = {name: columns[name][row] for name in fields[at[1]]}
        if "late" in named:
            # One of several joins.
            named["late"] = (named["late"] & 3) << (named["late"] >> 2) | result.get(at, 0)
        result[at] = pack(named, fields[at[1]])
    return [(*at, bits) for at, bits in result.items()]
