"""Two lists of transfers side by side, and their first differences in words."""

from dataclasses import dataclass

import numpy as np

from noc.emit.streams import Field
from noc.networks import IntArray, Network
from noc.verify.bench import LOG_HEADER
from noc.verify.expected import WordArray
from noc.verify.streams import Interface, Stream

__all__ = ["Comparison", "Tally", "compare"]

#: So many differences are told in words.
SHOWN = 5

_BITS = 32


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Parameters
    ----------
    mismatches : int
        Transfers that only one side has, or that differ in header or payload.
    first : tuple of str
        The earliest of them, in words.
    """

    mismatches: int
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
    both, here, there = np.intersect1d(*keys, assume_unique=True, return_indices=True)
    same = (expected[here] == got[there]).all(axis=1)
    wrong = np.setxor1d(*keys, assume_unique=True)
    wrong = np.sort(np.concatenate([wrong, both[~same]]))
    place = [dict(zip(k.tolist(), range(k.size), strict=True)) for k in keys]
    first = []
    for key in wrong[:SHOWN].tolist():
        wanted, had = place[0].get(key), place[1].get(key)
        if key % 2**_BITS == len(interface.streams):
            first.append(
                f"cycle {key >> _BITS}, {interface.idle}: expected "
                f"{_level(expected, wanted)}, got {_level(got, had)}"
            )
            continue
        stream = interface.streams[key % 2**_BITS]
        first.append(
            f"cycle {key >> _BITS}, node {network.label(stream.node)}, {stream.name}: "
            f"expected {_show(stream, expected, wanted, word)}, got {_show(stream, got, had)}"
        )
    return Comparison(int(wrong.size), tuple(first))


class Tally:
    """What was compared so far, some cycles of a run after the others.

    Parameters
    ----------
    network : Network
        Names nodes.
    interface : Interface
        Names streams.
    """

    def __init__(self, network: Network, interface: Interface) -> None:
        self._network, self._interface = network, interface
        self.events = 0
        self.comparison = Comparison(0, ())

    def add(self, expected: WordArray, word: IntArray, got: WordArray) -> None:
        """Compare the next records."""
        more = compare(self._network, self._interface, expected, word, got)
        told = self.comparison
        self.events += len(expected)
        self.comparison = Comparison(
            told.mismatches + more.mismatches, (*told.first, *more.first)[:SHOWN]
        )


def _keys(records: WordArray) -> IntArray:
    """Cycle and stream as one number; no stream has two transfers in a cycle."""
    return records[:, 0].astype(np.int64) << _BITS | records[:, 1]


def _level(records: WordArray, place: int | None) -> str:
    return "no change" if place is None else str(int(records[place, LOG_HEADER]))


def _show(
    stream: Stream, records: WordArray, place: int | None, word: IntArray | None = None
) -> str:
    if place is None:
        return "nothing"
    bits = sum(
        int(part) << (_BITS * number) for number, part in enumerate(records[place, LOG_HEADER:])
    )
    # What was joined has no number.
    number = -1 if word is None else int(word[place])
    name = "" if number < 0 else f"word {number} "
    fields = {field.name: field for field in stream.fields}
    main = fields.pop("data", None)
    data = f"{name}word" if main is None else f"{name}0x{_cut(bits, main):x}"
    others = fields.values()
    return " with ".join([data, *(f"{field.name} {_cut(bits, field)}" for field in others)])


def _cut(bits: int, field: Field) -> int:
    return bits >> field.first & (1 << field.bits) - 1
