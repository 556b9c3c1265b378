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
from noc.errors import InputError
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
}

ALARMS = ("dropped", "mismatch", "late")


def files_of(kind: str) -> dict[str, str]:
    spec, options = DESIGNS[kind]
    return build_files(build_design(spec, **options), vector_ports=True)


def parts(manifest: dict[str, Any], vector: dict[str, Any]) -> Iterator[tuple[int, int, str]]:
    """For each node that has a part of a vector: the node, bits, and the signal it stands for."""
    name = vector["name"]
    for number, node in enumerate(manifest["nodes"]):
        side, _, kind = name.partition("_")
        if name in ALARMS and name in node:
            yield number, 0, node[name]["signal"]
        elif kind in ("valid", "ready") and side in node:
            yield number, 1, node[side][kind]
        elif side in node:
            for field in node[side]["fields"]:
                if field["name"] == kind:
                    first, last = field["first"], field["first"] + field["bits"] - 1
                    whole = sum(each["bits"] for each in node[side]["fields"]) == 1
                    payload = node[side]["payload"]
                    yield number, field["bits"], payload if whole else f"{payload}[{last}:{first}]"


def bench(files: dict[str, str]) -> str:
    """Both modules with the same random words; every output of one is compared with the other's."""
    manifest = json.loads(files["manifest.json"])
    top, described = manifest["top"], manifest["vectors"]
    head = files[f"{top}.v"].partition(");")[0]
    ports = re.findall(r"(?m)^  (input|output) (?:\[(\d+):0\] )?(\w+)", head)
    widths = {name: int(high or 0) + 1 for _, high, name in ports}
    lines = ["module bench (input clk, input rst, output reg wrong, output reg all_moved);"]
    for direction, _, name in ports:
        if name not in ("clk", "rst"):
            kind = "reg" if direction == "input" else "wire"
            lines.append(f"  {kind} [{widths[name] - 1}:0] {name};")
    lines += [f"  {top} plain ({', '.join(f'.{name}({name})' for name in widths)});"]
    common = ["clk", "rst", *(name for name in ("idle",) if name in described)]
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
        *stimuli(manifest, widths),
        *checks(manifest, same, widths),
    ]
    return "\n".join([*lines, "endmodule", ""])


def stimuli(manifest: dict[str, Any], widths: dict[str, int]) -> Iterator[str]:
    """Random words that stay until they are taken, and sinks that are ready at random."""
    yield "  always @(posedge clk) begin"
    yield "    noise <= {$random, $random};"
    yield "    turn <= rst ? 0 : turn + 1;"
    senders = [node["inject"]["valid"] for node in manifest["nodes"] if "inject" in node]
    # With `idle` one word of one node at a time.
    alone = f"idle && !({' || '.join(senders)}) && turn[9:6] == " if "idle" in manifest else ""
    for number, node in enumerate(manifest["nodes"]):
        yield f"    {node['eject']['ready']} <= $random;"
        if "inject" in node:
            valid, ready, payload = (node["inject"][k] for k in ("valid", "ready", "payload"))
            word = f"{{$random, $random}} & {{{widths[payload]}{{1'b1}}}}"
            may = f"{alone}{number} && " if alone else ""
            yield f"    if (rst) {valid} <= 0;"
            yield f"    else if (!{valid} || {ready}) begin"
            yield f"      {valid} <= {may}$random; {payload} <= {word};"
            yield "    end"
    yield "  end"


def checks(manifest: dict[str, Any], same: list[str], widths: dict[str, int]) -> Iterator[str]:
    """Whether anything differed, and whether every word, answer and alarm was seen."""
    changing = [node["eject"][k] for node in manifest["nodes"] for k in ("valid", "payload")]
    changing += [node["inject"]["ready"] for node in manifest["nodes"] if "inject" in node]
    told = [[node[a]["signal"] for node in manifest["nodes"] if a in node] for a in ALARMS]
    alarms = [signal for signals in told for signal in signals]
    for name in (*changing, *alarms):
        yield f"  reg [{widths[name] - 1}:0] seen_{name};"
    yield "  always @(posedge clk) if (rst) begin"
    yield "    wrong <= 0;"
    yield from (f"    seen_{name} <= 0;" for name in (*changing, *alarms))
    yield "  end else begin"
    yield from (f"    if (!({each})) wrong <= 1;" for each in same)
    yield from (f"    seen_{name} <= seen_{name} | {name};" for name in (*changing, *alarms))
    yield "  end"
    data = [node["eject"] for node in manifest["nodes"]]
    fields = [(s["payload"], f) for s in data for f in s["fields"] if f["name"] == "data"]
    moved = [
        f"&seen_{name}" if widths[name] == 1 else f"&seen_{name}[{f['first']} +: {f['bits']}]"
        for name, f in fields
    ]
    moved += [f"seen_{name}" for name in changing if widths[name] == 1]
    # Of each kind of alarm one at least.
    moved += [f"|{{{', '.join(f'seen_{s}' for s in signals)}}}" for signals in told if signals]
    yield f"  always @* all_moved = {' & '.join(dict.fromkeys(moved))};"


MAIN = """
#include "Vbench.h"
#include <cstdio>
int main() {
  Vbench top;
  for (int cycle = 0; cycle < 5000; cycle++) {
    top.rst = cycle < 5;
    top.clk = 0; top.eval();
    top.clk = 1; top.eval();
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
    (folder / "main.cpp").write_text(MAIN)
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
    spec, options = DESIGNS[kind]
    without, files = build_files(build_design(spec, **options)), files_of(kind)
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


@pytest.mark.parametrize(
    ("options", "other"),
    [
        (["--axi-stream"], "--axi-stream"),
        (["--node-clocks", "each"], "--node-clocks"),
        (["--axi-stream", "--node-clocks", "shared"], "--axi-stream"),
    ],
)
def test_vectors_of_endpoints_are_refused(options, other, tmp_path: Path, capsys) -> None:
    command = ["generate", "ring:3", "--vector-ports", "-o", str(tmp_path / "out")]
    assert main([*command, *options]) == 2
    assert capsys.readouterr().err == (
        "noc generate: error: --vector-ports: is for the network's own streams; "
        f"leave out {other}\n"
    )
    assert not (tmp_path / "out").exists()


def test_vectors_of_endpoints_are_refused_in_python() -> None:
    with pytest.raises(InputError, match=r"^vector_ports=True: is for the network's own"):
        build_files(build_design("ring:3"), Endpoints(AxiStream()), vector_ports=True)
