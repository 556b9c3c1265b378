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
from types import TracebackType
from typing import Any, Self, TypeVar

from noc.errors import CheckError

__all__ = ["Pool", "Session", "run"]

_Result = TypeVar("_Result")

#: So long may what was killed take to be gone.
_LAST_SECONDS = 1.0


class Session(subprocess.Popen[bytes]):
    """A process in a session of its own, which is ended with all that it started."""

    def __init__(self, command: Sequence[str], **options: Any) -> None:
        super().__init__(command, start_new_session=True, **options)

    def kill(self) -> None:
        """End the process and all that it started."""
        if sys.platform == "win32":
            super().kill()
            return
        # It may have ended just now, and its session with it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)


class _Group:
    """The commands that run for a pool, those of the pools within it included."""

    def __init__(self, outer: "_Group | None" = None) -> None:
        self._outer = outer
        self.ended = False
        self.running: set[Session] = set()

    def all(self) -> Iterator["_Group"]:
        """It, and those around it."""
        group: _Group | None = self
        while group is not None:
            yield group
            group = group._outer


#: Guards the groups; and no command begins while one is ended.
_lock = threading.Lock()

#: The group of a worker thread.
_here = threading.local()

#: Of the threads that work for no pool.
_OUTERMOST = _Group()


def _group() -> _Group:
    found: _Group = getattr(_here, "group", _OUTERMOST)
    return found


def run(
    command: Sequence[str],
    folder: Path,
    log: Path,
    *,
    name: str,
    seconds: float,
    env: Mapping[str, str] | None = None,
) -> int:
    """Run a command, its output in a file, and return its status.

    If that is left early, by an interrupt for instance, the command is ended with all that it
    started, and its temporary files go.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    folder : Path
        Where it runs.
    log : Path
        The file for its output.
    name : str
        What a message calls it.
    seconds : float
        No longer than that; more is an error.
    env : mapping of str to str, optional
        Its environment, instead of this process's own.
    """
    with tempfile.TemporaryDirectory(prefix="noc-") as own, log.open("wb") as output:
        process = _started(
            command,
            cwd=folder,
            env={**(os.environ if env is None else env), "TMPDIR": own},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise CheckError(f"{name} took longer than {seconds:g} s") from None
        finally:
            _left(process)


def _started(command: Sequence[str], **options: Any) -> Session:
    """A process that is known to the groups of this thread; refuses if one of them is ended."""
    groups = list(_group().all())
    with _lock:
        if any(group.ended for group in groups):
            raise CancelledError
        process = Session(command, **options)
        for group in groups:
            group.running.add(process)
    return process


def _left(process: Session) -> None:
    """Forget a process that has ended, or end it if it has not."""
    groups = list(_group().all())
    with _lock:
        for group in groups:
            group.running.discard(process)
        early = process.returncode is None or any(group.ended for group in groups)
    if early:
        process.kill()
        process.wait()
        _wait_for_the_others(process)


def _wait_for_the_others(process: Session) -> None:
    """What the process started may still make a file, which would be left."""
    if sys.platform == "win32":
        return
    deadline = time.monotonic() + _LAST_SECONDS
    with contextlib.suppress(ProcessLookupError, PermissionError):
        while time.monotonic() < deadline:
            os.killpg(process.pid, 0)
            time.sleep(0.01)


class Pool:
    """As many worker threads as there are processors; their commands end with it.

    Left by an exception, an interrupt for instance, it ends the commands that run and begins no
    others, so that it is left at once.
    """

    def __init__(self) -> None:
        self._group = _Group(_group())
        self._threads = ThreadPoolExecutor(os.cpu_count(), initializer=self._begin)

    def _begin(self) -> None:
        _here.group = self._group

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None:
            self._end()
        self._threads.shutdown(cancel_futures=kind is not None)

    def _end(self) -> None:
        with _lock:
            self._group.ended = True
            for process in self._group.running:
                process.kill()

    def map(self, function: Callable[..., _Result], *arguments: Iterable[Any]) -> list[_Result]:
        """The results for each argument, in their order; the first that fails is not waited for."""
        # Some arguments are repeated without end.
        futures = [self._threads.submit(function, *each) for each in zip(*arguments, strict=False)]
        done, _ = wait(futures, return_when=FIRST_EXCEPTION)
        for future in futures:
            if future in done:
                future.result()
        return [future.result() for future in futures]
