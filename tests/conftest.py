"""Settings that all tests share, what is made once for all of them, and what is told at the end.

The tests make the same Verilog and netlists, and compile the same C++, many times over. All are
made once in a run and kept in a folder, which all its processes use.
"""

import json
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import once
import pytest
from hypothesis import HealthCheck, settings
from own_operators import own_operators as operators_there

from noc.cli import main
from noc.emit import module
from noc.simulators import lacks_library

# The same examples on every machine and in every run; no deadline on shared machines.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")


#: Where Python's shared library is told to lie, if anywhere; and that cocotb lacks it, if it does.
_LIBRARY = os.environ.get("LIBPYTHON_LOC")
_LACK = lacks_library(os.environ)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let interrupts be heard, and cocotb run in the tests that are marked, where it can.

    Who starts the tests in the background may leave interrupts ignored, and so may an earlier test;
    they are heard here and by what a test starts. Without the mark ``cocotb`` finds no library on
    any machine, so that no mark is forgotten where there is one.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if item.get_closest_marker("cocotb") is None:
        os.environ["LIBPYTHON_LOC"] = "/this/test/has/no/mark/cocotb"
    elif _LACK:
        pytest.skip(_LACK)
    elif _LIBRARY is None:
        os.environ.pop("LIBPYTHON_LOC", None)
    else:
        os.environ["LIBPYTHON_LOC"] = _LIBRARY


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder, in the first process; those that it starts find it in the environment."""
    if hasattr(config, "workerinput"):
        return
    os.environ[once.KEPT] = tempfile.mkdtemp(prefix="noc-tests-")
    # Hundreds of commands are started, each of which would compile all that it imports.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    if "not slow" in config.option.markexpr:
        # Long simulations are better compiled with optimisation.
        script = shlex.quote(str(Path(__file__).with_name("compiler.sh")))
        os.environ["OBJCACHE"] = f"sh {script}"
        # In several parts, each with headers that are compiled before, it takes longer.
        os.environ["GNUMAKEFLAGS"] = "VM_PARALLEL_BUILDS=0"


def pytest_unconfigure(config: pytest.Config) -> None:
    """Take the folder away."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[once.KEPT], ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test of many cases, leave all but some to CI, or to its slow run.

    Cases with a mark of their own keep it.
    """
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        marked = any(map(item.get_closest_marker, ("ci", "slow")))
        if item.get_closest_marker("cases") and not marked:
            tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in tests.values():
        marker = cases[0].get_closest_marker("cases")
        _leave_to_ci(cases, *marker.args, **marker.kwargs)


def _leave_to_ci(cases: list[pytest.Item], number: int, *, ci: int | None = None) -> None:
    """Mark all but so many cases: some, or all if that is not said, for CI, the rest as slow."""
    quick = _spread(cases, number)
    others = [case for case in cases if case not in quick]
    in_ci = others if ci is None else _spread(others, ci)
    for case in others:
        case.add_marker("ci" if case in in_ci else "slow")


def _spread(cases: list[pytest.Item], number: int) -> list[pytest.Item]:
    """So many of them, spread over the whole list: neighbours in it are most alike."""
    number = min(number, len(cases))
    return [cases[index * len(cases) // number] for index in range(number)]


@pytest.fixture(autouse=True, scope="session")
def _verilog_and_netlists_are_made_once() -> Iterator[None]:
    netlists = Path(os.environ[once.KEPT]) / "netlists"
    netlists.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "run_yosys", once.run_yosys)
        patch.setattr("noc.synth.kept.cache_folder", lambda *_: netlists)
        yield


@pytest.fixture
def parts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the parts of simulations are kept that several tests compile."""
    return tmp_path_factory.getbasetemp() / "parts"


@pytest.fixture
def own_operators() -> Iterator[None]:
    """Operators that are not in the package are there."""
    with operators_there():
        yield


@pytest.fixture
def yosys_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test of what Yosys writes when it is asked twice."""
    monkeypatch.setattr(module, "run_yosys", once.own_run_yosys)


class CommandLine:
    """Commands in this process, as words or as one text, and what each alone prints."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys, self.monkeypatch = capsys, monkeypatch

    def __call__(self, *words: object) -> tuple[int, str, str]:
        """Status, output and errors."""
        return self._called(lambda: main(self.split(words)))

    def script(self, entry: Callable[[], int], name: str, *words: object) -> tuple[int, str, str]:
        """The same of a script that finds its name and its words itself."""
        self.monkeypatch.setattr(sys, "argv", [name, *map(str, words)])
        return self._called(entry)

    def _called(self, entry: Callable[[], int]) -> tuple[int, str, str]:
        self.capsys.readouterr()
        try:
            status = entry()
        except SystemExit as end:
            status = int(end.code or 0)
        return status, *self.capsys.readouterr()

    @staticmethod
    def split(words: tuple[object, ...]) -> list[str]:
        return shlex.split(str(*words)) if len(words) == 1 else [*map(str, words)]

    def out(self, *words: object) -> str:
        """The output of a command that succeeds."""
        status, out, err = self(*words)
        assert status == 0, err
        return out

    def facts(self, *words: object) -> Any:
        """The JSON of a command that succeeds and complains of nothing."""
        status, out, err = self(*self.split(words), "--json")
        assert (status, re.sub(r"(?m)^ *\d+ s  .*\n", "", err)) == (0, "")  # Only how far it is.
        return json.loads(out)

    def refusal(self, *words: object) -> str:
        """The one line with which a command refuses what was asked for."""
        status, out, err = self(*words)
        assert (status, out, err.count("\n")) == (2, "", 1)
        return err


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    return CommandLine(capsys, monkeypatch)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser, if there is one."""
    found = filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome")))
    path = next(found, None)
    if path is None:
        pytest.skip("needs a browser: chromium on PATH")
    api = pytest.importorskip("playwright.sync_api", reason="needs playwright, from PyPI")
    with api.sync_playwright() as playwright:
        # A sandbox of its own is not to be had everywhere.
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield chromium
        chromium.close()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say which tests did not run for want of which tool."""
    reasons = Counter(
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    if reasons:
        terminalreporter.section("not run for want of a tool", yellow=True)
        for reason, count in sorted(reasons.items()):
            terminalreporter.line(f"{count} test{'s' * (count > 1)}: {reason}")
