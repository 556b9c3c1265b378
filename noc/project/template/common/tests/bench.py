"""The Verilog in a simulator, driven by cocotb; tests/test_verilog.py runs it."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from expected import expected_totals
from hardware.network import read_design

from noc.hardware import node_names

#: Cycles within which a run must end, for each node.
LIMIT = 200


@cocotb.test()
async def every_node_has_its_total(dut) -> None:
    """After a reset, one run."""
    design = read_design()
    Clock(dut.clk, 10, unit="ns").start()
    dut.start.value, dut.rst.value = 0, 1
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    dut.rst.value, dut.start.value = 0, 1
    await RisingEdge(dut.clk)
    dut.start.value = 0
    await RisingEdge(dut.clk)
    names = node_names(design.network)
    for _ in range(LIMIT * len(names)):
        await RisingEdge(dut.clk)
        if dut.done.value:
            break
    assert dut.done.value, "some element is not done"
    totals = [int(getattr(dut, f"total_{name}").value) for name in names]
    assert totals == expected_totals(design)
