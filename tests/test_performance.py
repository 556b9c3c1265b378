"""The plain tree to compare with, and the kept figures of the ordered fabric beside it."""

import importlib
from pathlib import Path
from typing import Any

import pytest
from amaranth.sim import Simulator

from noc.emit.verilog import modules
from noc.hardware import BroadcastNetwork, assemble
from noc.hardware.plain_tree import build_plain_tree
from noc.model import all_sources
from noc.model.ordered import simulate_ordered
from noc.model.ordered.load import run_load

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def scripts(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    monkeypatch.chdir(ROOT)


@pytest.fixture
def networks(tmp_path: Path, monkeypatch):
    """The script that measures networks, with a table of its own and no tools."""
    # It takes the table from there when it is first imported.
    importlib.import_module("performance")
    module, tables = importlib.import_module("networks"), importlib.import_module("tables")
    keys = ("fabric", "network", "width", "source_numbers")
    values = (*module.AREA, *module.MODEL, "verilog", "now", "tools")
    monkeypatch.setattr(module, "KEPT", tables.Table("some", keys, values, folder=tmp_path))
    monkeypatch.setattr("noc.sweep.steps.model._ORDERED", (240, 100))
    monkeypatch.setattr(module, "measure_design", lambda *_: FOUND)
    return module


#: What noc synth prints, as far as it is kept.
FOUND: dict[str, Any] = {
    "fabric": "ordered",
    "network": "mesh:4,4",
    "width": 32,
    "source_numbers": True,
    "algorithm": "even",
    "queue": 0,
    "measured": "noc_mesh_4_4",
    "target": "ecp5",
    "mapping": "plain",
    "lut": 1600,
    "ff": 2400,
    "lutram": 0,
    "tools": ["Yosys 1", "next 2"],
    "fmax_mhz": 160.04,
    "fmax_least": 150.0,
    "fmax_greatest": 170.0,
    "seeds": [1, 2, 3],
}


@pytest.mark.parametrize(
    "form",
    [{}, {"children": 4}, {"children": 2, "slots": 2}, {"weighted": True, "source_numbers": False}],
)
def test_the_plain_tree_is_what_its_model_says(form: dict[str, Any]) -> None:
    built = build_plain_tree(7, width=8, **form)
    words, cycles = 6, 80
    traffic = all_sources(built.program, words)
    run = simulate_ordered(built.program, traffic, cycles=cycles, arrival=True)
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

    simulator = Simulator(network)
    simulator.add_clock(1e-6)
    simulator.add_testbench(testbench)
    simulator.run()
    return taken


def test_hubs_have_no_streams_of_their_own() -> None:
    top, *parts = modules(build_plain_tree(24))
    hubs = [part for part in parts if "_hub_" in part.name]
    assert len(hubs) == len(parts) - 1
    assert not any("eject" in hub.text.partition(");")[0] for hub in hubs)
    assert (top.text.count(".inject__valid("), top.text.count(".eject__valid(")) == (24, 24)


def test_the_plain_tree_is_fair_to_as_many_ends_as_its_hubs_divide() -> None:
    def shares(ends: int, **form: Any) -> tuple[int, int]:
        built = build_plain_tree(ends, **form)
        words = run_load(built.program, 1, 2400, warm_up=500).injected[:ends]
        return int(words.min()), int(words.max())

    assert shares(16, children=4) == (150, 150)
    assert shares(24, children=2) == (75, 150)
    assert shares(24, weighted=True) == (100, 100)
    assert build_plain_tree(24).ends == 24


def test_a_row_is_measured_again_only_of_other_verilog(networks, monkeypatch) -> None:
    networks.refresh(["mesh:4,4", "ordered"])
    rows = networks.KEPT.read()
    assert [(row["source_numbers"], row["mhz"], row["least"]) for row in rows] == [
        ("yes", "160.0", "15"),
        ("no", "160.0", "15"),
    ]
    monkeypatch.setattr(networks, "measure_design", lambda *_: pytest.fail("is measured"))
    networks.refresh(["mesh:4,4", "ordered"])
    monkeypatch.setattr(networks, "measure_design", lambda *_: FOUND | {"lut": 1500})
    monkeypatch.setattr(networks, "digest", lambda _: "other")
    networks.mark_today()
    assert {row["now"] for row in networks.KEPT.read()} == {"other"}
    networks.refresh(["mesh:4,4", "ordered", "no-source-numbers"])
    assert [row["lut"] for row in networks.KEPT.read()] == ["1600", "1500"]


def test_rows_are_kept_in_their_order(tmp_path: Path) -> None:
    table = importlib.import_module("tables").Table("t", ["a", "b"], ["c"], folder=tmp_path)
    order = [("1", "x"), ("2", "y"), ("3", "z")]
    table.add([{"a": 3, "b": "z", "c": "of, three"}], order)
    table.add([{"a": 1, "b": "x", "c": 1}, {"a": 2, "b": "y", "c": 2}], order)
    assert [row["c"] for row in table.read()] == ["1", "2", "of, three"]
    table.add([{"a": 1, "b": "x", "c": 9}], order[::2])
    assert [row["c"] for row in table.read()] == ["9", "of, three"]
    assert table.find(a="2", b="y") is None


def test_rows_of_other_verilog_are_marked(networks) -> None:
    performance = importlib.import_module("performance")
    networks.refresh(["mesh:4,4", "ordered"])
    rows = networks.KEPT.read()
    assert "\\*" not in performance._networks(rows)
    text = performance._networks([rows[0], {**rows[1], "now": "other"}])
    assert text.count("| mesh:4,4 | ordered |") == text.count("| mesh:4,4 \\* | ordered |") == 1
    # 160.04 MHz, a word a node and cycle, 100 LUT a node.
    assert text.count("| 1.60 |") == 2
    assert performance.OLDER in text


def test_only_designs_are_assembled() -> None:
    with pytest.raises(TypeError, match=r"^design must be one of noc.design, not 'star:4'$"):
        assemble("star:4")


def test_the_page_shows_what_is_kept() -> None:
    text = (ROOT / "docs" / "performance.md").read_text()
    shown = importlib.import_module("performance").page(text)
    assert text == shown, "run bench/performance.py page"


def test_what_is_kept_is_what_the_models_give() -> None:
    loads = importlib.import_module("loads")
    for kept in (
        loads.THROUGHPUT.find(fabric="ordered", network="mesh:4,4"),
        loads.THROUGHPUT.find(fabric="plain tree", network="mesh:4,4"),
    ):
        built = loads.throughput_row(kept["fabric"], kept["network"])
        assert kept == {name: str(value) for name, value in built.items()}
    kept = loads.LATENCY.find(fabric="ordered", network="star:4", load="0.50")
    built = loads.latency_row("ordered", "star:4", 0.5)
    assert kept == {name: str(value) for name, value in built.items()}
    kept = loads.STALLS.find(network="star:4", queue="16")
    assert kept == {name: str(value) for name, value in loads.stall_row("star:4", 16).items()}


def test_searched_waits_stay_within_their_bounds() -> None:
    loads = importlib.import_module("loads")
    row = loads.wait_row("star:3", 300)
    assert 0.7 <= row["waited"] / row["bound"] <= 1


@pytest.mark.parametrize("number", [0, 1, 4, 9, 39])
def test_parts_of_the_long_run(number: int) -> None:
    long_run = importlib.import_module("long_run")
    row = long_run.long_run_row(number, 50_000)
    assert row["passed"] > 0


def test_the_long_run_is_as_long_as_said_and_has_all_families() -> None:
    long_run = importlib.import_module("long_run")
    rows = long_run.LONG_RUN.read()
    assert len(rows) == len(long_run.CASES)
    counted = sum(int(row["nodes"]) * int(row["cycles"]) for row in rows)
    assert counted >= long_run.ROUTER_CYCLES
    from noc.networks import FAMILIES

    families = {row["network"].partition(":")[0] for row in rows}
    assert families == set(FAMILIES)
    # All forms with all sinks.
    assert len({(row["form"], row["sinks"]) for row in rows}) == 8
