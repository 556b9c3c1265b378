"""A cocotb bench for the operations of the network in the folder above; run it with run.py.

It knows the network only from manifest.json.
"""

import random
from collections import Counter

import cocotb
from driver import SEED, Bench, at_random
from folder import MANIFEST, NODES, read_field
from operations import LABELS, LISTED, WIDTH, Operation

#: Cycles in which a word alone is surely everywhere.
QUIET = 8 + max(MANIFEST["latency"].values(), default=0) + len(NODES)


class WordBench(Bench):
    """Takes and gives whole payloads, as :func:`pack` and :func:`unpack` know them."""

    def __init__(self, dut) -> None:
        super().__init__(dut)
        self.random = random.Random(SEED)

    def _receive(self, node: int, payload: int) -> None:
        self.received[node].append((self.cycle, payload))


def pack(giver: int, /, **values: int) -> int:
    """The payload of a node's inject stream."""
    fields = {field["name"]: field for field in NODES[giver]["inject"]["fields"]}
    return sum(values.get(name, 0) << field["first"] for name, field in fields.items())


def unpack(node: int, payload: int) -> dict[str, int]:
    """The fields of a payload of a node's eject stream."""
    fields = NODES[node]["eject"]["fields"]
    return {field["name"]: read_field(payload, field) for field in fields}


async def settle(bench: WordBench, cycles: int = QUIET) -> None:
    """Run until nothing was given or got for so many cycles."""
    quiet, before = 0, None
    while quiet < cycles:
        await bench.step()
        now = [len(waiting) for waiting in bench.waiting], [len(got) for got in bench.received]
        quiet, before = (quiet + 1, now) if now == before else (0, now)
    assert not any(bench.waiting), "words wait for ever at an inject stream"


def got(bench: WordBench, node: int) -> list[tuple[int, dict[str, int]]]:
    """What a node has got: cycles and fields."""
    return [(cycle, unpack(node, payload)) for cycle, payload in bench.received[node]]


@cocotb.test(timeout_time=1000, timeout_unit="ms")
async def each_operation_works(dut) -> None:
    """Words of each operation, from every node and to every node, arrive as they should."""
    bench = WordBench(dut)
    await bench.reset()
    for operation in LISTED:
        for node in range(len(NODES)) if operation.to_node else [0]:
            bench.clear()
            words = {s: bench.random.getrandbits(WIDTH) for s in operation.senders()}
            for sender, word in words.items():
                bench.waiting[sender].append(
                    pack(sender, data=word, operation=operation.number, last=1, node=node)
                )
            await settle(bench)
            check(bench, operation, words, node)


def check(bench: WordBench, operation: Operation, words: dict[int, int], node: int) -> None:
    """Compare what every node got with what it should get of one word of each sender."""
    expected: list[Counter] = [Counter() for _ in NODES]
    if operation.joined:
        for receiver in operation.receivers(-1, node):
            expected[receiver][0, operation.result(list(words.values()))] += 1
    else:
        for sender, word in words.items():
            for receiver in operation.receivers(sender, node):
                expected[receiver][sender, word] += 1
    for receiver in range(len(NODES)):
        found = Counter()
        for _, fields in got(bench, receiver):
            assert fields.get("operation", 0) == operation.number, f"{operation.name}: {fields}"
            source = fields.get("source", None)
            data = fields["data"] if operation.operator or not operation.joined else None
            found[source, data] += 1
        wanted = expected[receiver]
        if any(source is None for source, _ in found):
            wanted = Counter()
            for (_, data), count in expected[receiver].items():
                wanted[None, data] += count
        assert found == wanted, (
            f"{operation.name} to {LABELS[node]}: {LABELS[receiver]} got {found}, not {wanted}"
        )


@cocotb.test(timeout_time=1000, timeout_unit="ms")
async def latency_is_exact(dut) -> None:
    """A result comes after joined + down cycles, and a word that is sent after up + down."""
    bench = WordBench(dut)
    await bench.reset()
    for operation in LISTED:
        senders = operation.senders()
        # All give a word at once where words are joined, otherwise one.
        for some in [senders] if operation.joined else [[sender] for sender in senders]:
            node = bench.random.randrange(len(NODES))
            bench.clear()
            start = bench.cycle
            for sender in some:
                bench.waiting[sender].append(
                    pack(sender, data=1, operation=operation.number, last=1, node=node)
                )
            await settle(bench)
            up = MANIFEST["joined"][operation.group] if operation.joined else NODES[some[0]]["up"]
            for receiver in operation.receivers(-1 if operation.joined else some[0], node):
                ((cycle, _),) = got(bench, receiver)
                assert cycle - start == up + NODES[receiver]["down"], (
                    f"{operation.name} at {LABELS[receiver]}: {cycle - start} cycles"
                )


@cocotb.test(timeout_time=1000, timeout_unit="ms")
async def all_operations_at_the_same_time(dut) -> None:
    """Every node gives words of all its operations; sinks stall; nothing is lost or mixed up."""
    rounds = 3
    bench = WordBench(dut)
    await bench.reset()
    operations = LISTED
    joined: dict[tuple[int, int], list[int]] = {}
    expected: list[Counter] = [Counter() for _ in NODES]
    for turn in range(rounds):
        for operation in operations:
            node = bench.random.randrange(len(NODES))
            for sender in operation.senders():
                word = bench.random.getrandbits(WIDTH)
                bench.waiting[sender].append(
                    pack(sender, data=word, operation=operation.number, last=1, node=node)
                )
                if operation.joined:
                    joined.setdefault((turn, operation.number), []).append(word)
                else:
                    for receiver in operation.receivers(sender, node):
                        expected[receiver][operation.number, word] += 1
            if operation.joined:
                data = operation.result(joined[turn, operation.number])
                for receiver in operation.receivers(-1, node):
                    expected[receiver][operation.number, data] += 1
    bench.ready = at_random(0.6)
    await settle(bench, 8 * QUIET)
    meaningless = {o.number for o in operations if o.joined and not o.operator}
    for receiver in range(len(NODES)):
        found = Counter()
        for _, fields in got(bench, receiver):
            number = fields.get("operation", 0)
            found[number, None if number in meaningless else fields["data"]] += 1
        assert found == expected[receiver], f"{LABELS[receiver]} got what it should not"
