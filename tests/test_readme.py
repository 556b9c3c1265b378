"""Every example in the documentation is run, and prints what stands there."""

import csv
import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import test_formal
from amaranth.hdl import Fragment
from helpers import started

from noc.cli import main
from noc.design import build_direct

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FILE = re.compile(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


#: Its examples follow from one another.
STORY = ROOT / "docs" / "tutorial.md"


#: Commands that take a second or more; those of the README are run by default all the same.
LONG = ("noc build", "noc generate", "noc inject", "noc sweep", "noc verify")


def marks(page: str, command: str) -> list[pytest.MarkDecorator]:
    """What keeps an example from being run everywhere and always."""
    in_ci = page != "README.md" and (command.startswith(LONG) or "--algorithm all" in command)
    return [pytest.mark.cocotb] * ("--simulate" in command) + [pytest.mark.ci] * in_ci


def examples() -> list[Any]:
    """Page, command and expected output of every `$ noc …` in a console block."""
    return [
        pytest.param(page.name, *example, marks=marks(page.name, example[0]))
        for page in PAGES
        if page != STORY
        for block in BLOCK.findall(page.read_text(encoding="utf-8"))
        for example in split_block(block)
    ]


def split_block(block: str) -> list[tuple[str, str]]:
    """The commands of a console block, and what each prints."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, expected) for command, _, expected in (p.partition("\n") for p in parts)]


def prints(expected: str, printed: str) -> bool:
    """Whether this is printed; a line of three dots stands for lines left out."""
    lines = expected.strip("\n").split("\n")
    pattern = "".join("(?:.*\n)*" if line == "..." else f"{re.escape(line)}\n" for line in lines)
    return bool(re.fullmatch(pattern, printed.strip("\n") + "\n"))


def files(page: str) -> list[tuple[str, str]]:
    """The files that stand in a page, by their names."""
    path = next(path for path in PAGES if path.name == page)
    return FILE.findall(path.read_text(encoding="utf-8"))


def rows(page: str, heading: str) -> list[list[str]]:
    """The entries of the table of a page that begins so."""
    text = (ROOT / page).read_text(encoding="utf-8")
    table = text[text.index(heading) :].partition("\n\n")[0]
    return [[entry.strip() for entry in line.strip("|").split("|")] for line in table.split("\n")]


@pytest.mark.cases(12)
@pytest.mark.parametrize(("page", "command", "expected"), examples())
def test_example(
    capsys, tmp_path: Path, monkeypatch, page: str, command: str, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in files(page):
        (tmp_path / name).write_text(text, encoding="utf-8")
    program, *arguments = shlex.split(command)
    assert program == "noc", page
    status = main(arguments)
    printed = capsys.readouterr().out
    assert status == 0
    assert prints(expected, printed), printed


def test_there_are_examples() -> None:
    assert len(examples()) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        name, _, anchor = target.partition("#")
        path = page.parent / name if name else page
        assert path.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
            spelt = [re.sub(r"[^\w -]", "", line).lower().replace(" ", "-") for line in headings]
            assert anchor in spelt, target


def test_the_python_of_the_readme_runs() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    snippets = re.findall(r"(?ms)^```python\n(.*?)^```$", text)
    assert snippets
    names: dict[str, object] = {}
    exec(compile("\n".join(snippets), "README.md", "exec"), names)
    # The network holds one router for each node at least.
    assert len(Fragment.get(names["network"], None).subfragments) >= 16


def test_the_two_commands_stand_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in ("main", "tests"):
        block = re.search(rf"<!-- command: {name} -->\n```sh\n(.+)\n```\n", text)
        assert block is not None
        assert "\n" not in block.group(1)


#: All that .ci/run finds on PATH where it is tested, but for what a test adds.
PROGRAMS = ("bash", "cat", "chmod", "dirname", "mktemp", "rm", "sed")

#: What it gets where it may: a package, and the tests that are skipped without.
NEEDED = {
    "chromium": ("chromium", "pages in a browser"),
    "riscv64-unknown-elf-gcc": ("gcc-riscv64-unknown-elf", "firmware"),
    "sta": ("opensta", "clocks of cells"),
}


def stub(path: Path, text: str) -> None:
    """A program of few words."""
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def checkout(tmp_path: Path):
    """What CI runs, around a test command and linters that only say what they are; a caller.

    Nothing that is installed is found on its PATH, and nothing can be installed.
    """
    shutil.copytree(ROOT / ".ci", tmp_path / ".ci")
    text = "<!-- command: tests -->\n```sh\ntrue && echo pytest --quiet\n```\n"
    python = "```python\nx = 1\n```\nIt is used.\n\n```python\ny = x\n```\n"
    (tmp_path / "README.md").write_text(text + python)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    for name in ("ruff", "mypy", "python"):
        stub(
            tmp_path / ".venv" / "bin" / name,
            f'echo {name} "$@"\ncase "$2" in *.py) cat "$2" ;; esac',
        )
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in PROGRAMS:
        (programs / name).symlink_to(shutil.which(name) or pytest.fail(f"{name} is missing"))
    for name in NEEDED:
        stub(programs / name, "exit 1")
    stub(programs / "id", "echo 1000")

    def call(*arguments: str) -> tuple[int, str]:
        done = started(tmp_path / ".ci" / "run", *arguments, env={"PATH": str(programs)})
        return done.returncode, done.stdout

    return call


def test_ci_runs_the_test_command_and_the_linters(checkout) -> None:
    shown = (
        "true && echo pytest --quiet\npytest --quiet\n"
        "echo pytest --quiet -m 'ci and not slow'\npytest --quiet -m ci and not slow\n"
        "ruff check\nruff format --check\nmypy\n"
    )
    status, printed = checkout()
    assert status == 0
    assert printed.startswith(shown)
    # The last tool says what it was given.
    assert re.fullmatch(r"mypy --strict /\S+/readme\.py\nx = 1\ny = x\n", printed[len(shown) :])


@pytest.mark.parametrize("name", NEEDED)
@pytest.mark.parametrize(("user", "there"), [(1000, True), (0, True), (0, False)])
def test_only_root_gets_what_pip_lacks(checkout, tmp_path: Path, name, user, there: bool) -> None:
    """Of a stub, which may have none."""
    programs, log = tmp_path / "programs", tmp_path / "log"
    (programs / name).rename(tmp_path / name)
    stub(programs / "id", f"echo {user}")
    made = f'case "$*" in *install*) echo > {programs}/{name}; chmod +x {programs}/{name} ;; esac'
    stub(programs / "apt-get", f'echo "$@" >> {log}\n{made if there else "exit 100"}')
    package, tests = NEEDED[name]
    installs, skips = (
        f"installing {package}\n",
        f"no {name} on PATH: the tests of {tests} are skipped\n",
    )
    _, printed = checkout("slow")
    shown = {(1000, True): skips, (0, True): installs, (0, False): installs + skips}
    assert printed.partition("true && ")[0] == shown[user, there]
    assert log.exists() == (user == 0)
    if user == 0 and there:
        assert log.read_text().endswith(f" install -y --no-install-recommends {package}\n")


def test_ci_runs_the_slow_tests(checkout) -> None:
    shown = "true && echo pytest --quiet -m slow\npytest --quiet -m slow\n"
    assert checkout("slow") == (0, f"{shown}python bench/evidence.py --check\n")
    assert checkout("slwo") == (2, "")


def test_ci_ends_where_a_table_no_longer_holds(checkout, tmp_path: Path) -> None:
    (tmp_path / ".venv" / "bin" / "python").write_text("#!/bin/sh\nexit 1\n")
    assert checkout("slow")[0] == 1


def test_all_evidence_is_looked_at_also_after_a_failure(monkeypatch, capfd) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    evidence = importlib.import_module("evidence")
    commands = [[sys.executable, "-c", f"raise SystemExit({status})"] for status in (0, 1, 0)]
    monkeypatch.setattr(evidence, "commands", lambda **_: commands)
    monkeypatch.setattr(sys, "argv", ["evidence.py", "--check"])
    assert evidence.main() == 1
    assert re.findall(r"exit status (\d)", capfd.readouterr().out) == ["0", "1", "0"]


def test_the_commands_for_the_proofs_run_some_and_all() -> None:
    text = (ROOT / "docs" / "formal.md").read_text(encoding="utf-8")
    some, all_ = re.findall(r"^    (pytest tests/test_formal\.py.*?) +#", text, re.MULTILINE)
    assert [shlex.split(command)[2:] for command in (some, all_)] == [[], ["-m", ""]]
    # Without a choice of its own pytest leaves out the slow ones, of which there are some.
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "-m 'not slow and not ci'" in config["tool"]["pytest"]["ini_options"]["addopts"]
    slow = [getattr(name, "marks", ()) == (test_formal.SLOW,) for name in test_formal.NAMES]
    assert set(slow) == {False, True}


def kept(name: str) -> list[dict[str, str]]:
    """The figures of bench/ by the name of their table."""
    path = ROOT / "docs" / "performance" / f"{name}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_networks_cost_what_was_measured() -> None:
    _, _, *table = rows("README.md", "| network | nodes | hardware |")
    assert {row[2] for row in table} == {*HARDWARE.values(), LEAN}
    assert {tuple(row) for row in table} <= {tuple(row) for row in _measured()}


HARDWARE = {
    "ordered": "ordered fabric",
    "plain-tree": "arbiter tree",
    "direct": "direct fabric, one sender at a time",
}


#: What networks with look-ahead are called.
LEAN = "ordered fabric, lean"


def _measured() -> Iterator[list[str]]:
    """The rows of the README's table, from what was measured of words of 32 bits."""
    measured = [row for row in kept("networks") + kept("older") if row["width"] == "32"]
    names = {row["nodes"]: row["network"] for row in measured if row["fabric"] == "ordered"}
    named = [(names[row["nodes"]], HARDWARE[row["fabric"]], row) for row in measured]
    lean = [row for row in kept("lean") if row["lookahead"] == "yes" and not row.get("reroute")]
    named += [(row["network"], LEAN, row) for row in lean]
    for name, hardware, row in named:
        alone = row["fabric"] == "direct"
        yield [
            *(name, row["nodes"], hardware),
            *_costs(row, f"{float(row['mhz']):.0f} MHz"),
            "" if alone else f"{row['words_least']}–{row['words_most']}",
            f"{1000 * float(row['cycles_mean']) / float(row['mhz']):.0f} ns",
        ]


def _costs(row: dict[str, str], clock: str) -> list[str]:
    """Area of a node, and the clock."""
    nodes = int(row["nodes"])
    return [f"{int(row['lut']) / nodes:.0f}", f"{int(row['ff']) / nodes:.0f}", clock]


def test_tables_grow_as_told() -> None:
    _, _, *table = rows("docs/router.md", "| balanced tree on | nodes |")
    for spec, nodes, bits, by_source in table:
        program = build_direct(spec, "balanced", sources="one").program
        assert [int(nodes), int(bits), int(by_source)] == [
            *(program.network.nodes, program.rom_bits, program.rom_bits_by_address)
        ]


# The tutorial, followed from its first command to its last, in one folder.


PAGE = STORY.read_text(encoding="utf-8")

#: A console block, after a mark if it takes long.
CONSOLE = re.compile(r"^(<!-- slow -->\n)?```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def follow(folder: Path, *, slow: bool) -> list[str]:
    """Do what the page says; the result is the commands that were run."""
    for name, text in FILE.findall(PAGE):
        (folder / name).write_text(text, encoding="utf-8")
    commands = [
        example
        for mark, block in CONSOLE.findall(PAGE)
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


@pytest.mark.slow
@pytest.mark.cocotb
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
    assert len(fences) == len(CONSOLE.findall(PAGE)) + len(FILE.findall(PAGE)) + 1
    (names,) = re.findall(r"pip install '\.\[([\w,]+)\]'", PAGE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(names.split(",")) <= set(project["optional-dependencies"])
