"""Xilinx: an area, and never a clock."""

import json
from pathlib import Path

import pytest

from noc.cli import main
from noc.design import build_design
from noc.errors import InputError
from noc.synth import family
from noc.synth.netlist import router_netlists

XILINX = family("xilinx")

#: What stands beside tables and is not counted: carry chains and the multiplexers behind tables.
BESIDE = {"CARRY4", "MUXF7", "MUXF8"}

#: Few routers each: the cells of a family that its flow begins with take seconds to read.
DESIGNS = {
    "ordered, queues, sums": lambda: build_design(
        "hypercube:1", width=8, queue=8, operations=["broadcast", "all_reduce:sum"]
    ),
    "direct, block RAM": lambda: build_design("complete:3", width=8, sources="one", rom="block"),
}


@pytest.mark.ci
@pytest.mark.parametrize("kind", DESIGNS)
def test_every_cell_is_known(tmp_path: Path, kind: str) -> None:
    counted = XILINX.ffs + XILINX.brams
    for netlist in router_netlists(DESIGNS[kind](), XILINX, tmp_path):
        left = {c for c in netlist.cells if not c.startswith(counted)}
        assert left - BESIDE <= set(XILINX.luts)
        ffs = sum(count for cell, count in netlist.cells.items() if cell.startswith("FD"))
        assert (netlist.area.ff, netlist.area.lut > 0) == (ffs, True)
        assert (netlist.area.bram > 0) == (kind == "direct, block RAM")


def test_tables_of_ram_are_counted_as_what_they_take() -> None:
    area = XILINX.area({"LUT6": 3, "LUT2": 2, "RAM32M": 5, "RAM64X1D": 1, "CARRY4": 9, "FDSE": 4})
    assert (area.lut, area.ff, area.lutram) == (3 + 2 + 5 * 4 + 2, 4, 6)


#: Routers that are mapped already are kept, for all tests of a run.
SMALL = ["hypercube:1", "--width", "8", "--queue", "8", "--operations", "broadcast,all_reduce:sum"]


@pytest.mark.ci
def test_the_area_is_told_and_no_clock(capsys) -> None:
    options = ["synth", *SMALL, "--target", "xilinx"]
    assert main(options) == 0
    told = capsys.readouterr().out
    assert "clock           not known: no open tools place and route this family here\n" in told
    assert main([*options, "--router", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["lut"] > 0
    assert document["fmax_mhz"] is document["hop_ns"] is None
    assert document["seeds"] == []


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seeds", "2"], "--seeds: nothing is placed and routed for xilinx"),
        (["--mapping", "best"], "--mapping: nothing is placed and routed for xilinx"),
        (
            ["--device", "XC7A35T", "--width", "512", "--sources", "one"],
            "where XC7A35T has 20800",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused(options: list[str], message: str, capsys) -> None:
    spec = "star:4" if "--width" in options else "hypercube:1"
    assert main(["synth", spec, "--target", "xilinx", *options]) == 2
    assert message in capsys.readouterr().err


def test_whoever_needs_a_clock_is_refused() -> None:
    with pytest.raises(InputError, match=r"^name='xilinx': no open tools place and route Xilinx"):
        _ = XILINX.routers


@pytest.mark.ci
def test_a_sweep_has_areas_and_says_why_it_has_no_clock(tmp_path: Path) -> None:
    for step, refused in (("area", False), ("synth", True)):
        plan = tmp_path / f"{step}.toml"
        plan.write_text(
            f'steps = "{step}"\n[[design]]\nnetwork = "hypercube:1"\nwidth = 8\nqueue = 8\n'
            'operations = [["broadcast", "all_reduce:sum"]]\ntarget = "xilinx"\n',
            "utf-8",
        )
        table = plan.with_suffix(".csv")
        assert main(["sweep", str(plan), "--part", "1/1", "-o", str(table)]) == 0
        text = table.read_text("utf-8")
        assert ("no open tools place and route" in text) == refused
