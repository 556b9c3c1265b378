"""Networks in the cells of a library: a small one whose areas are known."""

import os
import re
from pathlib import Path

import networkx
import pytest
from helpers import edit

from noc.design import build_design
from noc.emit.verilog import modules
from noc.errors import InputError
from noc.hardware import assemble
from noc.synth import sta
from noc.synth.cells import measure_cells, read_liberty

#: Area and function of each.
GATES = {"BUF": (4, "(A)"), "INV": (1, "(!A)"), "NAND2": (2, "(!(A B))"), "NOR2": (3, "(!(A+B))")}
REGISTER, BIG_NAND = 10, 7

HEAD = """library(tiny) {
  delay_model : table_lookup;
  time_unit : "1ns";
  capacitive_load_unit (1, pf);
  slew_lower_threshold_pct_rise : 20; slew_lower_threshold_pct_fall : 20;
  slew_upper_threshold_pct_rise : 80; slew_upper_threshold_pct_fall : 80;
  input_threshold_pct_rise : 50; input_threshold_pct_fall : 50;
  output_threshold_pct_rise : 50; output_threshold_pct_fall : 50;
  lu_table_template(some) {
    variable_1 : input_net_transition;
    variable_2 : total_output_net_capacitance;
    index_1 ("0.1, 9");
    index_2 ("0.1, 9");
  }
  lu_table_template(late) {
    variable_1 : related_pin_transition;
    variable_2 : constrained_pin_transition;
    index_1 ("0.1, 9");
    index_2 ("0.1, 9");
  }
"""

ARC = """
    timing() {{ related_pin : "{pin}"; timing_sense : negative_unate;
      cell_rise(some) {{ values("1, 1", "1, 1"); }}
      cell_fall(some) {{ values("1, 1", "1, 1"); }}
      rise_transition(some) {{ values("1, 1", "1, 1"); }}
      fall_transition(some) {{ values("1, 1", "1, 1"); }}
    }}"""

CELL = """
  cell ({name}) {{
    area : {area};
    {pins}
    pin(Y) {{ direction : output; function : "{function}"; max_capacitance : 9; {arcs} }}
  }}
"""

FLOP = """
  cell ("DFF") {{
    /* area : 99; cell (NOTHING) */
    area : {area};
    ff(IQ, IQN) {{ next_state : "D"; clocked_on : "CLK"; }}
    pin(D) {{ direction : input; }}
    pin(CLK) {{ direction : input; clock : true; }}
    pin(Q) {{ direction : output; function : "IQ"; }}
  }}
"""


def written(folder: Path, flops: str = FLOP.format(area=REGISTER)) -> Path:
    cells = GATES | {"NAND2X4": (BIG_NAND, GATES["NAND2"][1])}
    text = HEAD
    for name, (area, function) in cells.items():
        used = [pin for pin in "AB" if pin in function]
        pins = "".join(f"pin({p}) {{ direction : input; capacitance : 0.1; }} " for p in used)
        arcs = "".join(ARC.format(pin=pin) for pin in used)
        text += CELL.format(name=name, area=area, pins=pins, function=function, arcs=arcs)
    path = folder / "tiny.lib"
    path.write_text(f"{text}{flops}}}\n", encoding="utf-8")
    return path


def test_a_library_is_read(tmp_path: Path) -> None:
    name, cells = read_liberty(written(tmp_path))
    assert name == "tiny"
    assert {cell: known.area for cell, known in cells.items()} == {
        **{cell: area for cell, (area, _) in GATES.items()},
        "NAND2X4": BIG_NAND,
        "DFF": REGISTER,
    }
    assert [cell for cell, known in cells.items() if known.register] == ["DFF"]


@pytest.mark.cases(1)
@pytest.mark.parametrize(("options", "copies"), [({}, 1), ({"protect": "tmr"}, 3)])
def test_areas_add_up(options: dict, copies: int, tmp_path: Path) -> None:
    design = build_design("ring:4", width=3, sinks="always-ready", **options)
    found = measure_cells(design, written(tmp_path), tmp_path, progress=lambda _: None)
    area = {cell: gate[0] for cell, gate in GATES.items()} | {"DFF": REGISTER}
    assert set(found.cells) <= set(area)
    assert found.area == sum(area[cell] * count for cell, count in found.cells.items())
    assert found.gates == found.area / GATES["NAND2"][0]
    # Bits of registers, as the Verilog of each node declares them.
    bare = build_design("ring:4", width=3, sinks="always-ready")
    bits = {}
    for module in modules(bare)[1:]:
        taken = re.findall(r"posedge clk\)\n\s+(\w+) <=", module.text)
        spans = {
            name: int(high or 0) + 1
            for high, name in re.findall(r"reg (?:\[(\d+):0\] )?(\w+)", module.text)
        }
        bits[module.name] = sum(spans[name] for name in taken)
    suffixes = [assemble(bare).part_of(node).suffix for node in range(4)]
    total = sum(next(b for name, b in bits.items() if name.endswith(s)) for s in suffixes)
    assert found.flip_flops == copies * total


def test_the_command(cli, tmp_path: Path) -> None:
    path = written(tmp_path)
    answer = cli.facts("synth", "ring:3", "--width", "2", "--cells", path)
    # Each cell takes a nanosecond.
    assert answer["library"] == "tiny"
    assert 1000 <= answer["logic_ps"] <= 20_000
    assert answer["logic_ps"] % 1000 == 0
    assert answer["kge"] == round(answer["area"] / 2 / 1000, 2)
    assert {row["cell"] for row in answer["cells"]} <= {*GATES, "DFF"}
    assert answer["flip_flops"] == next(r["count"] for r in answer["cells"] if r["cell"] == "DFF")
    for more in (("--target", "ecp5"), ("--seeds", "3"), ("--router",)):
        status, _, err = cli("synth", "ring:3", "--cells", path, *more)
        assert (status, f"{more[0]}: is for chips that exist" in err) == (2, True)


def test_what_is_no_library_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_liberty(tmp_path / "none.lib")
    path = written(tmp_path)
    edit(path, "(A)", "(!A)")
    with pytest.raises(InputError, match="has no buffer"):
        read_liberty(path)
    with pytest.raises(InputError, match="has no flip-flop"):
        read_liberty(written(tmp_path, flops=""))
    path = written(tmp_path)
    edit(path, "cell_rise", "cell_rose")
    with pytest.raises(InputError, match="has no delays"):
        read_liberty(path)
    (tmp_path / "tiny.lib").write_text("cell", encoding="utf-8")
    with pytest.raises(InputError, match="is no library of cells in the Liberty format"):
        read_liberty(tmp_path / "tiny.lib")


def with_sta(monkeypatch: pytest.MonkeyPatch, folder: Path, text: str) -> None:
    """Stands for OpenSTA on PATH."""
    folder.mkdir()
    (folder / "sta").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "sta").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


def test_opensta_tells_the_clock_of_the_whole_network(cli, tmp_path: Path, monkeypatch) -> None:
    log = tmp_path / "log"
    text = f"cat cells.v $3 > {log}; echo $1 $2 >> {log}; echo '   996.00000   slack (MET)'"
    with_sta(monkeypatch, tmp_path / "programs", text)
    command = ("synth", "ring:3", "--width", "2", "--cells", written(tmp_path))
    assert cli.facts(*command)["clock_mhz"] == 250
    given = log.read_text()
    assert given.endswith("-no_splash -exit\n")
    # The netlist has nothing but cells of the library.
    body = given.partition("module noc_ring_3(")[2].partition("endmodule")[0]
    kinds = set(re.findall(r"(?m)^  (\w+) \S+ \($", body))
    assert {"DFF"} < kinds <= {*GATES, "DFF"}
    assert "link_design noc_ring_3\n" in given


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("echo 'Error: line 1, nothing'", "not known: sta says: Error: line 1"),
        ("exit 3", "not known: sta ended with status 3"),
    ],
)
def test_without_a_clock_the_area_is_told(cli, tmp_path, monkeypatch, text, words) -> None:
    with_sta(monkeypatch, tmp_path / "programs", text)
    command = ("synth", "ring:3", "--width", "2", "--cells", written(tmp_path))
    assert words in cli.out(*command)
    assert cli.facts(*command)["clock_mhz"] is None


def test_a_machine_without_opensta_says_so(cli, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(sta.shutil, "which", lambda _: None)
    words = "not known: OpenSTA is not installed: no sta on PATH"
    assert words in cli.out("synth", "ring:3", "--width", "2", "--cells", written(tmp_path))


SETUP = """
    pin(D) { direction : input; timing() { related_pin : "CLK"; timing_type : setup_rising;
      rise_constraint(late) { values("0, 0", "0, 0"); }
      fall_constraint(late) { values("0, 0", "0, 0"); } } }"""
#: A register that takes 1 ns as gates do, and must have what it takes when its clock rises.
EDGE = ARC.format(pin="CLK").replace("negative_unate;", "non_unate; timing_type : rising_edge;")
CLOCKED = (
    FLOP.format(area=REGISTER)
    .replace("\n    pin(D) { direction : input; }", SETUP)
    .replace('function : "IQ";', f'function : "IQ"; {EDGE}')
)


def longest_path(netlist: str) -> int:
    """The most gates from register to register."""
    graph = networkx.DiGraph()
    for kind, pins in re.findall(r"(?m)^  (\w+) \S+ \(\n((?:    \.\w+\(.*\),?\n)+)  \);", netlist):
        nets = dict(re.findall(r"\.(\w+)\((.*?)\)(?:,|$)", pins, re.MULTILINE))
        if kind == "DFF":
            graph.add_edge("registers", nets["Q"])
            graph.add_edge(nets["D"], "ends")
        for pin in set(nets) & {"A", "B"}:
            graph.add_edge(nets[pin], nets["Y"])
    within = networkx.descendants(graph, "registers") & networkx.ancestors(graph, "ends")
    path = networkx.dag_longest_path(graph.subgraph({"registers", "ends", *within}))
    return len(path) - 3


@pytest.mark.skipif(sta.find() is None, reason="needs OpenSTA: sta on PATH")
def test_the_clock_is_that_of_the_slowest_path(tmp_path: Path) -> None:
    design = build_design("ring:3", width=2)
    found = measure_cells(design, written(tmp_path, CLOCKED), tmp_path, progress=lambda _: None)
    # A register and all gates behind it take 1 ns each.
    gates = longest_path((tmp_path / "cells.v").read_text())
    assert found.clock_mhz == pytest.approx(1000 / (1 + gates), rel=1e-4)
    assert gates >= found.logic_ps / 1000
