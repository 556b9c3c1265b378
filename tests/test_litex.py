"""Networks in LiteX: streams, alarms, nodes behind Wishbone, and a SoC whose CPU takes part."""

import runpy
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers import started

from noc.cli import main
from noc.errors import InputError
from noc.simulators import SIMULATORS, Job
from noc.verify.tools import environment

pytest.importorskip("litex")

from litex.build.generic_platform import Pins
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.interconnect import csr_bus
from migen import ClockDomain, If, Mux, Signal

from noc.litex import BroadcastNetwork, CpuNode
from noc.litex.network import read_manifest

WORDS = 20

#: Options, and who sends: each source's words must reach all others.
KINDS = {
    "ordered": "star:3",
    "operations": "star:3 --operations broadcast,all_reduce:sum --watchdog 50",
    "wide": "mesh:2,2 --width 40 --sink-timeout 900",
    "direct": "scc:3 --sources 3:321",
    "ready": "hypercube:3 --sinks always-ready",
    "queued": "star:3 --sinks queued --queue 16",
    "timetable": "star:3 --fabric timetable",
    "pulse": "mesh:2,2 --fabric timetable --start pulse",
    "writable": "star:3 --sources 213 --fabric direct --rom writable",
}

PROGRAM = """
#include "Vtop.h"
#include <cstdio>

int main() {
    Vtop top;
    for (unsigned cycle = 0; cycle < 2000; ++cycle) {
        top.sys_rst = cycle < 2;
        top.sys_clk = 0, top.eval(), top.sys_clk = 1, top.eval();
    }
    SHOW
}
"""


class Ends(LiteXModule):
    """A source of words at each inject stream, and a sum of what comes at each node but one."""

    def __init__(self, platform: Any, folder: Path, deaf: int | None = None) -> None:
        self.cd_sys = ClockDomain()
        self.comb += self.cd_sys.clk.eq(platform.request("sys_clk"))
        self.comb += self.cd_sys.rst.eq(platform.request("sys_rst"))
        self.network = network = BroadcastNetwork(platform, folder)
        labels = [node["label"] for node in network.manifest["nodes"]]
        for label, endpoint in network.inject.items():
            self._give(endpoint, 100 * (1 + labels.index(label)))
        for number, label in enumerate(labels):
            several = [] if number == deaf else network.eject.get(label, [])
            count, total = platform.request(f"count_{number}"), platform.request(f"sum_{number}")
            self._take(several if isinstance(several, list) else [several], count, total)
        if "start" in network.manifest:
            # Rounds begin when pulses come.
            self.sync += network.start.eq(~network.start)

    def _give(self, endpoint: Any, first: int) -> None:
        given = Signal(8)
        self.comb += [endpoint.valid.eq(given < WORDS), endpoint.data.eq(first + given)]
        self.sync += If(endpoint.valid & endpoint.ready, given.eq(given + 1))

    def _take(self, endpoints: list[Any], count: Any, total: Any) -> None:
        came = [endpoint.valid & endpoint.ready for endpoint in endpoints]
        self.comb += [endpoint.ready.eq(1) for endpoint in endpoints]
        parts = [Mux(bit, each.data, 0) for bit, each in zip(came, endpoints, strict=True)]
        self.sync += [count.eq(count + sum(came)), total.eq(total + sum(parts))]


def generate(folder: Path, options: str) -> Path:
    assert main(["generate", *options.split(), "-o", str(folder)]) == 0
    return folder


def platform_of(outputs: dict[str, int]) -> Any:
    ports = [("sys_clk", 0, Pins(1)), ("sys_rst", 0, Pins(1))]
    return SimPlatform("SIM", [*ports, *((name, 0, Pins(bits)) for name, bits in outputs.items())])


def simulated(build: Path, module: Callable[[Any], Any], outputs: dict[str, int]) -> list[int]:
    """What the outputs are in the end; ``module`` joins them to what it makes for a platform."""
    build.mkdir()
    platform = platform_of(outputs)
    fragment = module(platform).get_fragment()
    platform.finalize(fragment)
    platform.get_verilog(fragment, name="top").write(str(build / "top.v"))
    shows = "".join(f'std::printf("%u\\n", unsigned(top.{name}));' for name in outputs)
    (build / "main.cpp").write_text(PROGRAM.replace("SHOW", shows))
    sources = (*(Path(path) for path, *_ in platform.sources), build / "top.v")
    env = environment("verilator", cocotb=False)
    job = Job(build, "top", sources, fast=False, harness=build / "main.cpp")
    for step in SIMULATORS["verilator"].build(job):
        done = started(*step.command, env=env)
        assert done.returncode == 0, done.stderr[-3000:]
        # Each port is joined, with all of its bits.
        assert not any(word in done.stderr for word in ("PINMISSING", "WIDTH")), done.stderr
    return [int(line) for line in started(build / "top").stdout.split()]


def expected_of(folder: Path) -> list[int]:
    """How many words come at each node, and their sum."""
    nodes = read_manifest(folder)["nodes"]
    given = {
        number: sum(100 * (1 + number) + n for n in range(WORDS))
        for number, node in enumerate(nodes)
        if node.get("inject")
    }
    result = []
    for number in range(len(nodes)):
        others = [total for source, total in given.items() if source != number]
        result += [len(others) * WORDS, sum(others)]
    return result


def outputs_of(folder: Path) -> dict[str, int]:
    numbers = range(len(read_manifest(folder)["nodes"]))
    return {f"{name}_{number}": 32 for number in numbers for name in ("count", "sum")}


@pytest.mark.cases(2)
@pytest.mark.parametrize("kind", KINDS)
def test_words_of_all_sources_reach_all_other_endpoints(tmp_path: Path, kind: str) -> None:
    folder = generate(tmp_path / "out", KINDS[kind])
    shown = outputs_of(folder)
    found = simulated(tmp_path / "build", lambda platform: Ends(platform, folder), shown)
    assert found == expected_of(folder)


class Watched(Ends):
    """With one sink that takes nothing, and its alarm as the registers on a bus tell it."""

    def __init__(self, platform: Any, folder: Path, deaf: int, alarm: str) -> None:
        super().__init__(platform, folder, deaf)
        bus = csr_bus.Interface(data_width=32)
        self.bank = csr_bus.CSRBank(self.network.get_csrs(), bus=bus)
        simple = [csr.name for csr in self.bank.simple_csrs]
        cycle, status = Signal(11), getattr(self.network, alarm).status
        earlier, later = platform.request("earlier"), platform.request("later")
        self.sync += [
            cycle.eq(cycle + 1),
            If(cycle == 1200, earlier.eq(status)),
            If(cycle == 1400, later.eq(status)),
        ]
        # Cleared by a one when no word comes any more.
        self.comb += [
            bus.adr.eq(simple.index("clear0")),
            bus.dat_w.eq(1 << self.network.alarms.index(alarm)),
            bus.we.eq(cycle == 1300),
        ]
        self.comb += platform.request("pending").eq(getattr(self.network.ev, alarm).pending)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("alarm", "options"),
    [("missed", "star:3 --sinks always-ready"), ("absent", "star:3 --sink-timeout 20")],
)
def test_a_sink_that_takes_nothing_raises_its_bit(tmp_path: Path, alarm: str, options: str) -> None:
    folder = generate(tmp_path / "out", options)
    told = {"earlier": 6, "later": 6, "pending": 1}
    found = simulated(
        tmp_path / "build",
        lambda platform: Watched(platform, folder, 2, alarm),
        outputs_of(folder) | told,
    )
    expected = expected_of(folder)
    expected[4:6] = [0, 0]
    # A sink that is counted out stays so; one that only missed words does not.
    assert found == [*expected, 1 << 2, (1 << 2) * (alarm == "absent"), 1]


def test_a_dropped_stream_stops_nobody(tmp_path: Path) -> None:
    folder = generate(tmp_path / "out", "star:3")

    class Dropping(Ends):
        def __init__(self, platform: Any) -> None:
            super().__init__(platform, folder, 2)
            self.network.drop(read_manifest(folder)["nodes"][2]["label"])

    expected = expected_of(folder)
    expected[4:6] = [0, 0]
    assert simulated(tmp_path / "build", Dropping, outputs_of(folder)) == expected


@pytest.mark.parametrize(
    ("options", "label", "words"),
    [
        ("star:3", "123", "no ends for CPUs; write it with --bus wishbone"),
        ("star:3 --bus axi4-lite", "123", "no ends for CPUs; write it with --bus wishbone"),
        ("star:3 --bus wishbone", "124", "124: no node of .* that gets words; these do: 123, 132"),
    ],
)
def test_what_has_no_end_is_refused(tmp_path: Path, options: str, label: str, words: str) -> None:
    platform = SimPlatform("SIM", [])
    network = BroadcastNetwork(platform, generate(tmp_path / "out", options))
    with pytest.raises(InputError, match=words):
        CpuNode(platform, network, label)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no folder of noc generate"):
        BroadcastNetwork(SimPlatform("SIM", []), tmp_path)


SIM = Path(__file__).parent.parent / "sim"


@pytest.mark.ci
@pytest.mark.parametrize("wrong", [0, 1])
def test_a_cpu_takes_part_in_sums_with_processing_elements(tmp_path: Path, wrong: int) -> None:
    program = runpy.run_path(str(SIM / "litex_soc.py"))
    if not any(map(shutil.which, program["COMPILERS"])):
        pytest.skip("no compiler of C for RISC-V")
    element = program["ProcessingElement"]
    # One that multiplies with another number than its own: each sum is wrong.
    program["run"].__globals__["ProcessingElement"] = lambda number, *streams: element(
        number + wrong * (number == 3), *streams
    )
    report = program["run"]("star:3", "vexriscv", tmp_path / "soc")
    assert report.startswith(f"101 sums over 6 nodes, {101 * wrong} wrong\n")
