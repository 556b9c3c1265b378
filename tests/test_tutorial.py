"""The tutorial, followed from its first command to its last, in one folder."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from test_readme import FILE, ROOT, STORY, prints, split_block

PAGE = STORY.read_text(encoding="utf-8")

#: A console block, after a mark if it takes long.
BLOCK = re.compile(r"^(<!-- slow -->\n)?```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def follow(folder: Path, *, slow: bool) -> list[str]:
    """Do what the page says; the result is the commands that were run."""
    for name, text in FILE.findall(PAGE):
        (folder / name).write_text(text, encoding="utf-8")
    commands = [
        example
        for mark, block in BLOCK.findall(PAGE)
        if slow or not mark
        for example in split_block(block)
    ]
    for command, expected in commands:
        assert prints(expected, execute(command, folder)), command
    return [command for command, _ in commands]


def execute(command: str, folder: Path) -> str:
    """What a command of the page prints."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        re.sub(r"^noc ", f"{sys.executable} -m noc ", command),
        shell=True,
        cwd=folder,
        env=os.environ | {"PATH": programs, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.cocotb
@pytest.mark.ci
def test_the_quick_part_is_followed(tmp_path: Path) -> None:
    commands = follow(tmp_path, slow=False)
    assert {command.split()[0] for command in commands} >= {"noc", "python", "obj_dir/Vbench"}
    assert 'id="' in (tmp_path / "mesh.html").read_text(encoding="utf-8")


@pytest.mark.cocotb
@pytest.mark.slow
def test_all_of_it_is_followed(tmp_path: Path) -> None:
    follow(tmp_path, slow=True)
    assert (tmp_path / "selftest" / "selftest.bit").stat().st_size > 100_000
    assert (tmp_path / "blink" / "blink.bit").stat().st_size > 100_000


def test_every_block_is_a_file_or_is_run() -> None:
    # But for the line that installs the package, whose extras exist.
    fences = re.findall(r"^```(\w+)$", PAGE, re.MULTILINE)
    assert len(fences) == len(BLOCK.findall(PAGE)) + len(FILE.findall(PAGE)) + 1
    (names,) = re.findall(r"pip install '\.\[([\w,]+)\]'", PAGE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(names.split(",")) <= set(project["optional-dependencies"])
