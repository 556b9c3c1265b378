"""What is measured of a design, whichever its fabric."""

from typing import Any, NamedTuple

import numpy as np

from noc.model.ordered.load import BATCHES
from noc.networks import IntArray


class Load(NamedTuple):
    """What was counted in the cycles between the warm-up and the end."""

    #: How many.
    cycles: int
    #: Words that the network carried in them.
    carried: float
    #: Array (senders). Those of each node that sent.
    words: IntArray
    #: Array (batches). Words that came in each tenth of them; how many of those were everywhere
    #: before the drain was over, and the cycles that those took in all. None where every source
    #: always has a word.
    came: IntArray | None = None
    finished: IntArray | None = None
    taken: IntArray | None = None
    #: The cycles that 99 of 100 of them took at most.
    p99: int = 0


def load_of_words(
    source: IntArray, release: IntArray, last: IntArray, counted: range, senders: list[int]
) -> Load:
    """What was counted of words, by the cycles in which each came and was at the last node.

    The second is -1 where the run was over before. Some cycles are ``counted``, and the words of
    some ``senders``.
    """
    came = (release >= counted.start) & (release < counted.stop)
    carried = (last >= counted.start) & (last < counted.stop)
    batch, waits = (release - counted.start) * BATCHES // len(counted), last - release
    finished = came & (last >= 0)
    return Load(
        len(counted),
        int(carried.sum()),
        np.bincount(source[carried], minlength=max(senders) + 1)[senders],
        np.bincount(batch[came], minlength=BATCHES),
        np.bincount(batch[finished], minlength=BATCHES),
        np.bincount(batch[finished], waits[finished], minlength=BATCHES),
        int(np.quantile(waits[finished], 0.99, method="higher")) if finished.any() else 0,
    )


def latency_row(
    operation: str,
    words: int,
    ends: tuple[str | None, str | None],
    cycles: int,
    bound: int,
    bound_with_root: int | None = None,
) -> dict[str, Any]:
    """A row of ``noc latency``: the nodes that give and get words, if the operation names any."""
    return {
        "operation": operation,
        "words": words,
        "from": ends[0],
        "to": ends[1],
        "cycles": cycles,
        "bound": bound,
        "gap": cycles - bound,
        "bound_with_root": bound_with_root,
    }
