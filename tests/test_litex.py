"""Networks in LiteX: streams, alarms, nodes behind Wishbone, and a SoC whose CPU takes part."""

import json
import re
import runpy
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers import started
from verilog_files import check_pins

from noc.cli import main
from noc.errors import InputError
from noc.simulators import SIMULATORS, Job
from noc.verify.tools import environment

pytest.importorskip("litex")

from litex.build.generic_platform import Pins
from litex.build.sim import SimPlatform
from litex.gen import LiteXModule
from litex.soc.integration.soc_core import SoCMini
from litex.soc.interconnect import csr_bus
from migen import ClockDomain, If, Mux, Signal
from migen.sim import run_simulation

from noc.litex import BroadcastNetwork, CpuNode, add_network
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
        for label, several in network.inject.items():
            for endpoint in several if isinstance(several, list) else [several]:
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


def verilog_of(build: Path, module: Callable[[Any], Any], outputs: dict[str, int]) -> Job:
    """What LiteX writes of a module, each port of which is joined, with all of its bits."""
    build.mkdir()
    platform = platform_of(outputs)
    fragment = module(platform).get_fragment()
    platform.finalize(fragment)
    platform.get_verilog(fragment, name="top").write(str(build / "top.v"))
    sources = (*(Path(path) for path, *_ in platform.sources), build / "top.v")
    shows = "".join(f'std::printf("%u\\n", unsigned(top.{name}));' for name in outputs)
    (build / "main.cpp").write_text(PROGRAM.replace("SHOW", shows))
    check_pins(*sources)
    return Job(build, "top", sources, fast=False, harness=build / "main.cpp")


def simulated(build: Path, module: Callable[[Any], Any], outputs: dict[str, int]) -> list[int]:
    """What the outputs are in the end, of a module that is made for a platform."""
    job, env = verilog_of(build, module, outputs), environment("verilator", cocotb=False)
    for step in SIMULATORS["verilator"].build(job):
        done = started(*step.command, env=env)
        assert done.returncode == 0, done.stderr[-3000:]
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
            bus.adr.eq(simple.index(alarm)),
            bus.dat_w.eq(1 << deaf),
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


class TakenOut(Ends):
    """With a node that gives nothing, which software takes out of its group."""

    def __init__(self, platform: Any, folder: Path, node: int, label: str) -> None:
        self._silent = node
        super().__init__(platform, folder)
        bus = csr_bus.Interface(data_width=32)
        self.bank = csr_bus.CSRBank(self.network.get_csrs(), bus=bus)
        # Of a register that keeps what is written, the bank numbers the words.
        simple = [csr.name for csr in self.bank.simple_csrs]
        cycle = Signal(11)
        self.sync += cycle.eq(cycle + 1)
        self.comb += [
            bus.adr.eq(simple.index(f"away_{label}0")),
            bus.dat_w.eq(1),
            bus.we.eq(cycle == 900),
        ]

    def _give(self, endpoint: Any, first: int) -> None:
        if first != 100 * (1 + self._silent):
            super()._give(endpoint, first)


def test_software_takes_a_member_out_of_its_group(tmp_path: Path) -> None:
    folder = generate(
        tmp_path / "out", "star:3 --operations all_reduce:sum --void-words --stand-ins"
    )
    labels = [node["label"] for node in read_manifest(folder)["nodes"]]
    found = simulated(
        tmp_path / "build",
        lambda platform: TakenOut(platform, folder, 3, labels[3]),
        outputs_of(folder),
    )
    others = sum(100 * (1 + node) + n for node in (0, 1, 2, 4, 5) for n in range(WORDS))
    assert found == [WORDS, others] * 6


class Kept(BroadcastNetwork):
    """The registers of alarms alone, for a network of some nodes."""

    def __init__(self, nodes: int) -> None:
        self.raised = [Signal() for _ in range(nodes)]
        self._keep({"dropped": self.raised})

    def after(self, raised: set[int], cleared: int = 0, *, acknowledge: bool = False) -> Any:
        """A cycle in which bits are raised, others cleared, or the event is acknowledged."""
        for node, signal in enumerate(self.raised):
            yield signal.eq(node in raised)
        yield self.dropped.r.eq(cleared)
        yield self.dropped.re.eq(bool(cleared))
        yield self.ev.pending.r.eq(acknowledge)
        yield self.ev.pending.re.eq(acknowledge)
        yield
        yield from (signal.eq(0) for signal in self.raised)
        yield self.dropped.re.eq(0)
        yield self.ev.pending.re.eq(0)
        yield
        yield


def test_no_alarm_is_lost_between_reading_and_clearing() -> None:
    module, seen = Kept(3), []

    def play() -> Any:
        for step in (
            {"raised": {0}},
            {"raised": set(), "acknowledge": True},
            # A second node is an event of its own, although the first one's bit is still there.
            {"raised": {1}},
            {"raised": set(), "acknowledge": True},
            # What comes while others are cleared stays.
            {"raised": {2}, "cleared": 0b011},
            {"raised": {2}, "cleared": 0b100, "acknowledge": True},
            {"raised": set(), "cleared": 0b100},
        ):
            yield from module.after(**step)
            seen.append(((yield module.dropped.status), (yield module.ev.dropped.pending)))

    run_simulation(module, play())
    assert seen == [(1, 1), (1, 0), (3, 1), (3, 0), (4, 1), (4, 0), (0, 0)]


def test_registers_have_no_more_bits_than_software_reads_at_once() -> None:
    class Many(Kept):
        def __init__(self) -> None:
            self._keep({"dropped": [Signal() for _ in range(70)]})

    module = Many()
    registers = {csr.name: csr.size for csr in module.get_csrs() if csr.name.startswith("dropped")}
    assert registers == {"dropped_0": 32, "dropped_1": 32, "dropped_2": 6}


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "options",
    ["gather", "scatter", "all_to_all", "all_reduce:sum", "all_reduce:sum --start ready"],
)
def test_exchanges_are_joined(tmp_path: Path, options: str) -> None:
    folder = generate(tmp_path / "out", f"mesh:2,2 --fabric timetable --exchange {options}")
    verilog_of(tmp_path / "build", lambda platform: Ends(platform, folder), outputs_of(folder))


@pytest.mark.ci
@pytest.mark.parametrize("exchange", ["all_to_all", "scatter"])
def test_every_stream_of_a_cpu_is_joined(tmp_path: Path, exchange: str) -> None:
    """Also of nodes that have fewer inject streams than others, or no eject stream."""
    rounds = f"--fabric timetable --start ready --ejects one --exchange {exchange}"
    folder = generate(tmp_path / "out", f"mesh:2,3 {rounds} --bus wishbone")

    class Cpus(LiteXModule):
        def __init__(self, platform: Any) -> None:
            self.cd_sys = ClockDomain()
            self.comb += self.cd_sys.clk.eq(platform.request("sys_clk"))
            self.comb += self.cd_sys.rst.eq(platform.request("sys_rst"))
            self.network = network = BroadcastNetwork(platform, folder)
            for label, name in network.names.items():
                self.add_module(f"cpu_{name}", CpuNode(platform, network, label))

    counts = {len(each.get("inject", [])) for each in read_manifest(folder)["nodes"]}
    assert counts == {"all_to_all": {2, 3}, "scatter": {0, 2}}[exchange]
    verilog_of(tmp_path / "build", Cpus, {})


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
        ("star:3", "123", "no ends for CPUs; write it with .*wishbone"),
        ("star:3 --bus axi4-lite", "123", "no ends for CPUs; write it with .*wishbone"),
        (
            "star:3 --bus wishbone",
            "124",
            "124: no node of .* that gives or gets words; these do: 1",
        ),
    ],
)
def test_what_has_no_end_is_refused(tmp_path: Path, options: str, label: str, words: str) -> None:
    platform = SimPlatform("SIM", [])
    network = BroadcastNetwork(platform, generate(tmp_path / "out", options))
    with pytest.raises(InputError, match=words):
        CpuNode(platform, network, label)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--axi-stream", "endpoints are LiteX's here; write it without AXI-Stream"),
        ("--node-clocks shared", "endpoints are LiteX's here"),
    ],
)
def test_folders_with_other_endpoints_are_refused(tmp_path: Path, options: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        BroadcastNetwork(SimPlatform("SIM", []), generate(tmp_path / "out", f"star:3 {options}"))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": ["noc.v"]}', '{"files": 3}'])
def test_a_folder_of_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InputError, match=r"no folder of noc generate|noc\.v is missing"):
        BroadcastNetwork(SimPlatform("SIM", []), tmp_path)


@pytest.mark.parametrize("contract", [0, 2, "1"])
def test_a_folder_of_another_contract_is_refused(tmp_path: Path, contract: object) -> None:
    folder = generate(tmp_path / "out", "star:3")
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"contract": contract}))
    with pytest.raises(InputError, match=f"of contract {contract!r}, where this version of arborn"):
        BroadcastNetwork(SimPlatform("SIM", []), folder)


def test_two_networks_need_two_names(tmp_path: Path) -> None:
    platform = SimPlatform("SIM", [])
    one = generate(tmp_path / "one", "star:3")
    BroadcastNetwork(platform, one)
    # The same network twice is two instances.
    BroadcastNetwork(platform, one)
    BroadcastNetwork(platform, generate(tmp_path / "other", "star:3 --name other"))
    with pytest.raises(InputError, match=r"noc_star_3\.v is in .*one, too; give .* another name"):
        BroadcastNetwork(platform, generate(tmp_path / "two", "star:3 --width 8"))


def test_a_node_has_one_user(tmp_path: Path) -> None:
    platform = SimPlatform("SIM", [])
    network = BroadcastNetwork(platform, generate(tmp_path / "out", "star:3 --bus wishbone"))
    CpuNode(platform, network, "123")
    network.drop("132")
    for use in (network.drop, lambda label: CpuNode(platform, network, label)):
        for label in ("123", "132"):
            with pytest.raises(InputError, match=f"{label}: this node of .* is used twice"):
                use(label)


def test_labels_are_a_list() -> None:
    with pytest.raises(InputError, match=r"is a list of labels, \['123'\] for one node"):
        add_network(SimpleNamespace(), "out", "123")
    with pytest.raises(InputError, match="the SoC has something of this name"):
        add_network(SimpleNamespace(network=1), "out")


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


@pytest.mark.ci
def test_the_example_of_the_page_is_joined(tmp_path: Path, monkeypatch) -> None:
    page = (SIM.parent / "docs" / "litex.md").read_text(encoding="utf-8")
    ((command,), (example,)) = (
        re.findall(r"^\$ noc (generate .*)$", page, re.MULTILINE),
        re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL),
    )
    monkeypatch.chdir(tmp_path)
    assert main(command.split()) == 0
    names: dict[str, Any] = {}
    exec(example, names)

    class Soc(SoCMini):
        # Without a CPU CSRs are where LiteX would find room.
        mem_map = SoCMini.mem_map | {"network_123": 0xA000_0000}

        def __init__(self, platform: Any) -> None:
            self.cd_sys = ClockDomain()
            self.comb += self.cd_sys.clk.eq(platform.request("sys_clk"))
            self.comb += self.cd_sys.rst.eq(platform.request("sys_rst"))
            SoCMini.__init__(self, platform, clk_freq=int(1e6))
            names["add_elements"](self)

    verilog_of(tmp_path / "build", Soc, {})
