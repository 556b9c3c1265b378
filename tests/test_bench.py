"""The scripts of bench/: what they keep is of today's Verilog, and pages show what is kept."""

import importlib
from pathlib import Path

import pytest

from noc.networks import FAMILIES, measure_network
from noc.programs.operations import KINDS
from noc.programs.operators import BUILT_IN
from noc.research.sweep import measure_task, read_plan, read_table
from noc.research.sweep.table import COLUMNS, index, key_of, row_for

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
        assert all((ROOT / script).is_file() for _, script in listed[len(sweeps) :])
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
    return request.param, *verified.SWEEPS[request.param]


def test_the_page_of_what_is_verified_shows_what_is_kept(verified, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs" / verified.PAGE).read_text()
    fill = importlib.import_module("tables").fill
    for name, (plan, table) in verified.SWEEPS.items():
        kept = [row for row in read_table(table) if not row["refused"]]
        assert fill(text, verified.parts(name, read_plan(plan), kept)) == text, name


@pytest.mark.cases(0, ci=1)
def test_what_is_verified_is_the_verilog_of_today(sweep) -> None:
    """Of some small designs of each kind; noc sweep --check looks at all."""
    _, file, table = sweep
    known, plan = index(read_table(table)), read_plan(file)
    small = [task for task in plan.tasks if measure_network(task.point.network)[1] <= 6]
    there = [task for task in small if key_of(row_for(task, task.axes[0], {})) in known]
    assert there
    older = [t.point.text for t in there[::9] if not measure_task(t, known, only_kept=True)]
    assert older == [], f"noc sweep {file} -o {table}; bench/verified.py"


def test_what_is_verified_has_every_family_and_kind(verified, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    points = [task.point for plan, _ in verified.SWEEPS.values() for task in read_plan(plan).tasks]
    for some in (points, [point for point in points if point.operations]):
        assert {point.network.partition(":")[0] for point in some} == {*FAMILIES}
    listed = [name for p in points if p.operations for name in p.operations.split(",")]
    assert {name.partition("@")[0].partition(":")[0] for name in listed} == {*KINDS}
    operators = {name.partition("@")[0].partition(":")[2] for name in listed}
    assert operators - {""} == {*BUILT_IN}


def test_a_page_tells_how_many_designs_it_holds_for(verified, sweep) -> None:
    name, file, _ = sweep
    plan = read_plan(file)
    row = dict.fromkeys(COLUMNS, "") | {"network": "star:3", "fabric": "ordered", "tools": "t 1"}
    row |= {"transfers": "1234", "cycles": "5", "different": "0"}
    first, table = verified.parts(name, plan, [row]).values()
    assert first.startswith(
        f"**1 of {plan.rows} designs are verified as their Verilog is today: 1,234 "
    )
    assert "none differs.** The others are not verified yet" in first
    assert "| star | ordered | 1 | star:3 | 5 | 1,234 | 0 |\n\nTools: t 1.\n" in table
    first = verified.parts(name, plan, [row] * plan.rows)[name]
    assert f"**All {plan.rows} designs are verified" in first
    assert "not verified" not in first
    assert "**2 differ**" in verified.parts(name, plan, [row | {"different": "2"}])[name]
