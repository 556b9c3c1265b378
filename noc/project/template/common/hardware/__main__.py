"""Write Verilog, or build for a board: python -m hardware verilog|BOARD, as the Makefile does."""

import argparse
import shutil
import sys
from pathlib import Path

from amaranth.back import verilog

from hardware.board import Top
from hardware.network import FOLDER, read_design
from hardware.system import System
from noc.boards import BOARDS, Clock, Content, board, clock_of, make_bitstream, plan_content
from noc.emit.module import Module
from noc.errors import CheckError, InputError
from noc.selftest import Settings

#: All that is made lies here; `make clean` removes it.
BUILD = FOLDER / "build"

#: Verilog of your own, which goes with the system's.
VERILOG = sorted((FOLDER / "hardware").glob("*.v"))


def system_text() -> str:
    """The system as Verilog."""
    return verilog.convert(System(read_design()), name="system")


def write_verilog() -> Path:
    """The system in one file."""
    BUILD.mkdir(exist_ok=True)
    path = BUILD / "system.v"
    path.write_text(system_text(), encoding="utf-8")
    return path


def content(clock: Clock) -> Content:
    """What is on a board."""
    top = Top(read_design(), int(clock.hz), Settings(clock.hz).bit_cycles)
    own = tuple(Module(path.stem, path.read_text(encoding="utf-8")) for path in VERILOG)
    return Content("top", "the project", top, own)


def board_files(name: str) -> dict[str, str]:
    """The Verilog for a board, but for your own, and where its pins are."""
    chosen = board(name)
    clock = clock_of(chosen, None)
    files = plan_content(content(clock), chosen, clock, debug_verilog=True).files
    # What Amaranth gives the open tools is not Verilog, but it writes that to be read.
    pins = {name: text for name, text in files.items() if name.endswith((".lpf", ".xdc"))}
    return {"top.v": files.get("top.v", files["top.debug.v"]), **pins}


def build(name: str) -> None:
    """A bitstream, or a project for the tools of the chip's vendor."""
    chosen = board(name)
    clock = clock_of(chosen, None)
    folder = BUILD / chosen.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    routed = make_bitstream(content(clock), chosen, clock, folder, progress=print)
    if chosen.project:
        print(f"make the bitstream with the vendor's tools: cd {folder} && sh build_top.sh")
    else:
        print(f"{routed.area.lut} LUT, {routed.area.ff} flip-flops")
        print(f"clock {clock.hz / 1e6:g} MHz; this bitstream works up to {routed.fmax_mhz:.1f} MHz")
    print(f"load it: {chosen.load.replace('FILE', str(folder / f'top{chosen.ending}'))}")


def main() -> int:
    """Do one of both; an error is one line."""
    parser = argparse.ArgumentParser(prog="python -m hardware", description=__doc__)
    parser.add_argument("what", choices=("verilog", *BOARDS))
    what = parser.parse_args().what
    try:
        if what == "verilog":
            print(write_verilog())
        else:
            build(what)
    except (InputError, CheckError) as error:
        print(f"python -m hardware: error: {error}", file=sys.stderr)
        return 2 if isinstance(error, InputError) else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
