"""The Verilog in a simulator, driven by cocotb; tests/test_verilog.py runs it."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from expected import expected_totals, limit
from hardware.network import read_design

from noc.hardware import node_names


async def reset(dut) -> None:
    """Two cycles; then every element is at rest."""
    dut.start.value, dut.rst.value = 0, 1
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    await FallingEdge(dut.clk)
    assert dut.done.value, "some element is not at rest after a reset"


async def start(dut) -> None:
    """Begin a run."""
    dut.start.value = 1
    await RisingEdge(dut.clk)
    dut.start.value = 0


async def check_run(dut) -> None:
    """A run, from its start to its totals."""
    design = read_design()
    await start(dut)
    await RisingEdge(dut.clk)
    for _ in range(limit(design)):
        await RisingEdge(dut.clk)
        if dut.done.value:
            break
    assert dut.done.value, "some element is not done"
    names = node_names(design.network)
    totals = [int(getattr(dut, f"total_{name}").value) for name in names]
    assert totals == expected_totals(design)


@cocotb.test()
async def every_node_has_its_total(dut) -> None:
    """After a reset, in two runs, and after a reset in the middle of a run."""
    Clock(dut.clk, 10, unit="ns").start()
    await reset(dut)
    await check_run(dut)
    await check_run(dut)
    await start(dut)
    await reset(dut)
    await check_run(dut)
