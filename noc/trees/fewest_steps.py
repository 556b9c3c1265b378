"""``fewest-steps``: one-port broadcast on any network in as few steps as search can find."""

from noc.trees.algorithms import Algorithm

__all__ = ["ALGORITHMS"]

ALGORITHMS: tuple[Algorithm, ...] = ()
