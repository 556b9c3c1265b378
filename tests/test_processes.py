"""Commands in child processes: whoever ends what waits for them, nothing is left of them."""

import os
import runpy
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError
from contextlib import nullcontext
from pathlib import Path

import pytest
from helpers import begun, begun_anew, processes_of

from noc import processes
from noc.design import build_direct
from noc.emit.folder import write
from noc.errors import CheckError
from noc.networks import build_network
from noc.processes import OutOfTimeError, Pool

#: Starts one that would outlive it, and leaves a temporary file.
SLOW = "sh -c 'sleep 60; true' & touch $TMPDIR/left; touch {began}; wait"


def slow(folder: Path, number: int = 0, *, seconds: float = 60) -> int:
    command = ["sh", "-c", SLOW.format(began=folder / f"began{number}")]
    log = folder / f"log{number}"
    return processes.run(command, folder, log, name="sh", seconds=seconds)


def wait_for(folder: Path, pattern: str, *, seconds: float = 120) -> None:
    deadline = time.monotonic() + seconds
    while not is_there(folder, pattern):
        assert time.monotonic() < deadline, f"{pattern} does not come"
        time.sleep(0.05)


def is_there(folder: Path, pattern: str) -> bool:
    """Folders may go while one looks into them."""
    try:
        return any(folder.rglob(pattern))
    except FileNotFoundError:
        return False


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch) -> Path:
    """An own folder for temporary files, empty; and two workers on every machine."""
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    result = tmp_path / "temporary"
    result.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(result))
    return result


def check_gone(temporary: Path) -> None:
    assert list(temporary.iterdir()) == []
    assert processes_of(temporary) == []


def test_a_command_has_its_output_in_a_file_and_its_temporary_files_for_itself(
    tmp_path: Path, temporary: Path
) -> None:
    command = ["sh", "-c", "touch $TMPDIR/left; echo $TMPDIR $A; pwd >&2; exit 3"]
    env = {"PATH": os.environ["PATH"], "A": "b"}
    log = tmp_path / "log"
    assert processes.run(command, tmp_path, log, name="sh", seconds=60, env=env) == 3
    own, value, folder = log.read_text().split()
    assert (Path(own).parent, value, Path(folder)) == (temporary, "b", tmp_path)
    check_gone(temporary)


def test_a_command_that_takes_too_long_leaves_nothing(tmp_path: Path, temporary: Path) -> None:
    with pytest.raises(CheckError, match=r"^sh took longer than 0\.5 s$"):
        slow(tmp_path, seconds=0.5)
    check_gone(temporary)


@pytest.mark.ci
@pytest.mark.parametrize("pool", [False, True])
def test_commands_that_take_too_long_together_leave_nothing(
    tmp_path: Path, temporary: Path, pool: bool
) -> None:
    def work() -> None:
        with processes.time_limit(0.5), Pool() if pool else nullcontext() as workers:
            if workers is None:
                slow(tmp_path)
            else:
                workers.map(lambda number: slow(tmp_path, number), range(2))

    with pytest.raises(OutOfTimeError, match=r"^sh was not done after timeout=0\.5 s$"):
        work()
    check_gone(temporary)
    # Later ones have their own time again.
    assert processes.run(["true"], tmp_path, tmp_path / "log", name="true", seconds=60) == 0


@pytest.mark.ci
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, CheckError])
def test_a_pool_that_is_left_ends_its_commands(
    tmp_path: Path, temporary: Path, error: type[BaseException]
) -> None:
    def work(number: int) -> int:
        # The first waits in a pool of its own.
        if number:
            return slow(tmp_path, number)
        with Pool() as inner:
            return inner.map(lambda _: slow(tmp_path), range(1))[0]

    def fail(number: int) -> int:
        if number == 1:
            wait_for(tmp_path, "began*", seconds=20)
            raise error("left")
        return work(number)

    begin = time.monotonic()
    with pytest.raises(error), Pool() as pool:
        # The rest would begin after those.
        pool.map(fail, range(50))
    assert time.monotonic() - begin < 30
    assert len(list(tmp_path.glob("began*"))) < 10
    check_gone(temporary)


@pytest.mark.ci
def test_an_interrupt_that_a_worker_gets_is_heard(tmp_path: Path, temporary: Path) -> None:
    """As on systems that give the signal of a terminal to any thread."""

    def work(number: int) -> int:
        if number:
            wait_for(tmp_path, "began0", seconds=20)
            signal.pthread_kill(threading.get_ident(), signal.SIGINT)
        return slow(tmp_path, number)

    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt), Pool() as pool:
        pool.map(work, range(2))
    assert time.monotonic() - begin < 30
    check_gone(temporary)


def test_a_pool_that_is_left_begins_nothing(tmp_path: Path, temporary: Path) -> None:
    errors = []

    def work(number: int) -> None:
        if number:
            raise KeyboardInterrupt
        time.sleep(0.5)
        try:
            slow(tmp_path)
        except CancelledError as error:
            errors.append(error)

    with pytest.raises(KeyboardInterrupt), Pool() as pool:
        pool.map(work, range(2))
    assert len(errors) == 1
    assert not (tmp_path / "began0").exists()
    check_gone(temporary)


def test_results_come_in_the_order_of_the_arguments() -> None:
    with Pool() as pool:
        assert pool.map(lambda a, b: a - b, [5, 7, 9], [1, 2, 3]) == [4, 5, 6]


COMMANDS = [
    ("synth", "star:3", "--router", "--target", "ice40", "--width", "4"),
    ("build", "star:3", "--board", "icebreaker", "--width", "4"),
]


#: Each command and each signal once; the other two are slow.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "number"),
    [
        (COMMANDS[0], signal.SIGINT),
        (COMMANDS[1], signal.SIGTERM),
        pytest.param(COMMANDS[0], signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param(COMMANDS[1], signal.SIGINT, marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_synthesis_leaves_nothing(
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    command: tuple[str, ...],
    number: signal.Signals,
) -> None:
    # Where netlists are kept, Yosys might not be asked.
    caches = tmp_path_factory.mktemp("cache")
    process = begun_anew(*command, temporary=tmp_path, caches=caches, cwd=tmp_path)
    wait_for(tmp_path, "yosys-abc-*")
    # Two at once, as from `timeout`.
    os.kill(process.pid, number)
    os.kill(process.pid, number)
    begin = time.monotonic()
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - begin < 10
    shown = [line for line in err.splitlines() if " s  " not in line]
    assert (process.returncode, out) == (130, "")
    assert shown == [f"noc {command[0]}: error: interrupted"]
    check_gone(tmp_path)


#: A program that does not come to its end, nor does what it starts; told of an interrupt, it would
#: complain.
ENDLESS = "trap 'echo interrupted >&2; exit 1' INT; touch $TMPDIR/began; sleep 60 & wait\n"

SIM = Path(__file__).parent.parent / "sim"


@pytest.mark.cases(0, ci=3)
@pytest.mark.parametrize("endless", ["iverilog", "vvp"])
@pytest.mark.parametrize("script", ["the bench of a network", "the benches for people"])
def test_interrupted_benches_end_their_simulator(
    tmp_path: Path, temporary: Path, script: str, endless: str
) -> None:
    if script == "the bench of a network":
        write(build_direct(build_network("hypercube:1"), width=4), tmp_path / "out")
        command = [str(tmp_path / "out" / "bench" / "run.py")]
    else:
        command = [str(SIM / "run.py"), "hypercube:1", "--bench", "stalls"]
    for name in ("iverilog", "vvp"):
        (tmp_path / name).write_text("#!/bin/sh\n" + ENDLESS * (name == endless))
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    process = begun(
        *(sys.executable, *command, "--simulator", "icarus"),
        env=os.environ | {"PATH": path, "TMPDIR": str(temporary)},
        stdout=subprocess.DEVNULL,
    )
    wait_for(temporary, "began")
    # As from a terminal: all that belong to it hear of it.
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "run.py: error: interrupted\n")
    (temporary / "began").unlink()
    check_gone(temporary)


def test_the_interrupted_example_ends_in_one_line(monkeypatch, cli) -> None:
    example = runpy.run_path(str(SIM / "processing_elements.py"))

    def compared(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setitem(example["main"].__globals__, "compared", compared)
    told = cli.script(example["main"], "processing_elements.py", "star:3")
    assert told == (130, "", "processing_elements.py: error: interrupted\n")
