"""Sliced messages from one node: segments follow one another down one tree or several.

A message cut into segments goes out in rounds, one segment down each tree in every round; the
trees may overlap, in which case the segments wait for each other. This serves any tree and any
family of trees on any network.
"""

from collections.abc import Callable, Iterable

from noc.errors import InputError
from noc.model.steps import Outcome, Word, run
from noc.research.papers.cost import LinearCost
from noc.trees import Ports, Tree, TreeFamily


def pipelined(trees: Tree | TreeFamily, segments: int, ports: Ports) -> Outcome:
    """Send segments one behind the other, in turn on each tree, and count the steps.

    Parameters
    ----------
    trees : Tree or TreeFamily
        What the segments follow: segment i goes down tree i modulo their number, and with t trees
        it is at its root when i // t steps are over.
    segments : int
        How many segments there are, at least 1.
    ports : "all" or "one"
        The communication model; in one-port use the steps of the trees give the order in which a
        node sends.

    Examples
    --------
    >>> from noc.networks import build_network
    >>> from noc.trees import build_tree
    >>> pipelined(build_tree(build_network("star:4")), 10, "all").steps
    13
    """
    if segments < 1:
        raise InputError(f"segments must be at least 1, not {segments}")
    chosen = trees.trees
    count = len(chosen)
    words = [Word(chosen[i % count], release=i // count) for i in range(segments)]
    return run(chosen[0].network, words, ports)


def slicings(trees: int, height: int, cost: LinearCost, length: float) -> range:
    """The numbers of segments among which the best is: as many on each tree.

    ``height`` is the number of steps that one segment on each takes. Where trees overlap, or
    a node has one port, segments follow more slowly and fewer are the best, so that the best of
    disjoint all-port trees, with some to spare, bounds it.
    """
    most = 4 + cost.best_segments(height, length / trees)
    return range(trees, most * trees + 1, trees)


def best_slicing(
    steps: Callable[[int], int],
    slicings: Iterable[int],
    cost: LinearCost,
    length: float,
) -> tuple[int, float]:
    """The number of equal segments of the least time, by trying all, and that time.

    Parameters
    ----------
    steps : callable
        From a number of segments to the steps they take, such as those of :func:`pipelined`.
    slicings : iterable of int
        The numbers of segments to try.
    cost : LinearCost
        The time of a packet on a link: a step lasts as long as one segment.
    length : float
        The length of the whole message.
    """
    times = {count: steps(count) * cost.hop_time(length / count) for count in slicings}
    best = min(times, key=lambda count: (times[count], count))
    return best, times[best]
