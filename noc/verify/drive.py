"""What cocotb runs inside the simulator: clock, reset, and the wait for the end of each run."""

import json
import os
import signal

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

CLOCK_NS = 10
RESET_CYCLES = 3

with open(os.environ["NOC_VERIFY_RUNS"], encoding="utf-8") as _file:
    RUNS = json.load(_file)

# A simulation that hangs inside the simulator is ended by the system.
signal.signal(signal.SIGALRM, signal.SIG_DFL)


@cocotb.test()
@cocotb.parametrize(number=range(len(RUNS)))
async def run(dut, number: int) -> None:
    """One run of the bench: it logs by itself and says when it is done."""
    signal.alarm(RUNS[number]["seconds"])
    Clock(dut.clk, CLOCK_NS, unit="ns").start()
    dut.rst.value = 1
    dut.run.value = number
    for _ in range(RESET_CYCLES):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    await RisingEdge(dut.done)
    await ReadOnly()
    signal.alarm(0)
