"""A driver of all streams of a module in cocotb, which checks what comes out.

It knows the network only from manifest.json.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import combinations

import cocotb
from folder import MANIFEST, NODES, ROUND, SINK_TIMEOUT, SOURCES, TURNS
from operations import LISTED, WIDTH, Operation
from streams import Streams, always

# Every source on a small network, some on a large one.
SAMPLE = SOURCES if len(SOURCES) <= 24 else SOURCES[:: len(SOURCES) // 16]
SEED = 1

#: Cycles in which something surely moves, and in which a word alone is surely everywhere.
PATIENCE, QUIET = 2_000 + 20 * len(NODES), 20 + len(NODES) // 8 + 2 * (ROUND or 0)
# Links between chips may be silent in between.
PATIENCE += MANIFEST.get("chips", {}).get("silent", 0)

# Whether a node's sink is ready in a cycle.
Ready = Callable[[int, int], bool]

#: Operation, source, data and last of a word, each None where a node is not told.
Key = tuple[int, int | None, int | None, int | None]


def at_random(chance: float) -> Ready:
    """Ready with a chance, the same in every run."""
    lots = random.Random(SEED)
    return lambda *_: lots.random() < chance


class Bench(Streams):
    """Gives words to nodes, and checks that each comes to the nodes that it is for.

    Each comes once, unchanged; those of one source and operations' results in their order; and
    two nodes agree on the order of the words that both get, but in the timetable fabric. ``top`` is
    the section of manifest.json on the module: the network, or the endpoints around it.
    """

    def __init__(self, dut, top: dict = MANIFEST) -> None:
        super().__init__(dut, top)
        # Of no sink a word is lost: none is given up. A node's clock may be half as fast as the
        # network's, and whether a queue between both is full is known later.
        for node in self.nodes:
            node.most_rest = SINK_TIMEOUT if len(self.domains) == 1 else SINK_TIMEOUT // 4
        #: Longer packets are cut.
        self._cut = top.get("packet_words")
        self.random = random.Random(SEED)
        self.clear()

    def clear(self) -> None:
        """Forget what came, and was to come."""
        for node in self.nodes:
            node.accepted.clear()
            node.received.clear()
        # By the source or the group: words of one come in their order.
        self._expected: list[dict[int | str, list[Key]]] = [defaultdict(list) for _ in self.nodes]
        self._wanted = 0
        self._given: list[tuple[int, int, int | None, int]] = []

    def idle(self) -> bool:
        """Whether the network says that it holds no word."""
        return bool(int(self.dut[MANIFEST["idle"]].value))

    def stall(self, ready: Ready) -> None:
        """Let sinks be ready in these cycles."""
        for number, node in enumerate(self.nodes):
            node.takes = lambda cycle, number=number: ready(number, cycle)

    def send(self, source: int, *data: int) -> None:
        """Broadcast words of a source, or give them to the first of the operations."""
        self.give(LISTED[0], {source: list(data)})

    def give(self, operation: Operation, words: dict[int, list[int]], node: int = 0) -> None:
        """A message from each of these senders, to a node if the operation names one."""
        for sender, message in words.items():
            for place, data in enumerate(message, start=1):
                last = int(place == len(message))
                word = {"data": data, "operation": operation.number, "node": node, "last": last}
                self.nodes[sender].waiting.append(word)
        if operation.joined:
            words = {0: [operation.result(each) for each in zip(*words.values(), strict=True)]}
        for sender, message in words.items():
            for place, data in enumerate(message, start=1):
                last = place == len(message) or (self._cut is not None and place % self._cut == 0)
                self._expect(operation, sender, node, data if operation.known else None, int(last))

    def _expect(self, operation: Operation, sender: int, node: int, data, last: int) -> None:
        word = operation.number, sender, data, last
        self._given.append(word)
        for receiver in operation.receivers(sender, node):
            flow = operation.group if operation.joined else sender
            self._expected[receiver][flow].append(self._told(receiver, *word))
            self._wanted += 1

    def _told(self, receiver: int, operation: int, source: int, data, last: int) -> Key:
        """What a node is told of a word."""
        names = self.nodes[receiver].names
        return (
            operation,
            source if "source" in names else None,
            data,
            last if "last" in names else None,
        )

    def _read(self, receiver: int) -> list[Key]:
        """What a node got."""
        result = []
        for _, word in self.nodes[receiver].received:
            number = word.get("operation", 0)
            assert number < len(LISTED), f"{self.nodes[receiver].label} got no operation: {word}"
            operation = LISTED[number]
            data = word["data"] if operation.known else None
            result.append((operation.number, word.get("source"), data, word.get("last")))
        return result

    def latencies(self, sender: int) -> dict[int, int]:
        """Cycles from the acceptance of a sender's first word to the first word at each node."""
        began = self.nodes[sender].accepted[0][0]
        received = ((number, node.received) for number, node in enumerate(self.nodes))
        return {number: words[0][0] - began for number, words in received if words}

    def count_received(self) -> int:
        """How many words all nodes got."""
        return sum(len(node.received) for node in self.nodes)

    def missing(self) -> int:
        """How many words are still to come."""
        return self._wanted - self.count_received()

    def _moves(self) -> int:
        return self.count_received() + sum(len(node.accepted) for node in self.nodes)

    async def settle(self) -> None:
        """Run until all has come, or nothing has moved for long."""
        still, before = 0, self._moves()
        while still < PATIENCE and (self.missing() > 0 or any(n.waiting for n in self.nodes)):
            await self.step()
            still, before = (still + 1 if self._moves() == before else 0), self._moves()

    async def drain(self) -> None:
        """Run until all has come, and on, so that a stray word would be seen; check everything."""
        await self.settle()
        for node in self.nodes:
            node.takes = always
        for _ in range(QUIET):
            await self.step()
        self.check()

    def check(self) -> None:
        """Compare what came with what was given."""
        orders = [self._read(number) for number in range(len(self.nodes))]
        for number, words in enumerate(orders):
            self.check_node(number, words)
        for node in self.nodes:
            assert not node.waiting, f"{node.label}: words wait for ever to be sent"
        # In rounds each node gets the words of others in an order of its own.
        if ROUND is None:
            self._check_order(orders)

    def count_expected(self, number: int) -> int:
        """How many words are for a node."""
        return sum(map(len, self._expected[number].values()))

    def check_node(self, number: int, words: list[Key] | None = None) -> None:
        """Compare what came to a node with what was for it."""
        words = self._read(number) if words is None else words
        label, expected = self.nodes[number].label, self._expected[number]
        found, given = Counter(words), Counter(key for keys in expected.values() for key in keys)
        wrong, missing = ([*each.elements()] for each in (found - given, given - found))
        text = f"{label} got {wrong}, not {missing} (operation, source, data, last)"
        assert found == given, text
        for flow, keys in expected.items():
            if isinstance(flow, str):
                own = [
                    key for key in words if LISTED[key[0]].joined and LISTED[key[0]].group == flow
                ]
            elif "source" in self.nodes[number].names:
                own = [key for key in words if key[1] == flow and not LISTED[key[0]].joined]
            elif max(given.values()) == 1:
                own = [key for key in words if key in set(keys)]
            else:
                # Words that are too narrow to be told apart are only counted.
                continue
            assert own == keys, f"{label} got words of {flow} out of order"

    def _check_order(self, orders: list[list[Key]]) -> None:
        """Two nodes agree on the words that both get, as far as they are told apart."""
        counts = Counter(self._told(0, *word) for word in self._given)
        orders = [[key for key in order if counts[key] == 1] for order in orders]
        for (first, one), (second, other) in combinations(enumerate(orders), 2):
            common = set(one) & set(other)
            agree = [k for k in one if k in common] == [k for k in other if k in common]
            labels = self.nodes[first].label, self.nodes[second].label
            assert agree, f"{' and '.join(labels)} got words in different orders"

    def draw(self, senders: list[int], words: int) -> dict[int, list[int]]:
        """A random message of each sender."""
        return {s: [self.random.getrandbits(WIDTH) for _ in range(words)] for s in senders}


def numbered(node: int, count: int) -> list[int]:
    """Different words for every source, as far as the width allows."""
    return [(node * count + place + 1) % 2 ** MANIFEST["width"] for place in range(count)]


async def send_at_once(dut, count: int, ready: Ready) -> Bench:
    """Every source sends words at full rate into such sinks until each is at every node.

    In the direct fabric one source begins when the words of the one before have come.
    """
    bench = Bench(dut)
    bench.stall(ready)
    await bench.reset()
    for source in SOURCES:
        bench.send(source, *numbered(source, count))
        if TURNS:
            await bench.settle()
    await bench.drain()
    return bench


async def send_alone(dut, sources: list[int]) -> dict[int, dict[int, int]]:
    """One word from each source, the next when all is quiet: the cycles it took, by node."""
    bench = Bench(dut)
    await bench.reset()
    result = {}
    for source in sources:
        bench.clear()
        bench.send(source, *numbered(source, 1))
        await bench.drain()
        result[source] = bench.latencies(source)
        cocotb.log.info(
            "%s reached all in %d cycles", NODES[source]["label"], max(result[source].values())
        )
    return result
