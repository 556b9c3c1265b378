"""Sends bytes on a serial line."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

#: A start bit, eight of data, a stop bit.
FRAME_BITS = 10


class Transmitter(wiring.Component):
    """A UART transmitter: eight bits, no parity, one stop bit.

    Parameters
    ----------
    divisor : int
        Clock cycles of a bit.

    Members
    -------
    bytes : In(stream.Signature(8))
        What to send.
    line : Out(1)
        The line, high while idle.
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
