"""The Verilog of the system, compiled by Verilator and driven by the bench in cocotb."""

from hardware.__main__ import VERILOG, write_verilog
from simulation import simulate


def test_the_verilog_does_the_same() -> None:
    simulate([write_verilog(), *VERILOG], "system", "bench")
