"""Transfers as records of numbers, those expected and those of a log, and how the two differ.

A record is the cycle, the number of the stream, and the payload, in words of 32 bits.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from noc import harness
from noc.emit.streams import Field
from noc.model.timetable.waiting import Waiting
from noc.networks import IntArray, Network
from noc.verify.streams import Interface, Stream

WordArray = npt.NDArray[np.uint32]

#: Words of a record before the payload. In the last record of a whole log both are all ones.
LOG_HEADER = 2

#: The number of differences that are shown in words.
SHOWN = 5

_BITS = 32


def in_order(records: WordArray, words: IntArray) -> tuple[WordArray, IntArray]:
    """Sorted by cycle, then stream, as most are."""
    key = _keys(records)
    if (key[1:] > key[:-1]).all():
        return records, words
    order = np.argsort(key, kind="stable")
    return records[order], words[order]


def lay_below(data: WordArray, header: IntArray, bits: IntArray, count: int) -> WordArray:
    """Payloads as on the wires: the data above ``bits`` bits of header."""
    wide = np.zeros((data.shape[0], count + 1), dtype=np.uint64)
    wide[:, 1 : data.shape[1] + 1] = data
    shift = bits.astype(np.uint64)[:, None]
    moved = (wide << np.uint64(_BITS) | np.roll(wide, 1, axis=1)) << shift >> np.uint64(_BITS)
    result = moved[:, 1:].astype(np.uint32)
    result[:, 0] |= np.where(bits > 0, header, 0).astype(np.uint32)
    return result


def put_bits(records: WordArray, rows: IntArray, first: int, values: IntArray) -> None:
    """Set bits of payloads in some rows, from a bit on."""
    column, shift = divmod(first, _BITS)
    bits = values.astype(np.uint64) << np.uint64(shift)
    records[rows, LOG_HEADER + column] |= (bits & np.uint64(2**_BITS - 1)).astype(np.uint32)
    if LOG_HEADER + column + 1 < records.shape[1]:
        records[rows, LOG_HEADER + column + 1] |= (bits >> np.uint64(_BITS)).astype(np.uint32)


def logged(path: Path, interface: harness.Interface) -> tuple[WordArray, bool]:
    """The records of a log, and whether it is whole; no log is an empty one that is not."""
    columns = LOG_HEADER + harness.count_payload_words(interface)
    words = np.fromfile(path, dtype=np.uint32) if path.is_file() else np.zeros(0, dtype=np.uint32)
    records = words[: words.size // columns * columns].reshape(-1, columns)
    whole = bool(len(records) and (records[-1, :LOG_HEADER] == 2**_BITS - 1).all())
    return (records[:-1], True) if whole else (records, False)


@dataclass(frozen=True)
class Comparison:
    """What a comparison shows."""

    #: Transfers that only one side has, or that differ in header or payload.
    mismatches: int
    #: The earliest of them, in words.
    first: tuple[str, ...]


def compare(
    network: Network,
    interface: Interface,
    expected: WordArray,
    word: IntArray,
    got: WordArray,
) -> Comparison:
    """Compare the records expected, each with its word of the traffic, with those of a log."""
    if expected.shape == got.shape and np.array_equal(expected, got):
        return Comparison(0, ())
    keys = _keys(expected), _keys(got)
    both, in_expected, in_got = np.intersect1d(*keys, assume_unique=True, return_indices=True)
    same = (expected[in_expected] == got[in_got]).all(axis=1)
    wrong = np.setxor1d(*keys, assume_unique=True)
    wrong = np.sort(np.concatenate([wrong, both[~same]]))
    rows = [dict(zip(k.tolist(), range(k.size), strict=True)) for k in keys]
    first = []
    for key in wrong[:SHOWN].tolist():
        ours, theirs = rows[0].get(key), rows[1].get(key)
        if key % 2**_BITS == len(interface.streams):
            what, right, shown = interface.idle, _level(expected, ours), _level(got, theirs)
        else:
            stream = interface.streams[key % 2**_BITS]
            what = f"node {network.label(stream.node)}, {stream.name}"
            right, shown = _show(stream, expected, ours, word), _show(stream, got, theirs)
        first.append(f"cycle {key >> _BITS}, {what}: expected {right}, got {shown}")
    return Comparison(int(wrong.size), tuple(first))


class Tally:
    """The comparison of a run so far, some cycles after the others."""

    def __init__(self, network: Network, interface: Interface) -> None:
        self._network, self._interface = network, interface
        self.events = 0
        self.comparison = Comparison(0, ())
        #: Array (streams). How many transfers of each were logged.
        self.counts = np.zeros(1 + len(interface.streams), dtype=np.int64)

    def add(self, expected: WordArray, word: IntArray, got: WordArray) -> None:
        """Compare the next records."""
        self._add(compare(self._network, self._interface, expected, word, got))
        self.events += len(expected)
        self.counts += np.bincount(got[:, 1], minlength=self.counts.size)

    def add_waiting(self, waiting: Waiting) -> None:
        """Compare what waits at inject streams with what was logged to come in and go out."""
        given, left = len(self._interface.inject), len(self._interface.eject)
        came = self.counts[given : given + left].sum()
        found = waiting.left_of(self.counts[:given], int(came))
        wrong = np.flatnonzero(found != waiting.words).tolist()
        for number in wrong:
            stream = self._interface.inject[number]
            what = f"at the end, node {self._network.label(stream.node)}, {stream.name}"
            told = f"expected {waiting.words[number]} words that wait, got {found[number]}"
            self._add(Comparison(1, (f"{what}: {told}",)))

    def _add(self, more: Comparison) -> None:
        before = self.comparison
        self.comparison = Comparison(
            before.mismatches + more.mismatches, (*before.first, *more.first)[:SHOWN]
        )


def _keys(records: WordArray) -> IntArray:
    """Cycle and stream as one number; no stream has two transfers in a cycle."""
    return records[:, 0].astype(np.int64) << _BITS | records[:, 1]


def _level(records: WordArray, row: int | None) -> str:
    return "no change" if row is None else str(int(records[row, LOG_HEADER]))


def _show(stream: Stream, records: WordArray, row: int | None, word: IntArray | None = None) -> str:
    if row is None:
        return "nothing"
    bits = int.from_bytes(records[row, LOG_HEADER:].astype("<u4").tobytes(), "little")
    # What was joined has no number.
    number = -1 if word is None else int(word[row])
    name = "" if number < 0 else f"word {number} "
    fields = {field.name: field for field in stream.fields}
    main = fields.pop("data", None)
    data = f"{name}word" if main is None else f"{name}0x{_cut(bits, main):x}"
    others = fields.values()
    return " with ".join([data, *(f"{field.name} {_cut(bits, field)}" for field in others)])


def _cut(bits: int, field: Field) -> int:
    return bits >> field.first & (1 << field.bits) - 1
