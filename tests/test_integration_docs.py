"""The page on integration is run: its Python, and its commands as they stand there."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from ordered_runs import run_benches

from noc.cli import main
from noc.design import build_design
from noc.verify.tools import environment

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "integration.md").read_text(encoding="utf-8")


def commands() -> dict[str, str]:
    """Each command of the page by the mark before it."""
    return dict(re.findall(r"<!-- run: (.+) -->\n```sh\n(.+)\n```\n", PAGE))


def execute(command: str, folder: Path) -> None:
    env = environment("verilator") | {"HOME": str(folder), "PYTHONPATH": str(ROOT)}
    env["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{env['PATH']}"
    subprocess.run(command.split(), cwd=folder, env=env, check=True, timeout=300)


@pytest.mark.ci
def test_the_core_is_linted_as_the_page_says(tmp_path: Path, monkeypatch) -> None:
    (mark,) = (mark for mark in commands() if mark.startswith("after noc generate "))
    monkeypatch.chdir(tmp_path)
    assert main(mark.split()[2:]) == 0
    execute(commands()[mark], tmp_path)


@pytest.mark.ci
def test_the_loop_over_vectors_fits_the_module(tmp_path: Path, monkeypatch) -> None:
    (text,) = re.findall(r"(?ms)^```verilog\n(.*?)^```$", PAGE)
    (command,) = re.findall(r"(?m)^\$ noc (generate .* --vector-ports .*)$", PAGE)
    monkeypatch.chdir(tmp_path)
    assert main(command.split()) == 0
    Path("system.v").write_text(text + PROCESSOR)
    lint = "verilator --lint-only -Wall -Wno-DECLFILENAME --top-module system"
    execute(f"{lint} out/noc_star_4_vectors.vlt -F out/noc_star_4_vectors.f system.v", tmp_path)


#: A node that sends on what it gets.
PROCESSOR = """
module processor (
  input clk, input rst,
  output send_valid, input send_ready, output [31:0] send,
  input got_valid, output got_ready, input [31:0] got, input [4:0] got_from
);
  wire unused = &{clk, rst, 1'b0};
  assign {send_valid, got_ready, send} = {got_valid, send_ready ^ unused, got + {27'd0, got_from}};
endmodule
"""


@pytest.mark.ci
def test_the_example_runs_as_the_page_says(tmp_path: Path) -> None:
    (tmp_path / "sim").symlink_to(ROOT / "sim")
    execute(commands()["by itself"], tmp_path)


@pytest.mark.ci
def test_the_python_of_the_page_makes_hardware() -> None:
    sums, text = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    # It compares what it gets by itself.
    exec(compile(sums, "integration.md", "exec"), {"__name__": "page"})
    with pytest.raises(AssertionError):
        exec(compile(sums.replace('"data": number', '"data": 1'), "wrong", "exec"), {})
    names: dict = {"__name__": "page"}
    exec(compile(text, "integration.md", "exec"), names)
    dut, got = names["Streams"](), []

    async def bench(ctx):
        ctx.set(dut.send[3].tdata, 0x1234)
        ctx.set(dut.send[3].tvalid, 1)
        ctx.set(dut.receive[7].tready, 1)
        await ctx.tick().until(dut.send[3].tready)
        ctx.set(dut.send[3].tvalid, 0)
        data, source = (
            await ctx.tick()
            .sample(dut.receive[7].tdata, dut.receive[7].tid)
            .until(dut.receive[7].tvalid)
        )
        got.append((data, source))

    run_benches(dut, {"sync": 1}, bench, until=100)
    assert got == [(0x1234, 3)]


def example(name: str) -> dict:
    """What a script in sim/ defines."""
    return runpy.run_path(str(ROOT / "sim" / f"{name}.py"))


@pytest.fixture(scope="module")
def elements():
    return SimpleNamespace(**example("processing_elements"))


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("spec", "fabric"), [("hypercube:2", "ordered"), ("uhc:3", "ordered"), ("uhc:3", "timetable")]
)
def test_the_array_multiplies(elements, spec: str, fabric: str) -> None:
    nodes = elements.build_network(spec).nodes
    draw = np.random.default_rng(3)
    matrix, vectors = draw.integers(-128, 128, (nodes, nodes)), draw.integers(-128, 128, (3, nodes))
    products, cycles = elements.multiply(spec, 8, matrix, vectors, fabric=fabric)
    assert np.array_equal(products, vectors @ matrix.T)
    # The nodes of uhc:3 have one or two in-ports; a round may just have begun.
    assert min(cycles) >= nodes - 1
    assert fabric == "ordered" or max(cycles) <= 2 * nodes
    # An entry that is another is noticed.
    matrix[1, 2] += 1
    assert not np.array_equal(products, vectors @ matrix.T)


@pytest.mark.cases(1)
@pytest.mark.parametrize(("spec", "length", "entries"), [("star:3", 1, 9), ("mesh:2,3", 3, 10)])
def test_vectors_are_added_up(spec: str, length: int, entries: int) -> None:
    network = example("gradients")["Network"]
    design = build_design(spec, fabric="timetable", exchange="all_reduce:sum", round=length)
    vectors = np.random.default_rng(2).integers(-(2**20), 2**20, (design.network.nodes, entries))
    adder = network(design)
    for _ in range(2):
        # The second time, too, the first word is of the first round.
        assert (adder.add(vectors) == vectors.sum(axis=0)).all()
    rounds = -(-entries // adder.sums)
    assert adder.cycles <= design.program.cycles + (rounds + 2) * length


@pytest.mark.cases(1)
@pytest.mark.parametrize("spec", ["star:3", "mesh:2,3", "uhc:3"])
def test_the_matrix_is_transposed(spec: str) -> None:
    """On networks on which all nodes do the same, and on which each does otherwise."""
    transpose = example("transposition")["transpose"]
    design = build_design(spec, fabric="timetable", exchange="all_to_all", width=8)
    nodes = design.network.nodes
    matrix = np.random.default_rng(3).integers(0, 256, (nodes, nodes))
    columns, cycles = transpose(design, matrix)
    assert np.array_equal(columns, matrix.T)
    assert cycles == design.round + 1
    # An entry that is another is noticed.
    matrix[1, 2] ^= 1
    assert not np.array_equal(columns, matrix.T)


CI = pytest.mark.ci
NOWHERE = "--waves /nonexist/x.vcd: No such file or directory"
LARGE = "star:9: 362880 nodes are too many for this simulation, which takes "

#: The name of a script, what it is asked for, and what it says.
REFUSED = [
    ("gradients", "star:3 --round 0", "--round 0: from 1 to 64 cycles are allowed"),
    ("gradients", "star:3 --epochs 0", "--epochs 0: at least 1 is needed"),
    ("gradients", "star:3 --seed -1", "--seed -1: at least 0 is needed"),
    ("gradients", "uhc:3", "links that carry words one way only"),
    ("gradients", "star:5", "star:5: 120 nodes are too many for this simulation, which takes up"),
    ("transposition", "star:3 --width 0", "--width"),
    ("transposition", "star:3 --width 64", "--width 64: up to 63 bits are allowed here"),
    pytest.param("transposition", "star:3 --seed -1", "--seed -1: at least 0 is", marks=CI),
    ("transposition", "star:3 --waves /nonexist/x.vcd", NOWHERE),
    pytest.param("transposition", "star:9", f"{LARGE}up to 128", marks=CI),
    ("processing_elements", "star:3 --width 1", "--width 1: from 2 to 24 bits are allowed"),
    ("processing_elements", "star:3 --width 25", "--width 25: from 2 to 24 bits are allowed"),
    ("processing_elements", "star:3 --seed -1", "--seed -1: at least 0 is needed"),
    ("processing_elements", "star:3 --waves /nonexist/x.vcd", NOWHERE),
    ("processing_elements", "star:9 --width 4", LARGE),
    ("processing_elements", "moon:3", "moon"),
]


@pytest.mark.parametrize(("script", "words", "shown"), REFUSED)
def test_a_simulation_refuses_in_one_line(cli, script: str, words: str, shown: str) -> None:
    status, out, err = cli.script(example(script)["main"], f"{script}.py", *words.split())
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"{script}.py: error: ")
    assert shown in err
