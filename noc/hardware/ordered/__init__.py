"""The ordered fabric in Amaranth: the node, and what it is made of beside the parts of streams."""

from noc.hardware.ordered.node import STOP, Node
from noc.hardware.ordered.words import word_shape

__all__ = ["STOP", "Node", "word_shape"]
