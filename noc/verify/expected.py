"""Transfers as records of numbers: those that the model expects, and those of a log."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from noc.harness import count_payload_words
from noc.model import Events, mixing
from noc.model.collective.events import CollectiveEvents
from noc.model.collective.state import MOST_BITS
from noc.model.collective.streams import collective_streams, operations_of
from noc.model.ordered import OrderedEvents, OrderedStream
from noc.networks import IntArray
from noc.programs.ordered import OrderedProgram
from noc.verify.bench import LOG_HEADER
from noc.verify.streams import ALARM, DOWN, EJECT, JOIN, UP, Interface

__all__ = [
    "WordArray",
    "expected",
    "expected_collectives",
    "expected_ordered",
    "lay_below",
    "logged",
    "payload_words",
    "with_idle",
]

WordArray = npt.NDArray[np.uint32]

_BITS = 32


def payload_words(seed: int, width: int, numbers: IntArray) -> WordArray:
    """What words hold, by their numbers, as rows of 32-bit words, the lowest first."""
    return mixing.many_bits(width, numbers, seed, width)


def _payloads(seed: int, width: int, numbers: IntArray) -> WordArray:
    """The same, where most numbers come many times and are not far apart."""
    if not numbers.size:
        return payload_words(seed, width, numbers)
    first, last = int(numbers.min()), int(numbers.max())
    if last - first > numbers.size:
        return payload_words(seed, width, numbers)
    return payload_words(seed, width, np.arange(first, last + 1))[numbers - first]


def _in_order(records: WordArray, words: IntArray) -> tuple[WordArray, IntArray]:
    """Sorted by cycle, then stream, as most are."""
    key = records[:, 0].astype(np.int64) << _BITS | records[:, 1]
    if (key[1:] > key[:-1]).all():
        return records, words
    order = np.argsort(key, kind="stable")
    return records[order], words[order]


def expected(interface: Interface, seed: int, events: Events) -> tuple[WordArray, IntArray]:
    """The records that a right network logs, sorted; and the word of the traffic of each.

    A record is the cycle, the number of the stream, and the payload, the header in its low bits.
    Events on links that the manifest does not list are left out.
    """
    streams = interface.streams
    inject = events.program.inject
    number = np.full((interface.nodes, inject + 2), -1, dtype=np.int64)
    for place, stream in enumerate(streams):
        number[stream.node, stream.port] = place
    stream_of = number[events.node, events.port]
    listed = stream_of >= 0
    header_bits = np.array([stream.header_bits for stream in streams])[stream_of[listed]]
    # A word that is injected names its tree, every other one carries the code of its row.
    header = np.where(events.port == inject, events.tree, events.code)[listed]
    words = events.word[listed]
    data = _payloads(seed, interface.width, words)
    records = np.empty((words.size, LOG_HEADER + count_payload_words(interface)), dtype=np.uint32)
    records[:, 0], records[:, 1] = events.cycle[listed], stream_of[listed]
    records[:, LOG_HEADER:] = lay_below(data, header, header_bits, count_payload_words(interface))
    return _in_order(records, words)


def with_idle(
    interface: Interface, records: WordArray, words: IntArray, changes: IntArray, *, idle: bool
) -> tuple[WordArray, IntArray]:
    """The records with those of each change of ``idle``, of no word; first it is as it is told."""
    if interface.idle is None:
        return records, words
    idle_records = np.zeros((changes.size, records.shape[1]), dtype=np.uint32)
    idle_records[:, 0], idle_records[:, 1] = changes, len(interface.streams)
    idle_records[int(idle) :: 2, LOG_HEADER] = 1
    records = np.concatenate([records, idle_records])
    return _in_order(records, np.concatenate([words, np.full(changes.size, -1)]))


def expected_ordered(
    interface: Interface,
    source_bits: int,
    seed: int,
    events: OrderedEvents,
) -> tuple[WordArray, IntArray]:
    """The same for the ordered fabric, where the number of the source lies above the data."""
    places = {(stream.node, stream.port): at for at, stream in enumerate(interface.streams)}
    port = {"eject": EJECT, "up": UP, "down": DOWN}
    inject = {stream.node: stream.port for stream in interface.inject}
    number = np.array(
        [places.get((s.node, port.get(s.kind, inject.get(s.node, 0))), -1) for s in events.streams]
    )
    stream_of = number[events.stream]
    listed = stream_of >= 0
    words = events.word[listed]
    records = np.zeros((words.size, LOG_HEADER + count_payload_words(interface)), dtype=np.uint32)
    records[:, 0], records[:, 1] = events.cycle[listed], stream_of[listed]
    data = _payloads(seed, interface.width, words)
    records[:, LOG_HEADER : LOG_HEADER + data.shape[1]] = data
    if source_bits:
        numbered = np.array([stream.header_bits > 0 for stream in interface.streams])
        source = np.where(numbered[stream_of[listed]], events.source[listed], 0).astype(np.uint64)
        column, shift = divmod(interface.width, _BITS)
        source <<= np.uint64(shift)
        first = LOG_HEADER + column
        records[:, first] |= (source & np.uint64(2**_BITS - 1)).astype(np.uint32)
        if first + 1 < records.shape[1]:
            records[:, first + 1] |= (source >> np.uint64(_BITS)).astype(np.uint32)
    return _in_order(records, words)


def expected_collectives(
    interface: Interface, program: OrderedProgram, events: CollectiveEvents
) -> tuple[WordArray, IntArray]:
    """The same for networks with operations, with what nodes tell; results are no words."""
    places = {(stream.node, stream.port): at for at, stream in enumerate(interface.streams)}
    inject = {stream.node: stream.port for stream in interface.inject}
    streams = collective_streams(program)
    number = [_place_of(stream, places, inject) for stream in streams]
    marks = [_mark(interface, program, *each) for each in zip(streams, number, strict=True)]
    shifts = [_shift(program, stream) for stream in streams]
    place = np.array(number, dtype=np.int64)[events.stream]
    stream = events.stream[listed := place >= 0]
    widest = max(each.bits for each in interface.streams)
    # A machine's number is for these only.
    kind = np.int64 if widest <= MOST_BITS else object
    bits = events.bits[listed].astype(kind) << np.array(shifts, dtype=kind)[stream]
    bits |= np.array(marks, dtype=kind)[stream]
    return _merged(interface, events.cycle[listed], place[listed], bits)


def _merged(
    interface: Interface, cycle: IntArray, place: IntArray, bits: npt.NDArray[Any]
) -> tuple[WordArray, IntArray]:
    """Records of what is sorted by cycle only; what a node tells at a time is one."""
    order = np.lexsort((place, cycle))
    cycle, place, bits = cycle[order], place[order], bits[order]
    begins = np.flatnonzero(np.diff(cycle, prepend=-1) | np.diff(place, prepend=-1))
    bits = np.bitwise_or.reduceat(bits, begins) if begins.size else bits
    records = np.empty((begins.size, LOG_HEADER + count_payload_words(interface)), dtype=np.uint32)
    records[:, 0], records[:, 1] = cycle[begins], place[begins]
    for column in range(LOG_HEADER, records.shape[1]):
        records[:, column] = (bits & (2**_BITS - 1)).astype(np.uint32)
        bits >>= _BITS
    return records, np.full(begins.size, -1)


def _place_of(
    stream: OrderedStream, places: dict[tuple[int, int], int], inject: dict[int, int]
) -> int:
    """The number of a stream of the model among those that are compared, or -1."""
    ports = {"eject": EJECT, "up": UP, "down": DOWN, "join": JOIN - stream.group, **ALARM}
    if stream.kind == "inject":
        return places[stream.node, inject[stream.node]]
    return places.get((stream.node, ports[stream.kind]), -1) if stream.kind in ports else -1


def _mark(interface: Interface, program: OrderedProgram, stream: OrderedStream, place: int) -> int:
    """The bit by which an alarm tells of what has no bits in the model."""
    if place < 0 or stream.kind not in ("dropped", "mismatch"):
        return 0
    if stream.kind == "dropped":
        return 1
    group = operations_of(program).groups[stream.group][0]
    return sum(1 << f.first for f in interface.streams[place].fields if f.name == group)


def _shift(program: OrderedProgram, stream: OrderedStream) -> int:
    """Behind how many bits those of a group lie in what a node tells of missing words."""
    if stream.kind != "late":
        return 0
    plans = program.plan_of(stream.node).joins
    return sum(2 * len(plan.joins) for plan in plans if plan.group < stream.group)


def lay_below(data: WordArray, header: IntArray, bits: IntArray, count: int) -> WordArray:
    """Payloads as on the wires: the data above so many bits of header."""
    wide = np.zeros((data.shape[0], count + 1), dtype=np.uint64)
    wide[:, 1 : data.shape[1] + 1] = data
    shift = bits.astype(np.uint64)[:, None]
    moved = (wide << np.uint64(_BITS) | np.roll(wide, 1, axis=1)) << shift >> np.uint64(_BITS)
    result = moved[:, 1:].astype(np.uint32)
    result[:, 0] |= np.where(bits > 0, header, 0).astype(np.uint32)
    return result


def logged(path: Path, interface: Interface) -> tuple[WordArray, bool]:
    """The records of a log, and whether it is whole; no log is an empty one that is not.

    They are in memory only as they are looked at.
    """
    columns = LOG_HEADER + count_payload_words(interface)
    rows = path.stat().st_size // (4 * columns) if path.is_file() else 0
    if not rows:
        return np.zeros((0, columns), dtype=np.uint32), False
    records: WordArray = np.memmap(path, dtype=np.uint32, mode="r", shape=(rows, columns))
    whole = bool((records[-1, :LOG_HEADER] == 2**_BITS - 1).all())
    return (records[:-1], True) if whole else (records, False)
