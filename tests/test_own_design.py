"""Emitted networks inside a design of the user's: what other tools make of the two together."""

import re
from pathlib import Path

import pytest

from noc.cli import main
from noc.synth.tools import yosys


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
    return f"{header});\n{body}\n  {top} inside ({joined});\nendmodule\n"


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
