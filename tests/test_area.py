"""The area of a network by its parts; on Xilinx never a clock."""

import json
from collections import Counter
from pathlib import Path

import pytest

from noc.cli import main
from noc.design import build_design
from noc.errors import InputError
from noc.research.sweep import read_plan
from noc.research.sweep.run import measure_task
from noc.synth import family, measure_area, network_netlist, router_netlists
from noc.synth.nextpnr import Clock

# Both fabrics: constants at the borders of parts, buffers in links, the gate of ``idle``, LUT RAM.
QUICK = [
    ("mesh:2", {"width": 2, "link_registers": 1}, "ecp5"),
    ("complete:7", {"width": 1, "sources": "one"}, "ice40"),
    ("uhc:2", {"width": 1, "sources": "one", "queue": 3}, "ecp5"),
]
LONG = [
    (spec, {"width": 4, **options}, name)
    for name in ("ecp5", "ice40", "nexus")
    for spec, options in (
        ("star:4", {}),
        ("mesh:3,3", {"queue": 4}),
        ("star:5", {"sources": "one"}),
        ("star:3", {"fabric": "direct"}),
        ("tree:2,2", {"fabric": "direct"}),
    )
]


@pytest.mark.cases(0, ci=1)
@pytest.mark.parametrize(
    ("spec", "options", "name"),
    [*QUICK, *(pytest.param(*case, marks=pytest.mark.slow) for case in LONG)],
)
def test_the_parts_add_up_to_the_network(
    tmp_path: Path, spec: str, options: dict, name: str
) -> None:
    """What Yosys counts in the whole network, every cell of it."""
    design, chips = build_design(spec, **options), family(name)
    area = measure_area(design, chips, tmp_path)
    routers = router_netlists(design, chips, tmp_path)
    netlist = network_netlist(design, chips, tmp_path, routers=routers)
    assert area == netlist.area
    flat = json.loads(netlist.json.read_text())["modules"][netlist.name]["cells"].values()
    assert area == chips.area(Counter(cell["type"] for cell in flat))


def test_a_sweep_measures_area_without_place_and_route(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("noc.synth.nextpnr.place_and_route", pytest.fail)
    path = tmp_path / "plan.toml"
    path.write_text(
        'steps = ["area"]\n[[design]]\nnetwork = "mesh:2"\nwidth = 1\ntarget = ["ice40", "mine"]\n',
        "utf-8",
    )
    found, unknown = measure_task(read_plan(path).tasks[0], {})
    design = build_design("mesh:2", width=1)
    area = measure_area(design, family("ice40"), tmp_path)
    assert (found["lut"], found["ff"]) == (str(area.lut), str(area.ff))
    assert (found["mhz"], found["mapping"], found["refused"]) == ("", "", "")
    assert found["tools"].startswith("pyosys ")
    assert "'mine': is unknown; allowed: ecp5, ice40, nexus" in unknown["refused"]


@pytest.mark.ci
def test_a_sweep_tells_the_clocks_of_all_seeds(tmp_path: Path, monkeypatch) -> None:
    def placed(*_: object, seed: int, reroute: bool) -> Clock:
        assert not reroute
        return Clock((125.0, 100.0, 200.0)[seed - 1], 8.0, 2.0, {}, seed)

    monkeypatch.setattr("noc.synth.nextpnr.place_and_route", placed)
    path = tmp_path / "plan.toml"
    path.write_text(
        'steps = "synth"\n[[design]]\nnetwork = "mesh:2"\nwidth = 1\nmapping = "plain"\nseeds = 3',
        "utf-8",
    )
    (found,) = measure_task(read_plan(path).tasks[0], {})
    assert [found[name] for name in ("mhz_least", "mhz", "mhz_most")] == ["100", "125", "200"]


def test_one_step_says_the_area(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('steps = ["area", "synth"]\n[[design]]\nnetwork = "mesh:2"\n', "utf-8")
    with pytest.raises(InputError, match="area and synth both say the area"):
        read_plan(path)


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
@pytest.mark.parametrize(
    "kind", [pytest.param("ordered, queues, sums", marks=pytest.mark.slow), "direct, block RAM"]
)
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


@pytest.mark.slow
def test_the_area_is_told_and_no_clock(cli) -> None:
    options = ["synth", *SMALL, "--target", "xilinx"]
    told = cli.out(*options)
    assert "clock           not known: no open tools place and route this family here\n" in told
    document = cli.facts(*options, "--router")
    assert document["lut"] > 0
    assert document["fmax_mhz"] is document["hop_ns"] is None
    assert document["seeds"] == []


@pytest.mark.cases(1, ci=1)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--seeds", "2"], "--seeds: nothing is placed and routed for xilinx"),
        (["--mapping", "best"], "--mapping: nothing is placed and routed for xilinx"),
        (["--device", "XC7A35T", "--width", "512", "--sources", "one"], "where XC7A35T has 20800"),
    ],
)
def test_what_cannot_be_measured_is_refused(options: list[str], message: str, cli) -> None:
    spec = "star:4" if "--width" in options else "hypercube:1"
    # A synthesis that takes long says before how far it is.
    status, out, err = cli("synth", spec, "--target", "xilinx", *options)
    assert (status, out) == (2, "")
    assert message in err.splitlines()[-1]


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
