"""``distributed``: the message-driven broadcast of the arrangement graph paper."""

from noc.trees.algorithms import Algorithm

__all__ = ["ALGORITHMS"]

ALGORITHMS: tuple[Algorithm, ...] = ()
