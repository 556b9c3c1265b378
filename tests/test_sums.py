"""Sums of which a summand is chosen: the cells of a family give what the Verilog says."""

from dataclasses import replace
from pathlib import Path

import pytest

from noc.design import build_design
from noc.errors import CheckError
from noc.synth import family, tools
from noc.synth.netlist import map_sums, router_netlists, widths_of_sums

ECP5 = family("ecp5")

MODULE = """\
module m(input [{top}:0] a, b, c, input s, output [{top}:0] o);
  assign o = {sum};
endmodule
"""


def prove(folder: Path, width: int, chips=ECP5, sum_="a + (s ? c : b)") -> None:
    """That the mapped module is the one that was read, for all inputs."""
    text = MODULE.format(top=width - 1, sum=sum_)
    (folder / "m.v").write_text(text, encoding="utf-8")
    models = tools.yosys().share / chips.models[0]
    lines = [
        *("read_verilog -sv m.v", "prep", "rename m gold", "design -stash gold"),
        *("read_verilog -sv m.v", *map_sums(chips, "m", (width,))),
        # Something was mapped.
        *("select -assert-min 1 t:CCU2C", "rename m gate", f"read_verilog -lib {models}"),
        *(f"read_verilog -overwrite {models}", "hierarchy -top gate", "proc", "flatten"),
        *("design -copy-from gold gold", "miter -equiv gold gate miter", "flatten miter"),
        "sat -verify -prove trigger 0 miter",
    ]
    (folder / "prove.ys").write_text("\n".join([*lines, ""]), encoding="utf-8")
    tools.yosys().run(["prove.ys"], folder, "prove.txt", seconds=120)


@pytest.mark.parametrize("width", [5, 8, 11])
@pytest.mark.parametrize("sum_", ["a + (s ? c : b)", "(s ? c : b) + a"])
def test_the_cells_give_the_sum(tmp_path: Path, width: int, sum_: str) -> None:
    prove(tmp_path, width, sum_=sum_)


@pytest.mark.parametrize(
    ("right", "wrong"), [("16'h569a", "16'h596a"), (".C0(one[i])", ".C0(other[i])")]
)
def test_a_wrong_table_is_seen(tmp_path: Path, right: str, wrong: str) -> None:
    text = ECP5.sum_of_choice
    assert right in text
    with pytest.raises(CheckError):
        prove(tmp_path, 8, replace(ECP5, sum_of_choice=text.replace(right, wrong)))


def test_sums_of_joins_are_mapped(tmp_path: Path) -> None:
    """A node adds its own words to those of two children, each of which has two slots."""
    design = build_design("mesh:3,2", operations="all_reduce:sum", width=16)
    assert widths_of_sums(design) == (16,)
    assert widths_of_sums(build_design("mesh:3,2", operations="all_reduce:max")) == ()
    assert widths_of_sums(build_design("mesh:3,2", operations="all_reduce:sum", width=4)) == ()
    assert widths_of_sums(build_design("mesh:3,2")) == ()
    folded = sum(each.area.lut for each in router_netlists(design, ECP5, tmp_path))
    plain = 0
    for netlist in router_netlists(design, replace(ECP5, sum_of_choice=""), tmp_path):
        plain += netlist.area.lut
    assert folded <= plain - 16 * 2
