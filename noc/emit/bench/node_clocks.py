"""A cocotb bench for nodes with clocks of their own, on the network in the folder above.

Run it with run.py. It knows the network only from manifest.json.
"""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, Timer
from folder import MANIFEST, RETURNED, find_field, read_field

TOP = MANIFEST["node_clocks"]
NODES = TOP["nodes"]
SOURCES = [node for node in range(len(NODES)) if NODES[node]["inject"]]
WORDS = 12
SEED = 1


def period_ps(place: int) -> int:
    """The period of a node's clock: each another, none that of the network."""
    return 6_120 + 2 * (1_871 * (place + 1) % 7_001)


class Bench:
    """Drives and reads the streams of every node in the node's own clock."""

    def __init__(self, dut) -> None:
        self.dut = dut
        self.sent: dict[int, list[int]] = {}
        # Data, and who sent it or None.
        self.received: list[list[tuple[int, int | None]]] = [[] for _ in NODES]
        self.eager = False

    async def start(self, sources: list[int], offer: float, take: float) -> None:
        """Start the clocks, end the resets one after the other, and serve the streams."""
        for source in sources:
            first = source * WORDS + 1
            self.sent[source] = [(first + count) % 2 ** MANIFEST["width"] for count in range(WORDS)]
        for node, entry in enumerate(NODES):
            if entry["inject"]:
                self.dut[entry["inject"]["valid"]].value = 0
            self.dut[entry["eject"]["ready"]].value = 0
            cocotb.start_soon(self.take(node, take))
        resets = dict.fromkeys([TOP["reset"], *(entry["reset"] for entry in NODES)])
        for name in resets:
            self.dut[name].value = 1
        Clock(self.dut[TOP["clock"]], 10_000, unit="ps").start()
        for place, name in enumerate(dict.fromkeys(entry["clock"] for entry in NODES)):
            Clock(self.dut[name], period_ps(place), unit="ps").start()
        await Timer(200, unit="ns")
        for name in reversed(resets):
            self.dut[name].value = 0
            await Timer(37, unit="ns")
        for source in sources:
            cocotb.start_soon(self.offer(source, offer))

    async def offer(self, node: int, chance: float) -> None:
        """Send all words of a node."""
        lots = random.Random(f"{SEED} offer {node}")
        names, clock = NODES[node]["inject"], self.dut[NODES[node]["clock"]]
        valid, ready = self.dut[names["valid"]], self.dut[names["ready"]]
        for word in self.sent[node]:
            await FallingEdge(clock)
            while lots.random() >= chance:
                await FallingEdge(clock)
            valid.value = 1
            # The number of the tree, where there are several, is 0.
            self.dut[names["payload"]].value = word << find_field(names, "data")["first"]
            await ReadOnly()
            while ready.value != 1:
                await FallingEdge(clock)
                await ReadOnly()
            await FallingEdge(clock)
            valid.value = 0

    async def take(self, node: int, chance: float) -> None:
        """Take words at a node, for ever."""
        lots = random.Random(f"{SEED} take {node}")
        names, clock = NODES[node]["eject"], self.dut[NODES[node]["clock"]]
        reset = self.dut[NODES[node]["reset"]]
        while True:
            await FallingEdge(clock)
            taking = self.eager or lots.random() < chance
            self.dut[names["ready"]].value = int(taking)
            await ReadOnly()
            if taking and reset.value == 0 and self.dut[names["valid"]].value == 1:
                payload, source = int(self.dut[names["payload"]].value), find_field(names, "source")
                word = read_field(payload, find_field(names, "data"))
                self.received[node].append((word, source and read_field(payload, source)))

    async def drain(self) -> None:
        """Wait until everything is everywhere, and on, so that a stray word would be seen."""
        wanted = sum(map(len, self.sent.values())) * (len(NODES) - (not RETURNED))
        for _ in range(20_000):
            await Timer(100, unit="ns")
            if sum(map(len, self.received)) >= wanted:
                break
        self.eager = True
        await Timer(2, unit="us")
        for node in range(len(NODES)):
            self.check(node)

    def check(self, node: int) -> None:
        """Each word of the others arrived once, each source's in order, under its number."""
        label, received = NODES[node]["label"], self.received[node]
        words = [word for word, _ in received]
        expected = {source: w for source, w in self.sent.items() if RETURNED or source != node}
        everything = [word for own in expected.values() for word in own]
        assert sorted(words) == sorted(everything), f"{label}: not the words that were sent"
        apart = len(set(everything)) == len(everything)
        for source, own in expected.items():
            if find_field(NODES[node]["eject"], "source"):
                got = [word for word, number in received if number == source]
                assert got == own, f"{label}: words of a wrong source, or out of order"
            elif apart:
                assert [word for word in words if word in own] == own, f"{label}: out of order"


@cocotb.test(timeout_time=100, timeout_unit="ms")
@cocotb.parametrize(offer=[1, 0.4], take=[1, 0.4])
async def words_cross_between_the_clocks(dut, offer: float, take: float) -> None:
    """Nodes send and take words, each in its own clock."""
    bench = Bench(dut)
    alone = MANIFEST["sources"] == "one"
    await bench.start(SOURCES[:1] if alone else SOURCES, offer, take)
    await bench.drain()
