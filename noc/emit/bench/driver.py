"""What the benches share: the manifest, and a driver of all inject and eject streams.

It knows the network only from manifest.json.
"""

import json
import random
from collections import deque
from pathlib import Path

from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

FOLDER = Path(__file__).resolve().parent.parent
MANIFEST = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))

NODES = MANIFEST["nodes"]
SOURCES = [node for node in range(len(NODES)) if "inject" in NODES[node]]
# Every source on a small network, some on a large one.
SAMPLE = SOURCES if len(SOURCES) <= 24 else SOURCES[:: len(SOURCES) // 16]
SEED = 1


class Bench:
    """Drives all inject streams and reads all eject streams, cycle by cycle."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.cycle = 0
        self.waiting: list[deque[int]] = [deque() for _ in NODES]
        self.accepted: dict[int, int] = {}
        self.received: list[list[tuple[int, int]]] = [[] for _ in NODES]
        self.random = random.Random(SEED)

    def signal(self, node: int, stream: str, name: str):
        """A signal of a node's stream."""
        return self.dut[NODES[node][stream][name]]

    def idle(self) -> bool:
        """Whether the network says that it holds no word."""
        return bool(int(self.dut[MANIFEST["idle"]].value))

    async def reset(self) -> None:
        """Start the clock and reset."""
        clock, reset = self.dut[MANIFEST["clock"]], self.dut[MANIFEST["reset"]]
        Clock(clock, 10, unit="ns").start()
        reset.value = 1
        for node in range(len(NODES)):
            self.signal(node, "eject", "ready").value = 0
        for node in SOURCES:
            self.signal(node, "inject", "valid").value = 0
            self.signal(node, "inject", "payload").value = 0
        for _ in range(3):
            await FallingEdge(clock)
        reset.value = 0

    async def step(self, ready_chance: float = 1.0) -> None:
        """One clock cycle: offer words, let sinks take, and note what is transferred.

        Inputs change at the falling edge, so that everything is settled when it is read, and
        the transfer happens at the rising edge after that.
        """
        for node in SOURCES:
            waiting = self.waiting[node]
            self.signal(node, "inject", "valid").value = int(bool(waiting))
            if waiting:
                # The number of the tree, where there are several, lies below the data.
                self.signal(node, "inject", "payload").value = waiting[0] << NODES[node].get(
                    "tree_bits", 0
                )
        ready = [self.random.random() < ready_chance for _ in NODES]
        for node, now in enumerate(ready):
            self.signal(node, "eject", "ready").value = int(now)
        await ReadOnly()
        for node in SOURCES:
            if self.waiting[node] and int(self.signal(node, "inject", "ready").value):
                self.accepted[self.waiting[node].popleft()] = self.cycle
        for node, now in enumerate(ready):
            if now and int(self.signal(node, "eject", "valid").value):
                word = int(self.signal(node, "eject", "payload").value)
                self.received[node].append((self.cycle, word))
        await FallingEdge(self.dut[MANIFEST["clock"]])
        self.cycle += 1

    async def drain(self, deliveries: int, limit: int, ready_chance: float = 1.0) -> None:
        """Run until so many words were ejected, and on, so that a stray one would be seen."""
        while sum(map(len, self.received)) < deliveries:
            assert self.cycle < limit, (
                f"only {sum(map(len, self.received))} of {deliveries} arrived"
            )
            await self.step(ready_chance)
        for _ in range(max(8, len(NODES) // 8)):
            await self.step()
        assert sum(map(len, self.received)) == deliveries, "more words arrived than were sent"


def numbered(node: int, count: int) -> list[int]:
    """Different words for every source, as far as the width allows."""
    return [(node * count + place + 1) % 2 ** MANIFEST["width"] for place in range(count)]
