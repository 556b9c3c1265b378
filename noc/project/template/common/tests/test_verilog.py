"""The Verilog of the system, compiled by Verilator and driven by the bench in cocotb."""

import os

from cocotb_tools.runner import get_runner
from hardware.__main__ import BUILD, write_verilog

from noc.simulators import SIMULATORS

#: Kept, so that what is the same is not compiled again.
FOLDER = BUILD / "verilator"


def test_the_verilog_does_the_same(monkeypatch) -> None:
    simulator = SIMULATORS["verilator"]
    # It may come as a Python package, which is not on PATH.
    for name, value in simulator.environment(os.environ).items():
        monkeypatch.setenv(name, value)
    assert not simulator.lacks(os.environ), simulator.lacks(os.environ)
    runner = get_runner("verilator")
    runner.build(
        sources=[write_verilog()],
        hdl_toplevel="system",
        build_dir=FOLDER,
        # To compile it takes longer than to run it.
        build_args=["-Wno-fatal", "-CFLAGS", "-O0"],
    )
    # It raises what failed.
    runner.test(hdl_toplevel="system", test_module="bench", test_dir=FOLDER)
