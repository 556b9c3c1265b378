"""The records that the cycle model of a design expects, whichever its fabric, cycles by cycles."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from noc.design import AnyDesign, OrderedDesign
from noc.errors import CheckError
from noc.model.common import Chunk
from noc.model.cycles import stream
from noc.model.ordered import stream_ordered
from noc.networks import IntArray
from noc.verify.expected import WordArray, expected, with_idle
from noc.verify.ordered_records import OrderedRecords
from noc.verify.runs import Run
from noc.verify.stimulus import broadcasts, encode_words
from noc.verify.streams import Interface

__all__ = ["Expected", "expect", "stream_model"]


class Expected(NamedTuple):
    """What the model says of some cycles of a run.

    Parameters
    ----------
    records : array
        Those of the transfers, as a right network logs them.
    words : array
        The word of the traffic of each, or -1.
    given : array
        The words that sources may offer from these cycles on, as benches read them.
    cycles, injected : int
        Cycles, and transfers at inject streams, from the beginning of the run.
    end : str or None
        Why the run ended, if it did.
    """

    records: WordArray
    words: IntArray
    given: WordArray
    cycles: int
    injected: int
    end: str | None


def expect(design: AnyDesign, interface: Interface, run: Run) -> Iterator[Expected]:
    """Run the model of a design."""
    records_of = _records(design, interface, run)
    for chunk in stream_model(design, run):
        if chunk.end not in (None, "drained", "limit"):
            raise CheckError(f"{run.name}: the words of the model stop for ever ({chunk.end})")
        given = encode_words(interface, run.traffic, chunk.parts)
        yield Expected(*records_of(chunk), given, chunk.cycles, chunk.injected, chunk.end)


def stream_model(design: AnyDesign, run: Run) -> Iterator[Chunk]:
    """Run the model of a design alone."""
    traffic, cycles = run.traffic, run.cycles
    if isinstance(design, OrderedDesign):
        return stream_ordered(design.program, traffic, width=design.width, cycles=cycles)
    return stream(design.program, broadcasts(traffic), cycles=cycles)


def _records(
    design: AnyDesign, interface: Interface, run: Run
) -> Callable[[Chunk], tuple[WordArray, IntArray]]:
    if isinstance(design, OrderedDesign):
        return OrderedRecords(interface, design.program, getattr(run.traffic, "seed", None))
    return _DirectRecords(interface, broadcasts(run.traffic).seed)


class _DirectRecords:
    """From the events of one chunk after the other to their records, and the word of each."""

    def __init__(self, interface: Interface, seed: int) -> None:
        self._interface, self._seed = interface, seed
        #: Whether the network is empty after what was told, and changes of that to be told later.
        self._idle, self._later = True, np.zeros(0, dtype=np.int64)

    def __call__(self, chunk: Chunk) -> tuple[WordArray, IntArray]:
        result = expected(self._interface, self._seed, chunk.events)
        if chunk.idle is None:
            return result
        changes = np.concatenate([self._later, chunk.idle])
        # What the last cycle changes is seen in the next.
        now = changes < chunk.cycles if chunk.end is None else np.ones(changes.size, dtype=np.bool_)
        idle, self._idle = self._idle, self._idle ^ bool(np.count_nonzero(now) % 2)
        self._later = changes[~now]
        return with_idle(self._interface, *result, changes[now], idle=idle)
