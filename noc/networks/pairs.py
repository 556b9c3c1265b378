"""Pairs of nodes by kind: what no relabelling of a graph changes."""

from typing import Any

import numpy as np
import numpy.typing as npt

from noc.networks.arrays import IntArray

__all__ = ["kinds"]

# Sums of so many products of two weights below this are whole numbers that a float holds.
WEIGHTS = 1009


def kinds(colour: IntArray) -> IntArray | None:
    """A number for each pair of nodes that every relabelling keeps; None if nodes are unlike.

    Told apart are the links both ways between the two nodes, and what there is on paths of
    growing length. Two nodes are unlike if they are not in as many pairs of each kind.
    """
    apart = ~np.eye(colour.shape[0], dtype=bool)
    kind, before = _numbered(_numbered(colour) * 2 + apart), 0
    while _alike(kind):
        count = int(kind.max()) + 1
        if count == before:
            return kind
        before, kind = count, _further(kind)
    return None


def _further(kind: IntArray) -> IntArray:
    """The kinds told further apart by the kinds on paths of two between the pair."""
    there = (kind * 31 + 7) * 17 % WEIGHTS
    onward = (kind * kind + kind * 13 + 5) % WEIGHTS
    through = there.astype(np.float64) @ onward.astype(np.float64)
    known = _numbered(kind * kind.size + _numbered(through))
    return _numbered(known * kind.size + known.T)


def _alike(kind: IntArray) -> bool:
    ordered = np.sort(kind, axis=1)
    return bool((ordered == ordered[0]).all())


def _numbered(values: npt.NDArray[Any]) -> IntArray:
    """The values by their ranks, equal ones alike."""
    _, ranks = np.unique(values.ravel(), return_inverse=True)
    return ranks.reshape(values.shape).astype(np.int64)
