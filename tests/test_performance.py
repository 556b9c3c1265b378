"""The plain tree to compare with, and the kept figures of the ordered fabric beside it."""

import importlib
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import test_pictures
from ordered_runs import run_bench

from noc.emit.verilog import modules
from noc.errors import CheckError
from noc.hardware import BroadcastNetwork, assemble
from noc.model import all_sources
from noc.model.ordered import simulate_ordered
from noc.model.ordered.load import run_load
from noc.networks import FAMILIES
from noc.programs.ordered import OrderedProgram
from noc.research.sweep import measure_task, read_plan, read_table, write_table
from noc.research.sweep.plain_tree import build_plain_tree
from noc.research.sweep.table import index, key_of

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def scripts(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    monkeypatch.chdir(ROOT)


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "form",
    [{}, {"children": 4}, {"children": 2, "slots": 2}, {"weighted": True, "source_numbers": False}],
)
def test_the_plain_tree_is_what_its_model_says(form: dict[str, Any]) -> None:
    built = build_plain_tree(7, width=8, **form)
    words, cycles = 6, 80
    traffic = all_sources(built.program, words)
    run = simulate_ordered(built.program, traffic, cycles=cycles)
    expected = {
        (int(cycle), node, int(traffic.source[word]))
        for word, row in enumerate(run.arrival[:, :7])
        for node, cycle in enumerate(row)
        if cycle >= 0
    }
    assert len(expected) == 7 * words * (6 if built.program.source_bits else 7)
    assert ejected(built, words, cycles) == expected


def ejected(built, words: int, cycles: int) -> set[tuple[int, int, int]]:
    """Cycle, end and sender of each word that an end of the hardware takes."""
    network, taken = BroadcastNetwork(built), set()
    ends = range(built.ends)
    sides = {s: [getattr(network, f"{s}_{n}") for n in ends] for s in ("inject", "eject")}

    async def testbench(ctx) -> None:
        left = [words] * built.ends
        for end, eject in enumerate(sides["eject"]):
            ctx.set(eject.ready, 1)
            ctx.set(sides["inject"][end].payload, end)
        for cycle in range(cycles):
            for end, inject in enumerate(sides["inject"]):
                ctx.set(inject.valid, left[end] > 0)
            for end, (inject, eject) in enumerate(zip(*sides.values(), strict=True)):
                left[end] -= ctx.get(inject.valid & inject.ready)
                if ctx.get(eject.valid):
                    payload = ctx.get(eject.payload)
                    data = payload.data if built.program.source_bits else payload
                    taken.add((cycle, end, int(data)))
            await ctx.tick()

    run_bench(network, testbench)
    return taken


@pytest.mark.ci
def test_hubs_have_no_streams_of_their_own() -> None:
    top, *parts = modules(build_plain_tree(24))
    hubs = [part for part in parts if "_hub_" in part.name]
    assert len(hubs) == len(parts) - 1
    assert not any("eject" in hub.text.partition(");")[0] for hub in hubs)
    assert (top.text.count(".inject__valid("), top.text.count(".eject__valid(")) == (24, 24)


@pytest.mark.slow
def test_the_plain_tree_is_fair_to_as_many_ends_as_its_hubs_divide() -> None:
    def shares(ends: int, **form: Any) -> tuple[int, int]:
        built = build_plain_tree(ends, **form)
        words = run_load(built.program, 1, 480, warm_up=200).injected[:ends]
        return int(words.min()), int(words.max())

    assert shares(16, children=4) == (30, 30)
    assert shares(24, children=2) == (15, 30)
    assert shares(24, weighted=True) == (20, 20)
    assert build_plain_tree(24).ends == 24


def test_rows_of_other_verilog_are_marked(tmp_path: Path, monkeypatch) -> None:
    """They are shown until the same network is measured again."""
    performance = importlib.import_module("performance")
    shown = performance.parts()["networks"]
    assert shown.count("| star:5 \\* | direct, one sender |") == 1
    assert performance.OLDER in shown
    for name in ("networks", "older", "loads"):
        rows = [
            dict(row, digest=row["digest"] or "1")
            for row in read_table(performance.FOLDER / f"{name}.csv")
        ]
        write_table(tmp_path / f"{name}.csv", rows)
    older = read_table(tmp_path / "older.csv")
    write_table(tmp_path / "networks.csv", [*read_table(tmp_path / "networks.csv"), *older])
    monkeypatch.setattr(performance, "FOLDER", tmp_path)
    shown = performance.parts()["networks"]
    assert shown.count("| star:5 | direct, one sender |") == 1
    assert "\\*" not in shown


def test_only_designs_are_assembled() -> None:
    with pytest.raises(TypeError, match=r"^design must be one of noc.design, not 'star:4'$"):
        assemble("star:4")


def test_the_page_shows_what_is_kept() -> None:
    performance, tables = (importlib.import_module(name) for name in ("performance", "tables"))
    text = (tables.DOCS / performance.PAGE).read_text()
    assert text == tables.fill(text, performance.parts()), "run bench/performance.py"


def test_the_picture_shows_what_is_kept(tmp_path: Path) -> None:
    performance = importlib.import_module("performance")
    performance.draw(tmp_path / "latency.svg")
    test_pictures.assert_same(tmp_path / "latency.svg", performance.PICTURE)


def kept(name: str, **wanted: str) -> list[dict[str, str]]:
    rows = importlib.import_module("tables").read(name)
    return [row for row in rows if wanted.items() <= row.items()]


def texts(row: dict[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in row.items()}


@pytest.mark.ci
def test_what_is_kept_is_what_the_models_give() -> None:
    extra = importlib.import_module("extra")
    for spec in ("mesh:4,4", "plain-tree:16"):
        assert texts(extra.always(spec)) in kept("waits", network=spec)
    for sinks in ("stalling", "queued"):
        row = {"network": "star:4", "sinks": sinks, "queue": "16"}
        assert [texts(extra.stalled("star:4", sinks, 16))] == kept("stalls", **row)
    assert texts(extra.long_run(39)) == kept("long_run")[39]


@pytest.mark.ci
def test_kept_sweeps_hold_today() -> None:
    """Of some small designs; noc sweep --check looks at all."""
    for name in ("loads", "networks"):
        known = index(read_table(ROOT / "docs" / "performance" / f"{name}.csv"))
        tasks = read_plan(ROOT / "bench" / f"{name}.toml").tasks
        small = [task for task in tasks if task.point.network in ("star:4", "plain-tree:24")]
        ordered = [task for task in small if task.point.fabric != "direct"]
        assert len(ordered) == 2
        assert all(measure_task(task, known, only_kept=True) for task in ordered), name


@pytest.mark.ci
def test_loads_are_measured_as_they_are_kept() -> None:
    rows = index(read_table(ROOT / "docs" / "performance" / "loads.csv"))
    tasks = read_plan(ROOT / "bench" / "loads.toml").tasks
    for task in tasks:
        if task.point.network in ("mesh:4,4", "plain-tree:16"):
            (row,) = measure_task(task, {})
            assert row == rows[key_of(row)]


@pytest.mark.ci
def test_searched_waits_stay_within_their_bounds(monkeypatch) -> None:
    extra = importlib.import_module("extra")
    row = extra.searched("star:3", 300)
    assert 0.7 <= row["waited"] / row["bound"] <= 1
    monkeypatch.setattr(OrderedProgram, "most_waited", lambda *_: 3)
    with pytest.raises(CheckError, match="waits longer than it may"):
        extra.searched("star:3", 1)


@pytest.mark.ci
def test_a_variant_of_the_plain_tree_is_measured_as_it_is_kept(monkeypatch) -> None:
    extra = importlib.import_module("extra")
    steps = extra.STEPS | {"synth": SimpleNamespace(measure=lambda *_: dict.fromkeys(extra.PLACED))}
    monkeypatch.setattr(extra, "STEPS", steps)
    row, (old,) = extra.variant(8, 1, False), kept("variants", children="8")
    assert list(row) == list(old)
    for name in ("nodes", "words_least", "words_most"):
        assert str(row[name]) == old[name]
    assert f"{row['cycles_mean']:.1f}" == old["cycles_mean"]


@pytest.mark.parametrize("number", [0, 1, 4, 9])
def test_parts_of_the_long_run(number: int) -> None:
    assert importlib.import_module("extra").long_run(number, 50_000)["passed"] > 0


def test_the_long_run_is_as_long_as_said_and_has_all_families() -> None:
    extra, rows = importlib.import_module("extra"), kept("long_run")
    assert len(rows) == len(extra.CASES)
    counted = sum(int(row["nodes"]) * int(row["cycles"]) for row in rows)
    assert counted >= extra.ROUTER_CYCLES
    assert {row["network"].partition(":")[0] for row in rows} == {*FAMILIES} - {"without"}
    # All forms with all sinks.
    assert len({(row["form"], row["sinks"]) for row in rows}) == 8


@pytest.mark.ci
def test_speeds_are_measured() -> None:
    speed = importlib.import_module("speed")
    row = speed.verify("star:3", 100)
    assert (row["network"], row[" cycles"]) == ("star:3", 100)
    assert row[" simulation"] > 0 < row[" model"]
    row = speed.build("uhc:4,negative,bt2")
    assert (row["case"], row[" nodes"]) == ("`uhc:4,negative`, `bt2`", "16")


@pytest.mark.ci
def test_the_speed_of_the_page_is_measured() -> None:
    speed = importlib.import_module("speed")
    pytest.importorskip("playwright", reason="pip install playwright")
    if not any(map(shutil.which, speed.BROWSERS)):
        pytest.skip("no Chromium is installed")
    assert speed.page("star:4", 0.3, 4)[" frames a second"] > 0
