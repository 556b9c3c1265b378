"""The scripts of bench/: what they keep is of today's Verilog, and pages show what is kept."""

import importlib
from pathlib import Path

import pytest

from noc.networks import FAMILIES, measure_network
from noc.programs.operations import KINDS
from noc.programs.operators import BUILT_IN
from noc.sweep import measure_task, read_plan, read_table
from noc.sweep.table import COLUMNS, index, key_of, row_for

ROOT = Path(__file__).parent.parent
BENCH = str(ROOT / "bench")


@pytest.fixture(autouse=True)
def scripts(monkeypatch) -> None:
    monkeypatch.syspath_prepend(BENCH)


@pytest.fixture
def verified():
    return importlib.import_module("verified")


def test_one_command_brings_all_evidence_up_to_date() -> None:
    """It names every plan, and scripts and options that there are."""
    evidence = importlib.import_module("evidence")
    plans = {str(path.relative_to(ROOT)) for path in (ROOT / "bench").glob("*.toml")}
    assert set(evidence.SWEEPS) == plans
    for check in (False, True):
        listed = evidence.commands(check=check)
        sweeps = [line for line in listed if "sweep" in line]
        assert [line[4:7:2] for line in sweeps] == [[*each] for each in evidence.SWEEPS.items()]
        assert all(("--check" in line) == check for line in sweeps)
        for _, script, *rest in (line for line in listed if line not in sweeps):
            source = (ROOT / script).read_text(encoding="utf-8")
            assert all(f'"{word}"' in source for word in rest)
    assert all((ROOT / table).is_file() for table in evidence.SWEEPS.values())


def test_a_page_is_filled_between_its_comments() -> None:
    fill = importlib.import_module("tables").fill
    text = "a <!-- x -->1<!-- end --> b <!-- y -->2<!-- end --> c"
    assert fill(text, {"y": "3"}) == "a <!-- x -->1<!-- end --> b <!-- y -->3<!-- end --> c"
    for lack in ("a", "<!-- x --> b", "<!-- end --><!-- x -->"):
        with pytest.raises(SystemExit, match=r"^the page needs <!-- x --> and <!-- end -->"):
            fill(lack, {"x": ""})


@pytest.fixture(params=["verified", "collectives"])
def sweep(request, verified, monkeypatch):
    monkeypatch.chdir(ROOT)
    return next(each for each in verified.SWEEPS if each.name == request.param)


def test_the_page_of_what_is_verified_shows_what_is_kept(verified, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    kept = [
        (each, read_plan(each.plan), [row for row in read_table(each.table) if not row["refused"]])
        for each in verified.SWEEPS
    ]
    assert verified.PAGE.read_text() == verified.page(kept)


@pytest.mark.ci
def test_what_is_verified_is_the_verilog_of_today(sweep) -> None:
    """Of some small designs of each kind; noc sweep --check looks at all."""
    known = index(read_table(sweep.table))
    plan = read_plan(sweep.plan)
    small = [task for task in plan.tasks if measure_network(task.point.network)[1] <= 6]
    there = [task for task in small if key_of(row_for(task, task.axes[0], {})) in known]
    assert there
    older = [t.point.text for t in there[::9] if not measure_task(t, known, only_kept=True)]
    assert older == [], f"noc sweep {sweep.plan} -o {sweep.table}; bench/verified.py"


def test_what_is_verified_has_every_family_and_kind(verified, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    points = [task.point for each in verified.SWEEPS for task in read_plan(each.plan).tasks]
    for some in (points, [point for point in points if point.operations]):
        assert {point.network.partition(":")[0] for point in some} == {*FAMILIES}
    listed = [name for p in points if p.operations for name in p.operations.split(",")]
    assert {name.partition("@")[0].partition(":")[0] for name in listed} == {*KINDS}
    operators = {name.partition("@")[0].partition(":")[2] for name in listed}
    assert operators - {""} == {*BUILT_IN}


def test_a_page_tells_how_many_designs_it_holds_for(verified, sweep) -> None:
    plan = read_plan(sweep.plan)
    row = dict.fromkeys(COLUMNS, "") | {"network": "star:3", "fabric": "ordered", "tools": "t 1"}
    row |= {"transfers": "1234", "cycles": "5", "different": "0"}
    text = verified.page([(sweep, plan, [row])])
    assert f"\n\n**1 of {plan.rows} designs are verified as their Verilog is today: 1,234 " in text
    assert "none differs.** The others are not verified yet" in text
    assert "| star | ordered | 1 | star:3 | 5 | 1,234 | 0 |\n\nTools: t 1.\n" in text
    text = verified.page([(sweep, plan, [row] * plan.rows)])
    assert f"**All {plan.rows} designs are verified" in text
    assert "not verified" not in text
    assert "**2 differ**" in verified.page([(sweep, plan, [row | {"different": "2"}])])
