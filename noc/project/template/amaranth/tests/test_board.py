"""What is on a board, with short periods: runs follow each other, and each is reported."""

from amaranth.sim import Simulator
from expected import BIT_CYCLES, check_report, period
from hardware.board import Top
from hardware.network import read_design


def test_the_board_reports_two_runs() -> None:
    design = read_design()
    top, text = Top(design, period(design), BIT_CYCLES), []

    async def read(ctx):
        while "".join(text).count("\n") < 2:
            await ctx.tick().until(~top.uart)
            byte = 0
            for bit in range(8):
                await ctx.tick().repeat(BIT_CYCLES)
                byte |= ctx.get(top.uart) << bit
            await ctx.tick().repeat(BIT_CYCLES)
            text.append(chr(byte))
        assert ctx.get(top.passed)
        assert not ctx.get(top.failed)

    simulator = Simulator(top)
    simulator.add_clock(1e-6)
    simulator.add_testbench(read)
    simulator.run_until(3 * period(design) * 1e-6)
    check_report(design, "".join(text))
