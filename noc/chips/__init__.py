"""A network on several chips: which nodes lie on which, and what goes between them."""

from noc.chips.cut import Cut, cut
from noc.chips.division import Division, divide, read_division
from noc.chips.trees import build_ways
from noc.chips.wiring import Pin, Wire, plan_wires

__all__ = [
    "Cut",
    "Division",
    "Pin",
    "Wire",
    "build_ways",
    "cut",
    "divide",
    "plan_wires",
    "read_division",
]
