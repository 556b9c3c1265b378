"""``adst``: arc-disjoint spanning trees of uni-directional hypercubes."""

from noc.trees.algorithms import Algorithm

__all__ = ["ALGORITHMS"]

ALGORITHMS: tuple[Algorithm, ...] = ()
