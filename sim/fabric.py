"""A network under test: a queue of words for each source, a list of arrivals for each sink."""

import json
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

from noc.verify.folder import network_of

FOLDER = Path(os.environ["NOC_FOLDER"])
MANIFEST = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))
NODES = MANIFEST["nodes"]
# A file of your own may have a name that leads nowhere from where the simulator works.
GRAPH = network_of(FOLDER, MANIFEST["network"])


ORDERED = MANIFEST["fabric"] == "ordered"


def field(node: int, side: str, name: str) -> tuple[int, int] | None:
    """The first bit of a field in the payloads of a stream, and how many bits it has."""
    fields = {field["name"]: field for field in NODES[node][side]["fields"]}
    return (fields[name]["first"], fields[name]["bits"]) if name in fields else None


def part(payload: int, place: tuple[int, int]) -> int:
    """What a field holds."""
    first, bits = place
    return payload >> first & (1 << bits) - 1


def always(node: int, cycle: int) -> bool:  # noqa: ARG001
    """The sink of a node that is ready in every cycle."""
    return True


class Fabric:
    """Drives the inject streams, takes from the eject streams, and notes what is transferred.

    Inputs change at the falling edge of the clock; what is settled then is transferred at the
    rising edge that follows. ``accepted[word]`` is the cycle in which a source's word was taken,
    ``received[node]`` a list of (cycle, word), ``senders[node]`` who sent each of these words, as
    the ordered fabric says.
    """

    def __init__(self, dut) -> None:
        self.dut = dut
        self.clock = dut[MANIFEST["clock"]]
        self.cycle = 0
        self.queue = [deque() for _ in NODES]
        self.accepted = {}
        self.received = [[] for _ in NODES]
        self.senders = [[] for _ in NODES]
        #: Whether a node's sink is ready in a cycle. Replace it to stall.
        self.ready: Callable[[int, int], bool] = always

    def signal(self, node: int, side: str, name: str):
        """A signal of a node's stream."""
        return self.dut[NODES[node][side][name]]

    async def start(self) -> None:
        """Start the clock, reset, and then serve all streams in every cycle."""
        Clock(self.clock, 10, unit="ns").start()
        self.dut[MANIFEST["reset"]].value = 1
        for node in range(len(NODES)):
            self.signal(node, "inject", "valid").value = 0
            self.signal(node, "eject", "ready").value = 0
        for _ in range(3):
            await FallingEdge(self.clock)
        self.dut[MANIFEST["reset"]].value = 0
        cocotb.start_soon(self._serve())

    async def _serve(self) -> None:
        while True:
            ready = [self.ready(node, self.cycle) for node in range(len(NODES))]
            for node, queue in enumerate(self.queue):
                self.signal(node, "inject", "valid").value = bool(queue)
                if queue:
                    # Where a source has several trees, the number of the tree is 0.
                    first, _ = field(node, "inject", "data")
                    self.signal(node, "inject", "payload").value = queue[0] << first
                self.signal(node, "eject", "ready").value = ready[node]
            await ReadOnly()
            for node, queue in enumerate(self.queue):
                if queue and self.signal(node, "inject", "ready").value == 1:
                    self.accepted[queue.popleft()] = self.cycle
                if ready[node] and self.signal(node, "eject", "valid").value == 1:
                    self._receive(node, self.signal(node, "eject", "payload").value.to_unsigned())
            await FallingEdge(self.clock)
            self.cycle += 1

    def _receive(self, node: int, payload: int) -> None:
        self.received[node].append((self.cycle, part(payload, field(node, "eject", "data"))))
        if (source := field(node, "eject", "source")) is not None:
            self.senders[node].append(part(payload, source))

    def clear(self) -> None:
        """Forget what was received."""
        self.received, self.senders = [[] for _ in NODES], [[] for _ in NODES]

    def send(self, node: int, *words: int) -> None:
        """Put words into a source's queue."""
        self.queue[node].extend(words)

    async def arrivals(self, count: int, *, limit: int) -> None:
        """Wait until so many words were received, and longer, so that a stray one would be seen."""
        last = self.cycle + limit
        while sum(map(len, self.received)) < count:
            assert self.cycle < last, "not everything arrived in time"
            await FallingEdge(self.clock)
        self.ready = always
        for _ in range(20):
            await FallingEdge(self.clock)
        assert sum(map(len, self.received)) == count, "more arrived than was sent"

    def check(self, sent: dict[int, list[int]]) -> None:
        """Every node got every word of the others once, each source's words in their order.

        In the ordered fabric all nodes got them in one order, and are told who sent each.
        """
        sender = {word: source for source, own in sent.items() for word in own}
        for node, received in enumerate(self.received):
            words = [word for _, word in received]
            for source, own in sent.items():
                assert [word for word in words if word in own] == (own if source != node else [])
            if field(node, "eject", "source"):
                assert self.senders[node] == [sender[word] for word in words]
            if ORDERED:
                self._check_order(node, sender)

    def _check_order(self, node: int, sender: dict[int, int]) -> None:
        """A node and the first one got the words that both get in one order."""
        both = {word for word, source in sender.items() if source not in (0, node)}
        first, own = ([w for _, w in self.received[n] if w in both] for n in (0, node))
        assert first == own
