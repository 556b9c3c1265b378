"""``bt1``, ``bt2``, ``bt3``: the broadcasting trees of uni-directional hypercubes."""

from noc.trees.algorithms import Algorithm

__all__ = ["ALGORITHMS"]

ALGORITHMS: tuple[Algorithm, ...] = ()
