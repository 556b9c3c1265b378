"""Folders that `noc verify --verilog` reads: of `noc generate`, spoilt, and by somebody else."""

import json
import re
import shutil
from pathlib import Path

import pytest

from noc.cli import main
from noc.design import build_direct
from noc.emit.folder import write
from noc.networks import build_network
from noc.verify.folder import read_folder
from noc.verify.streams import interface


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("written") / "uhc"
    write(build_direct(build_network("uhc:2"), width=8), folder)
    return folder


@pytest.fixture
def folder(written, tmp_path):
    return shutil.copytree(written, tmp_path / "uhc")


def spoil_manifest(folder, change):
    path = folder / "manifest.json"
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def test_a_folder_is_read_with_the_tables_it_was_written_with(tmp_path):
    built = build_direct(build_network("uhc:2"), width=8)
    write(built, tmp_path / "out")
    result = read_folder(tmp_path / "out").design
    assert result.program.tables == built.program.tables


def test_a_folder_is_read(folder):
    result = read_folder(folder)
    assert result.design.network.spec == "uhc:2"
    assert {source.suffix for source in result.sources} == {".v"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("width"), "width is missing"),
        (lambda d: d.pop("top"), "manifest.json: top is missing"),
        (lambda d: d.update(files=[]), "lists no Verilog files"),
        (lambda d: d["files"].append("none.v"), "there is no such file"),
        (lambda d: d["nodes"].pop(), "nodes are not those of uhc:2"),
        (
            lambda d: d["nodes"][0]["eject"].pop("ready"),
            "manifest.json: nodes[0].eject: ready is missing",
        ),
        (lambda d: d.update(sources="many"), "sources must be all, one or labels"),
        (lambda d: d.update(network="uhc:99"), "uhc:99"),
        (lambda d: d.update(network=["uhc:2"]), "no family"),
        (lambda d: d.update(width=True), "width must be a whole number"),
        (lambda d: d.update(width=0), "from 1 to 512 bits"),
        (lambda d: d.update(files="top.v"), "files must be a list"),
        (lambda d: d.update(nodes=4), "manifest.json: nodes: must be a list, not 4"),
        (lambda d: d.update(top="a b"), "'a b' is no name of a signal or module"),
        (lambda d: d.update(clock=None), "None is no name of a signal or module"),
        (lambda d: d["links"][0].update(in_port="north"), "links[0].in_port: must be one of "),
        (
            lambda d: d["links"][0]["fields"][0].update(bits=7),
            "fields must be code of 3 bits, data of ",
        ),
        (lambda d: d["links"].append(d["links"][0]), "is the name of two streams"),
        (lambda d: d["nodes"][1].update(inject=None), "the inject streams are not those of the so"),
    ],
)
def test_a_bad_folder_is_one_line(folder, change, message, capsys):
    spoil_manifest(folder, change)
    assert main(["verify", "--verilog", str(folder)]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("text", ["", "{", "[]", '{"network": "uhc:2"}', "\udcff"])
def test_a_half_written_manifest_is_one_line(folder, text, capsys):
    (folder / "manifest.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert main(["verify", "--verilog", str(folder)]) == 2
    assert re.search(
        r"manifest\.json: (is no JSON|must be|\w+ is missing)", capsys.readouterr().err
    )


def test_the_folder_of_a_graph_needs_the_graph_no_more(tmp_path, monkeypatch):
    """Not where it lay, nor as it was."""
    path = tmp_path / "g.graphml"
    shutil.copy(Path(__file__).parent / "data" / "mixed.graphml", path)
    monkeypatch.chdir(tmp_path)
    built = build_direct(build_network("file:g.graphml"), width=8)
    write(built, tmp_path / "out")
    path.unlink()
    monkeypatch.chdir("/")
    result = read_folder(tmp_path / "out")
    assert result.design.network.spec == "file:g.graphml"
    assert result.design.digest == built.digest
    assert interface(result.manifest, result.design).nodes == built.network.nodes


@pytest.mark.parametrize(
    ("key", "value"),
    [("queue", "x"), ("queue", None), ("queue", True), ("queue", [1]), ("link_registers", True)],
)
def test_a_configuration_of_another_type_is_one_line(folder, key, value, capsys):
    spoil_manifest(folder, lambda known: known.update({key: value}))
    assert main(["verify", "--verilog", str(folder)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("noc verify: error: ")
    assert f"--{key.replace('_', '-')} {value}: " in err
    assert err.count("\n") == 1


# Somebody else's top: other file names, names that clash with those of the bench, keywords, links
# that lie deeper, a clock of another name, a table in a file, and comments that are not UTF-8.
FOREIGN = """
// caf\xe9
`include "sizes.vh"
module \\the.top (input clock, input log, {ports});
  reg [7:0] table_of_its_own [0:0];
  initial $readmemh("rom/own.hex", table_of_its_own);
  wire right = table_of_its_own[0] == 8'h5a;
  noc_uhc_2 inner (.clk(clock), .rst(log || !right), {connections});
endmodule
"""

CLASHES = ["done", "cycle", "\\wire ", "next", "\\odd[3] ", "dut", "n", "name"]


def foreign(folder):
    """Wrap the network in a folder, as somebody else would write it."""
    known = json.loads((folder / "manifest.json").read_text())
    ports, connections, clashes = [], [], iter(CLASHES)
    for node in known["nodes"]:
        for side in ("inject", "eject"):
            del node[side]["fields"]
            for signal_, name in list(node[side].items()):
                fresh = next(clashes, f"\\{name}.x ")
                out = (side == "eject") != (signal_ == "ready")
                span = "[`WIDTH-1:0] " if signal_ == "payload" else ""
                ports.append(f"{'output' if out else 'input'} {span}{fresh}")
                connections.append(f".{name}({fresh})")
                node[side][signal_] = fresh.strip().removeprefix("\\")
    for link in known["links"]:
        link.update({name: f"inner.{link[name]}" for name in ("valid", "ready", "payload")})
    known.update(top="the.top", clock="clock", reset="log", files=["my top.sv"])
    (folder / "src").mkdir()
    for path in folder.glob("*.v"):
        path.rename(folder / "src" / path.name)
        known["files"].append(f"src/{path.name}")
    (folder / "src" / "sizes.vh").write_text("`define WIDTH 8\n")
    (folder / "rom" / "own.hex").write_text("5a\n")
    text = FOREIGN.format(ports=", ".join(ports), connections=", ".join(connections))
    known["files"][0] = "src/top.sv"
    (folder / "src" / "top.sv").write_text(text, encoding="latin-1")
    del known["generator"], known["idle"]
    (folder / "manifest.json").write_text(json.dumps(known))


@pytest.mark.slow
def test_verilog_by_somebody_else(folder, capsys):
    foreign(folder)
    options = ["verify", "--verilog", str(folder), "--traffic", "back-to-back:half", "--words", "3"]
    assert main([*options, "--json"]) == 0
    good = json.loads(capsys.readouterr().out)
    assert (good["mismatches"], good["compared"]["links"]) == (0, 4)
    (folder / "rom" / "own.hex").write_text("00\n")
    assert main(options) == 1


@pytest.mark.slow
@pytest.mark.parametrize("text", ["initial $finish;", "always @(posedge clk) $stop;"])
def test_verilog_that_ends_the_simulation_is_told(folder, text, capsys):
    top = folder / "noc_uhc_2.v"
    top.write_text(top.read_text().replace("endmodule", f"{text}\nendmodule"))
    assert main(["verify", "--verilog", str(folder), "--traffic", "single"]) == 1
    assert "the simulation ended before its time" in capsys.readouterr().out


@pytest.mark.slow
def test_a_folder_is_verified_and_a_fault_in_it_found(folder, capsys):
    spoil_manifest(folder, lambda d: d.pop("links"))
    options = ["--verilog", str(folder), "--traffic", "back-to-back:half", "--words", "3", "--json"]
    assert main(["verify", *options]) == 0
    good = json.loads(capsys.readouterr().out)
    assert good["mismatches"] == 0
    assert good["compared"]["links"] == 0
    router = next(path for path in folder.glob("*.v") if "router" in path.name)
    text, hits = re.subn(r"(assign eject__valid =) .+;", r"\1 0;", router.read_text(), count=1)
    assert hits
    router.write_text(text)
    assert main(["verify", *options]) == 1
    bad = json.loads(capsys.readouterr().out)
    assert bad["mismatches"] > 0
    assert bad["runs"][0]["first"][0].startswith("cycle")


@pytest.mark.slow
def test_two_modules_of_one_name_are_refused(folder, capsys):
    top = folder / "noc_uhc_2.v"
    top.write_text(top.read_text() + (folder / "noc_uhc_2_router.v").read_text())
    assert main(["verify", "--verilog", str(folder)]) == 1
    assert "Duplicate declaration of module" in capsys.readouterr().err


@pytest.mark.slow
def test_verilog_that_does_not_compile_is_told(folder, capsys):
    (folder / "noc_uhc_2.v").write_text("module noc_uhc_2; nonsense")
    assert main(["verify", "--verilog", str(folder)]) == 1
    assert "verilator does not accept the Verilog" in capsys.readouterr().err
