"""A node behind a bus: its words in queues, its alarms and an interrupt, as registers of a CPU."""

from noc.bus.axi_lite import AxiLiteEnd, AxiLiteSignature
from noc.bus.end import BusEnd, RegisterPort
from noc.bus.registers import Field, Register, list_registers
from noc.bus.wishbone import WishboneEnd, WishboneSignature

__all__ = [
    "AxiLiteEnd",
    "AxiLiteSignature",
    "BusEnd",
    "Field",
    "Register",
    "RegisterPort",
    "WishboneEnd",
    "WishboneSignature",
    "list_registers",
]
