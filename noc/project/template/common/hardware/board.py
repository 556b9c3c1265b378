"""What is on a board: the system, started again and again, with lights and a serial line."""

from functools import reduce
from operator import xor

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from hardware.system import System
from noc.design import AnyDesign
from noc.selftest.report import Reporter, Transmitter

#: What the serial line says of a run: its number, its cycles, the totals of two nodes, and the
#: exclusive or of all: what nothing on a board depends on, synthesis would leave out.
REPORT = "run {0} cycles {1} first {2} last {3} xor {4}\r\n"


class Top(wiring.Component):
    """Starts the system once in a period, enough cycles for a run, and reports how the run ended.

    ``uart`` is the serial line, with ``bit_cycles`` for a bit; of the lights ``running`` changes
    with every run, ``passed`` is on when the last run came to its end, and ``failed`` after one
    that did not in time.
    """

    uart: Out(1)
    running: Out(1)
    passed: Out(1)
    failed: Out(1)

    def __init__(self, design: AnyDesign, period: int, bit_cycles: int) -> None:
        super().__init__()
        self.system = System(design)
        self._period, self._bit_cycles = period, bit_cycles

    def elaborate(self, platform):
        """A timer starts runs; the end of a run starts its report."""
        m = Module()
        m.submodules.system = system = self.system
        # Both texts are the same one: the report does not depend on the outcome.
        m.submodules.reporter = reporter = Reporter((REPORT, REPORT), count=5)
        m.submodules.transmitter = transmitter = Transmitter(self._bit_cycles)
        wiring.connect(m, reporter.bytes, transmitter.bytes)
        timer, run, cycles = Signal(range(self._period)), Signal(32), Signal(32)
        totals = [getattr(system, f"total_{name}") for name in system.names]
        numbers = (run, cycles, totals[0], totals[-1], reduce(xor, totals))
        for to, number in zip(reporter.numbers, numbers, strict=True):
            m.d.comb += to.eq(number)
        m.d.comb += [
            self.uart.eq(transmitter.line),
            self.running.eq(run[0]),
            system.start.eq(timer == self._period - 1),
        ]
        m.d.sync += timer.eq(timer + 1)
        busy = Signal()
        with m.If(system.start):
            m.d.sync += [timer.eq(0), run.eq(run + 1), cycles.eq(0), busy.eq(1)]
            # The run before has had its time; before the first one all are at rest.
            m.d.sync += [self.passed.eq(0), self.failed.eq(self.failed | ~system.done)]
        with m.Elif(busy):
            m.d.sync += cycles.eq(cycles + 1)
            with m.If(system.done):
                m.d.comb += reporter.start.eq(1)
                m.d.sync += [busy.eq(0), self.passed.eq(1), cycles.eq(cycles)]
        return m
