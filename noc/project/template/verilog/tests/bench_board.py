"""The board in a simulator, driven by cocotb; tests/test_board.py runs it."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from hardware.network import read_design
from report import BIT_CYCLES, check_report, period


@cocotb.test()
async def the_board_tells_of_two_runs(dut) -> None:
    """Read the serial line bit by bit."""
    design, text = read_design(), ""
    Clock(dut.clk, 10, unit="ns").start()
    for _ in range(3 * period(design)):
        if text.count("\n") == 2:
            break
        await FallingEdge(dut.clk)
        if not dut.uart.value:
            byte = 0
            for place in range(8):
                await ClockCycles(dut.clk, BIT_CYCLES, FallingEdge)
                byte |= int(dut.uart.value) << place
            await ClockCycles(dut.clk, BIT_CYCLES, FallingEdge)
            text += chr(byte)
    assert dut.passed.value
    assert not dut.failed.value
    check_report(design, text)
