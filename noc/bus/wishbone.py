"""A node behind Wishbone."""

from typing import Any

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.bus.end import Behind
from noc.bus.registers import ADDRESS_BITS, BITS

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


class WishboneEnd(Behind):
    """A node behind a Wishbone bus, which answers in the cycle after each access.

    ``err`` instead of ``ack`` says that there is no such register, or that less than all bytes of
    one were to be written; nothing has happened then.
    """

    bus_signature = WishboneSignature

    def _access(self, m: Module, port: Any) -> None:
        """In the first cycle of each; it is answered in the second."""
        bus = self.bus
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
