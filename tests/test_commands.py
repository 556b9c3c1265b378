"""Every command that a page prints is run, in the form in which it stands there.

Console blocks are run by test_readme.py, which compares what they print. The
other commands are run here, those of a page in their order in a folder of their own, unless another
test runs them. Programs that need hardware or a screen only look whether their files are there.
"""

import argparse
import json
import os
import re
import select
import shutil
import threading
import tomllib
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from test_board_scripts import REPORT
from test_readme import FILE, PAGES, ROOT, STORY, execute, stub

from noc.cli import _parser, main
from noc.verify.tools import environment

TEMPLATE = ROOT / "noc" / "project" / "template" / "common" / "README.md"
FURTHER = [*(ROOT / name / "README.md" for name in ("sim", "build")), ROOT / "CONTRIBUTING.md"]

FENCED = re.compile(r"^( *)```(\w*).*?\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"(?<=\n\n)(?: {4}.*\n)+")

#: How commands begin, and what else is indented.
PROGRAM = re.compile(
    r"(\.venv/bin/)?(noc|python3?|pytest|pip|openFPGALoader|iverilog|verilator|gtkwave|\.ci/run|vivado|librelane)\b"
)
PRINTED = re.compile(
    r"arbornoc star:|101 sums |16738 cycles|life star:|programs wait for ever|network  "
)

#: What is not run here, and the test that does; `…` stands for what a reader adds.
ELSEWHERE = {
    r"\.ci/run|(python -m )?pytest ": (
        "test_readme.py::test_ci_runs_the_test_command_and_the_linters"
    ),
    r"python -m sphinx ": "test_site.py::test_every_page_can_be_used",
    r"fusesoc --cores-root out ": (
        "test_integration_docs.py::test_the_core_is_linted_as_the_page_says"
    ),
    r"python sim/processing_elements\.py scc:3": (
        "test_integration_docs.py::test_the_example_runs_as_the_page_says"
    ),
    r"(iverilog|verilator) .*DIR.* …": "test_commands.py::test_the_commands_of_a_folder_are_run",
    r"python sim/litex_soc\.py star:3": (
        "test_litex.py::test_a_cpu_takes_part_in_sums_with_processing_elements"
    ),
    r"vivado ": "test_scripts.py::test_an_ip_has_every_stream_with_its_ports_and_clock",
    r"librelane ": "test_scripts.py::test_librelane_reads_every_file_and_the_clock",
    r"python3 out/\S+_siliconcompiler\.py ": (
        "test_scripts.py::test_siliconcompiler_reads_every_file"
    ),
    r"xz |drat-trim ": "test_schedules.py::test_all_certificates_are_accepted",
    r"make (test|verilog)": "test_new.py::test_a_project_is_tested_by_make",
    r"make ulx3s": "test_new.py::test_a_bitstream_for_a_ulx3s_is_made",
    r"make arty": "test_new.py::test_a_project_for_vivado_is_written",
    r"fusesoc --cores-root \. ": (
        "test_new.py::test_the_core_of_a_project_runs_the_bench_and_fails_with_it"
    ),
}

#: Pages whose commands take seconds, and what must be there before those of others.
SHORT = ("comm.md",)
BEFORE = {
    "formal.md": "noc generate star:3 -o out",
    "integration.md": "noc generate star:4 -o out",
    "networks.md": "noc info mesh:3,3 -o mesh.json",
}

#: Takes the place of the serial line of a board.
LINE = "/dev/ttyUSB0"

INSTALLS = re.compile(r"^(python3 -m venv \S+ && )?(\. \S+ && )?\S*pip install (.*?)( && |$)")


def printed(text: str) -> list[str]:
    """The commands of a page, without comments; refuses what may be one."""
    lines = [
        line
        for _, kind, block in FENCED.findall(text)
        if kind == "sh"
        for line in block.splitlines()
    ]
    for block in INDENTED.findall(FENCED.sub("", text)):
        if not PRINTED.match(block.strip()):
            lines += block.splitlines()
            assert all(PROGRAM.match(line.strip()) for line in block.splitlines()), block
    return [re.sub(r"  +#.*|# .*", "", line).strip() for line in lines if line.strip()]


def without_installing(command: str) -> str:
    """What is left of a command where all is installed that it names."""
    return INSTALLS.sub("", command).replace(".venv/bin/", "")


def elsewhere(command: str) -> list[str]:
    """The tests that run a command."""
    command = without_installing(command)
    return [test for pattern, test in ELSEWHERE.items() if re.match(pattern, command)]


def ours(text: str) -> list[str]:
    """The commands that are run here."""
    rest = map(without_installing, printed(text))
    return [command for command in rest if command and not elsewhere(command)]


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


RUN = [page for page in (*PAGES, *FURTHER) if ours(read(page))]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.fixture
def clone(tmp_path: Path, monkeypatch) -> Path:
    """What commands need of a clone, and programs that only look for their files."""
    for name in ("sim", "build"):
        shutil.copytree(ROOT / name, tmp_path / name)
    (tmp_path / "docs" / "pictures" / "trees").mkdir(parents=True)
    programs = tmp_path / "programs"
    programs.mkdir()
    stub(programs / "gtkwave", 'for file; do test -s "$file" || exit 1; done')
    loaded = f'for file; do :; done; test -s "$file" && realpath "$file" > {tmp_path}/loaded'
    stub(programs / "openFPGALoader", loaded)
    for name, value in environment("verilator").items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    return tmp_path


@contextmanager
def board(folder: Path) -> Iterator[str]:
    """The serial line of a board, which reports as soon as it is loaded."""
    line, other = os.openpty()
    tty.setraw(other)
    stop = threading.Event()

    def talk() -> None:
        number = 0
        while not stop.wait(0.02):
            if (folder / "loaded").exists() and select.select([], [line], [], 0)[1]:
                bitstream = Path((folder / "loaded").read_text().strip())
                header = json.loads((bitstream.parent / "build.json").read_text())["header"]
                number += 1
                os.write(line, REPORT.replace("arbornoc a", header).format(number, "PASS").encode())

    thread = threading.Thread(target=talk)
    thread.start()
    try:
        yield os.ttyname(other)
    finally:
        stop.set()
        thread.join()
        os.close(line)
        os.close(other)


def run(command: str, folder: Path) -> None:
    if "--load" in command:
        (folder / "loaded").unlink(missing_ok=True)
    with board(folder) as device:
        execute(command.replace(LINE, device), folder)


@pytest.mark.cases(0, ci=1)
@pytest.mark.cocotb
@pytest.mark.parametrize(
    "page",
    [pytest.param(p, marks=pytest.mark.ci if p.name in SHORT else pytest.mark.slow) for p in RUN],
    ids=named,
)
def test_the_commands_of_a_page_are_run(clone: Path, page: Path) -> None:
    for name, text in FILE.findall(read(page)):
        (clone / name).write_text(text, encoding="utf-8")
    for command in (*filter(None, [BEFORE.get(page.name)]), *ours(read(page))):
        run(command, clone)


@pytest.mark.cocotb
@pytest.mark.slow
def test_the_commands_of_a_folder_are_run(clone: Path) -> None:
    """As its README prints them."""
    assert main(["generate", "star:3", "-o", str(clone / "out")]) == 0
    text = read(clone / "out" / "README.md").partition("## Instantiate")[2]
    for command in printed(text):
        program = command.split()[0]
        if shutil.which(program) or program != "iverilog":
            more = {"iverilog": "-o out.vvp", "verilator": "--lint-only"}.get(program, "")
            run(command.replace("…", more).replace("DIR", "."), clone / "out")


def test_a_command_that_nothing_runs_is_seen() -> None:
    text = "a\n\n    noc list  # all\n    .venv/bin/noc info star:3\n\n```sh\nmake x\n```\n"
    assert ours(text) == ["make x", "noc list", "noc info star:3"]
    with pytest.raises(AssertionError):
        printed("a\n\n    unheard --of\n")


def test_what_another_test_runs_is_printed_and_that_test_is_there() -> None:
    shown = [c for page in (*PAGES, *FURTHER, TEMPLATE) for c in printed(read(page))]
    assert {test for each in shown for test in elsewhere(each)} == set(ELSEWHERE.values())
    for file, name in (test.split("::") for test in ELSEWHERE.values()):
        assert re.search(rf"^def {name}\(", read(ROOT / "tests" / file), re.MULTILINE), name
    # And all of a project's are run elsewhere.
    assert ours(read(TEMPLATE)) == []
    for file in re.findall(r"pytest .*?(tests/\w+\.py)", "\n".join(shown)):
        assert (ROOT / file).exists()


def test_what_is_installed_there_is() -> None:
    extras = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]["optional-dependencies"]
    asked = [
        INSTALLS.match(command)
        for page in (*PAGES, *FURTHER)
        for command in printed(read(page))
        if "pip install" in command
    ]
    names = [name for each in asked if each for name in re.findall(r"\.\[([\w,]+)\]", each[3])]
    assert names
    assert {extra for each in names for extra in each.split(",")} <= set(extras)


def unknown(sentence: str) -> list[str]:
    """What commands in a sentence, mostly without all that they need, have that is not there."""
    (commands,) = (
        each.choices for each in _parser()._actions if isinstance(each, argparse._SubParsersAction)
    )
    result = []
    for program, name, rest in re.findall(r"`(noc|python) ([a-z][^\s`]*)([^`]*)`", sentence):
        if program == "noc" and name in commands:
            known = commands[name]._option_string_actions
            result += [f"{name} {o}" for o in re.findall(r"--[\w-]+", rest) if o not in known]
        # A folder that was generated has its benches from there.
        elif program == "noc" or not (ROOT / name.replace("out/", "noc/emit/")).exists():
            result.append(name)
    return result


@pytest.mark.ci
def test_what_sentences_say_of_commands_is_there() -> None:
    for page in (*PAGES, *FURTHER, TEMPLATE):
        assert unknown(FENCED.sub("", read(page))) == [], page
    said = "`noc lis`, `noc build X --bord`, `python bench/a.py` or `python out/bench/run.py`"
    assert unknown(said) == ["lis", "build --bord", "bench/a.py"]


def test_console_blocks_stand_only_where_they_are_run() -> None:
    assert STORY in PAGES
    for page in (*FURTHER, TEMPLATE):
        assert "```console" not in read(page)
