"""What is on a board, with short periods, as Verilog driven by a bench in cocotb."""

from amaranth.back import verilog
from amaranth.hdl import ClockDomain, Fragment
from expected import BIT_CYCLES, period
from hardware.__main__ import BUILD, VERILOG
from hardware.board import Top
from hardware.network import read_design
from simulation import simulate


def test_the_board_reports_two_runs() -> None:
    design = read_design()
    top = Top(design, period(design), BIT_CYCLES)
    # As on boards whose clock comes without a reset: the elements must have one all the same.
    clock = ClockDomain("sync", reset_less=True)
    fragment = Fragment.get(top, None)
    fragment.add_domains(clock)
    ports = [top.uart, top.running, top.passed, top.failed, clock.clk]
    BUILD.mkdir(exist_ok=True)
    path = BUILD / "board.v"
    path.write_text(verilog.convert(fragment, name="board", ports=ports), encoding="utf-8")
    simulate([path, *VERILOG], "board", "bench_board")
