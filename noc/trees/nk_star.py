"""``greedy`` and ``multiple``: the trees of the (n,k)-star paper."""

from noc.trees.algorithms import Algorithm

__all__ = ["ALGORITHMS"]

ALGORITHMS: tuple[Algorithm, ...] = ()
