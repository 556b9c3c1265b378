"""Every example in the documentation is run, and prints what stands there."""

import re
from pathlib import Path

import pytest

from noc.cli import main

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def examples() -> list[tuple[str, str, str]]:
    """Page, command and expected output of every `$ noc …` in a console block."""
    found = []
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, expected = part.partition("\n")
                found.append((page.name, command, expected))
    return found


@pytest.mark.parametrize(("page", "command", "expected"), examples())
def test_example(
    capsys, tmp_path: Path, monkeypatch, page: str, command: str, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    program, *arguments = command.split()
    assert program == "noc", page
    status = main(arguments)
    printed = capsys.readouterr().out
    assert status == 0
    # A line of three dots stands for lines left out.
    lines = expected.strip("\n").split("\n")
    pattern = "".join("(?:.*\n)*" if line == "..." else f"{re.escape(line)}\n" for line in lines)
    assert re.fullmatch(pattern, printed.strip("\n") + "\n"), printed


def test_there_are_examples() -> None:
    assert len(examples()) >= 5


def test_the_two_commands_stand_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in ("main", "tests"):
        block = re.search(rf"<!-- command: {name} -->\n```sh\n(.+)\n```\n", text)
        assert block is not None
        assert "\n" not in block.group(1)
