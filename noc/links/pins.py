"""Beats on pins, and a clock that goes with them.

Data pins change in every cycle of the sender's clock; the clock pin changes half a cycle later, in
the midst of a bit, up for the first half of a beat and down for the second. The receiver takes the
pins at both edges, so that all is made of flip-flops which every chip has.
"""

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.cdc import ResetSynchronizer
from amaranth.lib.fifo import AsyncFIFO
from amaranth.lib.wiring import In, Out

#: Beats that wait to be seen in the clock of the chip, which takes them twice as fast as they come.
_WAIT = 8


class PinsSignature(wiring.Signature):
    """The pins of one direction, as the sender has them.

    Parameters
    ----------
    pins : int
        How many carry data.
    """

    def __init__(self, pins: int) -> None:
        super().__init__({"clock": Out(1), "data": Out(pins)})


class PinsOut(wiring.Component):
    """Beats out of this chip.

    Parameters
    ----------
    pins : int
        How many carry data.

    Members
    -------
    beat : In(2 * pins)
        What is taken where ``moves`` is 1.
    moves : Out(1)
        In every second cycle.
    pins : Out(PinsSignature(pins))
        The pins.
    """

    def __init__(self, pins: int) -> None:
        super().__init__({"beat": In(2 * pins), "moves": Out(1), "pins": Out(PinsSignature(pins))})

    def elaborate(self, platform: object) -> Module:
        """Half a beat in a cycle; the clock is never still, even in reset."""
        m = Module()
        m.domains.fall = fall = ClockDomain(local=True, clk_edge="neg", reset_less=True)
        m.d.comb += fall.clk.eq(ClockSignal())
        pins = len(self.pins.data)
        second, clock = Signal(reset_less=True), Signal(reset_less=True)
        later = Signal(pins, reset_less=True)
        data = Signal(pins, reset_less=True)
        # ``second`` says what is on the pins.
        m.d.comb += [self.moves.eq(second), self.pins.data.eq(data), self.pins.clock.eq(clock)]
        m.d.sync += second.eq(~second)
        with m.If(second):
            m.d.sync += Cat(data, later).eq(self.beat)
        with m.Else():
            m.d.sync += data.eq(later)
        m.d.fall += clock.eq(~second)
        return m


class PinsIn(wiring.Component):
    """Beats into this chip.

    Parameters
    ----------
    pins : int
        How many carry data.

    Members
    -------
    pins : In(PinsSignature(pins))
        The pins.
    arrives : Out(1)
        Whether there is a beat.
    beat : Out(2 * pins)
        That beat.
    """

    def __init__(self, pins: int) -> None:
        super().__init__(
            {"pins": In(PinsSignature(pins)), "arrives": Out(1), "beat": Out(2 * pins)}
        )

    def elaborate(self, platform: object) -> Module:
        """Flip-flops at both edges of the clock that comes, and a queue to the chip's own."""
        m = Module()
        m.domains.pins = rise = ClockDomain("pins", local=True, async_reset=True)
        m.domains.pins_fall = fall = ClockDomain(
            "pins_fall", local=True, clk_edge="neg", reset_less=True
        )
        m.d.comb += [rise.clk.eq(self.pins.clock), fall.clk.eq(self.pins.clock)]
        m.submodules.reset = ResetSynchronizer(ResetSignal(), domain="pins")
        halves = [Signal.like(self.pins.data, name=f"half_{n}", reset_less=True) for n in range(2)]
        m.d.pins += halves[0].eq(self.pins.data)
        m.d.pins_fall += halves[1].eq(self.pins.data)
        m.submodules.queue = queue = AsyncFIFO(
            width=len(self.beat), depth=_WAIT, w_domain="pins", r_domain="sync"
        )
        m.d.comb += [
            queue.w_data.eq(Cat(halves)),
            queue.w_en.eq(1),
            queue.r_en.eq(1),
            self.arrives.eq(queue.r_rdy),
            self.beat.eq(queue.r_data),
        ]
        return m
