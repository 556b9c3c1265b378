"""A cocotb bench for the AXI-Streams of the network in the folder above; run it with run.py.

Needs cocotbext-axi. It knows the network only from manifest.json.
"""

import random
from collections import defaultdict

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Timer
from cocotb.utils import get_time_from_sim_steps
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource
from folder import MANIFEST, ORDERED, RETURNED

AXIS = MANIFEST["axis"]
NODES = AXIS["nodes"]
SOURCES = [node for node in range(len(NODES)) if NODES[node]["s_axis"]]
BYTES = AXIS["width"] // 8
# One source at a time, unless the nodes take turns by themselves.
ALONE = MANIFEST["sources"] == "one" and not AXIS["turns"]
SEED = 1

# Words of the longest packets.
LONGEST = AXIS["packet_words"] or 20

# Bytes of a packet that arrived, or of one that is not yet whole.
Packets = dict[int, list[bytes]]


def period_ps(node: int) -> int:
    """The period of a node's clock, if it has one: each another, none near the network's 10 ns."""
    return 6_120 + 2 * (1_871 * (node + 1) % 7_001)


def start_clocks(dut) -> None:
    """Start the network's clock, and those of the nodes."""
    Clock(dut[AXIS["clock"]], 10_000, unit="ps").start()
    clocks = dict.fromkeys(entry["clock"] for entry in NODES)
    for node, name in enumerate(clocks):
        if name != AXIS["clock"]:
            Clock(dut[name], period_ps(node), unit="ps").start()


def resets(dut) -> list:
    """Every reset there is, the network's first."""
    return [dut[name] for name in dict.fromkeys([AXIS["reset"], *(n["reset"] for n in NODES)])]


def pauses(chance: float, seed: str):
    """Endless pauses: in how many cycles out of all the stream stands still."""
    lots = random.Random(seed)
    while True:
        yield lots.random() < chance


def words_of(frame: AxiStreamFrame) -> list[tuple[int, bytes]]:
    """Source and bytes of each word of a frame, which ends with a tlast of any source."""
    size = len(frame.tdata)
    sources = [frame.tid] * size if isinstance(frame.tid, int) else frame.tid
    return [
        (sources[place], bytes(frame.tdata[place : place + BYTES]))
        for place in range(0, size, BYTES)
    ]


class Node:
    """The streams of one node, and what arrived at it."""

    def __init__(self, dut, number: int) -> None:
        entry = NODES[number]
        clock = dut[entry["clock"]]
        self.source = self.sink = None
        if entry["s_axis"]:
            self.source = AxiStreamSource(bus_of(dut, entry["s_axis"]), clock)
        self.sink = AxiStreamSink(bus_of(dut, entry["m_axis"]), clock)
        self.packets: Packets = defaultdict(list)
        self.begun: dict[int, bytes] = defaultdict(bytes)
        self.words = 0
        self.order: list[int] = []
        self.first = self.last = 0

    def pause(self, number: int, source: float, sink: float) -> None:
        """Stand still in so large a part of the cycles."""
        if self.source is not None:
            self.source.set_pause_generator(pauses(source, f"{SEED} source {number}"))
        self.sink.set_pause_generator(pauses(sink, f"{SEED} sink {number}"))

    def take(self) -> None:
        """Put what came into packets, by source."""
        while not self.sink.empty():
            frame = self.sink.recv_nowait()
            self.first, self.last = self.first or frame.sim_time_start, frame.sim_time_end
            words = words_of(frame)
            if AXIS["packets"] == "whole":
                sources = {source for source, _ in words}
                assert len(sources) == 1, f"a packet has words of {len(sources)} sources"
            for source, data in words:
                self.begun[source] += data
                self.words += 1
            # Only the end of a frame carries a tlast.
            ended = words[-1][0]
            self.packets[ended].append(self.begun.pop(ended))
            self.order.append(ended)


def bus_of(dut, names: dict[str, str]) -> AxiStreamBus:
    """The signals of a stream, by their common prefix."""
    return AxiStreamBus.from_prefix(dut, names["tvalid"].removesuffix("_tvalid"))


class Bench:
    """All nodes."""

    def __init__(self, dut) -> None:
        self.dut = dut
        # The models tell of every packet.
        dut._log.setLevel("WARNING")
        self.lots = random.Random(SEED)
        self.sent: Packets = {}

    async def reset(self, *, source: float, sink: float) -> None:
        """Start clocks and streams, with pauses in so large a part of the cycles."""
        self.nodes = [Node(self.dut, number) for number in range(len(NODES))]
        for number, node in enumerate(self.nodes):
            node.pause(number, 1, 1)
        for signal in resets(self.dut):
            signal.value = 1
        start_clocks(self.dut)
        await Timer(200, unit="ns")
        # In any order: what a node sends early waits.
        for signal in reversed(resets(self.dut)):
            signal.value = 0
            await Timer(7, unit="ns")
        for number, node in enumerate(self.nodes):
            node.pause(number, source, sink)

    def packet(self, words: int) -> bytes:
        """A random packet."""
        return self.lots.randbytes(words * BYTES)

    def send(self, source: int, count: int, *, shortest: int = 1) -> None:
        """Queue packets of a source, the last of them of the greatest length."""
        words = [self.lots.randint(shortest, LONGEST) for _ in range(count - 1)]
        self.sent[source] = [self.packet(size) for size in [*words, LONGEST]]
        for packet in self.sent[source]:
            self.nodes[source].source.send_nowait(AxiStreamFrame(packet))
        if not AXIS["tlast"]:
            # Without an end every word is by itself.
            whole = b"".join(self.sent[source])
            self.sent[source] = [
                whole[place : place + BYTES] for place in range(0, len(whole), BYTES)
            ]

    async def drain(self) -> None:
        """Wait until everything is everywhere, and on, so that a stray word would be seen."""
        words = {source: len(b"".join(own)) // BYTES for source, own in self.sent.items()}
        expected = [
            sum(count for source, count in words.items() if RETURNED or source != node)
            for node in range(len(NODES))
        ]
        # Ten times what it takes if every second word is held up on either side.
        for _ in range(20 + sum(words.values()) // 2):
            await Timer(200, unit="ns")
            for node in self.nodes:
                node.take()
            if all(node.words >= want for node, want in zip(self.nodes, expected, strict=True)):
                break
        for number, node in enumerate(self.nodes):
            node.pause(number, 0, 0)
        await Timer(2_000, unit="ns")
        self.check()

    def check(self) -> None:
        """Every packet arrived whole and once, each source's in order, at every node it is for."""
        for number, node in enumerate(self.nodes):
            node.take()
            wanted = {
                NODES[s]["tid"]: own for s, own in self.sent.items() if RETURNED or s != number
            }
            label = NODES[number]["label"]
            assert not node.begun, f"{label}: a packet has no end"
            assert set(node.packets) == set(wanted), f"{label}: packets of a wrong source"
            for source, own in wanted.items():
                got = node.packets[source]
                assert len(got) == len(own), f"{label}: {len(got)} of {len(own)} packets"
                assert got == own, f"{label}: a packet of {NODES[source]['label']} differs"
        if AXIS["turns"] or ORDERED:
            self.check_order()

    def check_order(self) -> None:
        """All nodes get the packets in one order: that of their last words."""
        first = self.nodes[0].order
        for number, node in enumerate(self.nodes[1:], start=1):
            own = {NODES[0]["tid"], NODES[number]["tid"]}
            seen = [tid for tid in node.order if tid not in own]
            assert seen == [tid for tid in first if tid not in own], f"node {number}: other order"


@cocotb.test(timeout_time=100, timeout_unit="ms")
@cocotb.parametrize(source=[0, 0.5], sink=[0, 0.5])
async def packets_arrive_whole_and_in_order(dut, source: float, sink: float) -> None:
    """All nodes send packets of many words, with pauses on both sides."""
    bench = Bench(dut)
    await bench.reset(source=source, sink=sink)
    if ALONE:
        for node in SOURCES[:8]:
            bench.send(node, 5)
            await bench.drain()
        return
    for node in SOURCES:
        bench.send(node, 5)
    await bench.drain()


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def everything_fills_while_sinks_stop(dut) -> None:
    """No sink takes a word until all places on the way are full; nothing is lost by that."""
    bench = Bench(dut)
    await bench.reset(source=0, sink=1)
    for node in SOURCES[:1] if ALONE else SOURCES:
        bench.send(node, 5, shortest=LONGEST)
    await Timer(5_000, unit="ns")
    for number, node in enumerate(bench.nodes):
        node.pause(number, 0, 0)
    await bench.drain()


# Between packets that are put together or take turns, and between two clocks, there may be gaps.
UNBROKEN = (
    MANIFEST.get("ports", "all") == "all"
    and AXIS["packet_words"] is None
    and not AXIS["turns"]
    and all(entry["clock"] == AXIS["clock"] for entry in NODES)
)


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=not UNBROKEN)
async def one_source_fills_every_sink(dut) -> None:
    """The packets of one source arrive everywhere at one word a cycle."""
    bench = Bench(dut)
    await bench.reset(source=0, sink=0)
    source = SOURCES[0]
    bench.send(source, 20)
    await bench.drain()
    words = len(b"".join(bench.sent[source])) // BYTES
    for number, node in enumerate(bench.nodes):
        if number != source:
            cycles = get_time_from_sim_steps(node.last - node.first, "ns") / 10 + 1
            assert cycles == words, f"{NODES[number]['label']}: {words} words in {cycles} cycles"


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=not AXIS["packet_words"])
async def packets_that_are_too_long_are_cut(dut) -> None:
    """A longer packet arrives as several, each of them whole, and nothing stops for ever."""
    bench = Bench(dut)
    await bench.reset(source=0, sink=0.3)
    for node in SOURCES:
        packet = bench.packet(3 * LONGEST + 1)
        bench.nodes[node].source.send_nowait(AxiStreamFrame(packet))
        size = LONGEST * BYTES
        bench.sent[node] = [packet[at : at + size] for at in range(0, len(packet), size)]
    await bench.drain()
