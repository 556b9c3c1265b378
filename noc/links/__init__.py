"""Links between chips: streams, and the few pins by which their words go from one chip to another.

They know no networks: whatever has streams can be cut between two chips with :class:`ChipLink`.
"""

from noc.links.frame import FRAME_WORDS, MOST_BITS, MOST_LANES, NUMBERS, FrameFormat, bits_of
from noc.links.link import ChipLink

__all__ = [
    "FRAME_WORDS",
    "MOST_BITS",
    "MOST_LANES",
    "NUMBERS",
    "ChipLink",
    "FrameFormat",
    "bits_of",
]
