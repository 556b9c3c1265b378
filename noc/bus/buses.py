"""A node behind AXI4-Lite, and one behind Wishbone."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from noc.bus.end import Behind
from noc.bus.registers import ADDRESS_BITS, BITS

#: The lowest bits of an address count bytes.
_BYTES = 2

#: AXI4-Lite with registers of 32 bits.
AxiLiteSignature = wiring.Signature(
    {
        "awaddr": Out(ADDRESS_BITS + _BYTES),
        "awprot": Out(3),
        "awvalid": Out(1),
        "awready": In(1),
        "wdata": Out(BITS),
        "wstrb": Out(BITS // 8),
        "wvalid": Out(1),
        "wready": In(1),
        "bresp": In(2),
        "bvalid": In(1),
        "bready": Out(1),
        "araddr": Out(ADDRESS_BITS + _BYTES),
        "arprot": Out(3),
        "arvalid": Out(1),
        "arready": In(1),
        "rdata": In(BITS),
        "rresp": In(2),
        "rvalid": In(1),
        "rready": Out(1),
    }
)


class AxiLiteEnd(Behind):
    """A node behind AXI4-Lite; a write goes before a read of the same cycle.

    The answer SLVERR says that there is no such register, or that less than all bytes of one were
    to be written; nothing has happened then.
    """

    bus_signature = AxiLiteSignature

    def _access(self, m: Module, port: Any) -> None:
        """When the answer can be stored."""
        bus = self.bus
        writes, reads, wrong = Signal(), Signal(), Signal()
        address = Signal.like(bus.awaddr)
        m.d.comb += [
            # Address and data of a write are taken together.
            writes.eq(bus.awvalid & bus.wvalid & (~bus.bvalid | bus.bready)),
            reads.eq(bus.arvalid & ~writes & (~bus.rvalid | bus.rready)),
            bus.awready.eq(writes),
            bus.wready.eq(writes),
            bus.arready.eq(reads),
            address.eq(bus.araddr),
            wrong.eq(~port.known | (writes & ~bus.wstrb.all())),
            port.address.eq(address[_BYTES:]),
            port.value.eq(bus.wdata),
            port.write.eq(writes & ~wrong),
            port.read.eq(reads & ~wrong),
        ]
        with m.If(writes):
            m.d.comb += address.eq(bus.awaddr)
        for valid, ready, takes, response in (
            (bus.bvalid, bus.bready, writes, bus.bresp),
            (bus.rvalid, bus.rready, reads, bus.rresp),
        ):
            m.d.sync += valid.eq(takes | (valid & ~ready))
            with m.If(takes):
                m.d.sync += response.eq(Cat(0, wrong))
        with m.If(reads):
            m.d.sync += bus.rdata.eq(port.result)


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
