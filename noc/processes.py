"""Commands that run in child processes, and end with all that they started when nobody waits."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, CancelledError, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any, Self, TypeVar

from noc.errors import CheckError, option

_Result = TypeVar("_Result")

#: The longest that what was killed may take to be gone.
_LAST_SECONDS = 1.0

#: The longest that an interrupt may wait to be noticed.
_HEARD_AFTER = 0.2


class OutOfTimeError(CheckError):
    """A command that took longer than it was given."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """All commands that run meanwhile, of pools too, must end within ``seconds``, together."""
    before = _here.limit
    _here.limit = (time.monotonic() + seconds, seconds)
    try:
        yield
    finally:
        _here.limit = before


def run(
    command: Sequence[str],
    folder: Path,
    log: Path,
    *,
    name: str,
    seconds: float,
    env: Mapping[str, str] | None = None,
) -> int:
    """Run a command in a folder, its output in a file, and return its status.

    If that is left early, by an interrupt for instance, the command is ended with all that it
    started, and its temporary files go. After ``seconds`` it is ended too, which is an error that
    calls it by its ``name``.
    """
    with start(command, folder, log, env=env, stdin=subprocess.DEVNULL) as process:
        told, left = f"took longer than {seconds:g} s", seconds
        if _here.limit is not None:
            end, given = _here.limit
            if end - time.monotonic() < left:
                told = f"was not done after {option('timeout', given)} s"
                left = max(0.0, end - time.monotonic())
        try:
            return process.wait(left)
        except subprocess.TimeoutExpired:
            raise OutOfTimeError(f"{name} {told}") from None


@contextlib.contextmanager
def start(
    command: Sequence[str],
    folder: Path,
    log: Path,
    *,
    env: Mapping[str, str] | None = None,
    **options: Any,
) -> Iterator[subprocess.Popen[bytes]]:
    """The process of a command, which is ended where it has not ended by itself.

    The ``options`` are those of :class:`subprocess.Popen`.
    """
    with (
        tempfile.TemporaryDirectory(prefix="noc-") as own,
        log.open("wb") as output,
        _running(
            command,
            cwd=folder,
            env={**(os.environ if env is None else env), "TMPDIR": own},
            stdout=output,
            stderr=subprocess.STDOUT,
            **options,
        ) as process,
    ):
        yield process


class _Here(threading.local):
    """What a thread works for, and until when: the end, and how long that was."""

    pool: "Pool | None" = None
    limit: tuple[float, float] | None = None


_here = _Here()


@contextlib.contextmanager
def _running(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a session of its own, which the pool of this thread may end."""
    pool = _here.pool
    with contextlib.nullcontext() if pool is None else pool.lock:
        if pool is not None and pool.ended:
            raise CancelledError
        process = subprocess.Popen(command, start_new_session=True, **options)
        if pool is not None:
            pool.running.add(process)
    try:
        yield process
    finally:
        if pool is not None:
            with pool.lock:
                pool.running.discard(process)
        if process.returncode is None or (pool is not None and pool.ended):
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it started, which may still make a file that would be left."""
    _kill(process)
    process.wait()
    deadline = time.monotonic() + _LAST_SECONDS
    with contextlib.suppress(ProcessLookupError, PermissionError):
        while sys.platform != "win32" and time.monotonic() < deadline:
            os.killpg(process.pid, 0)
            time.sleep(0.01)


def _kill(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        process.kill()
        return
    # It may have ended just now, and its session with it.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


class Pool:
    """Worker threads, as many as there are processors or as asked; their commands end with it.

    Left by an exception, an interrupt for instance, it ends the commands that run and begins no
    others, so that it is left at once.
    """

    def __init__(self, workers: int | None = None) -> None:
        self.lock = threading.Lock()
        self.ended = False
        self.running: set[subprocess.Popen[bytes]] = set()
        self._limit = _here.limit
        self._threads = ThreadPoolExecutor(workers or os.cpu_count(), initializer=self._begin)

    def _begin(self) -> None:
        _here.pool, _here.limit = self, self._limit

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            with self.lock:
                self.ended = True
                for process in self.running:
                    _kill(process)
        self._threads.shutdown(cancel_futures=kind is not None)

    def map(self, function: Callable[..., _Result], *arguments: Iterable[Any]) -> list[_Result]:
        """The results for each argument, in their order; the first that fails is not waited for."""
        # Some arguments are repeated without end.
        calls = list(zip(*arguments, strict=False))
        if len(calls) == 1:
            # In this thread, so that a pool around this one ends its commands.
            return [function(*calls[0])]
        futures = [self._threads.submit(function, *each) for each in calls]
        pending = set(futures)
        while pending:
            # Some systems give a signal to any thread, and Python raises an interrupt in this one,
            # which hears of it when it runs.
            done, pending = wait(pending, _HEARD_AFTER, return_when=FIRST_EXCEPTION)
            for future in futures:
                if future in done:
                    future.result()
        return [future.result() for future in futures]
