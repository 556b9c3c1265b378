"""The report of a round: text from a ROM, with numbers in decimal where the text asks for them."""

from typing import Any

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

__all__ = ["NUMBER_BITS", "Reporter", "page"]

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
    """Sends one of two texts, with the numbers as they are while it does.

    Parameters
    ----------
    texts : pair of str
        The texts, for ``choice`` 0 and 1.
    count : int
        How many numbers there are.

    Members
    -------
    start : In(1)
        Begin, unless busy.
    choice : In(1)
        Which text: constant while busy.
    numbers : In(NUMBER_BITS).array(count)
        The numbers: constant while busy.
    busy : Out(1)
        Whether a text is on its way.
    bytes : Out(stream.Signature(8))
        The text.
    """

    def __init__(self, texts: tuple[str, str], *, count: int) -> None:
        pages = [page(text) for text in texts]
        self._page = max(PAGE, 1 << (max(map(len, pages)) - 1).bit_length())
        self._rom = [byte for page in pages for byte in page + [_END] * (self._page - len(page))]
        super().__init__(
            {
                "start": In(1),
                "choice": In(1),
                "numbers": In(NUMBER_BITS).array(count),
                "busy": Out(1),
                "bytes": Out(stream.Signature(8)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Go through the text; a number is converted when its place comes."""
        m = Module()
        m.submodules.text = text = memory.Memory(shape=8, depth=2 * self._page, init=self._rom)
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
