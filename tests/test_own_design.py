"""Emitted networks inside a design of the user's: what other tools make of the two together."""

import re
import subprocess
from pathlib import Path

import pytest

from noc.cli import main
from noc.synth.tools import yosys
from noc.verify.tools import environment

PAGE = (Path(__file__).parent.parent / "docs" / "integration.md").read_text(encoding="utf-8")


def generate(folder: Path, *options: str) -> str:
    """Write a network of six nodes; the name of its outermost module."""
    words = ["generate", "star:3", "--width", "8", "-o", str(folder), *options]
    assert main(words) == 0
    (core,) = folder.glob("*.core")
    return core.stem


def around(folder: Path, top: str, name: str = "user", body: str = "") -> str:
    """A module with the ports of a top, which it hands through to an instance of it."""
    header = (folder / f"{top}.v").read_text().partition(");")[0]
    ports = re.findall(r"^  (?:in|out)put (?:\[\d+:0\] )?(\w+),?$", header, re.MULTILINE)
    joined = ", ".join(f".{port}({port})" for port in ports)
    header = header.replace(f"module {top}", f"module {name}")
    return f"{header});\n{body}\n  {top} network ({joined});\nendmodule\n"


def verilator(folder: Path, *words: str) -> tuple[int, list[str]]:
    """How a check of some files ends, and the warnings and errors: what of, and in which file."""
    env = environment("verilator")
    command = ["verilator", "--lint-only", *words]
    done = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=99, check=False
    )
    told = re.findall(r"^%(?:Warning|Error)-(\w+): ([^:]+):", done.stderr, re.MULTILINE)
    return done.returncode, [f"{rule} {Path(file).name}" for rule, file in told]


KINDS = {
    "plain": [],
    "axi, whole packets, clocks": ["--axi-stream", "--packets", "whole", "--node-clocks", "each"],
    "clocks, modules apart": ["--node-clocks", "shared", "--one-file-per-module"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_verilator_has_nothing_to_say_as_the_page_calls_it(tmp_path: Path, kind: str) -> None:
    top = generate(tmp_path / "out", *KINDS[kind])
    assert f"verilator {top}.vlt -f {top}.f".replace(top, "TOP") in PAGE
    assert verilator(tmp_path / "out", f"{top}.vlt", "-f", f"{top}.f") == (0, [])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("beside", [True, False])
def test_verilator_warns_of_what_is_the_users(tmp_path: Path, kind: str, beside: bool) -> None:
    """From beside the files and from elsewhere; names of the network in the user's own."""
    folder = tmp_path / "out"
    top = generate(folder, *KINDS[kind])
    own = tmp_path / top / f"tb_{top}.v"
    own.parent.mkdir()
    spare = "  wire [3:0] spare = {3'd0, rst};"
    own.write_text(around(folder, top, name=own.stem, body=spare))
    place = folder if beside else tmp_path
    path = "" if beside else "out/"
    words = [f"{path}{top}.vlt", "-Wall", "-F", f"{path}{top}.f", str(own.resolve())]
    assert verilator(place, *words) == (1, [f"UNUSEDSIGNAL {own.name}"])


@pytest.mark.parametrize("options", [[], ["--axi-stream"], ["--one-file-per-module"]])
@pytest.mark.parametrize("own", [False, True])
def test_yosys_finds_the_top_by_itself(tmp_path: Path, options: list[str], own: bool) -> None:
    """Read first and last, since of several marked ones it would take one of those."""
    folder = tmp_path / "out"
    expected = top = generate(folder, *options)
    files = [str(path) for path in sorted(folder.glob("*.v"))]
    if own:
        expected = "user"
        (tmp_path / "user.v").write_text(around(folder, top))
        files = [str(tmp_path / "user.v"), *files]
    for number, order in enumerate((files, files[::-1])):
        script = tmp_path / f"{number}.ys"
        script.write_text(f"read_verilog {' '.join(order)}\nhierarchy -check -auto-top\n")
        text = yosys().run([script.name], tmp_path, "log.txt", seconds=120)
        assert re.findall(r"^Top module: +\\(\w+)$", text, re.MULTILINE)[-1] == expected
