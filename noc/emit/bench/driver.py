"""A driver of all inject and eject streams of the network, for benches in cocotb.

It knows the network only from manifest.json.
"""

import random
from collections import deque
from collections.abc import Callable
from itertools import combinations

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly
from folder import MANIFEST, NODES, ORDERED, SOURCES, find_field, gets, list_receivers, read_field

# Every source on a small network, some on a large one.
SAMPLE = SOURCES if len(SOURCES) <= 24 else SOURCES[:: len(SOURCES) // 16]
SEED = 1

# Whether a node's sink is ready in a cycle.
Ready = Callable[[int, int], bool]


def always(node: int, cycle: int) -> bool:  # noqa: ARG001
    """Ready in every cycle."""
    return True


def at_random(chance: float) -> Ready:
    """Ready with a chance, the same in every run."""
    lots = random.Random(SEED)
    return lambda *_: lots.random() < chance


class Bench:
    """Drives all inject streams and reads all eject streams, cycle by cycle.

    ``accepted[word]`` is the cycle in which a source's word was taken, ``received[node]`` a list of
    (cycle, word), and ``senders[node]`` who sent each of these words, as far as the network says.
    """

    def __init__(self, dut) -> None:
        self.dut = dut
        self.cycle = 0
        self.waiting: list[deque[int]] = [deque() for _ in NODES]
        self.accepted: dict[int, int] = {}
        #: Replace it to stall.
        self.ready: Ready = always
        self.clear()

    def clear(self) -> None:
        """Forget what was received."""
        self.received: list[list[tuple[int, int]]] = [[] for _ in NODES]
        self.senders: list[list[int]] = [[] for _ in NODES]

    def signal(self, node: int, stream: str, name: str):
        """A signal of a node's stream."""
        return self.dut[NODES[node][stream][name]]

    def idle(self) -> bool:
        """Whether the network says that it holds no word."""
        return bool(int(self.dut[MANIFEST["idle"]].value))

    def send(self, node: int, *words: int) -> None:
        """Put words into a source's queue."""
        self.waiting[node].extend(words)

    def count_received(self) -> int:
        """How many words all nodes got."""
        return sum(map(len, self.received))

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

    async def step(self) -> None:
        """One clock cycle: offer words, let sinks take, and note what is transferred.

        Inputs change at the falling edge, so that everything is settled when it is read, and
        the transfer happens at the rising edge after that.
        """
        for node in SOURCES:
            self._offer(node)
        ready = [self.ready(node, self.cycle) for node in range(len(NODES))]
        for node, now in enumerate(ready):
            self.signal(node, "eject", "ready").value = int(now)
        await ReadOnly()
        for node in SOURCES:
            if self.waiting[node] and int(self.signal(node, "inject", "ready").value):
                self.accepted[self.waiting[node].popleft()] = self.cycle
        for node, now in enumerate(ready):
            if now and int(self.signal(node, "eject", "valid").value):
                self._receive(node, int(self.signal(node, "eject", "payload").value))
        await FallingEdge(self.dut[MANIFEST["clock"]])
        self.cycle += 1

    def _offer(self, node: int) -> None:
        waiting = self.waiting[node]
        self.signal(node, "inject", "valid").value = int(bool(waiting))
        if waiting:
            # Where a source has several trees, the number of the tree is 0.
            first = find_field(NODES[node]["inject"], "data")["first"]
            self.signal(node, "inject", "payload").value = waiting[0] << first

    def _receive(self, node: int, payload: int) -> None:
        stream = NODES[node]["eject"]
        self.received[node].append((self.cycle, read_field(payload, find_field(stream, "data"))))
        if (source := find_field(stream, "source")) is not None:
            self.senders[node].append(read_field(payload, source))

    async def drain(self, deliveries: int, *, cycles: int) -> None:
        """Run until so many words were received, and on, so that a stray one would be seen."""
        limit = self.cycle + cycles
        while self.count_received() < deliveries:
            assert self.cycle < limit, f"only {self.count_received()} of {deliveries} arrived"
            await self.step()
        self.ready = always
        for _ in range(max(20, len(NODES) // 8)):
            await self.step()
        assert self.count_received() == deliveries, "more words arrived than were sent"

    def check(self, sent: dict[int, list[int]]) -> None:
        """Every node got each word once, each source's in order, and in the ordered fabric all.

        Words that are too narrow to be told apart are only counted.
        """
        for node in range(len(NODES)):
            self._check_node(node, {s: own for s, own in sent.items() if gets(node, s)})
        everything = [word for own in sent.values() for word in own]
        if ORDERED and len(set(everything)) == len(everything):
            self._check_order()

    def _check_node(self, node: int, sent: dict[int, list[int]]) -> None:
        words = [word for _, word in self.received[node]]
        everything = [word for own in sent.values() for word in own]
        assert sorted(words) == sorted(everything), f"{NODES[node]['label']}: other words"
        for source, own in sent.items():
            if self.senders[node]:
                pairs = zip(words, self.senders[node], strict=True)
                assert [word for word, sender in pairs if sender == source] == own
            elif len(set(everything)) == len(everything):
                assert [word for word in words if word in own] == own

    def _check_order(self) -> None:
        """Two nodes agree on the words that both get."""
        orders = [[word for _, word in received] for received in self.received]
        for first, second in combinations(orders, 2):
            common = set(first) & set(second)
            assert [w for w in first if w in common] == [w for w in second if w in common]


def numbered(node: int, count: int) -> list[int]:
    """Different words for every source, as far as the width allows."""
    return [(node * count + place + 1) % 2 ** MANIFEST["width"] for place in range(count)]


def count_deliveries(sent: dict[int, list[int]]) -> int:
    """How many words all nodes are to get."""
    return sum(len(own) * len(list_receivers(source)) for source, own in sent.items())


async def send_at_once(dut, count: int, ready: Ready) -> Bench:
    """Every source sends words at full rate into such sinks until each is at every node."""
    bench = Bench(dut)
    bench.ready = ready
    await bench.reset()
    sent = {source: numbered(source, count) for source in SOURCES}
    for source, words in sent.items():
        bench.send(source, *words)
    total = count * len(SOURCES)
    await bench.drain(count_deliveries(sent), cycles=100 * total + 5000)
    bench.check(sent)
    return bench


async def send_alone(dut, sources: list[int]) -> dict[int, dict[int, int]]:
    """One word from each source, the next when all is quiet: the cycles it took, by node."""
    bench = Bench(dut)
    await bench.reset()
    result = {}
    for source in sources:
        bench.clear()
        (word,) = numbered(source, 1)
        bench.send(source, word)
        await bench.drain(len(list_receivers(source)), cycles=50 * len(NODES) + 100)
        bench.check({source: [word]})
        began = bench.accepted[word]
        result[source] = {
            node: received[0][0] - began for node, received in enumerate(bench.received) if received
        }
        cocotb.log.info(
            "%s reached all in %d cycles", NODES[source]["label"], max(result[source].values())
        )
    return result
