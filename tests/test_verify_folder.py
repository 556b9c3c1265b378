"""Folders that `noc verify --verilog` reads: what lies there is believed, and checked before."""

import json
import re
import shutil
from pathlib import Path

import pytest
from folders import change, manifest_of
from helpers import substitute

from noc.cli import main
from noc.design import build_design, build_direct, build_ordered
from noc.emit.folder import write
from noc.emit.verilog import modules
from noc.networks import build_network, from_edges
from noc.programs.config import RouterConfig
from noc.programs.ordered_config import OrderedConfig
from noc.verify.folder import read_folder
from noc.verify.streams import interface


@pytest.fixture
def folder(tmp_path):
    write(build_direct("uhc:2", width=8), tmp_path / "uhc")
    return tmp_path / "uhc"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"network": "uhc:2"}', "\udcff"])
def test_a_half_written_manifest_is_one_line(folder, text, cli):
    (folder / "manifest.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    told = cli.refusal("verify", "--verilog", folder)
    assert re.search(r"manifest\.json: (is no JSON|must be|\w+ is missing)", told)


@pytest.mark.parametrize("spec", ["file:g.graphml", "graph:mine"])
def test_the_folder_of_a_graph_needs_the_graph_no_more(tmp_path, monkeypatch, spec: str):
    """Not where it lay, nor as it was."""
    path = tmp_path / "g.graphml"
    shutil.copy(Path(__file__).parent / "data" / "mixed.graphml", path)
    monkeypatch.chdir(tmp_path)
    ring = from_edges([(0, 1), (1, 2), (2, 0)], name="mine", two_way=False)
    built = build_direct(ring if spec == "graph:mine" else spec, width=8)
    write(built, tmp_path / "out")
    path.unlink()
    monkeypatch.chdir("/")
    result = read_folder(tmp_path / "out")
    assert (result.design.network.spec, result.design.digest) == (spec, built.digest)
    assert interface(result.manifest, result.design).nodes == built.network.nodes


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
    known = manifest_of(folder)
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
def test_verilog_by_somebody_else(folder, cli):
    foreign(folder)
    options = ["verify", "--verilog", str(folder), "--traffic", "back-to-back:half", "--words", "3"]
    good = cli.facts(*options)
    assert (good["mismatches"], good["compared"]["links"]) == (0, 4)
    (folder / "rom" / "own.hex").write_text("00\n")
    assert main(options) == 1


#: What becomes of the Verilog of the top, beside that of a router, and what is said of it.
UNFIT = {
    "ends": ("initial $finish;\nendmodule", "the simulation ended before its time"),
    "stops": ("always @(posedge clk) $stop;\nendmodule", "the simulation ended before its time"),
    "a module twice": ("endmodule\n{router}", "Duplicate declaration of module"),
    "nonsense": ("nonsense", "verilator does not accept the Verilog"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", UNFIT)
def test_verilog_that_cannot_be_simulated_is_told(folder, name, cli):
    text, message = UNFIT[name]
    top, router = folder / "noc_uhc_2.v", (folder / "noc_uhc_2_router.v").read_text()
    top.write_text(top.read_text().replace("endmodule", text.replace("{router}", router)))
    status, out, err = cli("verify", "--verilog", folder, "--traffic", "single")
    assert (status, message in out + err) == (1, True)


@pytest.mark.slow
def test_a_folder_is_verified_and_a_fault_in_it_found(folder, cli):
    change(folder, "manifest", lambda d: d.pop("links"))
    options = ["--verilog", str(folder), "--traffic", "back-to-back:half", "--words", "3", "--json"]
    good = json.loads(cli.out("verify", *options))
    assert good["mismatches"] == 0
    assert good["compared"]["links"] == 0
    router = next(path for path in folder.glob("*.v") if "router" in path.name)
    substitute(router, r"(assign eject__valid =) .+;", r"\1 0;")
    status, out, _ = cli("verify", *options)
    bad = json.loads(out)
    assert status == 1
    assert bad["mismatches"] > 0
    assert bad["runs"][0]["first"][0].startswith("cycle")


# Tables that lie there.


OLDER = Path(__file__).parent / "data" / "older"

SLICED = {"fabric": "direct", "algorithm": "disjoint", "sinks": "always-ready", "width": 17}

DESIGNS = {
    "star": lambda: build_direct(build_network("star:3"), width=8),
    "one source": lambda: build_direct(
        build_network("star:4"), "balanced", sources="one", config=RouterConfig(1, "block", 2)
    ),
    "one port": lambda: build_direct(build_network("scc:3"), ports="one"),
    "single": lambda: build_direct(build_network("mesh:3,2"), sources=[4]),
    "sites": lambda: build_direct(build_network("uhc:3")),
    "ordered": lambda: build_ordered(build_network("star:4")),
    "ordered, one-way": lambda: build_ordered(build_network("uhc:3"), sources=[1, 2, 6], root=3),
    "ordered, registers": lambda: build_ordered(
        build_network("mesh:2,2"),
        config=OrderedConfig(registers_of={(0, 1): 2, (3, 1): 1}, queue=3, own_words=True),
    ),
    "slices": lambda: build_design("mesh:2,3", **SLICED),
    "a dead link": lambda: build_design("mesh:2,3", **SLICED, survive=1, dead="0.0/0.1"),
    "tables to write": lambda: build_design("mesh:2,3", fabric="direct", rom="writable"),
    "detect": lambda: build_design("ring:3", protect="detect"),
    "tmr": lambda: build_design("ring:3", protect="tmr"),
    "void words": lambda: build_design("star:3", operations="all_reduce:sum", void_words=True),
}


#: Whatever looks for automata, trees and codes.
SEARCHES = (
    "noc.design.build_automaton",
    "noc.design.compile_ordered",
    "noc.programs.build.choose_codes",
    "noc.programs.ordered.build_trees",
)


def no_search(*_arguments, **_options):
    raise AssertionError("something is searched for")


@pytest.mark.cases(1, ci=9)
@pytest.mark.parametrize("name", DESIGNS)
def test_a_design_is_read_back_whole_without_a_search(name: str, tmp_path, monkeypatch) -> None:
    built = DESIGNS[name]()
    write(built, tmp_path / "out")
    for search in SEARCHES:
        monkeypatch.setattr(search, no_search)
    back = read_folder(tmp_path / "out").design
    assert (back.digest, back.config) == (built.digest, built.config)
    assert [module.text for module in modules(back)] == [module.text for module in modules(built)]
    program, wanted = back.program, built.program
    assert (program.sources, back.sources) == (wanted.sources, built.sources)
    if hasattr(wanted, "tables"):
        assert program.states == wanted.states
        assert program.tables == wanted.tables
    else:
        assert (program.up.tolist(), program.down_cycles.tolist()) == (
            *(wanted.up.tolist(), wanted.down_cycles.tolist()),
        )


def rewrite(folder: Path) -> None:
    """Verilog that agrees with the tables."""
    for module in modules(read_folder(folder).design):
        (folder / f"{module.name}.v").write_text(module.text)


def routers(document) -> list[dict]:
    return list(document["routers"].values())


def exchange_codes(document) -> None:
    """Codes 0 and 1 mean each other in all routers, and so they do where they are sent."""
    other = {0: 1, 1: 0}
    for router in routers(document):
        router["in_ports"] = {
            p: [other.get(c, c) for c in cs] for p, cs in router["in_ports"].items()
        }
        for row in router["codes"]:
            row["code"] = other.get(row["code"], row["code"])
            for send in row["sends"]:
                send["code"] = other.get(send["code"], send["code"])


def change_weights(document) -> None:
    """The root serves its own words as often as those of two nodes below it."""
    merges = next(iter(document["modules"].values()))["merges"]
    merges[0]["weights"] = [1, 1]


HAND_EDITED = {"direct": exchange_codes, "ordered": change_weights}
TRAFFIC = {"direct": "back-to-back:half", "ordered": "full:half", "operations": "mixed:half"}


def verifying(folder: Path) -> list[object]:
    return ["verify", "--verilog", folder, "--traffic", TRAFFIC[folder.name]]


@pytest.mark.slow
@pytest.mark.parametrize("fabric", HAND_EDITED)
def test_edited_tables_verify_with_verilog_that_agrees_and_only_so(fabric, tmp_path, cli) -> None:
    folder = tmp_path / fabric
    write(build_design("star:3", fabric=fabric, width=8), folder)
    change(folder, "program", HAND_EDITED[fabric])
    status, out, _ = cli(*verifying(folder))
    assert (status, "DIFFERS" in out) == (1, True)
    assert f"{TRAFFIC[fabric]}: cycle " in out
    assert any(f"node {label}" in out for label in ("123", "132", "213", "231", "312", "321"))
    rewrite(folder)
    assert "the Verilog equals the model" in cli.out(*verifying(folder))


@pytest.mark.slow
@pytest.mark.parametrize("fabric", TRAFFIC)
def test_a_folder_of_an_older_version_verifies(fabric, tmp_path, cli) -> None:
    folder = shutil.copytree(OLDER / fabric, tmp_path / fabric)
    assert "the Verilog equals the model" in cli.out(*verifying(folder))
