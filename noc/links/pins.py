"""The pins of a link, one side and the other.

Data pins change in every cycle of the sender's clock; the clock pin changes half a cycle later, in
the midst of a bit, up for the first half of a beat and down for the second. The receiver takes the
pins at both edges, so that all is made of flip-flops which every chip has.

With DDR data pins change twice in a cycle, and the clock pin a quarter of a cycle after each
change: up in the midst of the first half of the cycle, down in that of the second. Cells at the
pins, which each family of chips has, stand between them and a link: they are given the two bits of
a pin in a cycle at once, and give the two that came. Nothing says which bit begins a beat, so that
a receiver tries one half cycle after the other until frames come.
"""

from amaranth.hdl import Cat, ClockDomain, ClockSignal, Module, Mux, Signal, Value
from amaranth.lib import memory, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out


class PinsSignature(wiring.Signature):
    """The pins of one direction, as the sender has them."""

    def __init__(self, pins: int) -> None:
        super().__init__({"clock": Out(1), "data": Out(pins)})


class CellsOut(wiring.Signature):
    """What DDR cells of one direction are given: the upper bits are on the pins first."""

    def __init__(self, pins: int) -> None:
        super().__init__({"data": Out(2 * pins)})


class CellsIn(wiring.Signature):
    """What DDR cells give with the clock that comes; of two bits the upper was on the pin first.

    The two may be those of one cycle of the sender, or of two halves of neighbouring ones.
    """

    def __init__(self, pins: int) -> None:
        super().__init__({"clock": Out(1), "data": Out(2 * pins)})


class PinsOut(wiring.Component):
    """Halves of beats out of this chip.

    Members
    -------
    half : In(pins)
        What is on the pins, a register.
    first : In(1)
        Whether that is the first half of a beat.
    pins : Out(PinsSignature(pins))
        The pins.
    """

    def __init__(self, pins: int) -> None:
        super().__init__({"half": In(pins), "first": In(1), "pins": Out(PinsSignature(pins))})

    def elaborate(self, platform: object) -> Module:
        """A clock at the other edge."""
        m = Module()
        m.domains.fall = fall = ClockDomain(local=True, clk_edge="neg", reset_less=True)
        clock = Signal()
        m.d.fall += clock.eq(self.first)
        m.d.comb += [
            fall.clk.eq(ClockSignal()),
            self.pins.data.eq(self.half),
            self.pins.clock.eq(clock),
        ]
        return m


class PinsIn(wiring.Component):
    """Beats into this chip.

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
        m.domains.pins = rise = ClockDomain("pins", local=True, reset_less=True)
        m.domains.pins_fall = fall = ClockDomain(
            "pins_fall", local=True, clk_edge="neg", reset_less=True
        )
        m.d.comb += [rise.clk.eq(self.pins.clock), fall.clk.eq(self.pins.clock)]
        halves = [Signal.like(self.pins.data, name=f"half_{n}") for n in range(2)]
        m.d.pins += halves[0].eq(self.pins.data)
        m.d.pins_fall += halves[1].eq(self.pins.data)
        _cross(m, Cat(halves[1], halves[0]), None, self.arrives, self.beat)
        return m


class CellsToBeats(wiring.Component):
    """Beats into this chip, from DDR cells.

    Members
    -------
    cells : In(CellsIn(pins))
        What the cells give.
    begins : In(2)
        In which of four half cycles a beat begins.
    arrives : Out(1)
        Whether there is a beat.
    beat : Out(4 * pins)
        That beat.
    """

    def __init__(self, pins: int) -> None:
        self._pins = pins
        super().__init__(
            {
                "cells": In(CellsIn(pins)),
                "begins": In(2),
                "arrives": Out(1),
                "beat": Out(4 * pins),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Bits of two cycles, and a queue to the chip's own clock."""
        m = Module()
        m.domains.pins = pins = ClockDomain("pins", local=True, reset_less=True)
        m.d.comb += pins.clk.eq(self.cells.clock)
        begins = Signal(2)
        m.submodules.chooser = FFSynchronizer(self.begins, begins, o_domain="pins")
        data, count = self.cells.data, self._pins
        late, half, other = Signal(count), Signal(2 * count), Signal(2 * count)
        odd = Signal()
        m.d.pins += [late.eq(data[:count]), other.eq(half), odd.eq(~odd)]
        m.d.comb += half.eq(Mux(begins[0], Cat(data[count:], late), data))
        _cross(m, Cat(half, other), odd == begins[1], self.arrives, self.beat)
        return m


def _cross(m: Module, given: Value, whole: Value | None, arrives: Signal, beat: Signal) -> None:
    """Lead beats from the domain ``pins``, in each cycle or where they are whole, to the chip's.

    Each is written to the next of four places by the clock that comes. The chip's own, which is
    more than half as fast, sees within three cycles that there is one, and takes one in a cycle: so
    it takes each before the fourth behind it is written.
    """
    m.submodules.queue = queue = memory.Memory(shape=len(beat), depth=4, init=[])
    write, read = queue.write_port(domain="pins"), queue.read_port(domain="comb")
    # Places in an order in which one bit changes at a time.
    written, seen, taken = (Signal(2, name=name) for name in ("written", "seen", "taken"))
    m.submodules.synchronizer = FFSynchronizer(written, seen)
    there = Signal()
    follows = written.eq(_following(written))
    if whole is None:
        m.d.pins += follows
    else:
        with m.If(whole):
            m.d.pins += follows
    m.d.comb += [
        write.addr.eq(written),
        write.data.eq(given),
        write.en.eq(1 if whole is None else whole),
        read.addr.eq(taken),
        there.eq(taken != seen),
    ]
    with m.If(there):
        m.d.sync += taken.eq(_following(taken))
    m.d.sync += [arrives.eq(there), beat.eq(read.data)]


def _following(place: Signal) -> Cat:
    return Cat(~place[1], place[0])
