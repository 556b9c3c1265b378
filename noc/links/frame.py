"""What goes over the pins in one direction: beats, and the frames that they make up.

A frame is a beat that begins it, words, a trailer that begins like a word of no stream, and a
checksum of words and trailer. At least one beat of zeros lies between two frames. Words have
numbers of their own: a trailer names that behind its last word, so that a frame which is sent again
may have other words than before. What a side knows goes at the end of a frame, so that it is new.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from amaranth.hdl import Cat, Shape, Signal, Value
from amaranth.lib import data, enum
from amaranth.utils import ceil_log2

from noc.links import checksum

#: The most bits that all pins of one direction carry in a cycle.
MOST_BITS = 32

#: The most streams of one direction.
MOST_LANES = 15

#: Words of a frame, at most: it ends before one whose number is a multiple of this.
FRAME_WORDS = 16

#: The numbers of words, and the words for which memories have a place. A sender uses up to three
#: quarters of them, and at least a half: as many words are under way until an answer comes.
NUMBERS = 128

#: Memories of words are block RAM: of LUT RAM they would be larger than all else. Nothing is read
#: in the cycle in which it is written, for which tools would add comparators of addresses.
BLOCK = {"ram_style": "block", "no_rw_check": "1"}


def bits_of(pins: int, *, ddr: bool) -> int:
    """Bits that so many pins for data carry in a cycle: half a beat."""
    return 2 * pins if ddr else pins


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
    half : int
        Bits of half a beat, which goes in a cycle of the sender: one for each pin for data, with
        DDR two.
    widths : sequence of int
        Bits of a word of each stream that is sent.
    answers : int
        How many streams come the other way: of each a frame says how many words have left.
    """

    half: int
    widths: tuple[int, ...]
    answers: int

    def __init__(self, half: int, widths: Sequence[int], answers: int) -> None:
        object.__setattr__(self, "half", half)
        object.__setattr__(self, "widths", tuple(widths))
        object.__setattr__(self, "answers", answers)
        if not 1 <= half <= MOST_BITS:
            raise ValueError(f"half must be from 1 to {MOST_BITS} bits, not {half!r}")
        if max(len(self.widths), answers) > MOST_LANES:
            raise ValueError(f"at most {MOST_LANES} streams can go each way")
        if self.tag > self.beat:
            raise ValueError(f"{len(self.widths)} streams need more than {half} bits a cycle")

    @classmethod
    def of(cls, goes: Sequence[Any], comes: Sequence[Any], half: int) -> "FrameFormat":
        """For words of these shapes, where others come the other way."""
        return cls(half, [Shape.cast(shape).width for shape in goes], len(comes))

    @property
    def beat(self) -> int:
        """Bits of a beat; its upper half goes first."""
        return 2 * self.half

    @property
    def begin(self) -> int:
        """The beat that begins a frame."""
        ones = "".join("10"[n % 2] for n in range(self.half))
        return int(ones + ones.translate(str.maketrans("01", "10")), 2)

    @property
    def trailer(self) -> data.StructLayout:
        """What a frame says behind its words.

        ``end`` is where a word says which stream it is of. ``phase`` says how far the side is that
        sends it. ``attempt`` changes whenever words are sent again. ``again`` says that frames were
        lost there since one of the attempt ``heard``. ``left`` is the quarter of the number of the
        word of each stream that is to leave the receiver's memory next. ``sent`` is the number
        behind that of the last word, ``expected`` that of the word which is to come next the other
        way.
        """
        count = ceil_log2(NUMBERS)
        return data.StructLayout(
            {
                "end": self.tag,
                "phase": Phase,
                "attempt": 1,
                "again": 1,
                "heard": 1,
                "left": data.ArrayLayout(2, self.answers),
                "sent": count,
                "expected": count,
            }
        )

    @property
    def trailer_beats(self) -> int:
        """Beats of the trailer."""
        return self._beats(self.trailer.size)

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
        return self._beats(checksum.BITS)

    @property
    def most_parts(self) -> int:
        """Beats of what has most of them, a word, a trailer or a checksum."""
        return max(self.slot_beats, self.trailer_beats, self.checksum_beats)

    @property
    def most_beats(self) -> int:
        """Beats of the longest frame, and of the gap after it."""
        words = FRAME_WORDS * self.slot_beats
        return 1 + words + self.trailer_beats + self.checksum_beats + 1

    @property
    def empty_beats(self) -> int:
        """Beats of a frame without words, and of the gap after it."""
        return 1 + self.trailer_beats + self.checksum_beats + 1

    @property
    def silence(self) -> int:
        """Beats of zeros after which a receiver is in step, whatever it took them for.

        The rest of a word, what ends the words then, a trailer and a checksum; one for the gap, and
        one for a beat that is lost where clocks differ.
        """
        return self.slot_beats + self.trailer_beats + self.checksum_beats + 2

    @property
    def rate(self) -> float:
        """Words a cycle of the sender, at most, where all frames are full."""
        return FRAME_WORDS / (2 * self.most_beats) if self.widths else 0.0

    def _beats(self, bits: int) -> int:
        return -(-bits // self.beat)


def number(name: str) -> Signal:
    """A number of a word."""
    return Signal(range(NUMBERS), name=name)


def after(place: Signal) -> Value:
    """The next number: of so few bits, often of two to choose from, a carry chain is larger."""
    return Cat(bit ^ place[:n].all() for n, bit in enumerate(place))


def quarter(place: Signal) -> Value:
    """In which quarter of the memory a word of a number lies: so much says whether others fit."""
    return place[-2:]


def has_room(newest: Signal, oldest: Value) -> Value:
    """Whether there is room for a word, where the oldest that is kept lies in this quarter.

    Up to three quarters are in use. So a word is known to be ahead of the oldest, and not behind.
    """
    return quarter(newest) != (oldest - 1)[:2]


def address(place: Value, part: Signal, parts: int) -> Value:
    """Where a part of a word lies, of a counter that may have more bits."""
    return Cat(part[: ceil_log2(parts)], place)


def depth(parts: int) -> int:
    """Of a memory for so many parts of each word."""
    return NUMBERS << ceil_log2(parts)
