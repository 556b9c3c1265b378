"""What stands on a board, with short periods: runs follow each other, and each is told."""

from functools import reduce
from operator import xor

from amaranth.sim import Simulator
from expected import expected_totals
from hardware.board import Top
from hardware.network import read_design

PERIOD = 5000


def test_the_board_tells_of_two_runs() -> None:
    design = read_design()
    top, text = Top(design, PERIOD, bit_cycles=2), []

    async def read(ctx):
        while "".join(text).count("\n") < 2:
            await ctx.tick().until(~top.uart)
            byte = 0
            for place in range(8):
                await ctx.tick().repeat(2)
                byte |= ctx.get(top.uart) << place
            await ctx.tick().repeat(2)
            text.append(chr(byte))
        assert ctx.get(top.passed)
        assert not ctx.get(top.failed)

    simulator = Simulator(top)
    simulator.add_clock(1e-6)
    simulator.add_testbench(read)
    simulator.run_until(3 * PERIOD * 1e-6)
    totals = [total % 2**32 for total in expected_totals(design)]
    lines = [line.split() for line in "".join(text).splitlines()]
    assert [line[:2] for line in lines] == [["run", "1"], ["run", "2"]]
    told = f"first {totals[0]} last {totals[-1]} xor {reduce(xor, totals)}"
    assert {" ".join(line[4:]) for line in lines} == {told}
