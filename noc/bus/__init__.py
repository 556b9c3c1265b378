"""A node behind a bus: its words in queues, its alarms and an interrupt, as registers of a CPU."""

from noc.bus.buses import AxiLiteEnd, AxiLiteSignature, WishboneEnd, WishboneSignature
from noc.bus.end import BusEnd, RegisterPort
from noc.bus.registers import Field, Register, list_registers

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
