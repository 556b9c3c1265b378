"""What streams show in each cycle, ``valid`` and ``ready``, and how runs write it down."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from noc.compiled import inlined
from noc.model.common import FULL
from noc.networks import IntArray

__all__ = ["Signals", "signals_of", "watch_in_parts"]

# So many streams times cycles are written down at a time.
_CELLS = 1 << 24


class _Watched(Protocol):
    """Counts of a run, among them for how many cycles of its part streams were watched."""

    watched: int


@dataclass(frozen=True, eq=False)
class Signals:
    """Every change of what streams show, sorted by stream, then cycle.

    Before its first change a stream shows neither ``valid`` nor ``ready``.

    Parameters
    ----------
    stream, cycle : array (changes)
        Where and when.
    word : array (changes)
        The word that is offered from then on, by its place in the traffic; -1 for none.
    ready : array (changes)
        Whether the stream is ready from then on.
    """

    stream: IntArray = field(repr=False)
    cycle: IntArray = field(repr=False)
    word: IntArray = field(repr=False)
    ready: IntArray = field(repr=False)

    def of(self, streams: int) -> "Signals":
        """Those of the first streams."""
        count = int(np.searchsorted(self.stream, streams))
        return Signals(*(column[:count] for column in vars(self).values()))


@inlined
def signals_of(word: int, ready: bool) -> int:
    """What a stream shows as one number: the word that it offers, or NONE, and its ``ready``."""
    return (word + 1) << 1 | ready


def watch_in_parts(
    advance: Callable[[IntArray], int], counts: _Watched, shape: tuple[int, ...]
) -> Signals:
    """Go on until a run ends; what its streams showed.

    Parameters
    ----------
    advance : callable
        Goes on until all rows, one for each cycle, are written, and says why it ended.
    counts : record
        The counts of the run.
    shape : tuple of int
        Of a row, in which streams are numbered.
    """
    streams = int(np.prod(shape))
    rows = max(1, _CELLS // streams)
    last, begin, end = np.zeros((1, streams), dtype=np.int32), 0, FULL
    parts: list[tuple[IntArray, ...]] = []
    while end == FULL:
        part = np.zeros((rows, *shape), dtype=np.int32)
        counts.watched = 0
        end = advance(part)
        shown = np.concatenate([last, part.reshape(rows, streams)[: counts.watched]])
        cycle, stream = np.nonzero(shown[1:] != shown[:-1])
        parts.append((stream, cycle + begin, shown[cycle + 1, stream]))
        last, begin = shown[-1:], begin + int(counts.watched)
    stream, cycle, value = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((cycle, stream))
    value = value[order].astype(np.int64)
    return Signals(stream[order], cycle[order], (value >> 1) - 1, value & 1)
