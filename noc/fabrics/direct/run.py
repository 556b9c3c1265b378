"""The cycle model of a design, and what its transfers are on the wires."""

from collections.abc import Iterator

import numpy as np

from noc.design import Design
from noc.harness import count_payload_words
from noc.model import Events, simulate
from noc.model.direct import stream as stream_model
from noc.model.faults import Faults
from noc.model.ordered.run import AnyTraffic
from noc.model.runs import Chunk
from noc.model.traffic import payload_rows
from noc.networks import IntArray
from noc.programs import Program
from noc.programs.table import part_bits
from noc.verify.expected import broadcasts
from noc.verify.records import LOG_HEADER, WordArray, in_order, lay_below
from noc.verify.streams import EJECT, Interface


def stream(
    design: Design, traffic: AnyTraffic, cycles: int | None, faults: Faults
) -> Iterator[Chunk]:
    """Run the model, some cycles after the other."""
    return stream_model(design.program, broadcasts(traffic), cycles=cycles, faults=faults)


def count_cycles(design: Design, traffic: AnyTraffic) -> int:
    """The cycles until every word has arrived."""
    return simulate(design.program, broadcasts(traffic), events=False).cycles


def records(_design: Design, interface: Interface, traffic: AnyTraffic) -> "DirectRecords":
    """What makes records of the events of a run."""
    return DirectRecords(interface, broadcasts(traffic).seed)


_BITS = 32


class DirectRecords:
    """From the events of one chunk after the other to their records, and the word of each."""

    def __init__(self, interface: Interface, seed: int) -> None:
        self._interface, self._seed = interface, seed
        #: Whether the network is empty after what was told, and changes of that to be told later.
        self._idle, self._later = True, np.zeros(0, dtype=np.int64)

    def __call__(self, chunk: Chunk) -> tuple[WordArray, IntArray]:
        """The records of a chunk."""
        result = expected(self._interface, self._seed, chunk.events)
        if chunk.idle is None:
            return result
        changes = np.concatenate([self._later, chunk.idle])
        # What the last cycle changes is seen in the next.
        now = changes < chunk.cycles if chunk.end is None else np.ones(changes.size, dtype=np.bool_)
        idle, self._idle = self._idle, self._idle ^ bool(np.count_nonzero(now) % 2)
        self._later = changes[~now]
        return with_idle(self._interface, *result, changes[now], idle=idle)


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
    # What is on a link carries the code of its row.
    header, words = events.code[listed], events.word[listed]
    data = payload_rows(seed, interface.width, words)
    if events.program.slices > 1:
        on_link = (events.port[listed] != inject) & (events.port[listed] != EJECT)
        part = events.program.slice_of[events.row[listed]]
        sliced = _slices(events.program, interface.width, data, part)
        data = np.where(on_link[:, None], sliced, data)
    records = np.empty((words.size, LOG_HEADER + count_payload_words(interface)), dtype=np.uint32)
    records[:, 0], records[:, 1] = events.cycle[listed], stream_of[listed]
    records[:, LOG_HEADER:] = lay_below(data, header, header_bits, count_payload_words(interface))
    return in_order(records, words)


def _slices(program: Program, width: int, data: WordArray, part: IntArray) -> WordArray:
    """A slice of each word, by their numbers, in the low bits."""
    bits = part_bits(program.parts, width)
    single = np.unpackbits(data.view(np.uint8), axis=1, bitorder="little")
    result = np.zeros_like(single)
    for place in range(program.parts):
        # What is redundant is the sum of all parts, without carries.
        has = (part == place) | (part >= program.parts)
        end = min(bits, width - place * bits)
        result[:, :end] ^= single[:, place * bits : place * bits + end] & has[:, None]
    return np.packbits(result, axis=1, bitorder="little").view(np.uint32)


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
    return in_order(records, np.concatenate([words, np.full(changes.size, -1)]))
