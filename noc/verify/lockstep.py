"""The C++ program that drives a network: told to go on a while, and asked what it has logged."""

import contextlib
import os
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from noc import processes
from noc.harness import BENCH
from noc.verify.expected import WordArray
from noc.verify.simulator import Simulation, complain
from noc.verify.tools import environment

__all__ = ["Lockstep", "Order", "start_harness"]


class Order(NamedTuple):
    """What the program is told.

    Parameters
    ----------
    run : int
        The number of the run; another than before begins with a reset.
    until, busy : int
        Simulate up to this cycle, and from the other on with all sinks ready.
    last : bool
        Whether the run ends there.
    seconds : int
        It may take so long.
    """

    run: int
    until: int
    busy: int
    last: bool
    seconds: int


class Lockstep:
    """The program as it runs.

    Parameters
    ----------
    process : Popen
        Its process, which reads orders.
    replies : file
        Where it replies.
    log : Path
        The file for its output.
    """

    def __init__(self, process: subprocess.Popen[bytes], replies: IO[bytes], log: Path) -> None:
        self._process, self._replies, self._log = process, replies, log
        #: Processor time of the run so far.
        self.seconds: float | None = None
        #: Why it ended before its time, if it did.
        self.trouble: str | None = None

    def order(self, order: Order, words: WordArray) -> None:
        """Tell it to go on, with words that sources may offer, after it has replied."""
        if self.trouble is not None:
            return
        assert self._process.stdin is not None
        # What it has to say, it says in its log.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(struct.pack("=6I", *order, len(words)))
            self._process.stdin.write(words.tobytes())
            self._process.stdin.flush()

    def wait(self) -> bool:
        """Wait until it has done what it was told; whether it has."""
        reply = b"" if self.trouble is not None else self._replies.readline()
        if reply:
            self.seconds = float(reply)
        elif self.trouble is None:
            self._process.wait()
            self.trouble = complain(self._log)
        return bool(reply)


@contextlib.contextmanager
def start_harness(simulation: Simulation) -> Iterator[Lockstep]:
    """The program that was built."""
    log = simulation.folder / "harness.txt"
    mine, its = os.pipe()
    with os.fdopen(mine, "rb") as replies, os.fdopen(its, "wb") as its_end:
        started = processes.start(
            *([str(simulation.folder / "build" / BENCH), str(its)], simulation.runs, log),
            env=environment(simulation.simulator, cocotb=False),
            stdin=subprocess.PIPE,
            pass_fds=(its,),
        )
        with started as process:
            its_end.close()
            assert process.stdin is not None
            try:
                yield Lockstep(process, replies, log)
            finally:
                # It may have ended before it read all.
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.close()
            process.wait()
