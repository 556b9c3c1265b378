"""``cyclic`` and its slower forms: the ring-by-ring broadcasts of SCC and CCC."""

from noc.trees.algorithms import Algorithm

__all__ = ["ALGORITHMS"]

ALGORITHMS: tuple[Algorithm, ...] = ()
