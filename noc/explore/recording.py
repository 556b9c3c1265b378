"""What the cycle model of any design recorded of a run, in one form."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from noc.model.runs import Signals
from noc.networks import IntArray

#: The sender of an inject stream, the receiver of an eject stream; a port or a word that is none.
OUTSIDE = -1

#: Data of more bits are no exact numbers in a browser; and what 32 of them each count.
MOST_DATA, PLACES = 48, np.array([1, 1 << 32], dtype=np.int64)


def _packed(stream: IntArray, streams: int, columns: dict[str, IntArray]) -> dict[str, Any]:
    """Columns sorted by stream: each value less the one before, the first of a stream as it is.

    A stream that moves at its full rate is a row of ones then, which is packed well.
    """
    count = np.bincount(stream, minlength=streams)
    first = (np.cumsum(count) - count)[count > 0]

    def differences(values: IntArray) -> list[int]:
        result = np.diff(values.astype(np.int64), prepend=0)
        result[first] = values[first]
        listed: list[int] = result.tolist()
        return listed

    return {
        "count": count.tolist(),
        "events": {name: differences(column) for name, column in columns.items()},
    }


@dataclass(frozen=True, eq=False)
class Spans:
    """Spans of cycles in which a stream shows the same, sorted by stream, then cycle.

    ``word`` is the one that is offered; -1 for none.
    """

    stream: IntArray = field(repr=False)
    cycle: IntArray = field(repr=False)
    length: IntArray = field(repr=False)
    word: IntArray = field(repr=False)

    def document(self, streams: int) -> dict[str, Any]:
        """The spans as the page has them: as transfers, stream by stream."""
        columns = {"cycle": self.cycle, "length": self.length, "word": self.word}
        return _packed(self.stream, streams, columns)


def list_spans(signals: Signals, number: IntArray, cycles: int) -> dict[str, Spans]:
    """Where words waited: ``valid`` without ``ready``; and where ``ready`` was without ``valid``.

    Where both are 1 is a transfer. ``number`` is that of each stream of the signals on the page.
    """
    last = np.append(signals.stream[1:] != signals.stream[:-1], True)
    until = np.where(last, cycles, np.append(signals.cycle[1:], cycles))
    stream = number[signals.stream]
    order = np.lexsort((signals.cycle, stream))

    def chosen(which: IntArray) -> Spans:
        rows = order[which[order] != 0]
        length = until - signals.cycle
        return Spans(stream[rows], signals.cycle[rows], length[rows], signals.word[rows])

    valid, ready = signals.word >= 0, signals.ready != 0
    return {"waiting": chosen(valid & ~ready), "free": chosen(~valid & ready)}


@dataclass(frozen=True)
class Stream:
    """Where transfers are events."""

    #: ``inject``, ``eject``, ``up``, ``down`` and ``join`` as in the ordered fabric, with alarms
    #: ``dropped``, ``mismatch``, ``late`` and ``absent``; ``link`` in the others, and ``sum`` where
    #: one is whole.
    kind: str
    #: The nodes at its ends, or ``OUTSIDE``; of an alarm, and of a sum, both are the node.
    sender: int
    receiver: int
    #: The sender's out-port; the group whose words are joined.
    port: int = OUTSIDE
    group: int = 0


@dataclass(frozen=True, eq=False)
class Recording:
    """A run."""

    streams: list[Stream]
    #: Of every transfer its stream and cycle, and the index of its word.
    stream: IntArray = field(repr=False)
    cycle: IntArray = field(repr=False)
    word: IntArray = field(repr=False)
    #: What is known of each transfer besides: the ``row`` of a program, or the ``data`` of a word.
    more: dict[str, IntArray] = field(repr=False)
    #: What is known of each word, by name.
    words: dict[str, list[Any]] = field(repr=False)
    cycles: int
    #: Why it ended, as the model says.
    end: str
    #: Where words are ``waiting``, and streams ``free``; empty of a run of steps, not cycles.
    spans: dict[str, Spans] = field(default_factory=dict, repr=False)

    def document(self) -> dict[str, Any]:
        """The run as the page has it.

        Transfers are listed stream by stream, and of each its distance from the one before.
        """
        order, streams = np.lexsort((self.cycle, self.stream)), len(self.streams)
        columns = {"cycle": self.cycle, "word": self.word, **self.more}
        columns = {name: column[order] for name, column in columns.items()}
        return {
            "cycles": self.cycles,
            "end": self.end,
            "words": self.words,
            "streams": {
                name: [getattr(stream, name) for stream in self.streams]
                for name in ("kind", "sender", "receiver", "port", "group")
            },
            **_packed(self.stream, streams, columns),
            **{name: spans.document(streams) for name, spans in self.spans.items()},
        }
