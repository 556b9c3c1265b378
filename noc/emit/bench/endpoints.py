"""A cocotb bench for operations through the endpoints of the network in the folder above.

The nodes have AXI-Streams, or clocks of their own, or both. Run it with run.py. It knows the
network only from manifest.json.
"""

import random
from collections import Counter, deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, Timer
from folder import MANIFEST, read_field
from operations import LABELS, LISTED, WIDTH, Operation

TOP = MANIFEST.get("axis") or MANIFEST["node_clocks"]
NODES = TOP["nodes"]
#: The signals of an AXI-Stream by what they carry.
AXI = {
    field["name"]: field["signal"] for fields in TOP.get("fields", {}).values() for field in fields
}
SEED = 1


def period_ps(place: int) -> int:
    """The period of a node's clock: each another, none that of the network."""
    return 6_120 + 2 * (1_871 * (place + 1) % 7_001)


class Port:
    """A stream of a node: its signals, and what its words hold."""

    def __init__(self, dut, names: dict) -> None:
        axi = "tvalid" in names
        self.valid, self.ready = (dut[names[f"t{n}" if axi else n]] for n in ("valid", "ready"))
        self._payload = None if axi or "payload" not in names else dut[names["payload"]]
        self._fields = names.get("fields", [])
        self._signals = {name: dut[names[s]] for name, s in AXI.items() if s in names}

    def put(self, word: dict[str, int]) -> None:
        """Show a word; what it has no field for is left out."""
        for name, signal in self._signals.items():
            signal.value = word[name]
        if self._payload is not None:
            bits = (word.get(f["name"], 0) << f["first"] for f in self._fields)
            self._payload.value = sum(bits)

    def get(self) -> dict[str, int]:
        """The word that is shown."""
        if self._payload is None:
            return {name: int(signal.value) for name, signal in self._signals.items()}
        payload = int(self._payload.value)
        return {field["name"]: read_field(payload, field) for field in self._fields}


class Bench:
    """Drives and reads the streams of every node in the node's own clock."""

    def __init__(self, dut, *, offer: float, take: float) -> None:
        self.dut, self._chances = dut, (offer, take)
        self.random = random.Random(SEED)
        self.waiting: list[deque[dict[str, int]]] = [deque() for _ in NODES]
        self.clear()

    def clear(self) -> None:
        """Forget what came."""
        self.received: list[list[dict[str, int]]] = [[] for _ in NODES]

    async def start(self) -> None:
        """Start the clocks, end the resets one after the other, and serve the streams."""
        offer, take = self._chances
        for node, entry in enumerate(NODES):
            sends = entry.get("s_axis") or entry.get("inject")
            receives = entry.get("m_axis") or entry["eject"]
            if sends:
                self.dut[sends.get("tvalid") or sends["valid"]].value = 0
                cocotb.start_soon(self._offer(node, Port(self.dut, sends), offer))
            cocotb.start_soon(self._take(node, Port(self.dut, receives), take))
        resets = dict.fromkeys([TOP["reset"], *(entry["reset"] for entry in NODES)])
        for name in resets:
            self.dut[name].value = 1
        clocks = dict.fromkeys([TOP["clock"], *(entry["clock"] for entry in NODES)])
        for place, name in enumerate(clocks):
            Clock(self.dut[name], period_ps(place) if place else 10_000, unit="ps").start()
        await Timer(200, unit="ns")
        for name in reversed(resets):
            self.dut[name].value = 0
            await Timer(37, unit="ns")

    async def _offer(self, node: int, port: Port, chance: float) -> None:
        lots = random.Random(f"{SEED} offer {node}")
        clock, reset = self.dut[NODES[node]["clock"]], self.dut[NODES[node]["reset"]]
        while True:
            await FallingEdge(clock)
            if not self.waiting[node] or reset.value == 1 or lots.random() >= chance:
                continue
            port.put(self.waiting[node][0])
            port.valid.value = 1
            await ReadOnly()
            while port.ready.value != 1:
                await FallingEdge(clock)
                await ReadOnly()
            await FallingEdge(clock)
            port.valid.value = 0
            self.waiting[node].popleft()

    async def _take(self, node: int, port: Port, chance: float) -> None:
        lots = random.Random(f"{SEED} take {node}")
        clock, reset = self.dut[NODES[node]["clock"]], self.dut[NODES[node]["reset"]]
        while True:
            await FallingEdge(clock)
            taking = lots.random() < chance
            port.ready.value = int(taking)
            await ReadOnly()
            if taking and reset.value == 0 and port.valid.value == 1:
                self.received[node].append(port.get())

    async def settle(self) -> None:
        """Wait until nothing is left to give, and nothing has come for long."""
        quiet, before = 0, None
        while quiet < 8 + max(MANIFEST["latency"].values(), default=0) // 4:
            await Timer(200, unit="ns")
            now = [*map(len, self.waiting), *map(len, self.received)]
            quiet, before = (quiet + 1, now) if now == before else (0, now)
        assert not any(self.waiting), "words wait for ever"


class Messages:
    """Messages of an operation that nodes give, and what must come of them where."""

    def __init__(self, bench: Bench, words: int) -> None:
        self.bench, self.words = bench, words
        self.expected: list[Counter] = [Counter() for _ in NODES]

    def give(self, operation: Operation, node: int) -> None:
        """A message from every node that can give one, to a node if it names one."""
        rows = {
            sender: [self.bench.random.getrandbits(WIDTH) for _ in range(self.words)]
            for sender in operation.senders()
        }
        for place in range(self.words):
            last = int(place == self.words - 1)
            given = {sender: words[place] for sender, words in rows.items()}
            for sender, data in given.items():
                self.bench.waiting[sender].append(
                    {"data": data, "operation": operation.number, "node": node, "last": last}
                )
            if operation.joined:
                given = {0: operation.result(list(given.values()))}
            for sender, data in given.items():
                for receiver in operation.receivers(-1 if operation.joined else sender, node):
                    self.expected[receiver][operation.number, sender, data, last] += 1

    def check(self) -> None:
        """Compare what came; of fields that are not there nothing can be said."""
        known = {o.number: o for o in LISTED}
        for node, words in enumerate(self.bench.received):
            found = Counter()
            for word in words:
                # Without a number there is one operation only.
                number = word.get("operation", 0)
                told = known[number].operator or not known[number].joined
                data = word["data"] if told else None
                found[number, word.get("source"), data, word.get("last")] += 1
            wanted = Counter()
            any_word = words[0] if words else {}
            for (number, source, data, last), count in self.expected[node].items():
                told = source if "source" in any_word else None
                wanted[number, told, data, last if "last" in any_word else None] += count
            assert found == wanted, f"{LABELS[node]} got {found - wanted}, not {wanted - found}"


@cocotb.test(timeout_time=1000, timeout_unit="ms")
async def each_operation_works(dut) -> None:
    """Messages of each operation, by themselves, from every node."""
    bench = Bench(dut, offer=1, take=1)
    await bench.start()
    for operation in LISTED:
        bench.clear()
        messages = Messages(bench, 2)
        messages.give(operation, bench.random.randrange(len(NODES)))
        await bench.settle()
        messages.check()


@cocotb.test(timeout_time=1000, timeout_unit="ms")
@cocotb.parametrize(offer=[0.5, 1], take=[0.4, 1])
async def all_operations_at_the_same_time(dut, offer: float, take: float) -> None:
    """Every node gives words of all its operations; nothing is lost or mixed up."""
    bench = Bench(dut, offer=offer, take=take)
    await bench.start()
    messages = Messages(bench, 3)
    for _ in range(3):
        for operation in LISTED:
            messages.give(operation, bench.random.randrange(len(NODES)))
    await bench.settle()
    messages.check()
