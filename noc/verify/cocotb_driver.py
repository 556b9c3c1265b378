"""What cocotb runs inside a simulator that does not compile to C++: the same as ``harness.cpp``."""

import json
import signal
import socket
import struct
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import cocotb
from cocotb.triggers import Timer

HALF_PERIOD_NS = 5
END = 2**32 - 1

#: What the module around the network has.
FACTS = json.loads(Path("facts.json").read_text(encoding="utf-8"))

# A simulation that hangs inside the simulator is ended by the system.
signal.signal(signal.SIGALRM, signal.SIG_DFL)


def read(handle: Any) -> int:
    """The value of a port; what is undefined is 0."""
    value = handle.value
    return int(value if value.is_resolvable else value.resolve("zeros"))


class Driver:
    """The module around a network, and the words that its sources have still to offer."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.queues: list[deque[tuple[int, int]]] = [deque() for _ in range(FACTS["inject"])]
        self.words = [dut[f"word_{n}"] for n in range(FACTS["inject"])]
        self.payloads = [dut[f"payload_{n}"] for n in range(FACTS["streams"])]
        self.offer, self.take, self.fired = (
            [(first, dut[f"{name}_{n}"]) for n, first in enumerate(range(0, count, FACTS["group"]))]
            for name, count in (
                ("offer", FACTS["inject"]),
                ("take", FACTS["take"]),
                ("fired", FACTS["streams"]),
            )
        )
        self.shown: dict[Any, int] = {}

    def put(self, handle: Any, value: int) -> None:
        """Set an input, if it changes."""
        if self.shown.get(handle) != value:
            self.shown[handle] = handle.value = value

    async def edge(self) -> None:
        """A cycle of the clock; then all signals are settled."""
        for level in (1, 0):
            self.dut.clk.value = level
            await Timer(HALF_PERIOD_NS, "ns")

    async def reset(self, run: int) -> None:
        """Begin a run."""
        self.dut.run.value, self.dut.reset.value = run, 1
        for queue in self.queues:
            queue.clear()
        self.cycle, self.idle, self.seconds = 0, 1, 0.0
        rows = Path(f"{run}.pattern").read_bytes()
        groups = struct.unpack(f"={len(rows) // 8}Q", rows)
        self.ready = [groups[n : n + len(self.take)] for n in range(0, len(groups), len(self.take))]
        for _ in range(FACTS["reset_cycles"]):
            await self.edge()
        self.dut.reset.value = 0

    def set_inputs(self, busy: int) -> None:
        """Offer what is due, and let sinks be ready."""
        due = [bool(queue and queue[0][0] <= self.cycle) for queue in self.queues]
        for source, offers in enumerate(due):
            if offers:
                self.put(self.words[source], self.queues[source][0][1])
        for first, port in self.offer:
            bits = due[first : first + FACTS["group"]]
            self.put(port, sum(bit << n for n, bit in enumerate(bits)))
        row = self.ready[self.cycle % (len(self.ready) - 1) if self.cycle < busy else -1]
        for (_, port), ready in zip(self.take, row, strict=True):
            self.put(port, ready)

    def transfers(self) -> Iterator[tuple[int, int]]:
        """Streams by which a word is transferred in this cycle, and its payload."""
        for first, port in self.fired:
            fired = read(port)
            while fired:
                stream = first + (fired & -fired).bit_length() - 1
                fired &= fired - 1
                if stream < len(self.queues):
                    self.queues[stream].popleft()
                yield stream, read(self.payloads[stream])
        if FACTS["idle"] and read(self.dut.idle) != self.idle:
            self.idle ^= 1
            yield FACTS["streams"], self.idle

    async def follow(self, until: int, busy: int, log: IO[bytes]) -> None:
        """Simulate up to a cycle."""
        began, bytes_ = time.process_time(), 4 * FACTS["payload_words"]
        while self.cycle < until:
            self.set_inputs(busy)
            await self.edge()
            for stream, payload in self.transfers():
                record = struct.pack("=2I", self.cycle, stream)
                log.write(record + payload.to_bytes(bytes_, "little"))
            self.cycle += 1
        self.seconds += time.process_time() - began


@cocotb.test()
async def follow_orders(dut: Any) -> None:
    """Read orders from standard input, a socket, and reply there."""
    orders = socket.socket(fileno=0).makefile("rwb")
    driver, number = Driver(dut), None
    word_bytes = 4 * (2 + FACTS["word_words"])
    while order := orders.read(24):
        run, until, busy, last, seconds, words = struct.unpack("=6I", order)
        signal.alarm(seconds)
        if run != number:
            await driver.reset(number := run)
        for _ in range(words):
            word = orders.read(word_bytes)
            source, release = struct.unpack("=2I", word[:8])
            driver.queues[source].append((release, int.from_bytes(word[8:], "little")))
        with Path(f"{run}.log").open("wb") as log:
            await driver.follow(until, busy, log)
            if last:
                log.write(struct.pack("=2I", END, END) + bytes(4 * FACTS["payload_words"]))
        signal.alarm(0)
        orders.write(b"%f\n" % driver.seconds)
        orders.flush()
