"""The module for SystemVerilog: beside the one with vectors it does the same in every cycle."""

import json
import re
from contextlib import nullcontext
from pathlib import Path

import pytest
from helpers import started
from test_vectors import DESIGNS, ENDPOINTS, READY
from verilog_files import check_pins

from noc.cli import main
from noc.design import build_design
from noc.emit.folder import build_files
from noc.endpoints import AxiStream, Endpoints
from noc.simulators import SIMULATORS, Job
from noc.verify.tools import environment

KINDS = DESIGNS | {
    "lanes": ("star:3", {"fabric": "timetable", "start": "pulse", "width": 8}),
    "lanes, axi": ("star:3", {"fabric": "timetable", **READY}),
    "one stream": ("star:3", {"fabric": "timetable", "start": "ready", "ejects": "one"}),
    "exchange": ("ring:4", {"fabric": "timetable", "exchange": "all_to_all", "width": 8}),
    "ready": ("star:3", {"sinks": "always-ready", "width": 12}),
    "timeout": ("star:3", {"sink_timeout": 5, "width": 4}),
    "written": ("star:3", {"sources": "one", "rom": "writable", "width": 4}),
}

PROGRAM = """
#include "Vtop.h"
#include <cstdio>

int main() {
    Vtop top;
    unsigned different = 0, moved = 0;
    for (unsigned cycle = 0; cycle < 3000; ++cycle) {
        top.rst = cycle < 3;
        top.clk = 0, top.eval(), top.clk = 1, top.eval();
        if (cycle > 3) different += top.different, moved += top.moved;
    }
    std::printf("%u %d\\n", different, moved > 0);
}
"""


def write_top(manifest: dict) -> str:
    """Both modules with the same inputs, which are chance but for clocks and resets."""
    section, interfaces = manifest["vectors"], manifest["interfaces"]
    nodes = len(manifest["nodes"])
    inputs, outputs, whole = {}, {}, []
    for vector in section["vectors"]:
        kind = inputs if vector["direction"] == "input" else outputs
        kind[vector["name"]] = nodes * vector["slice"]
    shared = [section[key] for key in ("node_clock", "node_reset") if key in section]
    outputs |= {section[key]: 1 for key in ("idle", "moves") if key in section}
    inputs |= {section["start"]: 1} if "start" in section else {}
    if "load" in section:
        load = section["load"]
        bits = sum(field["bits"] for field in load["fields"])
        inputs |= {load["valid"]: 1, load["payload"]: bits}
        outputs[section["loading"]] = 1
    lines, wired, chance = [], {}, []
    for name, bits in inputs.items():
        lines.append(f"logic [{bits - 1}:0] {name};")
        if name.startswith(("node_clk", "node_rst")):
            lines.append(f"assign {name} = {{{bits}{{{name.removeprefix('node_')}}}}};")
        else:
            chance.append(f"{name} <= {{{-(-bits // 32)}{{$urandom()}}}};")
    for name, bits in outputs.items():
        lines += [f"logic [{bits - 1}:0] a_{name}, b_{name};"]
    for stream, kind in interfaces["streams"].items():
        lines.append(f"{kind} {stream} [{nodes}]();")
        wired[stream] = stream
        for vector in section["vectors"]:
            match = re.fullmatch(rf"{stream}_([a-z]\w*)", vector["name"])
            if match is None:
                continue
            for node in range(nodes):
                part = f"[{node * vector['slice']} +: {vector['slice']}]"
                member = f"{stream}[{node}].{'void_' if match[1] == 'void' else match[1]}"
                if vector["direction"] == "input":
                    lines.append(f"assign {member} = {vector['name']}{part};")
                else:
                    lines.append(f"assign b_{vector['name']}{part} = {member};")
            whole.append(vector["name"])
    clocks = [".clk(clk)", ".rst(rst)"]
    clocks += [f".{name}({name.removeprefix('node_')})" for name in shared]
    plain = [f".{name}({name})" for name in inputs]
    one = [*clocks, *plain, *(f".{name}(a_{name})" for name in outputs)]
    two = [*clocks, *(f".{name}({name})" for name in wired)]
    two += [f".{name}({name})" for name in inputs if name not in whole]
    two += [f".{name}(b_{name})" for name in outputs if name not in whole]
    lines += [f"{section['top']} one ({', '.join(one)});"]
    lines += [f"{interfaces['top']} two ({', '.join(two)});"]
    pairs = " || ".join(f"a_{name} !== b_{name}" for name in outputs)
    valid = next(name for name in outputs if name.endswith("valid"))
    lines += [f"always_ff @(posedge clk) begin {' '.join(chance)} end"]
    lines += [f"assign different = {pairs};", f"assign moved = |a_{valid};"]
    head = "module top (input clk, input rst, output different, output moved);"
    return "\n".join([head, *lines, "endmodule", ""])


def compared(folder: Path, files: dict[str, str]) -> str:
    """What the program prints: cycles in which they differ, and whether words moved."""
    for name, text in files.items():
        if name.endswith((".v", ".sv")) and "/" not in name:
            (folder / name).write_text(text)
    (folder / "top.sv").write_text(write_top(json.loads(files["manifest.json"])))
    (folder / "main.cpp").write_text(PROGRAM)
    # The package first.
    sources = tuple(sorted(folder.glob("*.*v"), key=lambda path: path.name == "top.sv"))
    env = environment("verilator", cocotb=False)
    build = folder / "build"
    build.mkdir()
    check_pins(*sources, own=[*folder.glob("*.sv")])
    job = Job(build, "top", sources, fast=False, harness=folder / "main.cpp")
    for step in SIMULATORS["verilator"].build(job):
        done = started(*step.command, env=env)
        assert done.returncode == 0, done.stderr[-3000:]
    return started(build / "top").stdout


def files_of(kind: str) -> dict[str, str]:
    spec, options = KINDS[kind]
    endpoints = (ENDPOINTS | {"lanes, axi": Endpoints(AxiStream())}).get(kind, Endpoints())
    return build_files(
        endpoints.widened(build_design(spec, **options)), endpoints, systemverilog=True
    )


@pytest.mark.cases(1, ci=7)
@pytest.mark.parametrize("kind", KINDS)
def test_interfaces_do_what_vectors_do(tmp_path: Path, kind: str) -> None:
    assert compared(tmp_path, files_of(kind)) == "0 1\n"


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("inject[node].data;", "inject[0].data;"),
        ("assign eject_ready[node*1 +: 1] = eject[node].ready", "assign eject_ready[node] = 1"),
    ],
)
def test_a_wrong_wire_is_noticed(tmp_path: Path, old: str, new: str) -> None:
    files = files_of("plain")
    (name,) = (name for name in files if name.endswith(".sv"))
    assert old in files[name]
    files[name] = files[name].replace(old, new)
    assert not compared(tmp_path, files).startswith("0 ")


def test_another_reader_of_systemverilog_takes_it() -> None:
    slang = pytest.importorskip("pyslang")
    compilation = slang.ast.Compilation()
    for name, text in files_of("operations").items():
        if name.endswith((".v", ".sv")):
            compilation.addSyntaxTree(slang.syntax.SyntaxTree.fromText(text, name))
    assert [str(each) for each in compilation.getAllDiagnostics() if each.isError()] == []


def test_numbers_have_names(tmp_path: Path, capsys) -> None:
    folder = tmp_path / "out"
    options = ["--operations", "broadcast,all_reduce:sum", "--systemverilog", "-o", str(folder)]
    assert main(["generate", "scc:3", *options]) == 0
    told = "top            noc_scc_3_interfaces around noc_scc_3_vectors around noc_scc_3\n"
    assert told in capsys.readouterr().out
    text = (folder / "noc_scc_3_interfaces.sv").read_text()
    manifest = json.loads((folder / "manifest.json").read_text())
    found = dict(re.findall(r"localparam .*?(\w+) = (\d+);", text))
    labels = [node["label"] for node in manifest["nodes"]]
    assert found == {
        "NODES": "12",
        **{f"NODE_{label.replace(':', '_')}": str(n) for n, label in enumerate(labels)},
        "OP_BROADCAST": "0",
        "OP_ALL_REDUCE_SUM": "1",
    }
    assert "noc_scc_3_interfaces.sv" in (folder / "noc_scc_3_vectors.f").read_text()


PROCESSOR = """
module processor #(parameter bit OPERATION = 0, parameter bit IS_ROOT = 0) (
  input logic clk, rst, noc_star_4_inject_if.user send, noc_star_4_eject_if.user receive
);
  assign send.valid = receive.valid && IS_ROOT;
  assign send.operation = OPERATION;
  assign {send.data, send.last} = {receive.data, receive.last};
  assign receive.ready = send.ready || !IS_ROOT;
endmodule
"""


@pytest.mark.ci
def test_the_systemverilog_of_the_page_is_taken(tmp_path: Path) -> None:
    page = (Path(__file__).parent.parent / "docs" / "integration.md").read_text(encoding="utf-8")
    ((command, text),) = re.findall(
        r"\$ noc (generate star:4 [^\n]*--systemverilog) -o out\n.*?```systemverilog\n(.*?)^```$",
        page,
        re.MULTILINE | re.DOTALL,
    )
    assert main([*command.split(), "-o", str(tmp_path / "out")]) == 0
    (tmp_path / "processor.sv").write_text(PROCESSOR)
    (tmp_path / "system.sv").write_text(text)
    lint = ["verilator", "--lint-only", "-Wall", "-Wno-UNUSEDSIGNAL", "-Wno-MULTITOP"]
    rules = tmp_path / "out" / "noc_star_4_vectors.vlt"
    files = ["-F", tmp_path / "out" / "noc_star_4_vectors.f", tmp_path / "processor.sv"]
    env = environment("verilator", cocotb=False)
    done = started(*lint, "--top-module", "system", rules, *files, tmp_path / "system.sv", env=env)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("pins", "words"),
    [
        (".ready(a), .word(4'd0)", ""),
        (".ready(a)", "missing pin: 'word'"),
        (".ready(a), .word(2'd0)", "port connection 'word'"),
    ],
)
def test_pins_that_are_missing_or_of_another_width_are_noticed(
    tmp_path: Path, pins: str, words: str
) -> None:
    files = [tmp_path / "inner.v", tmp_path / "top.v"]
    files[0].write_text("module inner (input [3:0] word, output ready);\nendmodule\n")
    files[1].write_text(f"module top (output a);\ninner it ({pins});\nendmodule\n")
    with pytest.raises(AssertionError, match=words) if words else nullcontext():
        check_pins(*files)
