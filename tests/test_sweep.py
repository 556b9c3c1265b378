"""Sweeps: what is measured, kept, measured again, joined and drawn."""

import csv
import importlib
import json
import os
import re
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from helpers import begun

from noc.cli import main
from noc.design import build_design
from noc.errors import InputError
from noc.model.ordered.load import BATCHES, run_load
from noc.research.sweep import FAILED, Axes, Task, read_plan, read_table
from noc.research.sweep.plot import mean_of, pareto_front, student_t
from noc.research.sweep.run import digest_of, measure_task
from noc.research.sweep.steps.model import BACKLOG, DRIFT, STEADY, judge_steady, measure_load
from noc.research.sweep.table import index, key_of, row_for, write_table

ROOT = Path(__file__).parent.parent

TREES = """
steps = ["tree", "model"]
plain_tree = false
[[design]]
network = ["star:3", "mesh:2,2", "uhc:2"]
load = [0.2, 1.0]
"""


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    return written(tmp_path, TREES)


def written(folder: Path, text: str) -> Path:
    path = folder / "plan.toml"
    path.write_text(text, encoding="utf-8")
    return path


def row_of(folder: Path, text: str) -> dict[str, str]:
    """The one row of the first design of a plan."""
    (row,) = measure_task(read_plan(written(folder, text)).tasks[0], {})
    return row


def measured(path: Path, *more: str) -> tuple[int, list[dict[str, str]]]:
    """In this process, which is quicker than a process for each part."""
    status = main(["sweep", str(path), *(more or ("--part", "1/1"))])
    with path.with_suffix(".csv").open(encoding="utf-8") as file:
        return status, list(csv.DictReader(file))


@pytest.mark.ci
def test_a_sweep_measures_every_row(plan: Path) -> None:
    status, rows = measured(plan, "--jobs", "2")
    assert status == 0
    assert [(row["network"], row["load"]) for row in rows] == [
        (network, load) for network in ("star:3", "mesh:2,2", "uhc:2") for load in ("0.2", "1")
    ]
    # Against the parts that it is made of.
    program = build_design("star:3").program
    cycles = [program.cycles_to_all(source) for source in program.sources]
    assert float(rows[0]["cycles_mean"]) == pytest.approx(np.mean(cycles), abs=0.01)
    run = run_load(program, 1, 100_000, warm_up=10_000, seed=1)
    assert int(rows[1]["words_least"]) == run.injected.min()
    assert [rows[1][name] for name in ("carried", "steady", "latency_mean")] == ["1", "full", ""]
    assert (rows[0]["steady"], rows[0]["refused"], rows[0]["joins"]) == ("yes", "", "")
    assert float(rows[0]["latency_mean"]) > float(rows[0]["cycles_mean"])


def test_rows_that_hold_are_taken_over(plan: Path, capsys) -> None:
    measured(plan)
    before = plan.with_suffix(".csv").read_bytes()
    capsys.readouterr()
    measured(plan)
    assert "taken over        6\n" in capsys.readouterr().out
    assert plan.with_suffix(".csv").read_bytes() == before


@pytest.mark.cases(1)
@pytest.mark.parametrize("column", ["digest", "tools"])
def test_rows_of_another_verilog_or_tool_are_measured_again(plan: Path, capsys, column) -> None:
    _, rows = measured(plan)
    table = plan.with_suffix(".csv")
    kept = read_table(table)
    stale = dict(kept[0]) | {column: "older", "cycles_mean": "99"}
    write_table(table, [stale, *kept[1:]])
    capsys.readouterr()
    assert measured(plan)[1] == rows
    assert "taken over        5\n" in capsys.readouterr().out


def test_rows_from_before_a_switch_are_those_without_it(tmp_path: Path) -> None:
    """Kept tables have no column for wires that are routed once more."""
    text = 'plain_tree = false\nsteps = "synth"\n[[design]]\nnetwork = "ring:3"'
    (task,) = read_plan(written(tmp_path, text)).tasks
    row, again = (row_for(task, Axes(reroute=on), {}) for on in (False, True))
    assert (row["reroute"], again["reroute"]) == ("", "yes")
    table = tmp_path / "table.csv"
    write_table(table, [row])
    assert "reroute" not in table.read_text(encoding="utf-8")
    assert index(read_table(table)) == index([row])
    write_table(table, [row, again])
    assert index(read_table(table)) == index([row, again])


@pytest.mark.ci
def test_rows_of_a_larger_plan_stay(plan: Path) -> None:
    measured(plan)
    before = read_table(plan.with_suffix(".csv"))
    assert main(["sweep", str(plan), "--nodes", "6", "--jobs", "1"]) == 0
    assert index(read_table(plan.with_suffix(".csv"))) == index(before)


def test_the_direct_fabric_carries_words_under_full_load(tmp_path: Path) -> None:
    text = 'steps = "model"\n[[design]]\nnetwork = "star:3"\nfabric = "direct"\n'
    row = row_of(tmp_path, text)
    assert row["sources"] == "one"
    assert float(row["carried"]) == 1


OPERATIONS = """
steps = ["tree", "model"]
plain_tree = false
[[design]]
network = "star:3"
operations = ["broadcast,all_reduce:sum", "barrier@some"]
groups = { some = [0, 2] }
[[design]]
network = "star:3"
"""


def test_operations_are_measured(tmp_path: Path) -> None:
    status, rows = measured(written(tmp_path, OPERATIONS))
    assert status == 0
    assert [row["operations"] for row in rows] == ["broadcast,all_reduce:sum", "barrier@some", ""]
    assert [row["groups"] for row in rows] == ["some=123,213", "some=123,213", ""]
    assert [row["senders"] for row in rows] == ["6", "2", "6"]
    # A result or a broadcast passes the root in every cycle.
    assert [row["carried"] for row in rows] == ["1", "1", "1"]
    program = build_design("star:3", operations=["broadcast", "all_reduce:sum"]).program
    cycles = program.joined_cycles(0) + program.down_cycles.max()
    assert rows[0]["operation_cycles"] == str(cycles)
    assert (rows[0]["operation_bound"], rows[0]["joins"]) == ("3", "5")
    assert rows[2]["operation_cycles"] == rows[2]["joins"] == ""
    assert len({row["digest"] for row in rows}) == 3


def test_without_operations_rows_are_as_ever(plan: Path) -> None:
    """Tables from before are read, written and compared alike."""
    _, rows = measured(plan)
    assert not {"operations", "groups", "group_queue", "watchdog"} & {*rows[0]}
    for name in ("verified", "schedules"):
        kept = index(read_table(ROOT / "docs" / f"{name}.csv"))
        (task, *_) = read_plan(ROOT / "bench" / f"{name}.toml").tasks
        assert key_of(row_for(task, task.axes[0], {})) in kept, name


def test_loads_are_of_broadcasts(tmp_path: Path) -> None:
    text = 'steps = "model"\n[[design]]\nnetwork = "star:3"\noperations = "barrier"\nload = 0.5\n'
    refused = "load: 0.5: with operations, every source always has words"
    assert row_of(tmp_path, text)["refused"] == refused


def test_a_newer_contract_of_operations_is_measured_again(tmp_path: Path, monkeypatch) -> None:
    tasks = read_plan(written(tmp_path, OPERATIONS)).tasks
    before = [digest_of(task, task.point.build()) for task in tasks]
    monkeypatch.setattr("noc.fabrics.ordered.describe.COLLECTIVES_CONTRACT", 99)
    after = [digest_of(task, task.point.build()) for task in tasks]
    assert [one == two for one, two in zip(before, after, strict=True)] == [False, False, True]


@pytest.mark.parametrize("step", ["verify", "synth"])
def test_a_missing_tool_says_nothing_of_a_design(tmp_path: Path, monkeypatch, step: str) -> None:
    def missing(*_: object, **_named: object) -> None:
        raise InputError("it is missing")

    module = importlib.import_module("noc.research.sweep.steps.hardware")
    monkeypatch.setattr(module, {"verify": "environment", "synth": "check"}[step], missing)
    path = written(tmp_path, f'steps = "{step}"\n[[design]]\nnetwork = "mesh:2"\n')
    assert measured(path) == (1, [])


@pytest.mark.slow
def test_verification_and_synthesis_are_steps(tmp_path: Path) -> None:
    text = (
        'steps = ["verify", "synth"]\n[[design]]\nnetwork = "mesh:2"\nwidth = 4\nwords = 9\n'
        'target = "ice40"\noperations = [["broadcast", "all_reduce:sum"]]\n'
    )
    row, (task,) = row_of(tmp_path, text), read_plan(tmp_path / "plan.toml").tasks
    assert (row["refused"], row["different"]) == ("", "0")
    assert int(row["transfers"]) > 500
    assert float(row["mhz"]) > 10
    assert "verilator " in row["tools"]
    assert "nextpnr-ice40 " in row["tools"]
    # With these rows nothing is measured again.
    begin = time.monotonic()
    assert measure_task(task, {key_of(row): row}) == [row]
    assert time.monotonic() - begin < 30
    plain = task.point.but(operations=None)
    (smaller,) = measure_task(Task(plain, ("area",), (Axes(target="ice40"),)), {})
    assert int(row["lut"]) > int(smaller["lut"]) > 0


def test_no_seed_is_refused(tmp_path: Path) -> None:
    row = row_of(tmp_path, 'steps = "synth"\n[[design]]\nnetwork = "mesh:2"\nseeds = 0\n')
    assert row["refused"] == "seeds: 0 is out of range; 1 is the least"


@pytest.mark.ci
def test_a_check_tells_what_no_longer_holds(plan: Path, cli) -> None:
    # Each design is looked at in a process of its own.
    plan.write_text(TREES.replace('"mesh:2,2", "uhc:2"', ""), encoding="utf-8")
    assert main(["sweep", str(plan), "--check"]) == 1
    assert not plan.with_suffix(".csv").exists()
    measured(plan)
    table = plan.with_suffix(".csv")
    assert main(["sweep", str(plan), "--check"]) == 0
    kept = read_table(table)
    write_table(table, [dict(kept[0]) | {"digest": "older"}, *kept[1:]])
    before = table.read_bytes()
    status, out, _ = cli("sweep", plan, "--check")
    assert status == 1
    printed = re.sub(" +", " ", out)
    assert "taken over 1\nmeasured 0\n" in printed
    assert "\nmissing 0\nno longer hold 1\nfirst no longer hold tree+model star:3 " in printed
    assert table.read_bytes() == before


@pytest.mark.ci
def test_a_check_tells_what_is_missing_from_what_no_longer_holds(plan: Path, cli) -> None:
    """Missing rows can be accepted; stale ones cannot."""
    measured(plan)
    table = plan.with_suffix(".csv")
    kept = read_table(table)
    write_table(table, kept[:4])
    status, out, _ = cli("sweep", plan, "--check")
    assert status == 1
    printed = re.sub(" +", " ", out)
    assert "\nmissing 2\nfirst missing tree+model uhc:2 fabric=ordered" in printed
    assert "\nno longer hold 0\n" in printed
    assert main(["sweep", str(plan), "--check", "--allow-missing"]) == 0
    write_table(table, [dict(kept[0]) | {"tools": "older"}, *kept[1:4]])
    status, out, _ = cli("sweep", plan, "--check", "--allow-missing", "--json")
    assert status == 1
    facts = json.loads(out)
    assert (facts["missing"], facts["no_longer_hold"]) == (2, 1)
    assert facts["first_no_longer_hold"].startswith("tree+model star:3 ")


@pytest.mark.ci
def test_a_check_looks_at_what_is_refused(tmp_path: Path) -> None:
    """A kept result of a design that is refused today, and the other way round."""
    text = (
        'steps = "tree"\nplain_tree = false\n[[design]]\n'
        'network = ["star:3", "uhc:2"]\nalgorithm = "balanced"\n'
    )
    path = written(tmp_path, text)
    measured(path)
    table = path.with_suffix(".csv")
    assert main(["sweep", str(path), "--check"]) == 0
    good, refused = read_table(table)
    assert refused["refused"]
    for older in (refused | {"refused": ""}, refused | {"refused": "other words"}):
        write_table(table, [good, older])
        assert main(["sweep", str(path), "--check", "--allow-missing"]) == 1
    write_table(table, [good])
    assert main(["sweep", str(path), "--check"]) == 1
    assert main(["sweep", str(path), "--check", "--allow-missing"]) == 0


#: An algorithm that comes to no end on one network, until a file is there.
WAITING = """
import time
from pathlib import Path

from noc.trees import Algorithm, build_tree


def build(network, root, ports):
    folder = Path(__file__).parent
    while str(network.spec) == "ring:6" and not (folder / "go").exists():
        time.sleep(0.05)
    return build_tree(network, root, "shortest", ports=ports)


ALGORITHMS = (Algorithm("waiting", "waits", None, ("all", "one"), build),)
"""


@pytest.mark.ci
def test_a_killed_sweep_goes_on_where_it_was(tmp_path: Path, cli) -> None:
    plugin = tmp_path / "waiting.py"
    plugin.write_text(WAITING, "utf-8")
    networks = [f"ring:{nodes}" for nodes in range(3, 9)]
    path = written(
        tmp_path,
        'steps = ["tree", "model"]\nplain_tree = false\n'
        f'[[design]]\nalgorithm = "waiting"\nfabric = "direct"\nnetwork = {networks}\n',
    )
    arguments = ["sweep", str(path), "--plugin", str(plugin)]
    command = [sys.executable, "-m", "noc", *arguments, "--jobs", "1"]
    process = begun(*command)
    table = path.with_suffix(".csv")
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (table.exists() and len(read_table(table)) == 3):
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=60)[1].endswith("noc sweep: error: interrupted\n")
    assert process.returncode == 130
    files = {each.name for each in tmp_path.iterdir() if each.name != "__pycache__"}
    assert files == {"plan.csv", "plan.toml", "waiting.py"}
    assert [row["network"] for row in read_table(table)] == networks[:3]
    (tmp_path / "go").touch()
    assert "taken over        3\n" in cli.out(*arguments)
    assert [row["network"] for row in read_table(table)] == networks


def test_what_does_not_exist_is_a_row_that_says_so(tmp_path: Path, capsys) -> None:
    path = written(
        tmp_path,
        'steps = "tree"\nplain_tree = false\n[[design]]\n'
        'network = ["star:3", "uhc:2"]\nfabric = "direct"\n'
        'algorithm = ["balanced", "bt2"]\n',
    )
    status, rows = measured(path)
    assert status == 0
    assert [bool(row["refused"]) for row in rows] == [False, True, True, False]
    assert "not for uhc:2" in rows[2]["refused"] or "uhc:2" in rows[2]["refused"]
    assert "refused           2\n" in capsys.readouterr().out


def test_a_verilog_that_differs_fails_the_sweep(plan: Path, monkeypatch, capsys) -> None:
    from noc.research.sweep.steps import STEPS, Step

    def differs(*_: object) -> dict[str, int]:
        return {"different": 3}

    monkeypatch.setitem(STEPS, "tree", Step("tree", (), (), False, differs))
    status, _ = measured(plan, "--part", "1/3")
    assert status == 1
    assert f"{FAILED}star:3: 3 transfers differ" in capsys.readouterr().err


def test_parts_make_the_whole(plan: Path, tmp_path: Path) -> None:
    measured(plan)
    whole = read_table(plan.with_suffix(".csv"))
    parts = [tmp_path / f"part-{number}.csv" for number in (1, 2)]
    for number, part in enumerate(parts, 1):
        assert main(["sweep", str(plan), "--part", f"{number}/2", "-o", str(part)]) == 0
    joined = tmp_path / "joined.csv"
    assert main(["sweep", *map(str, parts), "-o", str(joined)]) == 0
    assert index(read_table(joined)) == index(whole)
    assert [len(read_table(part)) for part in parts] == [4, 2]


def test_a_part_leaves_other_rows_in_its_table(plan: Path) -> None:
    measured(plan, "--part", "1/3")
    _, rows = measured(plan, "--part", "2/3")
    assert len(rows) == 4


def test_a_cut_table_is_refused(plan: Path, cli) -> None:
    measured(plan)
    table = plan.with_suffix(".csv")
    table.write_text(table.read_text("utf-8")[:-20], "utf-8")
    assert "line 7 has more or fewer entries" in cli.refusal("sweep", str(plan))


@pytest.mark.ci
def test_pictures_are_written(plan: Path, tmp_path: Path, cli) -> None:
    measured(plan)
    table, pictures = plan.with_suffix(".csv"), [tmp_path / "a.svg", tmp_path / "b.png"]
    draw = ["--plot", "load", "latency_mean", str(pictures[0])]
    draw += ["--plot", "nodes", "cycles_mean", str(pictures[1])]
    assert cli.out("sweep", str(table), *draw).splitlines() == [
        f"{pictures[0]}: 3 rows; 3 have no load or no latency_mean",
        f"{pictures[1]}: 6 rows",
    ]
    assert "star:3 ordered even" in pictures[0].read_text(encoding="utf-8")
    assert pictures[1].read_bytes().startswith(b"\x89PNG")


def test_the_front_is_what_no_other_beats() -> None:
    random = np.random.default_rng(1)
    points = [tuple(map(float, pair)) for pair in random.integers(0, 30, (200, 2))]
    for x, y in (("lut", "cycles_mean"), ("mhz", "lut"), ("nodes", "mhz")):
        signs = [-1 if name in ("mhz", "nodes") else 1 for name in (x, y)]
        better = [(signs[0] * a, signs[1] * b) for a, b in points]
        front = {
            point
            for point, (a, b) in zip(points, better, strict=True)
            if not any((c <= a and d <= b and (c, d) != (a, b)) for c, d in better)
        }
        assert set(pareto_front(points, x, y)) == front


def queue_of(load: float, service: int, seed: int, cycles: int = 20_000) -> str:
    """What is said of a queue that needs so many cycles for a word, after the rules of a sweep."""
    tenth = cycles // BATCHES
    came = np.flatnonzero(np.random.default_rng(seed).random(cycles + 2 * tenth) < load) - tenth
    done, free = [], -tenth
    for cycle in came.tolist():
        free = max(free, cycle) + service
        done.append(free)
    left = np.array(done)
    counted = (came >= 0) & (came < cycles)
    ended = counted & (left < cycles + tenth)
    batch = came // tenth
    counts = [np.bincount(batch[chosen], minlength=BATCHES) for chosen in (counted, ended)]
    taken = np.bincount(batch[ended], (left - came)[ended], minlength=BATCHES)
    return judge_steady(*counts, taken, int(((left >= 0) & (left < cycles)).sum()))


@pytest.mark.cases(2)
@pytest.mark.parametrize("service", [1, 3, 20])
@pytest.mark.parametrize("share", [0.0001, 0.02, 0.5, 0.8])
def test_what_is_below_saturation_is_steady_in_every_seed(service: int, share: float) -> None:
    assert {queue_of(share / service, service, seed) for seed in range(200)} == {STEADY}


@pytest.mark.cases(1)
@pytest.mark.parametrize("service", [2, 3, 20])
@pytest.mark.parametrize("share", [1.15, 1.3, 1.9])
def test_what_is_above_saturation_is_seen_in_every_seed(service: int, share: float) -> None:
    assert {queue_of(share / service, service, seed) for seed in range(200)} <= {BACKLOG, DRIFT}


def test_each_of_the_three_rules_is_needed() -> None:
    """What one rule finds the others let pass."""
    came, steps = np.full(BATCHES, 1000), np.arange(BATCHES)
    level = came * 10
    assert judge_steady(came, came, level, 10_000) == STEADY
    assert judge_steady(came, came, level, 9_699) == BACKLOG
    assert judge_steady(came // 100, came // 100, level // 100, 71) == STEADY
    assert judge_steady(came, came - (steps == 9), level, 9_999) == BACKLOG
    assert judge_steady(came, came, level + steps, 10_000) == DRIFT
    assert judge_steady(came, came, level - steps, 10_000) == STEADY
    # Three pairs of batches the wrong way round are no excuse, four are.
    swapped = steps.copy()
    swapped[[0, 1, 2]] = swapped[[2, 1, 0]]
    assert judge_steady(came, came, level + swapped, 10_000) == DRIFT
    swapped[[5, 6]] = swapped[[6, 5]]
    assert judge_steady(came, came, level + swapped, 10_000) == STEADY


@pytest.mark.cases(0, ci=3)
@pytest.mark.parametrize("load", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("sources", ["one", "all"])
def test_no_latency_is_lost_by_chance(sources: str, load: float) -> None:
    design = build_design("star:4", sources=sources)
    for seed in range(1, 21):
        facts = measure_load(design, load, seed=seed)
        assert (facts["steady"], facts["latency_mean"] > 0) == (STEADY, True)


def test_an_interval_is_that_of_student() -> None:
    printed = {1: 12.706, 2: 4.303, 3: 3.182, 5: 2.571, 10: 2.228, 30: 2.042, 120: 1.980}
    assert {freedom: round(student_t(freedom), 3) for freedom in printed} == printed
    rows = [{"y": text} for text in ("4", "6", "8")]
    mean = mean_of(rows, "y")
    assert (mean.mean, round(mean.half, 4)) == (6, round(4.3027 * 2 / 3**0.5, 4))
    assert mean_of(rows[:1], "y").half is None
    assert mean_of([*rows, {"y": ""}], "y") is None


SEEDS = """
steps = ["tree", "model"]
[[design]]
network = "star:3"
load = [0.2, 1.0]
seed = [1, 2, 3]
"""


@pytest.mark.ci
def test_seeds_are_one_point_beside_the_plain_tree(tmp_path: Path, capsys) -> None:
    path, means, picture = written(tmp_path, SEEDS), tmp_path / "means.csv", tmp_path / "a.svg"
    drawn = ["--plot", "load", "latency_mean", str(picture)]
    _, rows = measured(path, "--part", "1/1", "--means", str(means), *drawn)
    names = [(row["network"], row["nodes"], row["fabric"]) for row in rows]
    assert names == [("star:3", "6", "ordered")] * 6 + [("plain-tree:6", "6", "plain-tree")] * 6
    with means.open(encoding="utf-8") as file:
        light, full, *_ = csv.DictReader(file)
    latencies = [float(row["latency_mean"]) for row in rows[:3]]
    assert float(light["latency_mean"]) == pytest.approx(np.mean(latencies), rel=1e-4)
    half = 4.3027 * np.std(latencies, ddof=1) / 3**0.5
    assert float(light["latency_mean_ci95"]) == pytest.approx(half, rel=0.01)
    samples = [(row["samples"], row["samples_steady"]) for row in (light, full)]
    assert samples == [("3", "3"), ("3", "0")]
    assert full["latency_mean"] == ""
    text = picture.read_text(encoding="utf-8")
    words = ("mean latency in cycles", "load in words a cycle", "plain-tree:6", "no steady state")
    assert [word for word in words if word not in text] == []
    # A dotted line for each of the two curves, where it ends.
    assert text.count("stroke-dasharray") == 2
    assert float(light["offered"]) == pytest.approx(0.2, abs=0.01)
    assert "6 rows; 6 have no load" in capsys.readouterr().out


@pytest.mark.ci
def test_a_plain_tree_is_named_in_a_plan(tmp_path: Path) -> None:
    text = 'steps = ["tree", "area"]\n[[design]]\nnetwork = ["plain-tree:5", "mesh:5"]\nwidth = 4\n'
    row = row_of(tmp_path, text)
    named = [row[name] for name in ("network", "nodes", "senders", "refused")]
    assert (named, int(row["lut"]) > 0) == (["plain-tree:5", "5", "5", ""], True)
    row = row_of(tmp_path, text.replace("width", "queue"))
    assert row["refused"] == "queue: 4: a plain tree has only width and source_numbers"
    ends = "the number of ends is needed, 2 at least"
    for wrong, message in (
        (text.replace("plain-tree:5", "plain-tree:1"), ends),
        (text.replace("plain-tree:5", "plain-tree:x"), ends),
        (
            text.replace("area", "schedule"),
            "has no step schedule; allowed: tree, model, area, synth",
        ),
        (
            text.replace("area", "synth") + 'measured = "router"\n',
            "has no routers; measured can only be network",
        ),
        ("plain_tree = 1\n" + text, "plain_tree: 1 is no true or false"),
    ):
        with pytest.raises(InputError, match=message):
            read_plan(written(tmp_path, wrong))
