"""A LiteX SoC whose CPU takes part in an all_reduce with processing elements, simulated.

    python sim/litex_soc.py star:3 [--cpu vexriscv] [-o litex_soc]

The CPU stands at the first node, behind Wishbone, and runs `firmware/main.c`; at each other node
stands a processing element, written in Migen. The CPU broadcasts numbers. A processing element
multiplies each with its own number and gives the product to an `all_reduce:sum`, in which the CPU
takes part, too. The CPU compares all sums, one of them after an interrupt, and reports on its
serial line.

It needs `pip install '.[litex]'`, g++, make and perl for Verilator, and a compiler of C for
RISC-V, on Debian the package gcc-riscv64-unknown-elf.
"""

import logging
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from litex.build.generic_platform import Pins, Subsignal
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.cores.cpu import CPUS
from litex.soc.integration.builder import Builder
from litex.soc.integration.common import get_mem_data
from litex.soc.integration.soc_core import SoCCore
from migen import ClockDomain, If, Signal

from noc.cli.parsers import OneLineParser, run_script
from noc.design import build_design
from noc.emit.bus import BusEnds
from noc.emit.folder import write
from noc.errors import CheckError, InputError
from noc.litex import add_network
from noc.simulators import SIMULATORS, Job
from noc.verify.tools import environment

#: By their numbers, which stand in the words.
OPERATIONS = BROADCAST, SUM, BARRIER = range(3)
NAMES = ("broadcast", "all_reduce:sum", "barrier")

FIRMWARE = Path(__file__).resolve().parent / "firmware"

#: What the SoC has of the outside: a clock, a reset, and a serial line in bytes.
_IO = [
    ("sys_clk", 0, Pins(1)),
    ("sys_rst", 0, Pins(1)),
    (
        "serial",
        0,
        Subsignal("source_valid", Pins(1)),
        Subsignal("source_ready", Pins(1)),
        Subsignal("source_data", Pins(8)),
        Subsignal("sink_valid", Pins(1)),
        Subsignal("sink_ready", Pins(1)),
        Subsignal("sink_data", Pins(8)),
    ),
]

#: Within which the firmware has reported.
MOST_CYCLES = 2_000_000

#: Compilers of C for RISC-V, as distributions call them.
COMPILERS = ("riscv64-unknown-elf-gcc", "riscv32-unknown-elf-gcc", "riscv-none-elf-gcc")


class ProcessingElement(LiteXModule):
    """Gives to the sum its number times each number that is broadcast.

    Parameters
    ----------
    number : int
        Its own number.
    inject, eject : stream.Endpoint
        The streams of its node.
    """

    def __init__(self, number: int, inject: Any, eject: Any) -> None:
        asked = Signal()
        self.comb += [
            asked.eq(eject.valid & (eject.operation == BROADCAST)),
            # One word comes, one goes; results of sums and barriers need no answer.
            inject.valid.eq(asked),
            inject.operation.eq(SUM),
            inject.last.eq(eject.last),
            inject.data.eq(eject.data * number),
            If(asked, eject.ready.eq(inject.ready)).Else(eject.ready.eq(1)),
        ]


class Clock(LiteXModule):
    """The clock of everything."""

    def __init__(self, platform: Any) -> None:
        self.cd_sys = ClockDomain()
        self.comb += self.cd_sys.clk.eq(platform.request("sys_clk"))
        self.comb += self.cd_sys.rst.eq(platform.request("sys_rst"))


class Soc(SoCCore):
    """A CPU at the first node of a network, and a processing element at each other.

    Parameters
    ----------
    folder : Path
        The folder of the network.
    labels : sequence of str
        Its nodes.
    cpu : str
        The CPU, as LiteX names it.
    firmware : Path, optional
        What is in its ROM.
    """

    def __init__(
        self, folder: Path, labels: Sequence[str], cpu: str, firmware: Path | None = None
    ) -> None:
        if cpu not in CPUS:
            raise InputError(f"--cpu {cpu}: no CPU of LiteX")
        platform = SimPlatform("SIM", _IO)
        self.crg = Clock(platform)
        order, rom = CPUS[cpu].endianness, []
        if firmware is not None:
            rom = get_mem_data(str(firmware), endianness=order)
        SoCCore.__init__(
            self,
            platform,
            clk_freq=int(1e6),
            cpu_type=cpu,
            uart_name="sim",
            ident="CPU and processing elements",
            integrated_rom_size=0x8000,
            integrated_rom_init=rom,
            integrated_sram_size=0x2000,
        )
        if not self.irq.enabled:
            raise InputError(f"--cpu {cpu}: it has no interrupts")
        first, *others = labels
        network = add_network(self, folder, [first])
        node = f"network_{network.names[first]}"
        self.add_constant("CPU_NODE_BASE", self.bus.regions[node].origin)
        self.add_constant("CPU_NODE_INTERRUPT", self.irq.locs[node])
        for number, label in enumerate(others, 2):
            element = ProcessingElement(number, network.inject[label], network.eject[label])
            self.add_module(f"element_{network.names[label]}", element)


def compile_firmware(software: Path, soc: Soc, header: Path) -> Path:
    """Compile `main.c` with what LiteX wrote of a SoC, and the driver of the network."""
    compiler = next(filter(shutil.which, COMPILERS), None)
    if compiler is None:
        raise InputError(f"a compiler of C for RISC-V is missing: one of {', '.join(COMPILERS)}")
    litex = Path(sys.modules["litex"].__file__ or "").parent / "soc"
    cpu = Path(sys.modules[type(soc.cpu).__module__].__file__ or "").parent
    image, memory = software / "firmware.elf", software / "firmware.bin"
    includes = (software / "include", cpu, litex / "software" / "include", header.parent)
    flags = [*soc.cpu.gcc_flags.split(), "-O2", "-Wall", "-Wextra", "-Werror", "-ffreestanding"]
    flags += ["-nostdlib", "-nostartfiles", f'-DNOC_HEADER="{header.name}"']
    flags += [f"-I{include}" for include in includes]
    flags += [f"-L{software / 'include'}", f"-T{FIRMWARE / 'linker.ld'}"]
    sources = [cpu / "crt0.S", FIRMWARE / "main.c"]
    call("the firmware does not compile", compiler, *flags, *sources, "-lgcc", "-o", image)
    copy = compiler.replace("gcc", "objcopy")
    call("the firmware is not copied", copy, "-O", "binary", image, memory)
    return memory


def call(trouble: str, *command: object, **options: Any) -> str:
    """What a program prints, which must end well."""
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, check=False, **options
    )
    if done.returncode:
        raise CheckError(f"{trouble}: {done.stdout}{done.stderr[-2000:]}")
    return done.stdout


def build_soc(soc: Soc, folder: Path) -> Path:
    """Write the SoC: its Verilog, and headers for its software."""
    builder = Builder(soc, output_dir=str(folder), compile_software=False, csr_csv=None)
    builder.build(run=False)
    return folder / "gateware" / "sim.v"


def simulate(soc: Soc, verilog: Path) -> str:
    """Run the SoC in Verilator until it has reported; what it writes on its serial line."""
    sources = tuple(verilog.parent / path for path, *_ in soc.platform.sources)
    env = environment("verilator", cocotb=False)
    # In a folder whose name make takes.
    with tempfile.TemporaryDirectory(prefix="noc-") as build:
        job = Job(Path(build), "sim", sources, harness=FIRMWARE / "serial.cpp")
        for step in SIMULATORS["verilator"].build(job):
            call(step.trouble, *step.command, env=env)
        # Its memories are read from files beside the Verilog.
        program = Path(build) / "sim"
        return call("the SoC does not end well", program, MOST_CYCLES, cwd=verilog.parent)


def run(spec: str, cpu: str, folder: Path) -> str:
    """Write the network and the SoC, compile the firmware, and run all of it."""
    network = folder / "network"
    folder.mkdir(parents=True, exist_ok=True)
    manifest = write(build_design(spec, operations=NAMES), network, bus=BusEnds(("wishbone",)))
    labels = [node["label"] for node in manifest["nodes"]]
    # What the firmware is compiled with is known when the SoC is; then it becomes a part of that.
    soc = Soc(network, labels, cpu)
    build_soc(soc, folder / "soc")
    header = network / "bus" / f"{manifest['top']}_bus.h"
    firmware = compile_firmware(folder / "soc" / "software", soc, header)
    soc = Soc(network, labels, cpu, firmware)
    return simulate(soc, build_soc(soc, folder / "soc"))


def main(arguments: list[str] | None = None) -> int:
    """Run it as the command says; 0 if nothing is wrong."""
    parser = OneLineParser(description=__doc__.splitlines()[0])
    parser.add_argument("spec", metavar="SPEC", help="the network, for instance star:3")
    parser.add_argument(
        "--cpu",
        default="vexriscv",
        help="as LiteX names it; others than vexriscv need their package pythondata-cpu-…",
    )
    parser.add_argument("-o", "--output", metavar="DIR", type=Path, default=Path("litex_soc"))
    options = parser.parse_args(arguments)
    # LiteX describes the SoC at length.
    logging.disable(logging.INFO)
    try:
        report = run(options.spec, options.cpu, options.output)
    except ImportError as error:
        # LiteX says in many lines which package of a CPU is missing.
        lacking = str(error).strip().splitlines()[0]
        raise InputError(f"--cpu {options.cpu}: {lacking}") from None
    except CheckError as error:
        print(f"litex_soc.py: error: {error}", file=sys.stderr)
        return 1
    print(report, end="")
    return 0 if " 0 wrong" in report else 1


if __name__ == "__main__":
    sys.exit(run_script("litex_soc.py", main))
