"""What a run under load gave, whichever the fabric."""

from typing import NamedTuple

from noc.networks import IntArray

__all__ = ["Load"]


class Load(NamedTuple):
    """What was counted in the cycles between the warm-up and the end.

    Parameters
    ----------
    cycles : int
        How many.
    carried : float
        Words that the network carried in them.
    words : array (senders)
        Those of each node that sent.
    came, finished, taken : array (batches) or None
        Words that came in each tenth of them; how many of those were everywhere before the drain
        was over, and the cycles that those took in all. None where every source always has a word.
    p99 : int
        The cycles that 99 of 100 of them took at most.
    """

    cycles: int
    carried: float
    words: IntArray
    came: IntArray | None = None
    finished: IntArray | None = None
    taken: IntArray | None = None
    p99: int = 0
