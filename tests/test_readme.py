"""Every example in the documentation is run, and prints what stands there."""

import json
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


def rows(heading: str) -> list[list[str]]:
    """The entries of the table of the README that begins so."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text[text.index(heading) :].partition("\n\n")[0]
    return [[entry.strip() for entry in line.strip("|").split("|")] for line in table.split("\n")]


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


@pytest.fixture
def measured() -> dict[str, dict]:
    """What place and route found, by case."""
    found: dict[str, dict] = json.loads((ROOT / "docs" / "area.json").read_text(encoding="utf-8"))
    return found


def test_routers_cost_what_was_measured(measured) -> None:
    _, _, *table = rows("| network | algorithm | `--sources one` |")
    assert len(table) == 4
    for spec, algorithm, *printed in table:
        for sources, entry in zip(("one", "all"), printed, strict=True):
            found = measured[f"router {spec} {algorithm} all {sources} 32 ecp5 best"]
            assert entry == f"{found['lut']} LUT, {found['fmax_mhz']:.1f} MHz"


def test_networks_cost_what_was_measured(measured) -> None:
    _, _, *table = rows("| network | algorithm | nodes |")
    assert len(table) >= 4
    for spec, algorithm, nodes, width, lut, clock in table:
        found = measured[f"network {spec} {algorithm} all one {width} ecp5 best"]
        assert int(nodes) == found["nodes"]
        assert int(lut) == found["lut"]
        assert clock == f"{found['fmax_mhz']:.1f} MHz"
