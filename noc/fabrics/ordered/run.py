"""The cycle model of a design, and what its transfers are on the wires."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from noc.design import OrderedDesign
from noc.harness import count_payload_words
from noc.model.faults import Faults
from noc.model.ordered import OrderedStream, ordered_streams, simulate_ordered, stream_ordered
from noc.model.ordered.data import Data
from noc.model.ordered.events import HEADER, OrderedEvents, Values
from noc.model.ordered.run import AnyTraffic
from noc.model.ordered.traffic import CollectiveTraffic
from noc.model.runs import Chunk
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram
from noc.verify.records import LOG_HEADER, WordArray, in_order, put_bits
from noc.verify.streams import ALARM, DOWN, EJECT, JOIN, UP, Interface


def stream(
    design: OrderedDesign, traffic: AnyTraffic, cycles: int | None, faults: Faults
) -> Iterator[Chunk]:
    """Run the model, some cycles after the other."""
    return stream_ordered(design.program, traffic, width=design.width, cycles=cycles, faults=faults)


def count_cycles(design: OrderedDesign, traffic: AnyTraffic) -> int:
    """The cycles until every word has arrived."""
    return simulate_ordered(design.program, traffic, events=False).cycles


def records(design: OrderedDesign, interface: Interface, traffic: AnyTraffic) -> "OrderedRecords":
    """What makes records of the events of a run."""
    return OrderedRecords(interface, design.program, getattr(traffic, "seed", None))


_PORTS = {"eject": EJECT, "up": UP, "down": DOWN, **ALARM}


class OrderedRecords:
    """From events to what a right network logs, sorted, and the word of the traffic of each.

    A record is the cycle, the number of the stream, and the payload. Events on links that the
    manifest does not list are left out; the alarms of a node in a cycle are one record. A seed
    names the data of words; without, they come with the words.
    """

    def __init__(self, interface: Interface, program: OrderedProgram, seed: int | None) -> None:
        self._data, self._seeded = Data(program, interface.width, seed), seed is not None
        self._columns = LOG_HEADER + count_payload_words(interface)
        streams = ordered_streams(program)
        numbers = {(stream.node, stream.port): at for at, stream in enumerate(interface.streams)}
        inject = {stream.node: stream.port for stream in interface.inject}
        self._number = np.array([_find(stream, numbers, inject) for stream in streams])
        #: By stream how many cycles later words are seen, and records that are of a later chunk.
        self._delay = np.array([interface.streams[n].delay if n >= 0 else 0 for n in self._number])
        self._later: tuple[WordArray, IntArray] | None = None
        fields = [
            {field.name: field.first for field in interface.streams[number].fields}
            if number >= 0
            else {}
            for number in self._number.tolist()
        ]
        #: By stream of the model where each field begins on the one that is compared, or -1.
        self._first = {name: _column(fields, [name] * len(streams)) for name in ("data", *HEADER)}
        #: Which of them are alarms, and the first of their bits.
        self._late = np.array([stream.kind == "late" for stream in streams])
        self._absent = np.array([stream.kind == "absent" for stream in streams])
        self._tells = np.array([stream.kind in ALARM for stream in streams])
        groups = [name for name, _ in program.operations.groups]
        bits = [groups[each.group] if each.kind == "mismatch" else each.kind for each in streams]
        self._alarm = _column(fields, bits) + [_shift(program, stream) for stream in streams]

    def __call__(self, chunk: Chunk) -> tuple[WordArray, IntArray]:
        """The records of a chunk."""
        events: OrderedEvents = chunk.events
        given = [part for _, part in chunk.parts if isinstance(part, CollectiveTraffic)]
        self._data.learn(given, events.joins)
        result = self._records(events)
        self._data.forget(*chunk.oldest)
        return self._until(chunk.cycles, *result) if self._delay.any() else result

    def _until(
        self, cycles: int, records: WordArray, words: IntArray
    ) -> tuple[WordArray, IntArray]:
        """Those of a chunk and what was kept before; those seen after its last cycle are kept."""
        if self._later is not None:
            before, of_before = self._later
            records, words = np.concatenate([before, records]), np.concatenate([of_before, words])
            records, words = in_order(records, words)
        later = records[:, 0] >= cycles
        self._later = records[later], words[later]
        return records[~later], words[~later]

    def _records(self, events: OrderedEvents) -> tuple[WordArray, IntArray]:
        if (self._number < 0).any():
            events = replace(events, table=events.table[self._number[events.stream] >= 0])
        stream, values = events.stream, Values(events, self._data)
        records = np.zeros((stream.size, self._columns), dtype=np.uint32)
        records[:, 0] = events.cycle + self._delay[stream]
        records[:, 1] = self._number[stream]
        records[:, LOG_HEADER : LOG_HEADER + values.data.shape[1]] = values.data
        if (self._first["data"] < 0).any():
            records[self._first["data"][stream] < 0, LOG_HEADER:] = 0
        for name in HEADER:
            first = self._first[name]
            for bit in np.unique(first[first >= 0]).tolist():
                rows = np.flatnonzero((first == bit)[stream])
                put_bits(records, rows, bit, getattr(values, name)[rows])
        words = events.word if self._seeded else np.full(stream.size, -1)
        if not self._tells.any():
            return in_order(records, words)
        self._put_alarms(records, events)
        return _merged(*in_order(records, words))

    def _put_alarms(self, records: WordArray, events: OrderedEvents) -> None:
        rows = np.flatnonzero(self._tells[events.stream])
        stream, told = events.stream[rows], events.table[rows, 2]
        late = self._late[stream]
        first = self._alarm[stream] + np.where(late, told >> 2, 0)
        bits = np.where(late | self._absent[stream], told & 3, 1)
        for bit in np.unique(first).tolist():
            put_bits(records, rows[first == bit], bit, bits[first == bit])


def _merged(records: WordArray, words: IntArray) -> tuple[WordArray, IntArray]:
    """The alarms of a node in a cycle are one record."""
    same = (records[1:, :LOG_HEADER] == records[:-1, :LOG_HEADER]).all(axis=1)
    if not same.any():
        return records, words
    begins = np.flatnonzero(np.concatenate([[True], ~same]))
    merged = np.bitwise_or.reduceat(records, begins, axis=0)
    merged[:, :LOG_HEADER] = records[begins, :LOG_HEADER]
    return merged, words[begins]


def _find(
    stream: OrderedStream, numbers: dict[tuple[int, int], int], inject: dict[int, int]
) -> int:
    """The number of a stream of the model among those that are compared, or -1."""
    if stream.kind == "inject":
        return numbers[stream.node, inject[stream.node]]
    port = JOIN - stream.group if stream.kind == "join" else _PORTS[stream.kind]
    return numbers.get((stream.node, port), -1)


def _column(fields: Sequence[dict[str, int]], names: Sequence[str]) -> IntArray:
    return np.array([each.get(name, -1) for each, name in zip(fields, names, strict=True)])


def _shift(program: OrderedProgram, stream: OrderedStream) -> int:
    """How many bits of ``late`` lie below those of a group."""
    if stream.kind != "late":
        return 0
    plans = program.plan_of(stream.node).joins
    return sum(2 * len(plan.joins) for plan in plans if plan.group < stream.group)
