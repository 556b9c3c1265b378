"""What goes over the pins in one direction: beats, and the frames that they make up.

A frame is a beat that begins it, a header, words, a beat of zeros that ends them, and a checksum.
At least one beat of zeros lies between two frames. Words have numbers of their own: a header names
that of its first word, so that a frame which is sent again may have other words than before.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Shape, Value
from amaranth.lib import crc, data, enum

#: The most pins for data in one direction, and the most streams.
MOST_PINS, MOST_LANES = 32, 15

#: Words of a frame, at most.
FRAME_WORDS = 16

#: Words that the sender keeps until they are known to have come, and that the receiver has room for
#: of each stream: as many as are under way until an answer comes.
DEPTH = 64

#: The checksum: of 24 bits, since a wrong bit can make a frame end too soon, and what is taken for
#: its checksum then is right once in 2 ** 24 times. The polynomial is that of LTE (3GPP TS 36.212,
#: gCRC24B), which needs few gates; a line that falls to zeros makes no good frame.
CHECKSUM = crc.Algorithm(
    crc_width=24,
    polynomial=0x800063,
    initial_crc=0xFFFFFF,
    reflect_input=False,
    reflect_output=False,
    xor_output=0,
)

#: Memories of words are block RAM: of LUT RAM they would be larger than all else.
BLOCK = {"ram_style": "block"}


class Phase(enum.Enum, shape=2):
    """How far a side of a link is since its reset."""

    #: It has heard nothing from the other side, as that is now.
    NEW = 0
    #: It has heard of it, and does not know whether it was heard.
    HEARD = 1
    #: Both have heard of each other, so that words may be sent.
    LINKED = 2


@dataclass(frozen=True)
class FrameFormat:
    """The frames of one direction.

    Parameters
    ----------
    pins : int
        How many pins carry data: each a bit in a cycle of the sender. A beat has two cycles.
    widths : sequence of int
        Bits of a word of each stream that is sent.
    answers : int
        How many streams come the other way: of each a frame says how many words have left.
    """

    pins: int
    widths: tuple[int, ...]
    answers: int

    def __init__(self, pins: int, widths: Sequence[int], answers: int) -> None:
        object.__setattr__(self, "pins", pins)
        object.__setattr__(self, "widths", tuple(widths))
        object.__setattr__(self, "answers", answers)
        if not 1 <= pins <= MOST_PINS:
            raise ValueError(f"pins must be from 1 to {MOST_PINS}, not {pins!r}")
        if max(len(self.widths), answers) > MOST_LANES:
            raise ValueError(f"at most {MOST_LANES} streams can go each way")
        if self.tag > self.beat:
            raise ValueError(f"{len(self.widths)} streams need more than {pins} pins")

    @classmethod
    def of(cls, goes: Sequence[Any], comes: Sequence[Any], pins: int) -> "FrameFormat":
        """For words of these shapes, where others come the other way."""
        return cls(pins, [Shape.cast(shape).width for shape in goes], len(comes))

    @property
    def beat(self) -> int:
        """Bits of a beat."""
        return 2 * self.pins

    @property
    def begin(self) -> int:
        """The beat that begins a frame."""
        ones = "".join("10"[n % 2] for n in range(self.pins))
        return int(ones + ones.translate(str.maketrans("01", "10")), 2)

    @property
    def count(self) -> int:
        """Bits of a counter of words, twice as many as are kept."""
        return (2 * DEPTH - 1).bit_length()

    @property
    def header(self) -> data.StructLayout:
        """What a frame says before its words.

        ``phase`` says how far the side is that sends it. ``first`` is the number of its first word,
        ``expected`` that of the word which is to come next the other way. ``again`` says that
        frames were lost there since one of the attempt ``heard``. ``attempt`` changes whenever
        words are sent again. ``left`` counts the words of each stream that have left the receiver's
        memory.
        """
        return data.StructLayout(
            {
                "phase": Phase,
                "first": self.count,
                "expected": self.count,
                "again": 1,
                "attempt": 1,
                "heard": 1,
                "left": data.ArrayLayout(self.count, self.answers),
            }
        )

    @property
    def header_beats(self) -> int:
        """Beats of the header."""
        return self._beats(self.header.size)

    @property
    def tag(self) -> int:
        """Bits before a word that say which stream it is of, from 1 on; 0 ends the words."""
        return len(self.widths).bit_length()

    @property
    def slot(self) -> int:
        """Bits of a word with what is before it."""
        return self.tag + max(self.widths, default=0)

    @property
    def slot_beats(self) -> int:
        """Beats of a word; the tag is whole in the first."""
        return self._beats(self.slot)

    @property
    def checksum_beats(self) -> int:
        """Beats of the checksum."""
        return self._beats(CHECKSUM.crc_width)

    @property
    def most_parts(self) -> int:
        """Beats of what has most of them, a header, a word or a checksum."""
        return max(self.header_beats, self.slot_beats, self.checksum_beats)

    @property
    def most_beats(self) -> int:
        """Beats of the longest frame, and of the gap after it."""
        words = FRAME_WORDS * self.slot_beats if self.widths else 0
        return 1 + self.header_beats + words + 1 + self.checksum_beats + 1

    @property
    def rate(self) -> float:
        """Words a cycle of the sender, at most, where all frames are full."""
        return FRAME_WORDS / (2 * self.most_beats) if self.widths else 0.0

    def _beats(self, bits: int) -> int:
        return -(-bits // self.beat)


def is_full(newest: Value, oldest: Value) -> Value:
    """Whether as many words as fit lie between two numbers of words: these differ in one bit."""
    return (newest ^ oldest) == DEPTH
