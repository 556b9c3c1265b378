"""Vectors of all nodes' signals: against the network itself, bit by bit and cycle by cycle."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from noc.cli import main
from noc.design import build_design
from noc.emit.folder import build_files
from noc.endpoints import AxiStream, Endpoints
from noc.verify.tools import environment

OPERATIONS = ["broadcast", "send", "all_reduce:sum", "all_reduce:max"]

#: Designs whose nodes differ in what they have.
DESIGNS: dict[str, tuple[str, dict[str, Any]]] = {
    "plain": ("star:3", {}),
    "some sources": ("star:3", {"sources": [1, 4], "width": 7}),
    "one bit": ("ring:3", {"sources": [0, 2], "width": 1, "source_numbers": False}),
    "idle": ("star:3", {"sources": "one", "width": 9}),
    "trees": ("uhc:2", {"algorithm": "adst", "fabric": "direct", "width": 33}),
    "operations": ("ring:3", {"operations": OPERATIONS, "width": 8}),
    "watchdog": ("star:3", {"operations": OPERATIONS, "watchdog": 9, "width": 16}),
    "senders": ("ring:4", {"operations": ["broadcast", "send"], "sources": [0, 3], "width": 5}),
    "axi": ("ring:3", {"sources": [0, 2], "width": 16}),
    "axi, whole": ("ring:3", {"width": 8}),
    "axi, operations, clocks": ("ring:3", {"operations": OPERATIONS, "watchdog": 9, "width": 8}),
    "axi, turns": ("ring:3", {"sources": "one", "width": 8}),
    "clocks": ("star:3", {"sources": [1, 4], "width": 7}),
    "one clock": ("ring:3", {"width": 9}),
}

#: What stands at their nodes, where it is not the network's own streams.
ENDPOINTS = {
    "axi": Endpoints(AxiStream(last=False)),
    "axi, whole": Endpoints(AxiStream(packets="whole", packet_words=3), "each"),
    "axi, operations, clocks": Endpoints(AxiStream(), "each"),
    "axi, turns": Endpoints(AxiStream(packets="whole")),
    "clocks": Endpoints(clocks="each"),
    "one clock": Endpoints(clocks="shared"),
}

ALARMS = ("dropped", "mismatch", "late")

#: How the signals of a stream into a node and out of it begin, and the data in them.
INTO, OUT_OF = ("inject", "s_axis"), ("eject", "m_axis")


def files_of(kind: str, *, vector_ports: bool = True) -> dict[str, str]:
    spec, options = DESIGNS[kind]
    endpoints = ENDPOINTS.get(kind, Endpoints())
    design = endpoints.widened(build_design(spec, **options))
    return build_files(design, endpoints, vector_ports=vector_ports)


def inside(manifest: dict[str, Any]) -> dict[str, Any]:
    """What the manifest says of the module inside."""
    return manifest.get("axis") or manifest.get("node_clocks") or manifest


def streams(manifest: dict[str, Any], sides: tuple[str, ...]) -> list[dict[str, Any] | None]:
    """The stream of each node that is one of these."""
    ends = inside(manifest)["nodes"]
    return [next((end[side] for side in sides if end.get(side)), None) for end in ends]


def clocks(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    """Clock and reset of each node's streams, where they have any."""
    ends = inside(manifest)["nodes"]
    return [(end.get("clock", "clk"), end.get("reset", "rst")) for end in ends]


def parts(manifest: dict[str, Any], vector: dict[str, Any]) -> Iterator[tuple[int, int, str]]:
    """For each node that has a part of a vector: the node, bits, and the signal it stands for.

    Without bits it is the whole signal.
    """
    name = vector["name"]
    for number, node in enumerate(manifest["nodes"]):
        end = inside(manifest)["nodes"][number]
        if name in ALARMS and name in node:
            yield number, 0, node[name]["signal"]
        if name in ("node_clk", "node_rst"):
            yield number, 1, end["clock" if name == "node_clk" else "reset"]
        for side in (*INTO, *OUT_OF):
            stream, kind = end.get(side) or {}, name.removeprefix(f"{side}_")
            if kind in stream:
                yield number, 0, stream[kind]
            for field in stream.get("fields", ()):
                if field["name"] == kind:
                    first, last = field["first"], field["first"] + field["bits"] - 1
                    whole = sum(each["bits"] for each in stream["fields"]) == 1
                    payload = stream["payload"]
                    yield number, field["bits"], payload if whole else f"{payload}[{last}:{first}]"


def bench(files: dict[str, str]) -> str:
    """Both modules with the same random words; every output of one is compared with the other's."""
    manifest = json.loads(files["manifest.json"])
    top, described = inside(manifest)["top"], manifest["vectors"]
    head = files[f"{top}.v"].partition(");")[0]
    ports = re.findall(r"(?m)^  (input|output) (?:\[(\d+):0\] )?(\w+)", head)
    widths = {name: int(high or 0) + 1 for _, high, name in ports}
    pairs = list(dict.fromkeys([("clk", "rst"), *clocks(manifest)]))
    most = len(pairs) - 1
    lines = [f"module bench (input tick, input [{most}:0] clocks, input [{most}:0] resets,"]
    lines += ["  output reg wrong, output reg all_moved);"]
    for place, pair in enumerate(pairs):
        lines += [f"  wire {pair[0]} = clocks[{place}], {pair[1]} = resets[{place}];"]
    timed = {name for pair in pairs for name in pair}
    for direction, _, name in ports:
        if name not in timed:
            kind = "reg" if direction == "input" else "wire"
            lines.append(f"  {kind} [{widths[name] - 1}:0] {name};")
    lines += [f"  {top} plain ({', '.join(f'.{name}({name})' for name in widths)});"]
    common = [
        described[name]
        for name in ("clock", "reset", "node_clock", "node_reset", "idle")
        if name in described
    ]
    wires = [f".{name}({'v_' * (name == 'idle')}{name})" for name in common]
    same = ["idle == v_idle"] if "idle" in described else []
    lines += ["  wire v_idle;"] if "idle" in described else []
    for vector in described["vectors"]:
        name, bits = vector["name"], vector["slice"]
        total = bits * len(manifest["nodes"])
        wires.append(f".{name}(v_{name})")
        lines += [f"  wire [{total - 1}:0] v_{name};"]
        own = {number: (width, signal) for number, width, signal in parts(manifest, vector)}
        for number in range(len(manifest["nodes"])):
            width, signal = own.get(number, (0, "1'b0"))
            width = width or widths.get(signal, 0)
            part = f"v_{name}[{number * bits} +: {bits}]"
            if vector["direction"] == "output":
                # Above a part, and in place of one, there are zeros.
                same.append(f"{part} == {signal}")
                continue
            if width:
                lines.append(f"  assign v_{name}[{number * bits} +: {width}] = {signal};")
            if width < bits:
                # Whatever stands there must not matter.
                rest = f"v_{name}[{number * bits + width} +: {bits - width}]"
                lines.append(f"  assign {rest} = noise[0 +: {bits - width}];")
    lines += [f"  {described['top']} vectors ({', '.join(wires)});"]
    lines += [
        "  reg [63:0] noise;",
        "  reg [9:0] turn;",
        "  always @(posedge tick) noise <= {$random, $random};",
        "  always @(posedge clk) turn <= rst ? 0 : turn + 1;",
        *stimuli(manifest, widths),
        *checks(manifest, same, widths),
    ]
    return "\n".join([*lines, "endmodule", ""])


def stimuli(manifest: dict[str, Any], widths: dict[str, int]) -> Iterator[str]:
    """Random words that stay until they are taken, and sinks that are ready at random."""
    given, taken = streams(manifest, INTO), streams(manifest, OUT_OF)
    senders = [valid(stream) for stream in given if stream]
    # With `idle` one word of one node at a time.
    alone = inside(manifest).get("idle") and f"idle && !({' || '.join(senders)}) && turn[9:6] == "
    for number, (clock, reset) in enumerate(clocks(manifest)):
        yield f"  always @(posedge {clock}) begin"
        yield f"    {ready(taken[number])} <= $random;"
        stream = given[number]
        if stream:
            may = f"{alone}{number} && " if alone else ""
            yield f"    if ({reset}) {valid(stream)} <= 0;"
            yield f"    else if (!{valid(stream)} || {ready(stream)}) begin"
            yield f"      {valid(stream)} <= {may}$random;"
            for signal in words(stream):
                word = f"{{$random, $random}} & {{{widths[signal]}{{1'b1}}}}"
                yield f"      {signal} <= {word};"
            yield "    end"
        yield "  end"


def valid(stream: dict[str, Any]) -> str:
    return stream.get("valid") or stream["tvalid"]


def ready(stream: dict[str, Any]) -> str:
    return stream.get("ready") or stream["tready"]


def words(stream: dict[str, Any]) -> list[str]:
    """The signals that hold a word."""
    passing = ("valid", "ready", "tvalid", "tready", "fields")
    return [signal for kind, signal in stream.items() if kind not in passing]


def data(stream: dict[str, Any], widths: dict[str, int]) -> tuple[str, int, int]:
    """Where the data of a word lie: signal, first bit, bits."""
    if "tdata" in stream:
        return stream["tdata"], 0, widths[stream["tdata"]]
    field = next(each for each in stream["fields"] if each["name"] == "data")
    return stream["payload"], field["first"], field["bits"]


def checks(manifest: dict[str, Any], same: list[str], widths: dict[str, int]) -> Iterator[str]:
    """Whether anything differed, and whether every word, answer and alarm was seen."""
    taken = [stream for stream in streams(manifest, OUT_OF) if stream]
    passing = [valid(stream) for stream in taken]
    passing += [ready(stream) for stream in streams(manifest, INTO) if stream]
    told = [[node[a]["signal"] for node in manifest["nodes"] if a in node] for a in ALARMS]
    held = [data(stream, widths) for stream in taken]
    seen = [*passing, *(signal for signals in told for signal in signals)]
    seen += [signal for signal, _, _ in held]
    for name in seen:
        yield f"  reg [{widths[name] - 1}:0] seen_{name} = 0;"
    yield "  initial wrong = 0;"
    yield "  always @(posedge tick) begin"
    yield from (f"    if (!({each})) wrong <= 1;" for each in same)
    yield from (f"    seen_{name} <= seen_{name} | {name};" for name in seen)
    yield "  end"
    moved = [
        f"&seen_{name}" if widths[name] == 1 else f"&seen_{name}[{first} +: {bits}]"
        for name, first, bits in held
    ]
    moved += [f"seen_{name}" for name in passing]
    # Of each kind of alarm one at least.
    moved += [f"|{{{', '.join(f'seen_{s}' for s in signals)}}}" for signals in told if signals]
    yield f"  always @* all_moved = {' & '.join(dict.fromkeys(moved))};"


# The network's clock has a period of 4 steps, and the nodes' others; their resets end apart.
MAIN = """
#include "Vbench.h"
#include <cstdio>
int main() {
  Vbench top;
  for (int step = 0; step < 20000; step++) {
    top.clocks = top.resets = 0;
    for (int place = 0; place < 8; place++) {
      top.clocks |= (step / (2 + place) % 2) << place & ((1 << PLACES) - 1);
      top.resets |= (step < 40 + 30 * place) << place & ((1 << PLACES) - 1);
    }
    top.tick = 0; top.eval();
    top.tick = 1; top.eval();
  }
  std::printf("wrong %d moved %d", top.wrong, top.all_moved);
}
"""


def simulate(folder: Path, files: dict[str, str]) -> str:
    """What the bench says of the modules."""
    for name, text in files.items():
        if name.endswith(".v"):
            (folder / name).write_text(text)
    (folder / "bench.v").write_text(bench(files))
    manifest = json.loads(files["manifest.json"])
    places = len({("clk", "rst"), *clocks(manifest)})
    (folder / "main.cpp").write_text(MAIN.replace("PLACES", str(places)))
    command = ["verilator", "-cc", "--exe", "--build", "-Wno-lint", "-Wno-style", "-Wno-fatal"]
    command += ["--top-module", "bench", "--prefix", "Vbench", "main.cpp"]
    command += [path.name for path in folder.glob("*.v")]
    options: dict[str, Any] = {"cwd": folder, "env": environment("verilator"), "text": True}
    done = subprocess.run(command, capture_output=True, **options)
    assert done.returncode == 0, done.stderr[-3000:]
    return subprocess.run(
        [folder / "obj_dir" / "Vbench"], capture_output=True, check=True, **options
    ).stdout


@pytest.mark.cases(2)
@pytest.mark.parametrize("kind", DESIGNS)
def test_vectors_carry_everything(kind: str, tmp_path: Path) -> None:
    assert simulate(tmp_path, files_of(kind)) == "wrong 0 moved 1"


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("plain", "eject_source[2:0]", "eject_source[5:3]"),
        ("some sources", "inject_data[13:7]", "inject_data[20:14]"),
        ("some sources", "inject_ready[0] = 1'd0", "inject_ready[0] = 1'd1"),
        ("operations", ".dropped_1(dropped[1])", ".dropped_1(dropped[2])"),
        ("axi", "m_axis_tid[1:0]", "m_axis_tid[3:2]"),
        ("clocks", "node_clk[3]", "node_clk[2]"),
        ("clocks", "node_rst[3]", "node_rst[5]"),
    ],
)
def test_a_wrong_slice_is_noticed(kind: str, old: str, new: str, tmp_path: Path) -> None:
    files = files_of(kind)
    name = json.loads(files["manifest.json"])["vectors"]["top"] + ".v"
    assert old in files[name]
    files[name] = files[name].replace(old, new)
    assert simulate(tmp_path, files).startswith("wrong 1")


@pytest.mark.parametrize("kind", DESIGNS)
def test_each_bit_has_one_driver(kind: str) -> None:
    """Simulators differ in what they make of two."""
    files = files_of(kind)
    manifest = json.loads(files["manifest.json"])
    text = files[f"{manifest['vectors']['top']}.v"].partition(");")[2]
    for vector in manifest["vectors"]["vectors"]:
        if vector["direction"] == "output":
            ranges = re.findall(rf"\b{vector['name']}\[(\d+)(?::(\d+))?\]", text)
            driven = [bit for high, low in ranges for bit in range(int(low or high), int(high) + 1)]
            assert sorted(driven) == [*range(vector["slice"] * len(manifest["nodes"]))]


@pytest.mark.cases(3)
@pytest.mark.parametrize("kind", DESIGNS)
def test_the_network_is_the_same_with_and_without(kind: str) -> None:
    without, files = files_of(kind, vector_ports=False), files_of(kind)
    manifest = json.loads(files["manifest.json"])
    vectors = f"{manifest['vectors']['top']}.v"
    assert {name: text for name, text in files.items() if name.endswith(".v")} == {
        name: text for name, text in without.items() if name.endswith(".v")
    } | {vectors: files[vectors]}
    (core,) = (text for name, text in files.items() if name.endswith(".core"))
    assert f"{vectors}: {{file_type: verilogSource-2005}}" in core
    assert f'toplevel: "{manifest["vectors"]["top"]}"' in core


def test_one_file_per_module_has_them_too() -> None:
    files = build_files(build_design("ring:3"), one_file_per_module=True, vector_ports=True)
    assert (
        files["noc_ring_3_vectors.v"]
        == build_files(build_design("ring:3"), vector_ports=True)["noc_ring_3_vectors.v"]
    )


def test_the_whole_is_told_and_named_by_a_file_s_stem(tmp_path: Path, capsys) -> None:
    graph = tmp_path / "my lab.v2.json"
    graph.write_text(json.dumps({"nodes": ["a", "b"], "links": [{"from": "a", "to": "b"}]}))
    command = ["generate", f"file:{graph}", "-o", str(tmp_path / "out"), "--vector-ports"]
    assert main([*command, "--axi-stream", "--node-clocks", "shared"]) == 0
    top = "noc_my_lab_v2_axis"
    told = capsys.readouterr().out
    assert f"{top}_vectors around {top} around noc_my_lab_v2\n" in told
    folder = tmp_path / "out"
    described = json.loads((folder / "manifest.json").read_text())["vectors"]
    assert described["node_clock"] == "node_clk"
    instance = (folder / f"{top}_vectors_instance.vh").read_text()
    assert "wire [1:0] s_axis_tvalid;  // input" in instance
    assert "//   1: b\n" in instance
    assert f"{top}_vectors.v\n" in (folder / f"{top}_vectors.f").read_text()
    assert f"| `{top}_vectors.v` | the same with one vector" in (folder / "README.md").read_text()
