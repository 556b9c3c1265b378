"""Many words in the papers' step model, recorded as the runs of the cycle model are."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from noc.explore.recording import OUTSIDE, Recording, Stream
from noc.networks import IntArray
from noc.trees import Tree
from noc.trees.tree import NO_PARENT

__all__ = ["Play", "describe_play"]


@dataclass(frozen=True, eq=False)
class Play:
    """What was played.

    Parameters
    ----------
    name, what : str
        In a list of plays, and in words.
    trees : sequence of Tree
        The tree of each word.
    received : array (words, nodes)
        The step in which each node received each word; at its root the steps that were over when
        it began.
    """

    name: str
    what: str
    trees: Sequence[Tree] = field(repr=False)
    received: IntArray = field(repr=False)


def describe_play(play: Play) -> dict[str, Any]:
    """A play as the page has it: step s is in place of cycle s - 1."""
    document = _recorded(play).document()
    return {"name": play.name, "what": play.what, "unit": "step", **document}


def _recorded(play: Play) -> Recording:
    streams: dict[Stream, int] = {}
    events: list[tuple[int, int, int]] = []
    for word, (tree, received) in enumerate(zip(play.trees, play.received, strict=True)):
        begins = Stream("inject", OUTSIDE, tree.root)
        events.append((streams.setdefault(begins, len(streams)), int(received[tree.root]), word))
        for node in np.flatnonzero(tree.parent != NO_PARENT).tolist():
            link = Stream("link", int(tree.parent[node]), node, int(tree.port[node]))
            events.append((streams.setdefault(link, len(streams)), int(received[node]) - 1, word))
    table = np.array(events, dtype=np.int64)
    return Recording(
        streams=list(streams),
        stream=table[:, 0],
        cycle=table[:, 1],
        word=table[:, 2],
        more={},
        words={"source": [tree.root for tree in play.trees]},
        cycles=int(play.received.max()),
        end="drained",
    )
