"""``switching-nlogn`` and ``switching-n2``: SCC broadcasts from switching networks."""

from noc.trees.algorithms import Algorithm

__all__ = ["ALGORITHMS"]

ALGORITHMS: tuple[Algorithm, ...] = ()
