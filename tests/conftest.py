"""Settings that all tests share, what is made once for all of them, and what is told at the end.

The quick tests make the same Verilog and compile the same C++ many times over. Both are made once
in a run and kept in a folder, which all its processes use.
"""

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings

from noc.emit import module as emitted

# The same examples on every machine and in every run; no deadline on shared machines.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("repeatable")

# Names a folder that is gone after the run.
KEPT = "NOC_TESTS_KEPT"


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder, in the first process; those that it starts find it in the environment."""
    if hasattr(config, "workerinput"):
        return
    os.environ[KEPT] = tempfile.mkdtemp(prefix="noc-tests-")
    if config.option.markexpr == "not slow":
        # Long simulations are better compiled with optimisation.
        script = shlex.quote(str(Path(__file__).with_name("compiler.sh")))
        os.environ["OBJCACHE"] = f"sh {script}"


def pytest_unconfigure(config: pytest.Config) -> None:
    """Take the folder away."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[KEPT], ignore_errors=True)


def run_once(command: Sequence[str], *, input: str, **options) -> subprocess.CompletedProcess[str]:  # noqa: A002
    """Run Yosys as :func:`subprocess.run` does, or say what it wrote of the same text before."""
    key = hashlib.sha256("\0".join([*command, input]).encode()).hexdigest()
    path = Path(os.environ[KEPT]) / f"{key}.v"
    if path.exists():
        return subprocess.CompletedProcess(command, 0, path.read_text(encoding="utf-8"), "")
    done = subprocess.run(command, input=input, **options)
    if done.returncode == 0:
        # Whole at once: another process may be looking.
        fresh = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        fresh.write_text(done.stdout, encoding="utf-8")
        fresh.replace(path)
    return done


@pytest.fixture(autouse=True, scope="session")
def _verilog_is_written_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(emitted, "subprocess", SimpleNamespace(run=run_once))
        yield


@pytest.fixture
def yosys_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """For a test of what Yosys writes when it is asked twice."""
    monkeypatch.setattr(emitted, "subprocess", subprocess)


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
