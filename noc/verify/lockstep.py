"""The program that drives a network: it is ordered to go on for some cycles, and logs them."""

import contextlib
import json
import socket
import struct
import subprocess
from collections.abc import Iterator
from io import BufferedRWPair
from pathlib import Path
from typing import NamedTuple

import numpy as np

from noc import processes
from noc.harness import BENCH, GROUP, Interface, count_payload_words
from noc.model.traffic import BoolArray
from noc.simulators import SIMULATORS, compose_test
from noc.verify.records import WordArray
from noc.verify.simulation import Simulation, complain
from noc.verify.streams import ready_by_stream
from noc.verify.tools import environment


class Order(NamedTuple):
    """What the program is to do next."""

    #: The number of the run; another than before begins with a reset.
    run: int
    #: Simulate up to this cycle, and from the other on with all sinks ready.
    until: int
    busy: int
    #: Whether the run ends there.
    last: bool
    #: The longest that it may take.
    seconds: int


class Lockstep:
    """The program as it runs: a C++ program around the model, or cocotb in a simulator."""

    def __init__(
        self, process: subprocess.Popen[bytes], channel: BufferedRWPair, log: Path
    ) -> None:
        self._process, self._channel, self._log = process, channel, log
        #: Processor time of the run so far.
        self.seconds: float | None = None
        #: Why it ended too early, if it did.
        self.trouble: str | None = None

    def order(self, order: Order, words: WordArray) -> None:
        """Let it go on, with words that sources may offer, after it has replied."""
        if self.trouble is not None:
            return
        # Why it does not read, its log says.
        with contextlib.suppress(ConnectionError):
            self._channel.write(struct.pack("=6I", *order, len(words)) + words.tobytes())
            self._channel.flush()

    def wait(self) -> bool:
        """Wait until it has followed its order; whether it has."""
        reply = b""
        if self.trouble is None:
            with contextlib.suppress(ConnectionError):
                reply = self._channel.readline()
        if reply:
            self.seconds = float(reply)
        elif self.trouble is None:
            self._process.wait()
            self.trouble = complain(self._log)
        return bool(reply)


def write_sinks(
    folder: Path, number: int, ready: BoolArray, away: BoolArray | None, interface: Interface
) -> None:
    """Write when the sinks of a run are ready, and who is away, by ports of the harness.

    The last row is for afterwards: all sinks, and nobody.
    """
    nobody = np.zeros((len(ready), len(interface.taken) - len(interface.eject)), dtype=np.bool_)
    sinks = ready_by_stream(ready, interface.eject)
    rows = np.hstack([sinks, nobody if away is None else away])
    rows = np.vstack([rows, np.arange(rows.shape[1]) < len(interface.eject)])
    packed = np.packbits(rows.astype(bool), axis=1, bitorder="little")
    room = -(-rows.shape[1] // GROUP) * GROUP // 8
    np.pad(packed, ((0, 0), (0, room - packed.shape[1]))).tofile(folder / f"{number}.pattern")


@contextlib.contextmanager
def start_harness(simulation: Simulation, interface: Interface) -> Iterator[Lockstep]:
    """The program that was built."""
    log, simulator = simulation.folder / "harness.txt", SIMULATORS[simulation.simulator]
    if simulator.harness:
        waves = [] if simulation.waves is None else [str(simulation.waves)]
        command = [str(simulation.folder / "build" / BENCH), *waves]
    else:
        facts = {
            "inject": len(interface.inject),
            "take": len(interface.taken),
            "streams": len(interface.streams),
            "idle": interface.idle is not None,
            "group": GROUP,
            "word_words": interface.offered_words,
            "payload_words": count_payload_words(interface),
            "reset_cycles": interface.reset_cycles,
        }
        (simulation.runs / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
        command = compose_test(
            *(simulator, simulation.job, ["noc.verify.cocotb_driver"]),
            folder=simulation.runs,
            results=simulation.folder / "results.xml",
        )
    ours, its = socket.socketpair()
    env = environment(simulation.simulator, cocotb=not simulator.harness)
    with (
        ours,
        its,
        ours.makefile("rwb") as channel,
        processes.start(command, simulation.runs, log, env=env, stdin=its) as process,
    ):
        its.close()
        yield Lockstep(process, channel, log)
        # It may have ended before it read all.
        with contextlib.suppress(OSError):
            ours.shutdown(socket.SHUT_WR)
        process.wait()
