"""When streams waited and when they were free: what transfers alone do not tell of a run."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from noc.explore.packed import steps
from noc.model.runs import Signals
from noc.networks import IntArray

__all__ = ["Spans", "list_spans"]


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans of cycles in which a stream shows the same, sorted by stream, then cycle.

    Parameters
    ----------
    stream, cycle, length : array (spans)
        Where, from when on, and for how many cycles.
    word : array (spans)
        The word that is offered; -1 for none.
    """

    stream: IntArray = field(repr=False)
    cycle: IntArray = field(repr=False)
    length: IntArray = field(repr=False)
    word: IntArray = field(repr=False)

    def document(self, streams: int) -> dict[str, Any]:
        """The spans as the page has them: as transfers, stream by stream."""
        count = np.bincount(self.stream, minlength=streams)
        columns = {"cycle": self.cycle, "length": self.length, "word": self.word}
        return {
            "count": count.tolist(),
            "events": {name: steps(column, count) for name, column in columns.items()},
        }


def list_spans(signals: Signals, number: IntArray, cycles: int) -> dict[str, Spans]:
    """Where words waited: ``valid`` without ``ready``; and where ``ready`` was without ``valid``.

    Where both are 1 is a transfer.

    Parameters
    ----------
    signals : Signals
        What streams showed.
    number : array
        The number of each stream of the signals among those of the page.
    cycles : int
        How long the run took.
    """
    last = np.append(signals.stream[1:] != signals.stream[:-1], True)
    until = np.where(last, cycles, np.append(signals.cycle[1:], cycles))
    stream = number[signals.stream]
    order = np.lexsort((signals.cycle, stream))

    def chosen(which: IntArray) -> Spans:
        places = order[which[order] != 0]
        return Spans(
            stream[places],
            signals.cycle[places],
            (until - signals.cycle)[places],
            signals.word[places],
        )

    valid, ready = signals.word >= 0, signals.ready != 0
    return {"waiting": chosen(valid & ~ready), "free": chosen(~valid & ready)}
