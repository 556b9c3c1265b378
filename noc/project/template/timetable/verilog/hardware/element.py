"""The processing element in element.v, as a part of the system."""

from amaranth.hdl import Cat, ClockSignal, Const, Instance, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from hardware.example import fields, part_of

from noc.design import AnyDesign


class ProcessingElement(wiring.Component):
    """An instance of the module ``processing_element`` at the node of a number.

    The number is that of the design. Whose word comes is known by the phase of the round:
    ``design.program.sources_of(number)`` has for each eject stream the source by phase, and
    ``phase_NAME`` of the network is the phase.
    """

    def __init__(
        self,
        design: AnyDesign,
        number: int,
        *,
        inject: wiring.Member,
        eject: wiring.Member,
    ) -> None:
        part = part_of(design, number)
        self._always_ready = design.always_ready
        self._parameters = {
            "WIDTH": design.width,
            "STREAMS": eject.dimensions[0],
            "FIRST": Const(part.first, design.width),
            "AWAITS": part.awaits,
        }
        members = {"start": In(1), "total": Out(design.width), "done": Out(1)}
        super().__init__(members | {"inject": inject, "eject": eject})

    def elaborate(self, platform):
        """Join clock, reset and streams."""
        m = Module()
        # On some boards the clock comes without a reset, and registers have their initial values
        # instead; a module in Verilog is given its reset in the first cycle, and not heard in it.
        running, valid = Signal(reset_less=True), Signal()
        m.d.sync += running.eq(1)
        m.d.comb += self.inject.valid.eq(valid & running)
        # Each word is taken as soon as it comes; where sinks are always ready, that goes unsaid.
        m.d.comb += [each.ready.eq(1) for each in self.eject if not self._always_ready]
        ports = {
            "i_clk": ClockSignal(),
            "i_rst": ResetSignal(allow_reset_less=True) | ~running,
            "i_start": self.start,
            "o_total": self.total,
            "o_done": self.done,
            "o_inject_valid": valid,
            "i_inject_ready": self.inject.ready,
            "o_inject_data": self.inject.payload,
            "i_eject_valid": Cat(each.valid for each in self.eject),
            "i_eject_data": Cat(fields(each.payload)["data"] for each in self.eject),
        }
        parameters = {f"p_{name}": value for name, value in self._parameters.items()}
        m.submodules.element = Instance("processing_element", **parameters, **ports)
        return m
