"""What the cycle model of any design recorded of a run, in one form."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from noc.explore.packed import steps
from noc.explore.spans import Spans
from noc.networks import IntArray

__all__ = ["OUTSIDE", "Recording", "Stream"]

#: What stands for the sender of an inject stream, the receiver of an eject stream, and for a port
#: or a word where there is none.
OUTSIDE = -1


@dataclass(frozen=True)
class Stream:
    """Where transfers are events.

    Parameters
    ----------
    kind : str
        ``inject``, ``eject``, ``up``, ``down`` and ``join`` as in the ordered fabric, with its
        alarms ``dropped``, ``mismatch`` and ``late``; ``link`` in the direct fabric.
    sender, receiver : int
        The nodes at its ends, or ``OUTSIDE``; of an alarm both are the node.
    port : int
        The sender's out-port.
    group : int
        The group whose words are joined.
    """

    kind: str
    sender: int
    receiver: int
    port: int = OUTSIDE
    group: int = 0


@dataclass(frozen=True, eq=False)
class Recording:
    """A run.

    Parameters
    ----------
    streams : list of Stream
        All streams.
    stream, cycle, word : array (transfers)
        Of every transfer its stream and cycle, and the word by its place among the words.
    more : dict of str to array (transfers)
        What is known besides: the ``row`` of a program, or the ``data`` of a word.
    words : dict of str to list
        What is known of each word, by name.
    cycles : int
        How long it took.
    end : str
        Why it ended, as the model says.
    spans : dict of str to Spans
        Where words are ``waiting``, and where streams are ``free``; empty of a run that has steps,
        not cycles.
    """

    streams: list[Stream]
    stream: IntArray = field(repr=False)
    cycle: IntArray = field(repr=False)
    word: IntArray = field(repr=False)
    more: dict[str, IntArray] = field(repr=False)
    words: dict[str, list[Any]] = field(repr=False)
    cycles: int
    end: str
    spans: dict[str, Spans] = field(default_factory=dict, repr=False)

    def document(self) -> dict[str, Any]:
        """The run as the page has it.

        Transfers are listed stream by stream, and of each its distance from the one before.
        """
        order = np.lexsort((self.cycle, self.stream))
        count = np.bincount(self.stream, minlength=len(self.streams))
        columns = {"cycle": self.cycle, "word": self.word, **self.more}
        return {
            "cycles": self.cycles,
            "end": self.end,
            "words": self.words,
            "streams": {
                name: [getattr(stream, name) for stream in self.streams]
                for name in ("kind", "sender", "receiver", "port", "group")
            },
            "count": count.tolist(),
            "events": {name: steps(column[order], count) for name, column in columns.items()},
            **{name: spans.document(len(self.streams)) for name, spans in self.spans.items()},
        }
