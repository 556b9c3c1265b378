"""Verilog in Verilator, driven by a bench in cocotb."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from cocotb_tools.runner import get_runner
from hardware.__main__ import BUILD

from noc.simulators import SIMULATORS, lacks_library


def simulate(sources: Sequence[Path], top: str, bench: str) -> None:
    """Compile the files and run a bench of this folder; it raises what failed."""
    simulator = SIMULATORS["verilator"]
    # Kept, so that what is the same is not compiled again.
    folder = BUILD / "verilator" / top
    with pytest.MonkeyPatch.context() as patch:
        # It may come as a Python package, which is not on PATH.
        for name, value in simulator.environment(os.environ).items():
            patch.setenv(name, value)
        lack = simulator.lacks(os.environ) or lacks_library(os.environ)
        assert not lack, lack
        runner = get_runner("verilator")
        # To compile it takes longer than to run it.
        arguments = ["-Wno-fatal", "--x-initial", "unique", "-CFLAGS", "-O0"]
        runner.build(sources=sources, hdl_toplevel=top, build_dir=folder, build_args=arguments)
        # Registers without an initial value begin with any.
        random = ["+verilator+rand+reset+2", "+verilator+seed+1"]
        runner.test(hdl_toplevel=top, test_module=bench, test_dir=folder, plusargs=random)
