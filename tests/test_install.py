"""What depends on the machine: limits that Windows lacks, and caches that outlive no package."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers import started

import noc
from noc.caches import cache_folder

WITHOUT_LIMITS = """
import sys
sys.modules["resource"] = None
from noc.networks import memory, build_network
assert build_network("star:3").nodes == 6
assert memory.available_bytes() > 0
"""

COMPILES = """
import numpy as np
from noc.programs.code_search import _mark
table = np.zeros(2, np.uint64)
_mark(table, 65)
assert table.tolist() == [0, 2]
"""


# A stage with two files: one calls what the other compiles.
STAGE = {
    "__init__": "",
    "inner": """
from noc.compiled import inlined
ADDED = 1
@inlined
def add(number):
    return number + ADDED
""",
    "outer": """
from noc.compiled import compiled_whole
from noc.stage.inner import add
@compiled_whole
def twice(number):
    return add(add(number))
""",
}

CALLS = """
from noc.stage.outer import twice
print(twice(5), sum(twice.stats.cache_hits.values()))
"""


def run(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code]
    given = {name: text for name, text in os.environ.items() if name != "NUMBA_CACHE_DIR"} | env
    return started(*command, env=given)


def test_limits_of_memory_are_not_needed() -> None:
    """Windows has no module for them."""
    done = run(WITHOUT_LIMITS)
    assert (done.returncode, done.stderr) == (0, "")


def kept(folder: Path) -> set[Path]:
    return set(folder.rglob("*.nbi"))


def test_what_is_compiled_lies_in_the_folder_of_the_user(tmp_path: Path) -> None:
    package = Path(noc.__file__).parent
    before = kept(package)
    assert run(COMPILES, XDG_CACHE_HOME=str(tmp_path)).returncode == 0
    assert kept(tmp_path / "arbornoc" / "numba")
    assert kept(package) == before


@pytest.mark.ci
def test_what_the_user_says_of_the_folder_holds(tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert run(COMPILES, XDG_CACHE_HOME=str(tmp_path), NUMBA_CACHE_DIR=str(other)).returncode == 0
    assert kept(other)
    assert not (tmp_path / "arbornoc").exists()


@pytest.mark.ci
def test_where_nothing_can_be_kept_it_works_all_the_same() -> None:
    assert run(COMPILES, XDG_CACHE_HOME="/proc/none").returncode == 0
    assert cache_folder("numba", "1", {"XDG_CACHE_HOME": "/proc/none"}) is None


def test_versions_that_nobody_uses_any_more_go(tmp_path: Path) -> None:
    env = {"XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}

    def use(version: str) -> Path:
        folder = cache_folder("netlists", version, env)
        assert folder is not None
        (folder / "x.zip").touch()
        return folder

    month = 30 * 24 * 3600
    folders = [use(version) for version in ("old", "recent", "again")]
    for folder, age in zip(folders, (month + 60, month - 60, 2 * month), strict=True):
        os.utime(folder, (time.time() - age,) * 2)
    # A version that is there takes nothing away, and from then on is in use.
    assert use("again") == folders[2]
    assert all(folder.is_dir() for folder in folders)
    use("new")
    assert [(folder / "x.zip").exists() for folder in folders] == [False, True, True]


@pytest.mark.ci
def test_what_is_compiled_depends_on_all_files_of_the_stage(tmp_path: Path) -> None:
    """Numba itself looks at the file of the outer function only."""
    package = tmp_path / "noc"
    (package / "stage").mkdir(parents=True)
    for name in ("__init__", "compiled", "caches"):
        shutil.copy(Path(noc.__file__).with_name(f"{name}.py"), package)
    for name, text in STAGE.items():
        (package / "stage" / f"{name}.py").write_text(text)
    env = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    env |= {"PYTHONPATH": str(tmp_path), "PYTHONSAFEPATH": "1"}
    assert [run(CALLS, **env).stdout for _ in range(2)] == ["7 0\n", "7 1\n"]
    inner = package / "stage" / "inner.py"
    # Longer than before: Python takes a file of the same second and size for the one it compiled.
    inner.write_text(STAGE["inner"].replace("ADDED = 1", "ADDED = 1 + 8"))
    assert run(CALLS, **env).stdout == "23 0\n"
    inner.write_text(STAGE["inner"])
    assert run(CALLS, **env).stdout == "7 1\n"
