"""Without matplotlib, pictures are refused in one line, and everything else works."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from noc.cli import main
from noc.draw import draw, draw_network
from noc.errors import InputError
from noc.networks import build_network
from noc.trees import build_tree

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
REMEDY = "matplotlib is missing: pip install 'matplotlib>=3.9,<4'"

PLAN = 'steps = ["tree"]\n[[design]]\nnetwork = ["ring:3"]\n'

PLUGIN = """
from dataclasses import replace
from noc.networks import FAMILIES as KNOWN
FAMILIES = (replace(KNOWN["ring"], name="own-ring"),)
"""

#: All modules but those that run elsewhere, and what a user does; matplotlib is never asked for.
EVERYTHING_ELSE = """
import pkgutil, sys
from importlib import import_module
sys.modules["matplotlib"] = None
import noc, noc.cli
apart = ("noc.emit.bench.", "noc.project.template.", "noc.verify.cocotb_driver", "noc.__main__")
for module in pkgutil.walk_packages(noc.__path__, "noc."):
    if not module.name.startswith(apart):
        import_module(module.name)
for command in (
    "tree own-ring:3 --plugin own.py",
    "generate ring:3 -o out",
    "explore ring:3 -o page.html",
    "explore ring:3 -o moving.svg",
    "sweep plan.toml --part 1/1",
):
    assert noc.cli.main(command.split()) == 0, command
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "plan.toml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "own.py").write_text(PLUGIN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def _without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)


@pytest.mark.usefixtures("_without")
@pytest.mark.parametrize(
    "command",
    [
        "draw ring:3 -o ring.svg",
        "draw ring:3 -o ring.gif",
        "draw ring:3 --no-tree -o ring.pdf",
        "draw ring:3 -o ring-{step}.png",
        "sweep plan.toml --plot nodes down_height ring.svg",
    ],
)
def test_commands_refuse_before_they_begin(folder: Path, capsys, command: str) -> None:
    before = sorted(folder.iterdir())
    assert main(command.split()) == 2
    assert capsys.readouterr() == ("", f"noc {command.split()[0]}: error: {REMEDY}\n")
    assert sorted(folder.iterdir()) == before


@pytest.mark.usefixtures("_without")
def test_functions_refuse() -> None:
    network = build_network("ring:3")
    for function, drawn in ((draw, build_tree(network, "shortest")), (draw_network, network)):
        with pytest.raises(InputError, match=f"^{re.escape(REMEDY)}$"):
            function(drawn)


@pytest.mark.usefixtures("_without")
def test_notebooks_refuse_in_one_line(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    ipython = pytest.importorskip("IPython", reason="needs IPython, from PyPI")
    shell = ipython.core.interactiveshell.InteractiveShell()
    capsys.readouterr()
    assert not shell.run_cell("%load_ext noc.draw").success
    assert "".join(capsys.readouterr()) == f"UsageError: {REMEDY}\n"


def test_everything_else_works_without_it(folder: Path) -> None:
    command = [sys.executable, "-c", EVERYTHING_ELSE]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_remedy_is_what_the_extra_installs() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    (requirement,) = project["optional-dependencies"]["pictures"]
    assert f"pip install '{requirement}'" in REMEDY
    assert requirement in project["optional-dependencies"]["dev"]
    assert not any("matplotlib" in each for each in project["dependencies"])
