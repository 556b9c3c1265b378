"""The core file in the hands of FuseSoC itself, without a network."""

import os
import re
import shutil
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml
from folders import core_of, fusesoc, generated
from helpers import edit, started

from noc.verify.tools import environment

KINDS = {
    "plain": [],
    "no numbers, link registers, a queue": [
        *("--no-source-numbers", "--link-registers", "2", "--queue", "5", "--width", "1")
    ],
    "some sources": ["--sources", "213,321", "--node-clocks", "each"],
    "own words": ["--own-words", "return", "--axi-stream"],
    "direct": ["--fabric", "direct"],
    "direct, axi": ["--fabric", "direct", "--axi-stream", "--packets", "whole"],
    "axi": ["--axi-stream"],
    "axi, whole packets, clocks": ["--axi-stream", "--packets", "whole", "--node-clocks", "each"],
    "clocks, one source": ["--sources", "one", "--node-clocks", "each"],
    "axi by packet arbiter, clock": [
        *("--sources", "one", "--axi-stream", "--packets", "whole", "--node-clocks", "shared")
    ],
    "vectors": ["--vector-ports"],
    "interfaces": ["--systemverilog"],
    "timetable, queues": ["--fabric", "timetable", "--sinks", "queued", "--queue", "4"],
    "written tables": ["--fabric", "direct", "--rom", "writable"],
    "vectors, some sources": ["--vector-ports", "--sources", "213,321", "--width", "1"],
    "vectors, direct": ["--vector-ports", "--sources", "one"],
    "vectors, operations": [
        *("--vector-ports", "--operations", "send,all_reduce:sum,all_reduce:max"),
        *("--watchdog", "9"),
    ],
    "vectors, axi, operations": [
        *("--vector-ports", "--axi-stream", "--operations", "send,all_reduce:sum"),
        *("--node-clocks", "shared", "--watchdog", "9"),
    ],
    "vectors, whole packets, clocks": [
        *("--vector-ports", "--axi-stream", "--packets", "whole", "--node-clocks", "each"),
        *("--sources", "213,321"),
    ],
    "vectors, clocks": ["--vector-ports", "--node-clocks", "each", "--width", "1"],
    "one file for each module": ["--node-clocks", "shared", "--one-file-per-module"],
}


def run(folder: Path, target: str, core: str) -> subprocess.CompletedProcess[str]:
    """A target of a core in a folder."""
    return fusesoc(folder, "--target", target, core)


@pytest.mark.cases(1, ci=1)
@pytest.mark.parametrize("kind", KINDS)
def test_lint_finds_nothing_to_warn_of(tmp_path: Path, kind: str) -> None:
    core = core_of(tmp_path / "out", "star:3", *KINDS[kind])
    done = run(tmp_path / "out", "lint", core)
    assert done.returncode == 0, done.stderr
    assert "%Warning" not in done.stdout + done.stderr


@pytest.mark.ci
@pytest.mark.parametrize("fabric", ["ordered", "direct"])
def test_lint_passes_fields_without_bits_and_any_path(
    tmp_path: Path, monkeypatch, fabric: str
) -> None:
    """A graph with in-ports that know one row only, from a file with an awkward name."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(Path(__file__).parent / "data" / "square.json", tmp_path / "a: b #1.json")
    core = core_of(tmp_path / "out", "file:a: b #1.json", "--fabric", fabric)
    done = run(tmp_path / "out", "lint", core)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", ["😀 x.json", "a\x7fb.json", 'é "q" \\U.json', "\u2028.json"])
def test_the_core_is_read_whatever_the_name_of_a_graph(tmp_path: Path, monkeypatch, name) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(Path(__file__).parent / "data" / "square.json", name)
    core = core_of(tmp_path / "out", f"file:{name}")
    text = (tmp_path / "out" / f"{core}.core").read_text(encoding="ascii")
    described = yaml.safe_load(text)["description"]
    assert described.startswith(f"Broadcast network file:{name}, ")


@pytest.mark.cases(0, ci=2)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    .rst(rst),\n", "    .rst(),\n"),
        ("    .eject_123__valid(noc_eject_123__valid),\n", ""),
        ("wire [35:0] noc_eject_123__payload", "wire [34:0] noc_eject_123__payload"),
    ],
)
def test_lint_finds_a_wire_that_is_wrong(tmp_path: Path, old: str, new: str) -> None:
    core = core_of(tmp_path / "out", "star:3", "--axi-stream")
    edit(tmp_path / "out" / f"{core}.v", old, new)
    done = run(tmp_path / "out", "lint", core)
    assert done.returncode != 0


@pytest.mark.cocotb
@pytest.mark.slow
def test_sim_runs_the_benches_and_fails_with_them(tmp_path: Path) -> None:
    core = core_of(tmp_path / "out", "hypercube:2", "--axi-stream")
    done = run(tmp_path / "out", "sim", core)
    assert done.returncode == 0, done.stdout + done.stderr
    endpoint = tmp_path / "out" / f"{core}_endpoint.v"
    edit(endpoint, "m_axis__tvalid = eject__valid", "m_axis__tvalid = 0")
    assert run(tmp_path / "out", "sim", core).returncode != 0


@pytest.mark.ci
def test_each_module_has_a_file_of_its_name(tmp_path: Path) -> None:
    generated(tmp_path / "one", "star:3", "--node-clocks", "each", "--one-file-per-module")
    generated(tmp_path / "few", "star:3", "--node-clocks", "each")
    one, few = (
        {path.stem: path.read_text() for path in (tmp_path / folder).glob("*.v")}
        for folder in ("one", "few")
    )
    for name, text in one.items():
        assert text.count("\nmodule ") + text.startswith("module ") == 1
        assert f"module {name} " in text or f"module {name}(" in text
    modules = sum(text.count("endmodule") for text in few.values())
    assert len(one) == modules > len(few)


@pytest.mark.ci
def test_the_list_of_files_is_enough_for_verilator(tmp_path: Path) -> None:
    core = core_of(tmp_path / "out", "uhc:3", "--axi-stream", "--one-file-per-module")
    words = f"verilator --lint-only -Wno-fatal --top-module {core} -f {core}.f".split()
    started(*words, cwd=tmp_path / "out", env=environment("verilator"), status=0)


def registers(folder: Path, module: str, clocks: dict[str, str], path: str = "") -> dict[str, str]:
    """Every register and memory below a module as Vivado names its cell, with its clock."""
    texts = "".join(file.read_text() for file in sorted(folder.glob("*.v")))
    (text,) = re.findall(rf"^module {module} ?\(.*?^endmodule$", texts, re.DOTALL | re.MULTILINE)
    result = {}
    for clock, name in re.findall(r"always @\(posedge (\w+).*?\)(?:.*?\n.*?)(\S+) <=", text):
        result[f"{path}{name}_reg"] = clocks[clock]
    for clock, name in re.findall(r"@\(posedge (\w+)\) begin\n.*\n +(\w+)\[.*\] <=", text):
        result[f"{path}{name}_reg"] = clocks[clock]
    for below, name, ports in re.findall(r"^  (noc_\w+) +(\w+) \((.*?)\);", text, re.M | re.S):
        pins = dict(re.findall(r"\.(\w+)\(([\w\[\]]+)\)", ports))
        inner = {pin: clocks[net] for pin, net in pins.items() if net in clocks}
        result |= registers(folder, below, inner, f"{path}{name}/")
    return result


def constraints(
    path: Path, clocks: set[str], cells: dict[str, str] | None = None
) -> list[tuple[str, ...]]:
    """The commands that a file of constraints gives; Tcl runs it with stand-ins for them.

    A clock or port that the top lacks is an error, as in the tools.
    """
    tcl, given = pytest.importorskip("tkinter", reason="needs tkinter").Tcl(), []

    def known(*words: str) -> str:
        names = tcl.splitlist(words[-1])
        assert set(names) <= clocks | {clock.replace("clk", "rst") for clock in clocks}, words
        return " ".join(names)

    def result(*words: str) -> str:
        patterns = tcl.splitlist(words[-1])
        return " ".join(c for c in cells or {} if any(fnmatchcase(c, p) for p in patterns))

    for command in ("get_ports", "get_clocks"):
        tcl.createcommand(command, known)
    tcl.createcommand("get_property", lambda *_: "10.0")
    tcl.createcommand("get_cells", result)
    tcl.createcommand("get_pins", lambda *words: " ".join(f"{c}/PRE" for c in words[2].split()))
    limits = ("set_max_delay", "set_min_delay", "set_false_path")
    for command in (*limits, "create_clock", "set_property"):
        tcl.createcommand(command, lambda *words, of=command: given.append((of, *words)))
    tcl.eval(path.read_text())
    return given


@pytest.mark.cases(1)
@pytest.mark.parametrize("clocks", ["shared", "each"])
def test_constraints_name_the_clocks_of_the_top(tmp_path: Path, clocks: str) -> None:
    top = core_of(tmp_path / "out", "hypercube:1", "--axi-stream", "--node-clocks", clocks)
    text = (tmp_path / "out" / f"{top}.v").read_text()
    result = {word.rstrip(",") for word in text.split(");")[0].split() if word.endswith("clk,")}
    nodes = result - {"clk"}
    assert nodes == ({"node_clk"} if clocks == "shared" else {"node_0_clk", "node_1_clk"})
    limits = [" ".join(words) for words in constraints(tmp_path / "out" / f"{top}.sdc", result)]
    for node in nodes:
        for way in (f"-from clk -to {node}", f"-from {node} -to clk"):
            assert any(
                limit.startswith("set_max_delay") and limit.endswith(way) for limit in limits
            )
    # A reset is synchronous on its own side: untimed, registers could leave it in two cycles.
    untimed = {limit for limit in limits if limit.startswith("set_false_path")}
    assert untimed == {f"set_false_path -from rst -to {node}" for node in nodes} | {
        f"set_false_path -from {node.replace('clk', 'rst')} -to clk" for node in nodes
    }


def test_constraints_name_the_clocks_in_a_vector(tmp_path: Path) -> None:
    options = ("--node-clocks", "each", "--vector-ports")
    top = core_of(tmp_path / "out", "hypercube:1", *options)
    assert top.endswith("_clocks_vectors")
    names = {"clk", "node_0_clk", "node_1_clk"}
    pins = {"node_clk[0]", "node_clk[1]"}
    given = constraints(tmp_path / "out" / f"{top}.sdc", names | pins)
    created = {words[2]: words[-1] for words in given if words[0] == "create_clock"}
    assert created == {"clk": "clk", "node_0_clk": "node_clk[0]", "node_1_clk": "node_clk[1]"}
    untimed = {" ".join(words[1:]) for words in given if words[0] == "set_false_path"}
    assert {f"-from node_rst[{place}] -to clk" for place in "01"} <= untimed
    assert not (pins & {words[-1] for words in given if words[0] == "set_max_delay"})


@pytest.mark.ci
def test_a_clock_is_created_once_and_crosses_to_no_other_than_itself(tmp_path: Path) -> None:
    top = core_of(tmp_path / "out", "hypercube:1", "--node-clocks", "each")
    path = tmp_path / "out" / f"{top}.sdc"
    text = path.read_text().replace("node_0_clk", "clk").replace("node_0_rst", "rst")
    path.write_text(
        text.replace("node_1_clk node_1_clk node_1_rst", "node_clk node_clk node_rst " * 2)
    )
    given = constraints(path, {"clk", "node_clk"})
    assert sum(words[0] == "create_clock" for words in given) == 2
    assert all(words[-1] != words[-3] for words in given if words[0] == "set_max_delay")


CROSSINGS = {
    "shared": ["--node-clocks", "shared"],
    "each": ["--node-clocks", "each"],
    "axi": ["--node-clocks", "shared", "--axi-stream", "--packets", "whole"],
    "one source": ["--node-clocks", "each", "--sources", "one"],
    "direct": ["--node-clocks", "each", "--fabric", "direct"],
    "vectors": ["--node-clocks", "each", "--vector-ports"],
    "rounds": [
        "--node-clocks",
        "each",
        "--axi-stream",
        "--fabric",
        "timetable",
        "--start",
        "ready",
        "--sinks",
        "queued",
        "--queue",
        "4",
    ],
}


@pytest.mark.cases(0, ci=4)
@pytest.mark.parametrize("kind", CROSSINGS)
def test_exceptions_cover_what_crosses_and_nothing_else(tmp_path: Path, kind: str) -> None:
    """Names are those of the Verilog; each path leads from one clock to the other."""
    folder = tmp_path / "out"
    top = core_of(folder, "star:3", "--width", "8", *CROSSINGS[kind])
    ports = (folder / f"{top}.v").read_text().split(");")[0]
    clocks = set(re.findall(r"input (\w*clk),", ports))
    for high, name in re.findall(r"input \[(\d+):0\] (\w*clk),", ports):
        clocks |= {f"{name}[{place}]" for place in range(int(high) + 1)}
    cells = registers(folder, top, {clock: clock for clock in clocks})
    queues = {re.sub("/queue/.*", "", cell) for cell in cells if "/queue/produce_w" in cell}
    given = constraints(folder / f"{top}.xdc", clocks, cells)
    paths = [words[words.index("-from") + 1 :: 2] for words in given if words[0] == "set_max_delay"]
    assert len(paths) == 3 * len(queues)
    # In rounds a node has three streams.
    assert len(queues) == (18 if kind == "rounds" else 12)
    for from_, to in paths:
        sides = [{cells[cell] for cell in side.split()} for side in (from_, to)]
        assert [len(side) for side in sides] == [1, 1]
        assert sides[0] != sides[1]
    untimed = {pin for words in given if words[0] == "set_false_path" for pin in words[2].split()}
    assert untimed == {f"{q}/queue/rst_cdc/stage{n}_reg/PRE" for q in queues for n in "01"}
    marked = {c for words in given if words[0] == "set_property" for c in words[-1].split()}
    assert marked == {cell for cell in cells if "_cdc/stage" in cell}


def test_a_register_that_is_missing_is_told(tmp_path: Path) -> None:
    top = core_of(tmp_path / "out", "hypercube:1", "--node-clocks", "shared")
    cells = registers(tmp_path / "out", top, {"clk": "clk", "node_clk": "node_clk"})
    gone = {cell: clock for cell, clock in cells.items() if "storage" not in cell}
    with pytest.raises(Exception, match=r"there is no cell endpoint_0/up/queue/storage_reg\*"):
        constraints(tmp_path / "out" / f"{top}.xdc", {"clk", "node_clk"}, gone)


@pytest.mark.ci
def test_the_core_names_every_file_it_needs(tmp_path: Path) -> None:
    core = core_of(tmp_path / "out", "star:3", "--axi-stream", "--node-clocks", "each")
    text = (tmp_path / "out" / f"{core}.core").read_text()
    for path in (tmp_path / "out").rglob("*.*"):
        if path.suffix in (".v", ".sdc", ".xdc", ".py", ".json", ".vlt"):
            assert f"- {os.path.relpath(path, tmp_path / 'out')}: " in text


@pytest.mark.ci
@pytest.mark.parametrize(("tool", "ending"), [("vivado", ".xdc"), ("quartus", ".sdc")])
def test_each_tool_is_given_its_own_constraints(tmp_path: Path, tool: str, ending: str) -> None:
    """To Vivado as a script, for only a script can say what it does not find."""
    top = core_of(tmp_path / "out", "hypercube:1", "--width", "8", "--node-clocks", "shared")
    words = ("--setup", "--tool", tool, "--target", "default", top)
    done = fusesoc(tmp_path / "out", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    listed = next((tmp_path / "work").rglob("*.eda.yml")).read_text()
    assert re.findall(rf"{top}(\.[sx]dc)$", listed, re.MULTILINE) == [ending]
    if tool == "vivado":
        scripts = "".join(path.read_text() for path in (tmp_path / "work").rglob("*.tcl"))
        assert re.search(rf"^read_xdc -unmanaged \S+/{top}\.xdc\}}$", scripts, re.MULTILINE)
