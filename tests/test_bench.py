"""The scripts of bench/: what they keep is of today's Verilog, and pages show what is kept."""

import importlib
import re
from dataclasses import replace
from pathlib import Path

import pytest

from noc.errors import InputError
from noc.networks import FAMILIES, measure_network
from noc.sweep import Row, measure_task, read_plan, read_table
from noc.sweep.table import index, key_of, row_for
from noc.synth import Area
from noc.synth.fit import lacking
from noc.trees import ALGORITHMS

ROOT = Path(__file__).parent.parent
BENCH = str(ROOT / "bench")


@pytest.fixture(autouse=True)
def scripts(monkeypatch) -> None:
    monkeypatch.syspath_prepend(BENCH)


@pytest.fixture
def area():
    return importlib.import_module("area")


@pytest.fixture
def verified():
    return importlib.import_module("verified")


@pytest.fixture
def atlas(monkeypatch):
    # The file of a graph in the plan is relative to it.
    monkeypatch.chdir(ROOT)
    return importlib.import_module("atlas")


def test_a_network_that_does_not_fit_is_a_result(area, monkeypatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise InputError(line)

    monkeypatch.setattr(area, "measure_design", refuse)
    case = next(case for case in area.cases() if case.kind == "network")
    lack = lacking(Area(96768, 20224, 0, 2560), Area(83640, 83640, 208, 0), "LFE5U-85F")
    line = f"uhc:8 at width 32 needs {lack}; use a smaller network, or less --width"
    assert area.measure(case, case.build())["lut"] == ""
    line = "yosys is missing: pip install pyosys"
    with pytest.raises(InputError, match="yosys is missing"):
        area.measure(case, case.build())


def test_a_case_is_measured_again_only_of_other_verilog(area, tmp_path, monkeypatch) -> None:
    case = area.Case("router", "star:3", "balanced", "one", 8)
    columns = area.AREA.columns
    table = area.Table("some", columns[:9], columns[9:], folder=tmp_path)
    monkeypatch.setattr(area, "AREA", table)
    monkeypatch.setattr(area, "cases", lambda: [case])
    monkeypatch.setattr(area, "measure", lambda *_: dict.fromkeys(columns[9:], "7"))
    area.refresh(["network"])
    assert table.read() == []
    area.refresh(["star:3", "router"])
    assert [(row["sources"], row["lut"]) for row in table.read()] == [("one", "7")]
    monkeypatch.setattr(area, "measure", lambda *_: dict.fromkeys(columns[9:], "8"))
    area.refresh([])
    assert [row["lut"] for row in table.read()] == ["7"]
    monkeypatch.setattr(area, "digest", lambda _: "other")
    area.refresh([])
    assert [row["lut"] for row in table.read()] == ["8"]


def test_a_page_is_filled_between_its_comments() -> None:
    fill = importlib.import_module("tables").fill
    text = "a <!-- x -->1<!-- end --> b <!-- y -->2<!-- end --> c"
    assert fill(text, {"y": "3"}) == "a <!-- x -->1<!-- end --> b <!-- y -->3<!-- end --> c"
    for lack in ("a", "<!-- x --> b", "<!-- end --><!-- x -->"):
        with pytest.raises(SystemExit, match=r"^the page needs <!-- x --> and <!-- end -->"):
            fill(lack, {"x": ""})


def test_a_network_too_large_for_its_chip_is_told_so(area) -> None:
    case = area.Case("network", "star:5", "balanced", "one", 8, "ice40", "plain")
    assert area.measure(case, case.build())["lut"] == ""


def test_starvation_is_what_the_page_says() -> None:
    script = importlib.import_module("throughput")
    text = (ROOT / "docs" / "throughput.md").read_text()
    for table in (
        script.show_endless([("star:4", "balanced")]),
        script.show_batches([("star:4", "shortest")]),
    ):
        assert set(table.splitlines()) <= set(text.splitlines())


@pytest.fixture
def kept(verified, monkeypatch) -> list[Row]:
    monkeypatch.chdir(ROOT)
    return read_table(verified.TABLE)


def test_the_page_of_what_is_verified_shows_what_is_kept(verified, kept) -> None:
    rows = [row for row in kept if not row["refused"]]
    assert verified.PAGE.read_text() == verified.page(read_plan(verified.PLAN), rows)


def test_what_is_verified_is_the_verilog_of_today(verified, kept) -> None:
    """Of some small designs of each kind; noc sweep --check looks at all."""
    known = index(kept)
    plan = read_plan(verified.PLAN)
    small = [task for task in plan.tasks if measure_network(task.point.network)[1] <= 6]
    there = [task for task in small if key_of(row_for(task, task.axes[0], {})) in known]
    older = [t.point.text for t in there[::9] if not measure_task(t, known, only_kept=True)]
    assert older == [], "noc sweep bench/verified.toml -o docs/verified.csv; bench/verified.py"


def test_a_page_tells_how_many_designs_it_holds_for(verified, kept) -> None:
    plan = read_plan(verified.PLAN)
    row = dict.fromkeys(kept[0], "") | {"network": "star:3", "fabric": "ordered", "tools": "t 1"}
    row |= {"transfers": "1234", "cycles": "5", "different": "0"}
    text = verified.page(plan, [row])
    assert f"\n\n**1 of {plan.rows} designs are verified as their Verilog is today: 1,234 " in text
    assert "none differs.** The others are not verified yet" in text
    assert "| star | ordered | 1 | star:3 | 5 | 1,234 | 0 |\n\nTools: t 1.\n" in text
    text = verified.page(plan, [row] * plan.rows)
    assert f"**All {plan.rows} designs are verified" in text
    assert "not verified" not in text
    assert "**2 differ**" in verified.page(plan, [row | {"different": "2"}])


def test_the_page_of_areas_shows_what_is_kept(area) -> None:
    text = area.PAGE.read_text()
    assert text == area.page(text), "run bench/area.py --page"


def test_a_network_of_one_router_has_so_many_of_it(area) -> None:
    counted = 0
    for case in area.cases():
        one, two = (area.AREA.find(**replace(case, kind=k).named) for k in ("network", "router"))
        if (
            one
            and two
            and one["lut"]
            and (one["commit"], two["router_modules"]) == (*(two["commit"], "1"),)
        ):
            counted += 1
            assert int(one["lut"]) == int(one["nodes"]) * int(two["lut"])
    assert counted


def test_the_page_of_the_atlas_shows_its_table(atlas) -> None:
    text = atlas.PAGE.read_text(encoding="utf-8")
    told = re.search(r"\*\*([\d,]+) of [\d,]+ rows are older", text)
    older = int(told[1].replace(",", "")) if told else 0
    assert text == atlas.page(read_plan(atlas.PLAN), read_table(atlas.TABLE), older)


def test_the_atlas_is_of_the_verilog_of_today(atlas) -> None:
    """Of some small designs of each kind; noc sweep --check looks at all."""
    known = index(read_table(atlas.TABLE))
    small = [t for t in read_plan(atlas.PLAN).tasks if measure_network(t.point.network)[1] <= 8]
    tree = [task for task in small if task.steps == ("tree", "model")]
    area = [task for task in small if task.steps == ("area",)]
    assert len(tree) > 40
    assert len(area) > 20
    older = [
        f"{task.steps} {task.point.text}"
        for task in (*tree[::4], *area[::5])
        if {key_of(row_for(task, axes, {})) for axes in task.axes} <= {*known}
        and len(measure_task(task, known, only_kept=True)) < len(task.axes)
    ]
    assert older == [], "noc sweep bench/atlas.toml -o noc/data/atlas.csv; bench/atlas.py"


def test_the_atlas_is_large(atlas) -> None:
    rows = [row for row in read_table(atlas.TABLE) if not row["refused"]]
    assert len(rows) >= 1000
    families = {row["network"].partition(":")[0] for row in rows}
    assert families == {*FAMILIES, "file"}
    assert {row["algorithm"] for row in rows} == set(ALGORITHMS)
    assert {row["fabric"] for row in rows} == {"ordered", "direct"}
    assert {row["target"] for row in rows} == {"", "ecp5", "ice40", "nexus"}


def test_the_page_of_the_atlas_tells_what_is_older(atlas) -> None:
    plan, rows = read_plan(atlas.PLAN), read_table(atlas.TABLE)
    text = atlas.page(plan, rows, 0)
    assert text.startswith("# Atlas\n\n**All rows are of the Verilog of today.**")
    text = atlas.page(plan, rows[:-5], 1234)
    assert f"**1,234 of {len(rows) - 5:,} rows are older than the Verilog of today.**" in text
    missing = plan.rows - len(rows) + 5
    assert f" {missing:,} rows of the plan are not measured yet." in text


def test_the_atlas_is_drawn_the_same_from_the_same_table(atlas, tmp_path) -> None:
    rows = read_table(atlas.TABLE)[::3]
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
        atlas.draw(rows, folder)
    names = [path.name for path in sorted(folders[0].iterdir())]
    assert names == ["atlas-cycles.svg", "atlas-luts.svg", "atlas-words.svg"]
    for name in names:
        assert (folders[0] / name).read_bytes() == (folders[1] / name).read_bytes()
