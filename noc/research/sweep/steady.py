"""Whether a network under load has settled: docs/sweeps.md says the same in words."""

from itertools import combinations

from noc.networks import IntArray

__all__ = ["BACKLOG", "DRIFT", "STEADY", "judge_steady"]

#: What the column ``steady`` says.
STEADY, BACKLOG, DRIFT = "yes", "backlog", "drift"

#: What comes and is not carried is no chance if it is more than this share, and so many words: as
#: many can be under way at the end and not at the beginning.
_SHARE, _WORDS = 0.03, 30

#: Of ten batches in a random order, so few pairs stand the wrong way round once in 17,000 times.
_WRONG_WAY = 3


def judge_steady(came: IntArray, finished: IntArray, taken: IntArray, carried: int) -> str:
    """Judge the cycles that were measured.

    Parameters
    ----------
    came, finished, taken : array (batches)
        Words that came in each tenth of them; how many of those were everywhere before the drain
        was over, and the cycles that those took in all.
    carried : int
        Words that the network carried in them.
    """
    offered = int(came.sum())
    lacking = offered - carried
    if (lacking > _SHARE * offered and lacking > _WORDS) or finished.sum() < offered:
        return BACKLOG
    return DRIFT if came.all() and _rises((taken / came).tolist()) else STEADY


def _rises(latencies: list[float]) -> bool:
    """Whether nearly every later batch took longer than every earlier one."""
    return sum(later <= one for one, later in combinations(latencies, 2)) <= _WRONG_WAY
