"""The area of a network by its parts."""

import json
from collections import Counter
from pathlib import Path

import pytest

from noc.design import build_design
from noc.errors import InputError
from noc.research.sweep import read_plan
from noc.research.sweep.measure import measure_task
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


@pytest.mark.cases(1)
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


def test_a_sweep_tells_the_clocks_of_all_seeds(tmp_path: Path, monkeypatch) -> None:
    def placed(*_: object, seed: int) -> Clock:
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
