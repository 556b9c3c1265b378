"""Verilog with operations: verified from a design and from a folder, and faults that are told."""

import json
import re
from pathlib import Path

import pytest

from noc.cli import main
from noc.design import build_design
from noc.emit.folder import build_files
from noc.endpoints import AxiStream, Endpoints
from noc.model.ordered import Given, as_traffic, simulate_ordered

OPERATIONS = ("--operations", "broadcast,send,all_reduce:sum,barrier@left,reduce:max@left")
OPTIONS = (*OPERATIONS, "--group", "left=123,213,321", "--width", "8")
SHORT = ("--traffic", "mixed:half,wrong:always", "--words", "16")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("collectives") / "out"
    assert main(["generate", "star:3", *OPTIONS, "-o", str(path)]) == 0
    return path


def test_a_folder_is_verified_as_it_lies_there(folder: Path, capsys) -> None:
    assert main(["verify", "--verilog", str(folder), *SHORT, "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["mismatches"] == 0
    assert shown["events"] > 1000


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        (
            " = a[7:0] + b[7:0]",
            " = a[7:0] - b[7:0]",
            "words of group all from",
        ),
        ("assign dropped = i__valid", "assign dropped = 1'h0", "alarm dropped: expected word"),
        ("assign mismatch = ", "assign mismatch = 2'h3 | ", "alarm mismatch: expected nothing"),
    ],
)
def test_a_fault_in_the_verilog_is_told(
    folder: Path, tmp_path: Path, capsys, right: str, wrong: str, told: str
) -> None:
    hits = 0
    for path in folder.glob("*.v"):
        text = path.read_text()
        hits += text.count(right)
        (tmp_path / path.name).write_text(text.replace(right, wrong))
    assert hits
    for name in ("manifest.json", "program.json"):
        (tmp_path / name).write_text((folder / name).read_text())
    assert main(["verify", "--verilog", str(tmp_path), *SHORT]) == 1
    assert told in capsys.readouterr().out


def test_words_that_are_missing_are_told_by_group(capsys) -> None:
    """Two groups have joins at one node, each with bits of its own."""
    options = [*OPERATIONS, "--group", "left=123,213,321", "--watchdog", "5", "--width", "8"]
    arguments = ["verify", "star:3", *options, "--traffic", "sparse:half", "--words", "100"]
    assert main(arguments) == 0, capsys.readouterr().out


def test_a_group_can_be_all_nodes_but_some(tmp_path: Path) -> None:
    groups = {}
    for text in ("left=123,213,321", "left=all-but:132,231,312"):
        path = tmp_path / text.partition("=")[2]
        assert main(["generate", "star:3", *OPERATIONS, "--group", text, "-o", str(path)]) == 0
        groups[text] = json.loads((path / "manifest.json").read_text())["groups"]["left"]
    assert list(groups.values()) == [["123", "213", "321"]] * 2


@pytest.mark.cases(1)
@pytest.mark.parametrize("queue", [1, 3, 9])
def test_words_without_a_bit_wait_in_queues(capsys, queue: int) -> None:
    options = ["--operations", "broadcast,barrier", "--group-queue", str(queue), *SHORT]
    assert main(["verify", "ring:3", *options]) == 0, capsys.readouterr().out


CHANGES = {
    "collectives_contract": (1, "collectives_contract is 1; this version verifies 3"),
    "operations": ({"broadcast": 1}, "operations must be numbered from 0"),
}


@pytest.mark.parametrize("key", CHANGES)
def test_a_manifest_that_says_something_else_is_refused(
    folder: Path, tmp_path: Path, capsys, key: str
) -> None:
    value, message = CHANGES[key]
    for path in folder.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    manifest = json.loads((folder / "manifest.json").read_text()) | {key: value}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    assert main(["verify", "--verilog", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err


def test_the_manifest_says_all_that_a_harness_needs(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    names = ["broadcast", "send", "all_reduce:sum", "barrier@left", "reduce:max@left"]
    assert list(manifest["operations"]) == names
    assert manifest["groups"]["left"] == ["123", "213", "321"]
    down = {node["label"]: node["down"] for node in manifest["nodes"]}
    for name, group in (("all_reduce:sum", "all"), ("barrier@left", "left")):
        farthest = max(down[label] for label in manifest["groups"][group])
        assert manifest["latency"][name] == manifest["joined"][group] + farthest
    fields = [field["name"] for field in manifest["nodes"][0]["inject"]["fields"]]
    assert fields == ["data", "operation", "last", "node"]
    fields = [field["name"] for field in manifest["nodes"][0]["eject"]["fields"]]
    assert fields == ["data", "source", "operation", "last"]
    assert manifest["nodes"][0]["mismatch"]["groups"] == ["all", "left"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--operations", "barriers"), "--operations barriers: KIND, KIND:OPERATOR or"),
        (("--operations", "barrier", "--group", "left"), "--group left: NAME=A,B,… is needed"),
        (("--operations", "barrier", "--group", "a=99"), "--group a=99: "),
        (("--operations", "barrier", "--group", "a=all-but:99"), "--group a=all-but:99: "),
        (
            ("--operations", "barrier", "--group", "a=all-but:123,132,213,231,312,321"),
            "--group a: at least one node is needed",
        ),
        (("--operations", "barrier", "--fabric", "direct"), "--operations: is for the ordered"),
        (
            ("--operations", "barrier", "--axi-stream", "--packets", "whole"),
            "--packets whole: puts packets together by their sources, which results of",
        ),
        (
            ("--operations", "barrier", "--axi-stream", "--no-tlast"),
            "--no-tlast: with --operations words have a field last",
        ),
        (("--group", "a=123"), "--group: no operation names a group"),
    ],
)
def test_what_cannot_be_had_is_told(tmp_path: Path, capsys, options, message: str) -> None:
    assert main(["generate", "star:3", *options, "-o", str(tmp_path / "out")]) == 2
    assert f"noc generate: error: {message}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


#: Where headers can differ, and where words that are joined have none; where a node has no joins.
ALARMED = {
    "barriers alone": ("ring:3", ["broadcast", "barrier", "barrier@some"], [0, 2]),
    "a barrier with a choice": ("star:3", ["barrier@some", "all_reduce:sum@some"], [1, 2, 3]),
    "a barrier of words that have ends": ("mesh:2,2", ["send", "barrier@some"], [0, 3]),
    "names and ends": ("ring:5", ["reduce:max", "all_reduce:sum@some", "gather"], [1, 4]),
}
WRAPPED = {
    "streams": {"vector_ports": True},
    "AXI-Stream": {"endpoints": Endpoints(AxiStream())},
    "clocks": {"endpoints": Endpoints(clocks="each")},
}


@pytest.mark.parametrize("name", ALARMED)
def test_mismatch_is_where_it_can_be_raised_and_absent_elsewhere(name: str) -> None:
    """Members that contradict each other raise every bit that hardware, pages and wrappers have."""
    spec, operations, some = ALARMED[name]
    design = build_design(spec, operations=operations, groups={"some": some}, width=8)
    raised, ends = set(), design.operations.marks_last
    for contradicting in range(design.network.nodes):
        given = [
            [
                Given(0, number, node=0, last=int(ends and node == contradicting))
                for number, operation in enumerate(design.operations.listed)
                if operation.joined
                and node in design.operations.members(design.operations.group_of(number))
            ]
            for node in range(design.network.nodes)
        ]
        run = simulate_ordered(design.program, as_traffic(design.program, given), width=8)
        streams = (run.events.streams[stream] for _, stream, _ in run.bits)
        raised |= {(s.node, s.group) for s in streams if s.kind == "mismatch"}
    groups = [group for group, _ in design.operations.groups]
    expected = {(design.network.label(node), groups[group]) for node, group in raised}
    for wrapped in WRAPPED.values():
        files = build_files(design, **wrapped)
        manifest = json.loads(files["manifest.json"])
        told = [(node["label"], node.get("mismatch")) for node in manifest["nodes"]]
        assert expected == {
            (label, group) for label, each in told if each for group in each["groups"]
        }
        signals = {each["signal"] for _, each in told if each}
        texts = {file: text for file, text in files.items() if file.endswith((".v", ".vh"))}
        for file, text in texts.items():
            if file.endswith("_instance.vh") and "vectors" not in file:
                assert set(re.findall(r"\bmismatch\w*", text)) == signals
        assert bool(signals) == any("mismatch" in text for text in texts.values())
