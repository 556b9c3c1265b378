"""The report of a round: the hardware that sends it on a serial line, and the reader of the text.

The text comes from a ROM, with numbers in decimal where it asks for them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

#: Bits of a number, and the decimal digits that they may need.
NUMBER_BITS, DIGITS = 32, 10

#: A byte of the text with this bit stands for a number, or, with all bits, for the end.
_NUMBER, _END = 0x80, 0xFF

#: Bytes of a text, its end included, at least: with numbers of operations it may need more.
PAGE = 256


def page(text: str) -> list[int]:
    """The bytes of a text with its end; ``{0}``, ``{1}`` and so on stand for the numbers.

    >>> page("at {1}")
    [97, 116, 32, 129, 255]
    """
    result = []
    for place, part in enumerate(text.replace("{", "}").split("}")):
        result += [_NUMBER | int(part)] if place % 2 else list(part.encode("ascii"))
    return [*result, _END]


class Reporter(wiring.Component):
    """Sends one of some texts, chosen by ``choice``, with ``count`` numbers in it."""

    def __init__(self, texts: Sequence[str], *, count: int) -> None:
        pages = [page(text) for text in texts]
        self._page = max(PAGE, 1 << (max(map(len, pages)) - 1).bit_length())
        self._rom = [byte for page in pages for byte in page + [_END] * (self._page - len(page))]
        super().__init__(
            {
                # Begin, unless busy.
                "start": In(1),
                # Which text, and the numbers: constant while busy.
                "choice": In(range(len(pages))),
                "numbers": In(NUMBER_BITS).array(count),
                # Whether a text is on its way.
                "busy": Out(1),
                "bytes": Out(stream.Signature(8)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Go through the text; a number is converted when its place comes."""
        m = Module()
        m.submodules.text = text = memory.Memory(shape=8, depth=len(self._rom), init=self._rom)
        read = text.read_port()
        place = Signal(range(self._page))
        binary, decimal = Signal(NUMBER_BITS), Signal(4 * DIGITS)
        steps = Signal(range(NUMBER_BITS + 1))
        digit = decimal[-4:]
        m.d.comb += read.addr.eq(Cat(place, self.choice))
        with m.FSM() as fsm:
            m.d.comb += self.busy.eq(~fsm.ongoing("IDLE"))
            with m.State("IDLE"):
                m.d.sync += place.eq(0)
                with m.If(self.start):
                    m.next = "READ"
            with m.State("READ"):
                m.next = "LOOK"
            with m.State("LOOK"):
                self._look(m, read.data, binary)
                m.d.sync += [decimal.eq(0), steps.eq(NUMBER_BITS)]
                with m.If(self.bytes.valid & self.bytes.ready):
                    m.d.sync += place.eq(place + 1)
                    m.next = "READ"
            with m.State("CONVERT"):
                m.d.sync += [_doubled(decimal, binary), steps.eq(steps - 1)]
                with m.If(steps == 1):
                    m.d.sync += steps.eq(DIGITS)
                    m.next = "SKIP"
            with m.State("SKIP"):
                with m.If((digit == 0) & (steps != 1)):
                    m.d.sync += [decimal.eq(decimal << 4), steps.eq(steps - 1)]
                with m.Else():
                    m.next = "DIGIT"
            with m.State("DIGIT"):
                m.d.comb += [self.bytes.valid.eq(1), self.bytes.payload.eq(ord("0") | digit)]
                with m.If(self.bytes.ready):
                    m.d.sync += [decimal.eq(decimal << 4), steps.eq(steps - 1)]
                    with m.If(steps == 1):
                        m.d.sync += place.eq(place + 1)
                        m.next = "READ"
        return m

    def _look(self, m: Module, byte: Any, binary: Any) -> None:
        """Send a byte of the text, or turn to what it stands for."""
        with m.If(byte == _END):
            m.next = "IDLE"
        with m.Elif(byte[-1]):
            with m.Switch(byte[:-1]):
                for which, number in enumerate(self.numbers):
                    with m.Case(which):
                        m.d.sync += binary.eq(number)
            m.next = "CONVERT"
        with m.Else():
            m.d.comb += [self.bytes.valid.eq(1), self.bytes.payload.eq(byte)]


def _doubled(decimal: Any, binary: Any) -> Any:
    """A step of the conversion: both doubled, the highest binary digit carried over."""
    digits = [decimal[4 * place : 4 * place + 4] for place in range(DIGITS)]
    adjusted = Cat(Mux(digit >= 5, digit + 3, digit)[:4] for digit in digits)
    return Cat(binary, decimal).eq(Cat(binary, adjusted) << 1)


#: A start bit, eight of data, a stop bit.
FRAME_BITS = 10


class Transmitter(wiring.Component):
    """A UART transmitter: eight bits of ``divisor`` cycles, no parity, one stop bit.

    The ``line`` is high while idle.
    """

    def __init__(self, divisor: int) -> None:
        if divisor < 2:
            raise ValueError(f"divisor must be at least 2, not {divisor!r}")
        self._divisor = divisor
        super().__init__({"bytes": In(stream.Signature(8)), "line": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Shift a frame out, lowest bit first."""
        m = Module()
        frame = Signal(FRAME_BITS, init=(1 << FRAME_BITS) - 1)
        left, wait = Signal(range(FRAME_BITS + 1)), Signal(range(self._divisor))
        m.d.comb += [self.bytes.ready.eq(left == 0), self.line.eq(frame[0])]
        with m.If(self.bytes.valid & self.bytes.ready):
            m.d.sync += [
                frame.eq(Cat(Const(0, 1), self.bytes.payload, Const(1, 1))),
                left.eq(FRAME_BITS),
                wait.eq(self._divisor - 1),
            ]
        with m.Elif((left != 0) & (wait == 0)):
            m.d.sync += [
                frame.eq(Cat(frame[1:], Const(1, 1))),
                left.eq(left - 1),
                wait.eq(self._divisor - 1),
            ]
        with m.Elif(left != 0):
            m.d.sync += wait.eq(wait - 1)
        return m


#: The numbers of a report, in this order.
NUMBERS = ("round", "cycles", "sent", "right", "wrong", "missing", "extra")

#: Further ones of a chip of several, and then those of each of its links.
WATCHED, LINK = ("silent", "stream"), ("down", "faulty")

#: Further ones of a network with operations, and then those of each operation.
ALARMS, EACH = ("dropped", "mismatch", "early"), ("sent", "right")


def _spelled(names: tuple[str, ...]) -> str:
    return " ".join(rf"{name} (?P<{name}_>\d+)" for name in names)


_LINK = re.compile(r"^(chip_\d+) down (\d+) faulty (\d+)\r?$", re.MULTILINE)

_OPERATION = re.compile(r"^(\w+\S*) sent (\d+) right (\d+)\r?$", re.MULTILINE)

_RESULT = re.compile(
    rf"^(arbornoc .*?)\r?\n{_spelled(NUMBERS)}\r?\n"
    rf"({_spelled(WATCHED)}\r?\n(?P<links>({_LINK.pattern[1:-1]}\n)*))?"
    rf"({_spelled(ALARMS)}\r?\n(?P<operations>({_OPERATION.pattern[1:-1]}\n)+))?"
    r"(?P<verdict>PASS|FAIL|WAIT)\r?$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Result:
    """The report of one round."""

    #: What is tested.
    header: str
    #: Counts from 1.
    round: int
    #: Clock cycles while words were on their way.
    cycles: int
    #: Words of all sources.
    sent: int
    #: Words of all sinks, namely those that came as they should, those that were never sent, those
    #: that should have come and did not, and those that should not have come.
    right: int
    wrong: int
    missing: int
    extra: int
    #: The verdict.
    passed: bool
    #: Of a network with operations, in how many cycles, and at how many nodes, it raised an alarm,
    #: or released a node from a barrier too early.
    dropped: int = 0
    mismatch: int = 0
    early: int = 0
    #: For each of its operations the words that were sent, and those that were right.
    operations: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    #: Of a chip of several, whether it waits for words of others; nodes that got none of the stream
    #: that was watched; and that stream.
    waits: bool = False
    silent: int = 0
    stream: int = 0
    #: For each of its links whether it was down, and how many frames were faulty.
    links: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def template(
    header: str, operations: Sequence[object], links: Sequence[str] | None = None
) -> list[str]:
    """The lines of a report before the verdict; ``{N}`` stands for its number N."""
    named: list[tuple[str, tuple[str, ...]]] = [("", NUMBERS)]
    if links is not None:
        named += [("", WATCHED), *((f"{name} ", LINK) for name in links)]
    if operations:
        named += [("", ALARMS), *((f"{name} ", EACH) for name in operations)]
    text, place = [header], 0
    for before, names in named:
        text.append(before + " ".join(f"{name} {{{place + n}}}" for n, name in enumerate(names)))
        place += len(names)
    return text


def results(text: str) -> Iterator[Result]:
    """The complete reports in what came over the serial line."""
    return iter(taken(text)[0])


def taken(text: str) -> tuple[list[Result], str]:
    """The complete reports, and what is left of the text behind the last of them."""
    reports, rest = [], text
    for match in _RESULT.finditer(text):
        names = NUMBERS + (ALARMS if match["operations"] else ())
        names += () if match["links"] is None else WATCHED
        numbers = {name: int(match[f"{name}_"]) for name in names}
        operations = {
            name: (int(sent), int(right))
            for name, sent, right in _OPERATION.findall(match["operations"] or "")
        }
        links = {
            name: (int(down), int(faulty))
            for name, down, faulty in _LINK.findall(match["links"] or "")
        }
        verdict = match["verdict"]
        reports.append(
            Result(
                header=match[1],
                passed=verdict == "PASS",
                waits=verdict == "WAIT",
                operations=operations,
                links=links,
                **numbers,
            )
        )
        rest = text[match.end() :]
    return reports, rest
