"""A node behind Wishbone."""

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.bus.end import BusEnd
from noc.bus.registers import ADDRESS_BITS, BITS
from noc.programs.word_format import WordFormat

#: Wishbone B4, classic cycles, registers of 32 bits; the address counts registers.
WishboneSignature = wiring.Signature(
    {
        "cyc": Out(1),
        "stb": Out(1),
        "we": Out(1),
        "adr": Out(ADDRESS_BITS),
        "sel": Out(BITS // 8),
        "dat_w": Out(BITS),
        "dat_r": In(BITS),
        "ack": In(1),
        "err": In(1),
    }
)


class WishboneEnd(wiring.Component):
    """A :class:`BusEnd` behind a Wishbone bus, which answers in the cycle after each access.

    ``err`` instead of ``ack`` says that there is no such register, or that less than all bytes of
    one were to be written; nothing has happened then.

    Parameters
    ----------
    words, depth, alarms, sends
        As :class:`BusEnd` takes them.

    Members
    -------
    bus : In(WishboneSignature)
        The bus.
    irq, inject, eject, alarm
        Those of :class:`BusEnd`.
    """

    def __init__(self, words: WordFormat, **options: Any) -> None:
        self._end = BusEnd(words, **options)
        inner = {n: member for n, member in self._end.signature.members.items() if n != "port"}
        super().__init__({"bus": In(WishboneSignature), **inner})

    def elaborate(self, platform: object) -> Module:
        """Make an access in the first cycle of each, and answer in the second."""
        m = Module()
        m.submodules.end = end = self._end
        join(m, self, end)
        bus, port = self.bus, end.port
        asked = bus.cyc & bus.stb & ~bus.ack & ~bus.err
        right = port.known & (~bus.we | bus.sel.all())
        m.d.comb += [
            port.address.eq(bus.adr),
            port.value.eq(bus.dat_w),
            port.read.eq(asked & right & ~bus.we),
            port.write.eq(asked & right & bus.we),
        ]
        m.d.sync += [
            bus.ack.eq(asked & right),
            bus.err.eq(asked & ~right),
            bus.dat_r.eq(port.result),
        ]
        return m


def join(m: Module, outer: Any, end: BusEnd) -> None:
    """Everything of a node behind a bus but the bus."""
    m.d.comb += outer.irq.eq(end.irq)
    wiring.connect(m, wiring.flipped(outer.eject), end.eject)
    if hasattr(end, "inject"):
        wiring.connect(m, end.inject, wiring.flipped(outer.inject))
    if hasattr(end, "alarm"):
        m.d.comb += end.alarm.eq(outer.alarm)
