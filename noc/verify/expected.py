"""Transfers as records of numbers: those that the model expects, and those of a log."""

from pathlib import Path

import numpy as np
import numpy.typing as npt

from noc.harness import count_payload_words
from noc.networks import IntArray
from noc.verify.bench import LOG_HEADER
from noc.verify.streams import Interface

__all__ = [
    "WordArray",
    "in_order",
    "lay_below",
    "logged",
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
