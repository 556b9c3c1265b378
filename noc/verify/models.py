"""The records that the cycle model of a design expects, whichever its fabric, cycles by cycles."""

from collections.abc import Iterator
from typing import NamedTuple

from noc import fabric as fabrics
from noc.design import AnyDesign
from noc.errors import CheckError
from noc.model.runs import Chunk
from noc.networks import IntArray
from noc.verify.expected import WordArray
from noc.verify.runs import Run
from noc.verify.stimulus import encode_words
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
    records_of = fabrics.module(design.fabric, "run").records(design, interface, run.traffic)
    for chunk in stream_model(design, run):
        if chunk.end not in (None, "drained", "limit"):
            raise CheckError(f"{run.name}: the words of the model stop for ever ({chunk.end})")
        given = encode_words(interface, run.traffic, chunk.parts)
        records, words = records_of(chunk)
        yield Expected(records, words, given, chunk.cycles, chunk.injected, chunk.end)


def stream_model(design: AnyDesign, run: Run) -> Iterator[Chunk]:
    """Run the model of a design alone."""
    running = fabrics.module(design.fabric, "run")
    chunks: Iterator[Chunk] = running.stream(design, run.traffic, run.cycles)
    return chunks
