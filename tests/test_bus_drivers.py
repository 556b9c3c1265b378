"""What is written for nodes behind a bus: modules, SystemRDL, and the drivers on whole networks."""

import re
import runpy
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from folders import generated, manifest_of
from helpers import started
from test_bus import DEPTH, DESIGNS, OPERATIONS, Model, words_of

from noc.bus import list_registers
from noc.bus.registers import BITS
from noc.design import build_design
from noc.emit.bus import BusEnds, write_rdl
from noc.endpoints import Endpoints
from noc.simulators import SIMULATORS, Job
from noc.verify.tools import environment


def test_fields_of_registers_do_not_overlap() -> None:
    for kind in DESIGNS:
        registers = list_registers(words_of(kind))
        taken = [r.address + n for r in registers for n in range(r.many)]
        assert len(set(taken)) == len(taken)
        for register in registers:
            bits = [bit for f in register.fields for bit in range(f.first, f.first + f.bits)]
            assert len(set(bits)) == len(bits)
            assert max(bits) < BITS


def test_a_compiler_of_systemrdl_takes_the_registers(tmp_path: Path) -> None:
    systemrdl = pytest.importorskip("systemrdl")
    for kind in DESIGNS:
        registers = list_registers(words_of(kind))
        path = tmp_path / f"{kind}.rdl"
        path.write_text("\n".join(write_rdl("noc", registers)))
        compiler = systemrdl.RDLCompiler()
        compiler.compile_file(str(path))
        found = {
            (node.inst_name, node.raw_absolute_address if node.is_array else node.absolute_address)
            for node in compiler.elaborate().top.children()
        }
        assert found == {(r.name, 4 * r.address) for r in registers}


def generate(folder: Path, *options: str) -> dict[str, Any]:
    return manifest_of(generated(folder, "star:3", "--bus", "wishbone,axi4-lite", *options))


#: Every node has a CPU, which runs a program with the driver, one access after the other.
HARNESS = """
#include "Vtop.h"
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

struct Cpu {
    bool asks = false, writes = false, done = false;
    uint32_t address = 0, value = 0;
};
static std::mutex lock;
static std::condition_variable changed;
static std::vector<Cpu> cpus(6);

static uint32_t access(uintptr_t address, bool writes, uint32_t value) {
    std::unique_lock<std::mutex> held(lock);
    Cpu& cpu = cpus[address >> 8];
    cpu.address = address & 255, cpu.writes = writes, cpu.value = value, cpu.asks = true;
    changed.notify_all();
    changed.wait(held, [&] { return !cpu.asks; });
    return cpu.value;
}
#define NOC_READ(address) access(address, false, 0)
#define NOC_WRITE(address, value) access(address, true, value)
#include "HEADER"

// All CPUs count, each in a thread of its own.
static std::atomic<unsigned> wrong{0}, others{0};

PROGRAM
static void run(unsigned number) {
    program(number);
    std::unique_lock<std::mutex> held(lock);
    cpus[number].done = true;
    changed.notify_all();
}

int main() {
    Vtop top;
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < 6; ++number) threads.emplace_back(run, number);
    const auto edge = [&] { top.clk = 1, top.eval(), top.clk = 0, top.eval(); };
    top.rst = 1, edge(), edge(), top.rst = 0;
    unsigned cycles = 0;
    for (bool all = false; !all && cycles < 200000; ++cycles) {
        std::unique_lock<std::mutex> held(lock);
        changed.wait(held, [] {
            for (const Cpu& cpu : cpus) if (!cpu.asks && !cpu.done) return false;
            return true;
        });
        all = true;
        for (unsigned n = 0; n < 6; ++n) {
            all = all && cpus[n].done;
            DRIVE
        }
        top.eval();
        edge();
        ANSWER
        changed.notify_all();
    }
    for (auto& thread : threads) cycles < 200000 ? thread.join() : thread.detach();
    std::printf("wrong %u others %u cycles %u\\n", wrong.load(), others.load(), cycles);
    std::fflush(stdout);
    std::_Exit(wrong || cycles == 200000);
}
"""

PROGRAM = """
static void count_other(noc_node*, const noc_word* word) {
    if (word->operation != NOC_OP_BROADCAST || word->data[0] != 1000 + word->source) ++wrong;
    ++others;
}

static void program(unsigned number) {
    noc_node node = {uintptr_t{number} << 8, count_other, nullptr};
    if (NOC_READ(node.base + NOC_ID) != 0x4E4F4301) ++wrong;
    uint32_t data[20 * NOC_DATA_WORDS], sums[20 * NOC_DATA_WORDS];
    for (unsigned n = 0; n < 20; ++n)
        for (unsigned part = 0; part < NOC_DATA_WORDS; ++part)
            data[n * NOC_DATA_WORDS + part] = part ? 0 : 1000 * n + number;
    uint32_t hello[NOC_DATA_WORDS] = {1000 + number};
    NOC_Bcast(&node, NOC_OP_BROADCAST, hello, 1);
    NOC_Allreduce(&node, NOC_OP_ALL_REDUCE_SUM, data, sums, 20);
    for (unsigned n = 0; n < 20; ++n)
        if (sums[n * NOC_DATA_WORDS] != 6000 * n + 15) ++wrong;
    NOC_Barrier(&node, NOC_OP_BARRIER);
    // A ring: each sends to the next, all at the same time.
    NOC_Send(&node, NOC_OP_SEND, hello, 1, (number + 1) % 6);
    noc_word word;
    NOC_Recv(&node, &word);
    const unsigned before = (number + 5) % 6;
    if (word.operation != NOC_OP_SEND || word.source != before || word.data[0] != 1000 + before)
        ++wrong;
    NOC_Barrier(&node, NOC_OP_BARRIER);
    if (noc_alarms(&node)) ++wrong;
}
"""

#: Bits of each bus in the ports of all, and how a CPU uses them.
WISHBONE = (
    {"cyc": 1, "stb": 1, "we": 1, "adr": 6, "sel": 4, "dat_w": 32},
    {"dat_r": 32, "ack": 1, "err": 1},
    """
            top.cyc[n] = top.stb[n] = cpus[n].asks;
            top.we[n] = cpus[n].writes, top.adr[n] = cpus[n].address / 4, top.sel[n] = 15;
            top.dat_w[n] = cpus[n].value;
    """,
    """
        top.eval();
        for (unsigned n = 0; n < 6; ++n)
            if (cpus[n].asks && top.ack[n]) cpus[n].value = top.dat_r[n], cpus[n].asks = false;
    """,
)
AXI = (
    {
        "awaddr": 8,
        "awprot": 3,
        "awvalid": 1,
        "wdata": 32,
        "wstrb": 4,
        "wvalid": 1,
        "bready": 1,
        "araddr": 8,
        "arprot": 3,
        "arvalid": 1,
        "rready": 1,
    },
    {
        "awready": 1,
        "wready": 1,
        "bresp": 2,
        "bvalid": 1,
        "arready": 1,
        "rdata": 32,
        "rresp": 2,
        "rvalid": 1,
    },
    """
            static bool taken[6];
            const bool asks = cpus[n].asks && !taken[n];
            top.awvalid[n] = top.wvalid[n] = asks && cpus[n].writes;
            top.arvalid[n] = asks && !cpus[n].writes;
            top.awaddr[n] = top.araddr[n] = cpus[n].address, top.wstrb[n] = 15;
            top.wdata[n] = cpus[n].value, top.bready[n] = top.rready[n] = 1;
            if (cpus[n].asks && taken[n] && (top.bvalid[n] || top.rvalid[n])) {
                if (top.rvalid[n]) cpus[n].value = top.rdata[n];
                cpus[n].asks = taken[n] = false;
            }
            top.eval();
            if (asks) taken[n] = top.awready[n] || top.arready[n];
    """,
    "",
)
BUSES = {"wishbone": WISHBONE, "axi4-lite": AXI}


def list_ends(document: dict[str, Any], node: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The ports of an end, each with a stream of a node, if it has so many."""
    for side in ("inject", "eject"):
        most = max(len(listed(each.get(side, []))) for each in document["nodes"])
        streams = listed(node.get(side, []))
        for number in range(most):
            stream = streams[number] if number < len(streams) else None
            yield f"{side}__{number}" if most > 1 else side, stream


def listed(streams: Any) -> list[Any]:
    return streams if isinstance(streams, list) else [streams]


def write_top(document: dict[str, Any], bus: str) -> str:
    """A network with an end at each node, whose buses are arrays of ports."""
    inputs, outputs, *_ = BUSES[bus]
    (end,) = [each["top"] for each in document["bus"]["ends"] if each["bus"] == bus]
    ports = [f"input [{b - 1}:0] {n} [0:5]" for n, b in inputs.items()]
    ports += [f"output [{b - 1}:0] {n} [0:5]" for n, b in outputs.items()]
    wires, lines, network = [], [], [".clk(clk)", ".rst(rst)"]
    for number, node in enumerate(document["nodes"]):
        joined = [".clk(clk)", ".rst(rst)", ".irq()"]
        for port, stream in list_ends(document, node):
            if stream is None:
                joined.append(f".{port}__{'ready' if 'inject' in port else 'valid'}(1'b0)")
                continue
            for signal in ("valid", "ready", "payload"):
                name = stream[signal]
                bits = sum(f["bits"] for f in stream["fields"]) if signal == "payload" else 1
                wires.append(f"wire [{bits - 1}:0] {name};")
                network.append(f".{name}({name})")
                joined.append(f".{port}__{signal}({name})")
        bits = []
        for alarm in document["bus"]["alarm"]:
            if alarm in node:
                name = node[alarm]["signal"]
                many = len(node[alarm].get("groups") or node[alarm].get("bits") or "1")
                wires.append(f"wire [{many - 1}:0] {name};")
                network.append(f".{name}({name})")
                bits.insert(0, f"|{name}")
            else:
                bits.insert(0, "1'b0")
        joined += [f".alarm({{{', '.join(bits)}}})"] * bool(bits)
        joined += [f".bus__{name}({name}[{number}])" for name in (*inputs, *outputs)]
        lines.append(f"{end} end_{number} ({', '.join(joined)});")
    lines.append(f"{document['top']} network ({', '.join(network)});")
    return "\n".join(
        [f"module top (input clk, input rst, {', '.join(ports)});", *wires, *lines, "endmodule", ""]
    )


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize(
    "options", ["--width 32", "--width 70 --sink-timeout 5000", "--bus-depth 1"]
)
@pytest.mark.parametrize("bus", BUSES)
def test_cpus_at_all_nodes_run_a_program_with_the_driver(tmp_path: Path, bus: str, options) -> None:
    folder, build = tmp_path / "out", tmp_path / "build"
    generate(folder, "--operations", OPERATIONS, *options.split())
    assert run_cpus(folder, build, bus, PROGRAM) == 30


def run_cpus(folder: Path, build: Path, bus: str, program: str) -> int:
    """Let CPUs run a program at the six nodes of a network; how many other words came."""
    document = manifest_of(folder)
    build.mkdir()
    (build / "top.v").write_text(write_top(document, bus))
    drive, answer = BUSES[bus][2:]
    (header,) = (folder / "bus").glob("*.h")
    text = HARNESS.replace("HEADER", str(header)).replace("DRIVE", drive)
    text = text.replace("PROGRAM", program)
    (build / "main.cpp").write_text(text.replace("ANSWER", answer))
    ends = [folder / each["file"] for each in document["bus"]["ends"] if each["bus"] == bus]
    sources = (*folder.glob("*.v"), *ends, build / "top.v")
    env = environment("verilator")
    env["LDFLAGS"] = "-pthread"
    job = Job(build, "top", sources, fast=False, harness=build / "main.cpp")
    for step in SIMULATORS["verilator"].build(job):
        started(*step.command, env=env, status=0)
    done = started(build / "top", env=env, status=0)
    others = re.fullmatch(r"wrong 0 others (\d+) cycles \d+\n", done.stdout)
    assert others, done.stdout + done.stderr
    return int(others[1])


def check_c(*words: object) -> None:
    """That a compiler of C, if there is one, has nothing to say."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    flags = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only")
    assert started(compiler, *flags, *words, status=0).stderr == ""


@pytest.mark.ci
def test_the_header_is_c_and_without_a_warning(tmp_path: Path) -> None:
    generate(tmp_path / "out", "--operations", OPERATIONS)
    (header,) = (tmp_path / "out" / "bus").glob("*.h")
    source = tmp_path / "main.c"
    source.write_text(f'#include "{header}"\nint main(void) {{ return 0; }}\n')
    check_c("-pedantic", source)


#: A network in rounds.
ROUNDS = ("--fabric", "timetable", "--start", "ready", "--ejects", "one")

PAGE = (Path(__file__).parent.parent / "docs" / "bus.md").read_text(encoding="utf-8")


@pytest.mark.ci
@pytest.mark.parametrize(
    ("place", "options"),
    [(0, ("--operations", OPERATIONS)), (1, (*ROUNDS, "--exchange", "all_to_all"))],
)
def test_the_c_of_the_page_compiles(tmp_path: Path, place: int, options: tuple[str, ...]) -> None:
    generate(tmp_path / "out", *options)
    snippets = re.findall(r"^```c\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(snippets) == 2
    (tmp_path / "main.c").write_text(snippets[place])
    check_c("-I", tmp_path / "out" / "bus", tmp_path / "main.c")


@pytest.mark.ci
def test_the_instance_of_the_page_has_every_port(tmp_path: Path) -> None:
    generate(tmp_path / "out", "--operations", OPERATIONS)
    top = "noc_star_3_axi4_lite"
    text = (tmp_path / "out" / "bus" / f"{top}.v").read_text()
    text = text[text.index(f"module {top}(") :].partition("endmodule")[0]
    ports = set(re.findall(r"^  (?:in|out)put (?:\[\d+:0\] )?(\w+);$", text, re.MULTILINE))
    (snippet,) = re.findall(r"^```verilog\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    instance = snippet.partition("cpu_123 (")[2].partition(";")[0]
    assert set(re.findall(r"\.(\w+)\(", instance)) == ports


@pytest.mark.ci
@pytest.mark.cocotb
def test_the_cpu_of_the_page_gets_its_answers(tmp_path: Path) -> None:
    generate(tmp_path / "out", "--operations", "broadcast,send,all_reduce:sum,barrier")
    for name, kind in (("top.v", "verilog"), ("cpu.py", "python")):
        (text,) = re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
        (tmp_path / name).write_text(text)
    done = started(sys.executable, "cpu.py", cwd=tmp_path)
    assert "PASS=1 FAIL=0" in done.stdout, done.stdout + done.stderr


def test_the_page_lists_the_registers() -> None:
    rows = re.findall(r"^\| 0x(\w\w)…? \| `(\w+)` \| (\w+) \| (.*?) \|", PAGE, re.MULTILINE)
    registers = list_registers(words_of("operations"))
    assert [(int(address, 16), name, access) for address, name, access, _ in rows] == [
        (4 * r.address, r.name, r.access) for r in registers
    ]
    for (*_, bits), register in zip(rows, registers, strict=True):
        if register.name == "interrupt":
            continue
        for field in register.fields if len(register.fields) > 1 else ():
            high = field.first + field.bits - 1
            span = f"{high}–{field.first}" if field.bits > 1 else str(high)
            assert f"{span} `{field.name}`" in bits


def test_the_python_driver_does_what_the_registers_say(tmp_path: Path) -> None:
    document = generate(tmp_path / "out", "--operations", OPERATIONS, "--width", "40")
    driver = runpy.run_path(str(tmp_path / "out" / "bus" / "noc_bus.py"))
    design = build_design("star:3", width=40, operations=OPERATIONS)
    model, others = Model(design.words), []
    reduced = document["operations"]["all_reduce:sum"]

    def read(address: int) -> int:
        value, takes = model.read(address // 4)
        if takes and model.came:
            model.came.pop(0)
        return value

    def write(address: int, value: int) -> None:
        word = model.write(address // 4, value)
        if word is not None and len(model.given) < DEPTH:
            model.given.append(word)
            given, _ = word
            # What all nodes give comes back as a result, behind a word of somebody else's.
            inject = design.words.inject
            if model.field(given, inject, "operation") == reduced:
                data = model.field(given, inject, "data")
                last = model.field(given, inject, "last")
                fields = {"data": 6 * data, "operation": reduced, "last": last}
                for each in ({"data": 7, "source": 3}, fields):
                    came = first = 0
                    for name, bits in design.words.eject.items():
                        came |= (each.get(name, 0) & (1 << bits) - 1) << first
                        first += bits
                    model.came.append(came)
                model.given.pop(0)

    manifest = tmp_path / "out" / "manifest.json"
    node = driver["Node"](read, write, manifest, others.append)
    assert node.allreduce([1, 2, 2**33], "all_reduce:sum") == [6, 12, 6 * 2**33]
    assert [(word.data, word.source, word.operation) for word in others] == [(7, 3, 0)] * 3
    model.came.append(9)
    assert node.recv() == (9, 0, 0, 0)
    assert (node.room, node.waiting) == (DEPTH, 0)
    model.alarm = 0b101
    assert node.alarms() == ["overrun", document["bus"]["alarm"][0]]
    assert node.alarms() == []
    assert node.give(5, "send", node.nodes["321"])
    assert model.field(model.given[0][0], design.words.inject, "node") == node.nodes["321"]


def test_ends_of_every_fabric_have_its_fields() -> None:
    one = {"fabric": "direct", "sources": [3]}
    for options in ({}, one, {"operations": OPERATIONS}):
        design, ends = build_design("uhc:3", **options), BusEnds(("wishbone",))
        ends.check(design, Endpoints())
        files = ends.files(design, {"top": "noc_uhc_3"})
        assert set(files) == {
            *("bus/noc_uhc_3_wishbone.v", "bus/noc_uhc_3_bus.rdl"),
            *("bus/noc_uhc_3_bus.h", "bus/noc_bus.py"),
        }
