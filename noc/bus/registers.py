"""The registers of a node behind a bus, described once: hardware, SystemRDL and C follow this."""

from typing import Literal, NamedTuple

from noc.programs.word_format import WordFormat

#: Bits of a register, and of the number of one; on a bus each has four bytes.
BITS, ADDRESS_BITS = 32, 6

#: What ``id`` holds: the letters NOC, and the number of this description.
IDENTITY = 0x4E4F4301

#: The first registers of the data of a word, of those that are given and of those that came.
GIVE_DATA, TAKE_DATA = 16, 32

#: Bits of alarms beside those of the network.
OWN_ALARMS = ("overrun", "underrun")

#: The most alarms of the network.
MOST_ALARMS = BITS - len(OWN_ALARMS)

#: Whether a register is read, or written, too, or bits are cleared by writing ones.
Access = Literal["r", "w", "rw", "w1c"]


class Field(NamedTuple):
    """Some bits of a register."""

    name: str
    first: int
    bits: int
    summary: str


class Register(NamedTuple):
    """One register, or several of the same kind, one behind the other.

    The address counts registers: that of a byte is four times as much.
    """

    name: str
    address: int
    access: Access
    summary: str
    fields: tuple[Field, ...]
    many: int = 1

    def place(self, name: str) -> slice:
        """Where a field lies."""
        (field,) = (field for field in self.fields if field.name == name)
        return slice(field.first, field.first + field.bits)


_INTERRUPTS = (
    Field("take", 0, 1, "a word waits to be taken"),
    Field("give", 1, 1, "there is room to give a word"),
    Field("alarm", 2, 1, "a bit of alarm is 1"),
)
_MESSAGE = (
    Field("operation", 16, 8, "the number of its operation"),
    Field("last", 24, 1, "whether it is the last word of its message, or round"),
)
_SHAPE = (
    Field("data_words", 0, 8, "registers that hold the data of a word"),
    Field("width", 8, 16, "bits of data in a word"),
)
_STATUS = (
    Field("room", 0, 16, "how many words may be given"),
    Field("waiting", 16, 16, "how many words wait to be taken"),
)
_ALARM = (
    Field("overrun", 0, 1, "a word was given without room, and is lost"),
    Field("underrun", 1, 1, "a word was taken where none waited"),
    Field("network", 2, MOST_ALARMS, "the alarms of the node, by manifest.json"),
)
_STREAM = Field("stream", 25, 7, "which of the node's inject streams it is given to")

#: The most inject streams of a node.
MOST_STREAMS = 1 << _STREAM.bits

_GIVE = (
    Field("node", 0, 16, "the number of the node that it is for"),
    *_MESSAGE,
    _STREAM,
)
_TAKE = (
    Field("source", 0, 16, "the number of the node that sent it, or of the sum that it is"),
    *_MESSAGE,
)
_DATA = (Field("data", 0, BITS, "32 bits of the data, the lowest first"),)

#: The registers that every node has, by their names.
FIXED = {
    each.name: each
    for each in (
        Register("id", 0, "r", "which hardware this is", (Field("id", 0, BITS, "0x4E4F4301"),)),
        Register("shape", 1, "r", "how the hardware was built", _SHAPE),
        Register("status", 2, "r", "what can be done now", _STATUS),
        Register("interrupt_enable", 3, "rw", "which bits of interrupt raise irq", _INTERRUPTS),
        Register("interrupt", 4, "r", "what may raise irq, as long as it is so", _INTERRUPTS),
        Register("alarm", 5, "w1c", "what has happened since a one was written to it", _ALARM),
        Register("give_head", 6, "rw", "what goes with the words that are given", _GIVE),
        Register("take_head", 7, "r", "what came with the word that waits", _TAKE),
    )
}


def count_data(words: WordFormat) -> int:
    """How many registers hold the data of a word."""
    return -(-words.width // BITS)


def list_registers(words: WordFormat) -> tuple[Register, ...]:
    """All registers of a node whose words have some format, by address."""
    give = "the data of a word, which is given when the last of these is written"
    take = "the data of the word that waits, which is gone when the last of these is read"
    count = count_data(words)
    return (
        *FIXED.values(),
        Register("give_data", GIVE_DATA, "w", give, _DATA, count),
        Register("take_data", TAKE_DATA, "r", take, _DATA, count),
    )
