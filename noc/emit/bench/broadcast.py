"""A cocotb bench for the network in the folder above; run it with run.py, or read and change it.

It knows the network only from manifest.json and program.json.
"""

import json
import random
from collections import deque
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

FOLDER = Path(__file__).resolve().parent.parent
MANIFEST = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
PROGRAM = json.loads((FOLDER / "program.json").read_text(encoding="utf-8"))
# For each router what it sends, by code.
SENDS = {
    router: {entry["code"]: entry["sends"] for entry in table["codes"]}
    for router, table in PROGRAM["routers"].items()
}

NODES = MANIFEST["nodes"]
SOURCES = [node for node in range(len(NODES)) if NODES[node]["inject"]]
# Every source on a small network, some on a large one.
SAMPLE = SOURCES if len(SOURCES) <= 24 else SOURCES[:: len(SOURCES) // 16]
SEED = 1


def wires() -> dict[tuple[str, str], tuple[str, str]]:
    """Where every out-port leads: (node, out-port) to (node, in-port)."""
    return {
        (link["from"], link["out_port"]): (link["to"], link["in_port"])
        for link in MANIFEST["links"]
    }


def depths(source: int) -> dict[int, int]:
    """Hops from a source to every node, by running the program."""
    index = {node["label"]: number for number, node in enumerate(NODES)}
    leads = wires()
    own_code = PROGRAM["routers"][NODES[source]["router"]]["own_codes"][0]
    result, queue = {source: 0}, deque([(source, own_code)])
    while queue:
        node, code = queue.popleft()
        for send in SENDS[NODES[node]["router"]][code]:
            there = index[leads[NODES[node]["label"], send["port"]][0]]
            assert there not in result, f"{NODES[there]['label']} is reached twice"
            result[there] = result[node] + 1
            queue.append((there, send["code"]))
    return result


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
                self.signal(node, "inject", "payload").value = (
                    waiting[0] << NODES[node]["tree_bits"]
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
        for _ in range(max(8, len(depths(SOURCES[0])) // 8)):
            await self.step()
        assert sum(map(len, self.received)) == deliveries, "more words arrived than were sent"


def numbered(node: int, count: int) -> list[int]:
    """Different words for every source, as far as the width allows."""
    return [(node * count + place + 1) % 2 ** MANIFEST["width"] for place in range(count)]


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def every_broadcast_takes_its_hops(dut) -> None:
    """A word reaches a node at depth d after exactly inject + d * hop + eject cycles."""
    bench = Bench(dut)
    await bench.reset()
    for source in SAMPLE:
        expected = depths(source)
        bench.accepted, bench.received = {}, [[] for _ in NODES]
        (word,) = numbered(source, 1)
        bench.waiting[source].append(word)
        await bench.drain(len(NODES) - 1, bench.cycle + 50 * len(NODES))
        for node, received in enumerate(bench.received):
            if node == source:
                assert not received
                continue
            (arrived, got) = received[0]
            assert got == word
            latency = arrived - bench.accepted[word]
            exact = MANIFEST["ports"] == "all"
            hops = MANIFEST["inject_cycles"] + expected[node] * MANIFEST["hop_cycles"]
            assert latency == hops + MANIFEST["eject_cycles"] if exact else latency >= hops


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def stalls_lose_nothing(dut) -> None:
    """With sinks that stall at random, each node gets the words of one source once, in order."""
    bench = Bench(dut)
    await bench.reset()
    source, words = SOURCES[0], numbered(SOURCES[0], 20)
    bench.waiting[source].extend(words)
    await bench.drain(len(words) * (len(NODES) - 1), 4000 * len(words), ready_chance=0.4)
    for node, received in enumerate(bench.received):
        assert [word for _, word in received] == (words if node != source else [])


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=MANIFEST["sources"] != "all")
async def all_sources_at_once(dut) -> None:
    """Every source sends at full rate into random sinks until every word is everywhere."""
    count = 3
    bench = Bench(dut)
    await bench.reset()
    for source in SOURCES:
        bench.waiting[source].extend(numbered(source, count))
    total = count * len(SOURCES)
    await bench.drain(total * (len(NODES) - 1), 100 * total + 5000, ready_chance=0.7)
    for node, received in enumerate(bench.received):
        words = [word for _, word in received]
        expected = [w for source in SOURCES if source != node for w in numbered(source, count)]
        assert sorted(words) == sorted(expected)
        if len(set(expected)) < len(expected):
            continue
        for source in SOURCES:
            own = numbered(source, count)
            assert [word for word in words if word in own] == (own if source != node else [])
