"""The board in a simulator, driven by cocotb; tests/test_board.py runs it."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge
from expected import BIT_CYCLES, check_report, period
from hardware.network import read_design


@cocotb.test()
async def the_board_reports_two_runs(dut) -> None:
    """Read the serial line bit by bit."""
    design, text = read_design(), ""
    Clock(dut.clk, 10, unit="ns").start()
    for _ in range(3 * period(design)):
        if text.count("\n") == 2:
            break
        await FallingEdge(dut.clk)
        if not dut.uart.value:
            byte = 0
            for bit in range(8):
                await ClockCycles(dut.clk, BIT_CYCLES, FallingEdge)
                byte |= int(dut.uart.value) << bit
            await ClockCycles(dut.clk, BIT_CYCLES, FallingEdge)
            text += chr(byte)
    assert dut.passed.value
    assert not dut.failed.value
    check_report(design, text)
