"""The processing element in element.v, as a part of the system."""

from amaranth.hdl import ClockSignal, Const, Instance, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from hardware.example import fields, part_of

from noc.design import AnyDesign

#: The fields of words that the module has ports for.
INJECT, EJECT = ("data", "operation", "last", "node"), ("data", "source", "operation", "last")


class ProcessingElement(wiring.Component):
    """An instance of the module ``processing_element`` at the node of a number.

    The number is that of the design; words can call the node by another, which
    ``BroadcastNetwork.numbers`` has by its name. ``inject`` is None where the node may not send.
    """

    def __init__(
        self,
        design: AnyDesign,
        number: int,
        *,
        inject: wiring.Member | None,
        eject: wiring.Member,
    ) -> None:
        part = part_of(design, number)
        self._parameters = {
            "WIDTH": design.width,
            "NODE_BITS": part.node_bits,
            "OPERATION_BITS": max(1, (part.operations - 1).bit_length()),
            "OPERATIONS": part.operations,
            "FIRST": Const(part.first, design.width),
            "GIVES": Const(part.gives, part.operations),
            "BARRIERS": Const(part.barriers, part.operations),
            "TO": Const(part.to, part.operations * part.node_bits),
            "AWAITS": part.awaits,
        }
        members = {"start": In(1), "total": Out(design.width), "done": Out(1), "eject": eject}
        super().__init__(members if inject is None else members | {"inject": inject})

    def elaborate(self, platform):
        """Join clock, reset and streams."""
        m = Module()
        # On some boards the clock comes without a reset, and registers have their initial values
        # instead; a module in Verilog is given its reset in the first cycle, and not heard in it.
        running, valid = Signal(reset_less=True), Signal()
        m.d.sync += running.eq(1)
        ports = {
            "i_clk": ClockSignal(),
            "i_rst": ResetSignal(allow_reset_less=True) | ~running,
            "i_start": self.start,
            "o_total": self.total,
            "o_done": self.done,
            "i_inject_ready": 0,
            "i_eject_valid": self.eject.valid,
            "o_eject_ready": self.eject.ready,
        }
        taken = fields(self.eject.payload)
        ports |= {f"i_eject_{name}": taken.get(name, 0) for name in EJECT}
        if hasattr(self, "inject"):
            own = fields(self.inject.payload)
            m.d.comb += self.inject.valid.eq(valid & running)
            ports |= {"o_inject_valid": valid, "i_inject_ready": self.inject.ready}
            ports |= {f"o_inject_{name}": own[name] for name in INJECT if name in own}
        parameters = {f"p_{name}": value for name, value in self._parameters.items()}
        m.submodules.element = Instance("processing_element", **parameters, **ports)
        return m
