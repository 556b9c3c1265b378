"""The scripts of bench/ that keep results: none is lost, and none is kept that is no result."""

import contextlib
import importlib
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

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
