"""The ordered fabric in Amaranth: the node, and what it is made of beside the parts of streams."""

from noc.hardware.ordered.chip_ends import Entrance, Exit
from noc.hardware.ordered.node import STOP, Node
from noc.hardware.ordered.words import word_shape

__all__ = ["STOP", "Entrance", "Exit", "Node", "word_shape"]
