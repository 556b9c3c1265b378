"""Networks in the cells of a library: a small one whose areas are known."""

import re
from pathlib import Path

import pytest
from helpers import edit

from noc.design import build_design
from noc.emit.verilog import modules
from noc.errors import InputError
from noc.hardware import assemble
from noc.synth.cells import measure_cells, read_liberty

#: Area and function of each.
GATES = {"BUF": (4, "(A)"), "INV": (1, "(!A)"), "NAND2": (2, "(!(A B))"), "NOR2": (3, "(!(A+B))")}
REGISTER, BIG_NAND = 10, 7

HEAD = """library(tiny) {
  time_unit : "1ns";
  capacitive_load_unit (1, pf);
  lu_table_template(some) {
    variable_1 : input_net_transition;
    variable_2 : total_output_net_capacitance;
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
