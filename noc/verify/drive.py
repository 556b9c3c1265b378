"""What cocotb runs inside the simulator: clock, reset, and the wait for the end of each run."""

import json
import os
import signal
import time
from pathlib import Path
from typing import Any

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

CLOCK_NS = 10
RESET_CYCLES = 3

RUNS = json.loads(Path(os.environ["NOC_VERIFY_RUNS"]).read_text(encoding="utf-8"))

# A simulation that hangs inside the simulator is ended by the system.
signal.signal(signal.SIGALRM, signal.SIG_DFL)


@cocotb.test()
@cocotb.parametrize(number=range(len(RUNS)))
async def run(dut: Any, number: int) -> None:
    """One run of the bench: it logs by itself and says when it is done."""
    signal.alarm(RUNS[number]["seconds"])
    Clock(dut.clk, CLOCK_NS, unit="ns").start()
    dut.rst.value = 1
    dut.run.value = number
    for _ in range(RESET_CYCLES):
        await FallingEdge(dut.clk)
    dut.rst.value = 0
    began = time.process_time()
    await RisingEdge(dut.done)
    await ReadOnly()
    Path(f"{number}.seconds").write_text(f"{time.process_time() - began}\n", encoding="ascii")
    signal.alarm(0)
