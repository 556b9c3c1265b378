"""What ``noc program`` shows is what is built: files, and the ROM in the Verilog, row for row."""

import json
from pathlib import Path

import pytest
from rom_verilog import block_rows, logic_rows

from noc.cli import main
from noc.networks import build_network

DIRECT = [
    ["star:3"],
    ["star:4", "--sources", "one", "--algorithm", "balanced"],
    ["star:4", "--ports", "one"],
    ["star:4", "--rom", "block"],
    ["scc:3", "--sources", "one", "--ports", "one"],
    ["scc:4"],
    ["uhc:4", "--algorithm", "bt2"],
    ["uhc:3", "--rom", "block"],
    ["hypercube:3", "--sources", "one", "--rom", "block"],
    ["mesh:3,3"],
    ["mesh:3,3", "--sources", "1.2"],
    ["incomplete-star:4,3", "--sources", "one"],
]
ORDERED = [
    ["star:4"],
    ["mesh:3,3", "--root", "1.1"],
    ["uhc:3", "--link-registers", "2"],
    ["star:3", "--sources", "123,321", "--queue", "2"],
    ["ring:5", "--own-words", "return", "--no-source-numbers"],
]


def shown(capsys, words: list[str]) -> str:
    assert main(["program", *words]) == 0
    return capsys.readouterr().out


def generated(capsys, words: list[str], folder: Path) -> tuple[dict, dict]:
    assert main(["generate", *words, "-o", str(folder)]) == 0
    capsys.readouterr()
    names = ("manifest", "program")
    manifest, program = (json.loads((folder / f"{n}.json").read_text()) for n in names)
    return manifest, program


def copies_in_verilog(text: str, answer: dict, program: dict, spec: str, far_bits: dict):
    """For each code what the Verilog of a router does with it."""
    ports = list(build_network(spec).out_ports)
    used = {ports.index(send["port"]) for row in answer["codes"] for send in row["sends"]}
    outs = {port: far_bits[ports[port]] for port in sorted(used)}
    one_port = program["ports"] == "one"
    if not outs and "_rom" not in text:
        # A router that only delivers needs no table, and synthesis has left it out.
        yield from ((row["code"], True, []) for row in answer["codes"])
        return
    read = block_rows(text, outs) if " rom[" in text else logic_rows(text, outs, one_port)
    for row in answer["codes"]:
        deliver, copies = read(row["code"])
        yield row["code"], deliver, [(ports[port], code) for port, code in copies]


@pytest.mark.cases(4)
@pytest.mark.parametrize("words", DIRECT, ids=" ".join)
def test_the_rows_shown_are_those_in_the_files_and_in_the_verilog(words, capsys, tmp_path) -> None:
    words = [*words, "--fabric", "direct", "--width", "5"]
    answer = json.loads(shown(capsys, [*words, "--json"]))
    text = shown(capsys, [*words, "--rows"])
    manifest, program = generated(capsys, words, tmp_path / "out")
    assert list(answer["routers"]) == list(program["routers"])
    assert (answer["modules"], answer["states"]) == (
        len(program["routers"]),
        program["states"],
    )
    blocks = text.split("\n\n")[1:]
    for (name, router), block in zip(program["routers"].items(), blocks, strict=True):
        rows = answer["routers"][name]
        nodes = [node["label"] for node in manifest["nodes"] if node["router"] == name]
        assert rows.pop("nodes") == ("all" if answer["modules"] == 1 else nodes)
        assert rows == router
        heading, *lines = block.strip("\n").splitlines()
        assert heading.startswith(f"{name}: ")
        rom = (tmp_path / "out" / "rom" / f"{name}.txt").read_text().splitlines()
        assert [line.removeprefix("  ") for line in lines] == rom
        far_bits = {
            link["out_port"]: link["code_bits"]
            for link in manifest["links"]
            if link["from"] in nodes
        }
        verilog = (tmp_path / "out" / f"{name}.v").read_text()
        read = list(copies_in_verilog(verilog, router, program, answer["network"], far_bits))
        expected = [
            (row["code"], row["deliver"], [(send["port"], send["code"]) for send in row["sends"]])
            for row in router["codes"]
        ]
        if program["ports"] == "all":
            read, expected = ([(c, d, sorted(s)) for c, d, s in rows] for rows in (read, expected))
        assert read == expected


@pytest.mark.cases(4)
@pytest.mark.parametrize("words", DIRECT, ids=" ".join)
def test_the_bits_told_are_those_of_the_tables(words, capsys, tmp_path) -> None:
    words = [*words, "--fabric", "direct", "--width", "5"]
    answer = json.loads(shown(capsys, [*words, "--json"]))
    manifest, program = generated(capsys, words, tmp_path / "out")
    sizes = {}
    for name, router in program["routers"].items():
        nodes = [node["label"] for node in manifest["nodes"] if node["router"] == name]
        links = {
            link["out_port"]: link["code_bits"]
            for link in manifest["links"]
            if link["from"] in nodes
        }
        one_port = program["ports"] == "one"
        turns = [len(row["sends"]) + 1 if one_port else 1 for row in router["codes"]]
        rows = 2 ** max(1, router["code_bits"]) if answer["rom"] == "block" else sum(turns)
        # A mask of the links, a code for each, whether to deliver, and whether it is the last.
        sizes[name] = rows * (len(links) + sum(links.values()) + 1 + one_port)
    assert answer["rom_bits"] == max(sizes.values())
    assert answer["rom_bits_network"] == sum(sizes[node["router"]] for node in manifest["nodes"])
    assert answer["code_bits"] == max(link["code_bits"] for link in manifest["links"])


@pytest.mark.parametrize("words", ORDERED, ids=" ".join)
def test_the_ordered_plans_shown_are_those_in_the_files(words, capsys, tmp_path) -> None:
    answer = json.loads(shown(capsys, [*words, "--fabric", "ordered", "--json"]))
    text = shown(capsys, [*words, "--fabric", "ordered", "--rows"])
    manifest, program = generated(capsys, [*words, "--fabric", "ordered"], tmp_path / "out")
    assert answer["node_modules"] == program["modules"]
    assert (answer["modules"], answer["root"]) == (len(program["modules"]), program["root"])
    for node, built, placed in zip(
        answer["nodes"], program["nodes"], manifest["nodes"], strict=True
    ):
        cycles = {key: node.pop(key) for key in ("up", "down") if key in node}
        assert cycles == {key: placed[key] for key in ("up", "down") if key in placed}
        assert node == built
    for name, plan in program["modules"].items():
        assert f"\n{name}\n  inputs   {', '.join(plan['inputs']) or 'none'}\n" in text
    assert answer["rom_bits"] == answer["code_bits"] == 0


def test_a_changed_rom_would_be_seen(capsys, tmp_path) -> None:
    """One row of the Verilog is changed; the interpreter reads another row then."""
    _, program = generated(
        capsys, ["star:3", "--fabric", "direct", "--rom", "block"], tmp_path / "out"
    )
    (name, router), *_ = program["routers"].items()
    verilog = (tmp_path / "out" / f"{name}.v").read_text()
    far_bits = {"2": 2, "3": 2}
    right = list(copies_in_verilog(verilog, router, program, "star:3", far_bits))
    wrong = verilog.replace("rom[1] = 7'h15", "rom[1] = 7'h14")
    assert wrong != verilog
    assert right != list(copies_in_verilog(wrong, router, program, "star:3", far_bits))
