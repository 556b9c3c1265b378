"""The ordered fabric's Verilog against its model, in forms that other tests do not build."""

import json
import re
from pathlib import Path

import pytest

from noc.cli import main

RING = Path(__file__).parent / "data" / "one-way-ring.graphml"


def verified(capsys, *arguments: str) -> dict:
    """What a verification found, which has passed."""
    status = main(["verify", *arguments, "--json"])
    captured = capsys.readouterr()
    assert (status, captured.err) == (0, "")
    result: dict = json.loads(captured.out)
    assert result["mismatches"] == 0
    return result


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "arguments",
    [
        ("uhc:3", "--link-registers", "1", "--queue", "3", "--width", "7"),
        ("mesh:2,3", "--sources", "0.0,1.2", "--no-source-numbers", "--width", "40"),
        (f"file:{RING}", "--own-words", "return", "--root", "n2", "--width", "31"),
    ],
    ids=["uhc-registers-queue", "mesh-two-sources", "one-way-ring"],
)
def test_the_verilog_equals_the_model(capsys, arguments: tuple[str, ...]) -> None:
    traffic = "single,full:bursty,endless,dense:half"
    result = verified(capsys, *arguments, "--traffic", traffic, "--cycles", "400")
    assert result["events"] > 1000
    assert result["fabric"] == "ordered"


def test_a_folder_is_verified_with_the_options_it_was_written_with(capsys, tmp_path: Path) -> None:
    registers = tmp_path / "registers.json"
    registers.write_text('[{"from": "0", "to": "1", "registers": 2}]')
    folder = tmp_path / "out"
    options = ("--link-registers", str(registers), "--sources", "1,2", "--queue", "2")
    assert main(["generate", "ring:3", *options, "--width", "5", "-o", str(folder)]) == 0
    known = json.loads((folder / "manifest.json").read_text())
    assert known["sources"] == ["1", "2"]
    assert known["registers_of_links"] == [{"from": "0", "to": "1", "registers": 2}]
    assert ["inject" in node for node in known["nodes"]] == [False, True, True]
    capsys.readouterr()
    result = verified(capsys, "--verilog", str(folder), "--traffic", "full", "--words", "20")
    assert result["senders"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"from": "0", "to": "9", "registers": 2}]', "'9'"),
        ('[{"from": "0", "to": "2", "registers": 2}]', "has no link from 0 to 2"),
        ('[{"from": "0", "to": "1", "registers": -1}]', "from 0 to 64 are allowed"),
        ('[{"from": "0", "to": "1", "registers": "two"}]', "from 0 to 64 are allowed"),
        ('{"from": "0"}', "must be a number, or a JSON file"),
        ("[", "must be a number, or a JSON file"),
        ("{}", "must be a number, or a JSON file"),
        (
            '[{"from": "0", "to": "1", "registers": 1}, {"from": "0", "to": "1", "registers": 2}]',
            "the link from 0 to 1 is named twice",
        ),
    ],
)
def test_a_bad_file_of_registers_is_one_line(capsys, tmp_path: Path, text, message) -> None:
    path = tmp_path / "registers.json"
    path.write_text(text)
    arguments = ["generate", "ring:4", "--link-registers", str(path), "-o", str(tmp_path / "out")]
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_names_of_link_registers_are_those_of_no_node(tmp_path: Path) -> None:
    """Nodes whose labels end as numbered wires could."""
    graph = tmp_path / "a.json"
    links = [{"from": "a", "to": "a_1"}, {"from": "a_1", "to": "a_1_1"}]
    graph.write_text(json.dumps({"nodes": ["a", "a_1", "a_1_1"], "links": links}))
    folder = tmp_path / "out"
    assert main(["generate", f"file:{graph}", "--link-registers", "3", "-o", str(folder)]) == 0
    known = json.loads((folder / "manifest.json").read_text())
    top = (folder / f"{known['top']}.v").read_text()
    declared = re.findall(r"^  wire (?:\[\d+:0\] )?(\w+);", top, re.MULTILINE)
    instances = re.findall(r"^  noc_\w+ (\w+) \($", top, re.MULTILINE)
    names = declared + instances
    assert len(declared) == 2 * 2 * 4 * 3
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("(0, 0),(0, 1)", ["(0, 0)", "(0, 1)"]),
        ("(0, 1)", ["(0, 1)"]),
    ],
)
def test_labels_may_have_commas(capsys, tmp_path: Path, text: str, labels: list[str]) -> None:
    graph = tmp_path / "a.json"
    nodes = ["(0, 0)", "(0, 1)"]
    links = [{"from": nodes[0], "to": nodes[1]}]
    graph.write_text(json.dumps({"nodes": nodes, "links": links}))
    arguments = ["generate", f"file:{graph}", "--sources", text, "-o", str(tmp_path / "out")]
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sources"] in (labels, "all")
