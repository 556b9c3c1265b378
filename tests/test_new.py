"""Projects that `noc new` writes work as they are written, and their tests catch faults."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from folders import fusesoc
from helpers import edit, started
from packaging.requirements import Requirement
from test_plugins import FOLDED

import noc
from noc.cli import main
from noc.project import ELEMENTS
from noc.verify.tools import environment

ROOT = Path(__file__).parent.parent
TEMPLATE = ROOT / "noc" / "project" / "template"

LINE = {"nodes": ["a", "b", "c"], "links": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}]}


def new(folder: Path, *options: str) -> Path:
    """Write a project."""
    assert main(["new", str(folder), *options]) == 0
    return folder


def execute(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a project, without what this run of the tests has set."""
    env = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST")}
    env |= {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return started(*command, cwd=folder, env=env)


def outcome(folder: Path, *tests: str) -> str:
    """What the project's tests print last."""
    done = execute(folder, sys.executable, "-m", "pytest", "-q", *tests)
    return done.stdout.splitlines()[-1]


def make(folder: Path, target: str) -> str:
    done = execute(folder, "make", target, f"PYTHON={sys.executable}")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


#: All but the one in Verilog, which compiles for a quarter of a minute.
QUICK = ("tests/test_system.py", "tests/test_board.py")


def long(*options: str) -> list[object]:
    return [pytest.param(each, marks=pytest.mark.slow) for each in options]


#: Each kind of operation, and each operator.
EVERYTHING = (
    "mesh:2,2 --width 9 --group row=0.1,1.1 --operations broadcast,all_gather,multicast@row,send,"
    "scatter,gather,reduce:min_signed,reduce:bxor@row,all_reduce:sum,all_reduce:max@row,"
    "all_reduce:min,all_reduce:max_signed,all_reduce:band,all_reduce:bor,barrier,barrier@row"
)


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize(
    "options",
    [
        "ring:4 --sources one --width 40",
        "ring:3 --operations all_reduce:max",
        "ring:3 --operations barrier",
        "ring:3 --operations scatter --sources 0,2",
        "star:3 --fabric timetable --width 9",
        "star:3 --fabric timetable --start ready --ejects one",
        EVERYTHING,
        *long(
            "mesh:2,2 --fabric timetable --start ready",
            "mesh:2,2 --sources 0.0,1.1 --width 1",
            "star:3 --fabric direct --algorithm balanced --sources one",
            "mesh:2,2 --operations all_reduce:sum --width 3",
        ),
    ],
)
def test_the_tests_of_a_project_pass(tmp_path: Path, options: str) -> None:
    assert outcome(new(tmp_path / "mine", *options.split()), *QUICK).startswith("2 passed")


@pytest.mark.ci
def test_a_graph_and_a_plugin_lie_in_the_project(tmp_path: Path) -> None:
    graph, plugin = tmp_path / "line.json", tmp_path / "folded.py"
    graph.write_text(json.dumps(LINE), encoding="utf-8")
    plugin.write_text(FOLDED, encoding="utf-8")
    options = (f"file:{graph}", "--algorithm", "random", "--plugin", str(plugin))
    folder = new(tmp_path / "mine", *options)
    graph.unlink()
    plugin.unlink()
    assert outcome(folder, *QUICK).startswith("2 passed")


@pytest.mark.slow
@pytest.mark.cocotb
@pytest.mark.parametrize("options", ["", *long("--operations all_reduce:sum")])
def test_a_project_is_tested_by_make(tmp_path: Path, options: str) -> None:
    """The Verilog too, which `make verilog` writes and Verilator accepts."""
    folder = new(tmp_path / "mine", "mesh:2,2", "--width", "8", *options.split())
    assert "3 passed" in make(folder, "test")
    (folder / "build" / "system.v").unlink()
    assert make(folder, "verilog").endswith(f"{folder}/build/system.v\n")
    command = ("--lint-only", "-Wno-fatal", "--top-module", "system", "build/system.v")
    done = subprocess.run(
        ["verilator", *command], cwd=folder, env=environment("verilator"), check=False
    )
    assert done.returncode == 0
    text = (folder / "build" / "system.v").read_text(encoding="utf-8")
    header = re.search(r"^module system\((.*?)\);", text, re.MULTILINE | re.DOTALL)
    assert header is not None
    totals = {f"total_{row}_{column}" for row in range(2) for column in range(2)}
    assert set(re.findall(r"\w+", header[1])) == {"clk", "rst", "start", "done", *totals}
    # A fault that is in the Verilog only.
    planted = '"system").replace("(total_0_1)", "({total_0_1[0], total_0_1[7:1]})")'
    edit(folder / "hardware" / "__main__.py", '"system")', planted)
    assert outcome(folder, "tests/test_verilog.py").startswith("1 failed")


#: The options of a project whose element is a module in Verilog.
OPERATIONS = "--operations send,gather,all_reduce:max,barrier --width 8"
IN_VERILOG = f"ring:3 --element verilog {OPERATIONS}"


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize(
    "options", ["mesh:2,2", "ring:3 --sources one", "mesh:2,2 --fabric timetable", EVERYTHING]
)
def test_a_project_in_verilog_passes_its_tests(tmp_path: Path, options: str) -> None:
    folder = new(tmp_path / "mine", *options.split(), "--element", "verilog")
    assert "2 passed" in make(folder, "test")


#: A fault in an element in Verilog, or in its reset, and the test that sees it.
IN_MODULE = {
    "adds nothing": ("v", "total + (BARRIERS", "0 * total + (BARRIERS", "verilog"),
    "takes data of barriers": ("v", "BARRIERS[eject_operation] ? 1 :", "", "verilog"),
    "names another node": ("v", "TO[operation*NODE", "TO[0*NODE", "verilog"),
    "no reset": ("py", "ResetSignal(allow_reset_less=True) | ~running", "~running", "verilog"),
    "no reset at power-on": ("py", " | ~running", "", "board"),
    "heard before its reset": ("py", "valid & running", "valid", "board"),
}


@pytest.mark.slow
@pytest.mark.cocotb
@pytest.mark.parametrize(
    "fault", ["adds nothing", *long(*(name for name in IN_MODULE if name != "adds nothing"))]
)
def test_the_tests_of_a_project_in_verilog_see_a_fault(tmp_path: Path, fault: str) -> None:
    ending, old, planted, test = IN_MODULE[fault]
    folder = new(tmp_path / "mine", *IN_VERILOG.split())
    edit(folder / "hardware" / f"element.{ending}", old, planted)
    done = execute(folder, sys.executable, "-m", "pytest", "-q", f"tests/test_{test}.py")
    # What does not compile fails, too.
    assert "AssertionError" in done.stdout


#: A file, what stands in it, and a fault.
FAULTS = {
    "adds nothing": ("element", "self.total + Mux", "0 * self.total + Mux"),
    "does not count on": ("element", "word.eq(word + 1)", "word.eq(word)"),
    "keeps the old sum": ("element", "came.eq(0), self.total.eq(0)", "came.eq(0)"),
    "waits for ever": ("element", "self.eject.ready.eq(1)", "self.eject.ready.eq(0)"),
    "gives another number": ("element", "+ part.first", "+ part.first + 1"),
    "takes data of barriers": ("element", "Mux(barrier, 1, ", "Mux(barrier, 2, "),
    "names another node": ("element", "word_select(operation", "word_select(0 * operation"),
    "one is never started": (
        *("system", "element.start.eq(self.start)"),
        'element.start.eq(self.start & (name != "0_1"))',
    ),
    "tells of another node": ("board", "totals[-1]", "totals[1]"),
    "never passes": ("board", "self.passed.eq(1)", "self.passed.eq(0)"),
}


#: Some of each file.
SOME = ("adds nothing", "takes data of barriers", "one is never started", "never passes")


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize("fault", [*SOME, *long(*(name for name in FAULTS if name not in SOME))])
def test_the_tests_of_a_project_see_a_fault(tmp_path: Path, fault: str) -> None:
    file, old, planted = FAULTS[fault]
    folder = new(tmp_path / "mine", "mesh:2,2", *OPERATIONS.split())
    edit(folder / "hardware" / f"{file}.py", old, planted)
    test = "tests/test_board.py" if file == "board" else "tests/test_system.py"
    assert outcome(folder, test).startswith("1 failed")


#: Likewise of elements in the timetable fabric.
IN_ROUNDS = {
    "adds nothing": ("self.total + sum", "0 * self.total + sum"),
    "hears one stream": ("sum(words)", "words[0]"),
    "gives another number": ("+ part.first", "+ part.first + 1"),
    "does not wait to give": ("valid & self.inject.ready", "valid"),
}


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize("fault", IN_ROUNDS)
def test_the_tests_of_a_project_in_rounds_see_a_fault(tmp_path: Path, fault: str) -> None:
    folder = new(tmp_path / "mine", "star:3", "--fabric", "timetable")
    edit(folder / "hardware" / "element.py", *IN_ROUNDS[fault])
    assert outcome(folder, "tests/test_system.py").startswith("1 failed")


@pytest.mark.ci
def test_rounds_of_a_project_may_wait(tmp_path: Path) -> None:
    """By what a user adds to the file."""
    folder = new(tmp_path / "mine", "ring:4", "--fabric", "timetable")
    with (folder / "network.toml").open("a", encoding="utf-8") as settings:
        settings.write('start = "ready"\nsinks = "queued"\nqueue = 3\n')
    assert outcome(folder, "tests/test_system.py").startswith("1 passed")


def test_two_plugins_of_one_name_are_refused(tmp_path: Path, cli, monkeypatch) -> None:
    source = "FAMILIES = ()\n"
    for place in ("a", "b"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "own.py").write_text(source, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert "--plugin: two files of one name" in cli.refusal(
        "new", "mine", "--plugin", "a/own.py", "--plugin", "b/own.py"
    )
    assert not Path("mine").exists()


def test_an_empty_folder_is_filled_and_a_script_is_told(tmp_path: Path, capsys) -> None:
    (tmp_path / "mine").mkdir()
    new(tmp_path / "mine", "ring:4", "--width", "16", "--json")
    told = json.loads(capsys.readouterr().out)
    there = [path for path in (tmp_path / "mine").rglob("*") if path.is_file()]
    assert told["files"] == sorted(str(path.relative_to(tmp_path / "mine")) for path in there)
    assert (told["network"], told["nodes"], told["width"]) == ("ring:4", 4, 16)
    assert told["element"] == "hardware/element.py"
    common = [path for path in (TEMPLATE / "common").rglob("*") if path.is_file()]
    names = {str(path.relative_to(TEMPLATE / "common")) for path in common}
    names = {name for name in names if "__pycache__" not in name} - {"gitignore"}
    assert names <= set(told["files"])
    assert not [path for path in there if re.search("@[A-Z]+@", path.read_text(encoding="utf-8"))]


def test_what_a_project_requires_can_be_installed(tmp_path: Path, monkeypatch) -> None:
    """A clone by its path, and what pip got elsewhere from there."""

    def required() -> Requirement:
        folder = new(tmp_path / str(len([*tmp_path.iterdir()])))
        lines = (folder / "requirements.txt").read_text(encoding="utf-8").splitlines()
        (line,) = (line for line in lines if line.startswith("arbornoc"))
        return Requirement(line)

    clone = required()
    assert clone.extras == {"boards"}
    assert clone.url == ROOT.as_uri()
    told = {"url": "https://example.org/a.git", "vcs_info": {"vcs": "git", "commit_id": "12ab"}}
    monkeypatch.setattr("noc.__file__", str(tmp_path / "noc" / "__init__.py"))
    monkeypatch.setattr(
        "noc.project.metadata.distribution",
        lambda _: SimpleNamespace(read_text=lambda _: told and json.dumps(told)),
    )
    assert required().url == "git+https://example.org/a.git@12ab"
    told = {"url": "file:///wheels/a.whl", "archive_info": {}}
    assert required().url == "file:///wheels/a.whl"
    told = None
    assert str(required().specifier) == f"=={noc.__version__}"


@pytest.mark.ci
def test_a_wrong_network_is_told_by_the_project_in_one_line(tmp_path: Path) -> None:
    folder = new(tmp_path / "mine")
    edit(folder / "network.toml", "mesh:2,2", "mash:2,2")
    done = execute(folder, sys.executable, "-m", "hardware", "verilog")
    assert done.returncode == 2
    assert done.stderr.startswith("python -m hardware: error: network 'mash:2,2': no family")
    assert done.stderr.count("\n") == 1


@pytest.mark.ci
@pytest.mark.parametrize("element", ELEMENTS)
def test_a_project_for_vivado_is_written(tmp_path: Path, element: str) -> None:
    folder = new(tmp_path / "mine", "--element", element)
    assert "sh build_top.sh" in make(folder, "arty")
    arty = folder / "build" / "arty_a7_35"
    own = {"element.v"} if element == "verilog" else set()
    files = {*(f"top.{e}" for e in ("tcl", "v", "xdc")), "build_top.sh", *own}
    assert {path.name for path in arty.iterdir()} == files
    tcl = (arty / "top.tcl").read_text(encoding="utf-8")
    assert ("element.v" in tcl) == bool(own)
    assert "PLLE2_BASE" in (arty / "top.v").read_text(encoding="utf-8")
    pins = (arty / "top.xdc").read_text(encoding="utf-8")
    assert all(f"led_{number}__io" in pins for number in range(3))
    assert "uart_0__tx" in pins


@pytest.mark.slow
@pytest.mark.parametrize("element", ELEMENTS)
def test_a_bitstream_for_a_ulx3s_is_made(tmp_path: Path, element: str) -> None:
    options = ("--element", element, "--operations", "broadcast,all_reduce:max")
    folder = new(tmp_path / "mine", *options)
    told = make(folder, "ulx3s")
    assert (folder / "build" / "ulx3s_85f" / "top.bit").stat().st_size > 100_000
    assert float(re.findall(r"works up to ([\d.]+) MHz", told)[0]) >= 25


def run(folder: Path, target: str, *options: str) -> subprocess.CompletedProcess[str]:
    """A target of the project's core."""
    more = ("--target", target, "noc:project:system")
    return fusesoc(folder, *options, *more, PYTHONPATH=str(ROOT))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "pins", "chip"),
    [
        ("ulx3s", ("top.lpf", 'LOCATE COMP "clk25_0__io" SITE "G2"'), "--85k"),
        pytest.param(
            *("arty", ("top.xdc", "create_clock"), "xc7a35ticsg324-1L"), marks=pytest.mark.slow
        ),
    ],
)
def test_the_core_of_a_project_is_set_up_for_boards(
    tmp_path: Path, target: str, pins: tuple[str, str], chip: str
) -> None:
    folder = new(tmp_path / "mine", "mesh:2,2", "--width", "8", "--element", "verilog")
    done = run(folder, target, "--setup")
    assert done.returncode == 0, done.stdout + done.stderr
    build = tmp_path / "work" / "build" / "noc_project_system_0" / target
    source = build / "src" / f"noc_project_system-{target}_0"
    assert "module top" in (source / "top.v").read_text(encoding="utf-8")
    file, line = pins
    assert line in (source / file).read_text(encoding="utf-8")
    listed = (build / "noc_project_system_0.eda.yml").read_text(encoding="utf-8")
    assert file in listed
    assert "/element.v" in listed
    assert chip in listed


@pytest.mark.cocotb
@pytest.mark.slow
def test_the_core_of_a_project_runs_the_bench_and_fails_with_it(tmp_path: Path) -> None:
    folder = new(tmp_path / "mine", "mesh:2,2", "--width", "8")
    done = run(folder, "sim")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "1 passed" in done.stdout + done.stderr
    edit(folder / "hardware" / "element.py", "self.total + Mux", "0 * self.total + Mux")
    done = run(folder, "sim")
    assert done.returncode != 0
    assert "1 failed" in done.stdout + done.stderr
