"""The ordered fabric in Amaranth: buffers, merges, forks, and the node that is made of them."""

from noc.hardware.ordered.buffers import OneSlot, TwoSlots, buffer_signature
from noc.hardware.ordered.fork import Fork
from noc.hardware.ordered.merge import Merge
from noc.hardware.ordered.node import Node, node_signature, word_shape

__all__ = [
    "Fork",
    "Merge",
    "Node",
    "OneSlot",
    "TwoSlots",
    "buffer_signature",
    "node_signature",
    "word_shape",
]
