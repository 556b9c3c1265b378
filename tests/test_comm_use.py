"""Programs as people run them: the command, the page about them, and the programs of sim/."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from test_readme import files

from noc.cli import main
from noc.comm import run
from noc.design import build_design
from noc.emit.folder import write

ROOT = Path(__file__).parent.parent
SIM = ROOT / "sim"
APPLICATIONS = ["conjugate_gradients", "k_means", "automaton", "replicated_store"]


@pytest.fixture(autouse=True)
def _programs(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(SIM))


def test_the_python_of_the_page_runs(tmp_path: Path, monkeypatch) -> None:
    for name, text in files("comm.md"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    page = (ROOT / "docs" / "comm.md").read_text(encoding="utf-8")
    snippets = re.findall(r"(?ms)^```python\n(.*?)^```$", page)
    assert len(snippets) == 2
    exec(compile(snippets[1], "comm.md", "exec"), {})


def test_the_command_gives_json(capsys, tmp_path: Path) -> None:
    (tmp_path / "ranks.py").write_text("async def ranks(comm):\n    return comm.rank\n")
    arguments = [f"{tmp_path / 'ranks.py'}:ranks", "ring:3", "--operations", "barrier", "--json"]
    assert main(["run", *arguments]) == 0
    expected = {"cycles": 0, "ended": [0, 0, 0], "results": ["0", "1", "2"]}
    assert json.loads(capsys.readouterr().out) == expected


WRONG = [
    (("none.py", "ring:3"), "none.py: a Python file with the program is needed"),
    (("one.py", "ring:3"), "one.py: has no coroutine function main(comm)"),
    (("one.py:no", "ring:3"), "one.py:no: has no coroutine function no(comm)"),
    (("one.py:one",), "SPEC or --verilog DIR is needed, and not both"),
    (("one.py:one", "ring:3"), "without all_reduce:sum: add it to --op"),
    (("one.py:one", "ring:3", "--sources", "one"), "ring:3: programs need the ordered fabric"),
    (("one.py:one", "ring:3", "--operations", "barrier"), "without all_reduce:sum: add it to --op"),
    (("one.py:one", "--verilog", "."), ".: has no manifest.json; 'noc generate' writes such"),
    (("one.py:one", "--verilog", ".", "--engine", "numpy"), "--verilog DIR runs on Verilog"),
    (("one.py:one", "--verilog", ".", "--width", "4"), "--width: stands in the manifest that lies"),
    (("one.py:one", "--verilog", ".", "--group", "a=0"), "--group: stands in the manifest that"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_use_costs_a_line(capsys, tmp_path, monkeypatch, arguments, message: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.py").write_text("no = 1\nasync def one(comm):\n    await comm.all_reduce(1)\n")
    assert main(["run", *arguments]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


def test_a_network_that_only_joins_is_written(capsys, tmp_path: Path) -> None:
    """No node may send there, so that there is no mean over sources."""
    folder = str(tmp_path / "net")
    assert main(["generate", "ring:3", "--operations", "all_reduce:sum", "-o", folder]) == 0
    assert "cycles to all" not in capsys.readouterr().out


def test_a_deadlock_is_a_failed_check(capsys, tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text("async def main(comm):\n    await comm.recv()\n")
    assert main(["run", str(tmp_path / "late.py"), "ring:3", "--operations", "send"]) == 1
    told = "noc run: error: check failed: programs wait for ever: nodes 0, 1, 2 for a message"
    assert capsys.readouterr().err.startswith(told)


@pytest.mark.parametrize("name", APPLICATIONS)
@pytest.mark.parametrize("spec", ["star:3", "ring:5", "tree:2,3"])
def test_an_application_gives_what_it_should(capsys, monkeypatch, name: str, spec: str) -> None:
    monkeypatch.setattr(sys, "argv", [name, spec])
    assert importlib.import_module(name).main() == 0, capsys.readouterr().out


@pytest.mark.parametrize("name", APPLICATIONS)
def test_an_application_needs_a_network(name: str) -> None:
    command = [sys.executable, str(SIM / f"{name}.py"), "star"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    told = f"{name}.py: error: network 'star': parameters are missing: star:n with n from 2 up\n"
    assert done.stderr == told


def test_the_solution_is_near_that_of_numpy() -> None:
    """Within what the bits after the point allow; a step too few would be far away."""
    solver = importlib.import_module("conjugate_gradients")
    matrix, right = solver.build_grid(5)
    design = build_design("ring:5", operations=solver.OPERATIONS, width=solver.WIDTH)
    parts = run(solver.solve, design, matrix, right, 16).results
    error = np.concatenate(parts) / 2**solver.FRACTION - np.linalg.solve(matrix, right)
    assert np.abs(error).max() < 1e-5


@pytest.mark.parametrize(("name", "part"), [("k_means", "assign"), ("automaton", "step")])
def test_other_results_than_those_of_numpy_are_told(capsys, monkeypatch, name, part) -> None:
    """What nodes compute differs from what is computed in one place."""
    module = importlib.import_module(name)
    right = getattr(module, part)

    def wrong(*given):
        alone = sys._getframe(1).f_code.co_name.endswith("_alone")
        return right(*given) if alone else right(*given) * 0

    monkeypatch.setattr(module, part, wrong)
    monkeypatch.setattr(sys, "argv", [name, "star:3"])
    assert module.main() == 1
    assert "OTHER" in capsys.readouterr().out


def test_copies_that_differ_are_told() -> None:
    store = importlib.import_module("replicated_store")
    design = build_design("star:3", operations=["broadcast", "send"], own_words="return")
    done = run(store.count, design, 3)
    assert store.check(done, 3)
    assert not store.check(done, 4)
    done.results[2][1].reverse()
    assert not store.check(done, 3)


@pytest.mark.cocotb
@pytest.mark.slow
@pytest.mark.parametrize("name", APPLICATIONS)
def test_an_application_takes_the_same_cycles_on_verilog(name: str) -> None:
    command = [sys.executable, str(SIM / f"{name}.py"), "star:3"]
    printed = [
        subprocess.run([*command, *more], capture_output=True, text=True, check=True).stdout
        for more in ((), ("--verilog",))
    ]
    assert printed[0] == printed[1]


@pytest.mark.cocotb
@pytest.mark.slow
def test_a_folder_runs_by_command(capsys, tmp_path: Path) -> None:
    for name, text in files("comm.md"):
        (tmp_path / name).write_text(text, encoding="utf-8")
    write(build_design("star:3", operations=["all_reduce:sum"]), tmp_path / "net")
    program = str(tmp_path / "total.py")
    assert main(["run", program, "--verilog", str(tmp_path / "net")]) == 0
    on_verilog = capsys.readouterr().out
    assert main(["run", program, "star:3", "--operations", "all_reduce:sum"]) == 0
    assert capsys.readouterr().out == on_verilog
