"""A network on several chips: which nodes lie on which, and what goes between them."""

from noc.chips.cut import Cut, cut
from noc.chips.division import Division, divide, read_division
from noc.chips.trees import build_ways

__all__ = ["Cut", "Division", "build_ways", "cut", "divide", "read_division"]
