"""What the cycle model of a design expects of a run, and the words that its sources offer."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from noc import fabric as fabrics
from noc.design import AnyDesign
from noc.errors import CheckError
from noc.model.faults import NO_FAULTS, Faults
from noc.model.operators import rows_of
from noc.model.ordered.run import AnyTraffic
from noc.model.ordered.streams import pack
from noc.model.ordered.traffic import CollectiveTraffic
from noc.model.runs import Chunk
from noc.model.timetable.waiting import Waiting
from noc.model.traffic import LongTraffic, Traffic, Words, payload_rows
from noc.networks import IntArray
from noc.verify.records import WordArray
from noc.verify.runs import Run
from noc.verify.streams import Interface

#: Ends of runs after which nothing moves, however long they go on with sinks that take all.
QUIET = ("drained", "incomplete")

_BITS = 32


class Expected(NamedTuple):
    """What the model says of some cycles of a run."""

    #: Those of the transfers, as a right network logs them.
    records: WordArray
    #: The word of the traffic of each, or -1.
    words: IntArray
    #: The words that sources may offer from these cycles on, as the harness reads them.
    offered: WordArray
    #: Cycles, and transfers at inject streams, from the beginning of the run.
    cycles: int
    injected: int
    #: Why the run ended, if it did.
    end: str | None
    #: What waits for a round that never becomes whole, if anything does.
    waiting: Waiting | None


def expect(
    design: AnyDesign, interface: Interface, run: Run, faults: Faults = NO_FAULTS
) -> Iterator[Expected]:
    """Run the model of a design, some cycles after the other; with faults words may stop."""
    records_of = fabrics.module(design.fabric, "run").records(design, interface, run.traffic)
    for chunk in stream_model(design, run, faults):
        if not faults and chunk.end not in (None, *QUIET, "limit"):
            raise CheckError(f"{run.name}: the words of the model stop for ever ({chunk.end})")
        offered = encode_words(interface, run.traffic, chunk.parts)
        records, words = records_of(chunk)
        told = chunk.cycles, chunk.injected, chunk.end, chunk.waiting
        yield Expected(records, words, offered, *told)


def stream_model(design: AnyDesign, run: Run, faults: Faults = NO_FAULTS) -> Iterator[Chunk]:
    """Run the model of a design alone."""
    running = fabrics.module(design.fabric, "run")
    chunks: Iterator[Chunk] = running.stream(design, run.traffic, run.cycles, faults)
    return chunks


def broadcasts(traffic: AnyTraffic) -> Traffic | LongTraffic:
    """Traffic without operations, as the direct fabric needs it."""
    if not isinstance(traffic, Traffic | LongTraffic):
        raise TypeError("operations are of the ordered fabric")
    return traffic


def encode_words(
    interface: Interface,
    traffic: AnyTraffic,
    parts: Sequence[tuple[int, Words | CollectiveTraffic]],
) -> WordArray:
    """A row for each word of some parts: its source, its release, and what its stream carries.

    With each part is the number of its first word among those of the traffic.
    """
    count = interface.offered_words
    rows = [np.zeros((0, 2 + count), dtype=np.uint32)]
    # The number of a node's stream in the harness; words of one of several have it already.
    source = np.arange(max(interface.nodes, len(interface.inject)), dtype=np.int64)
    fields = {}
    for number, stream in enumerate(interface.inject):
        if stream.kind == "inject":
            source[stream.node] = number
        fields[stream.node] = {field.name: field.bits for field in stream.fields}
    for first, part in parts:
        if isinstance(part, CollectiveTraffic):
            nodes = enumerate(part.source.tolist())
            packed = [pack(part.word(number), fields[node]) for number, node in nodes]
            payload = rows_of(packed, _BITS * count)
        else:
            numbers = np.arange(first, first + part.source.size, dtype=np.int64)
            payload = payload_rows(broadcasts(traffic).seed, interface.width, numbers)
        columns = [source[part.source], part.release.clip(0), payload]
        rows.append(np.column_stack(columns).astype(np.uint32))
    return np.concatenate(rows)
