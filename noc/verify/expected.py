"""Transfers as records of numbers: those that the model expects, and those of a log."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from noc.harness import count_payload_words
from noc.model import Events
from noc.model.traffic import payload_rows
from noc.networks import IntArray
from noc.verify.bench import LOG_HEADER
from noc.verify.streams import Interface

__all__ = [
    "WordArray",
    "expected",
    "in_order",
    "lay_below",
    "logged",
    "with_idle",
]

WordArray = npt.NDArray[np.uint32]

_BITS = 32


def in_order(records: WordArray, words: IntArray) -> tuple[WordArray, IntArray]:
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
    data = payload_rows(seed, interface.width, words)
    records = np.empty((words.size, LOG_HEADER + count_payload_words(interface)), dtype=np.uint32)
    records[:, 0], records[:, 1] = events.cycle[listed], stream_of[listed]
    records[:, LOG_HEADER:] = lay_below(data, header, header_bits, count_payload_words(interface))
    return in_order(records, words)


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
