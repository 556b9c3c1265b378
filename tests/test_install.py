"""What depends on the machine: limits that Windows lacks, and caches that outlive no package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

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


COMPILES_WITH_A_TYPE = """
from noc.networks import build_network
from noc.trees.search.matching import links_of, new_workspace, spread
net = build_network("star:3")
space = new_workspace(net.nodes)
space.step[1:] = -1
assert spread(links_of(net), space) == 1
"""


def run(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    # Without the folder where the tests run before all others.
    command = [sys.executable, "-P", "-c", code]
    given = {name: text for name, text in os.environ.items() if name != "NUMBA_CACHE_DIR"} | env
    return subprocess.run(command, env=given, capture_output=True, text=True, check=False)


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


def test_what_the_user_says_of_the_folder_holds(tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert run(COMPILES, XDG_CACHE_HOME=str(tmp_path), NUMBA_CACHE_DIR=str(other)).returncode == 0
    assert kept(other)
    assert not (tmp_path / "arbornoc").exists()


def test_what_another_version_has_kept_is_left_alone(tmp_path: Path) -> None:
    """It may name classes that this one does not have."""
    package, env = tmp_path / "noc", {"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)}
    shutil.copytree(Path(noc.__file__).parent, package)
    assert run(COMPILES_WITH_A_TYPE, **env).returncode == 0
    source = package / "trees" / "search" / "matching.py"
    source.write_text(source.read_text().replace("Workspace", "OfNow"))
    importing = package / "trees" / "search" / "annealing.py"
    importing.write_text(importing.read_text().replace("Workspace", "OfNow"))
    assert run(COMPILES_WITH_A_TYPE, **env).stderr == ""


def test_where_nothing_can_be_kept_it_works_all_the_same() -> None:
    assert run(COMPILES, XDG_CACHE_HOME="/proc/none").returncode == 0
    assert cache_folder("numba", {"XDG_CACHE_HOME": "/proc/none"}) is None
