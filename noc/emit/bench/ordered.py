"""A cocotb bench for the ordered network in the folder above; run it with run.py, or read it.

It knows the network only from manifest.json.
"""

from itertools import combinations

import cocotb
from driver import MANIFEST, NODES, SAMPLE, SOURCES, Bench, numbered

RETURNED = MANIFEST["own_words"] == "returned"

#: Cycles in which a word alone is surely everywhere.
QUIET = 8 + max(node.get("up", 0) for node in NODES) + max(node["down"] for node in NODES)


def fields(payload: int) -> dict[str, int]:
    """What an eject stream carries: the data, and perhaps who sent it."""
    return {
        field["name"]: payload >> field["first"] & (1 << field["bits"]) - 1
        for field in NODES[0]["eject"]["fields"]
    }


def receivers(source: int) -> list[int]:
    """The nodes that get the words of a source."""
    return [node for node in range(len(NODES)) if RETURNED or node != source]


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def latency_is_exact(dut) -> None:
    """A word reaches a node after exactly up(source) + down(node) cycles."""
    bench = Bench(dut)
    await bench.reset()
    for source in SAMPLE:
        bench.accepted, bench.received = {}, [[] for _ in NODES]
        (word,) = numbered(source, 1)
        bench.waiting[source].append(word)
        await bench.drain(len(receivers(source)), bench.cycle + QUIET)
        for node in receivers(source):
            ((arrived, payload),) = bench.received[node]
            assert fields(payload) | {"data": word} == fields(payload)
            assert fields(payload).get("source", source) == source
            assert arrived - bench.accepted[word] == NODES[source]["up"] + NODES[node]["down"]


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def all_see_one_order(dut) -> None:
    """Sources send at full rate into sinks that stall; nodes get each word once, in one order."""
    count = 3
    bench = Bench(dut)
    await bench.reset()
    for source in SOURCES:
        bench.waiting[source].extend(numbered(source, count))
    total = count * len(SOURCES)
    deliveries = sum(count * len(receivers(source)) for source in SOURCES)
    await bench.drain(deliveries, 100 * total + 5000, ready_chance=0.7)
    sent = {source: numbered(source, count) for source in SOURCES}
    for received in bench.received:
        words = [fields(payload) for _, payload in received]
        if words and "source" in words[0]:
            for source in {word["source"] for word in words}:
                own = [word["data"] for word in words if word["source"] == source]
                assert own == sent[source]
    if len({word for words in sent.values() for word in words}) < total:
        # The words are too narrow to be told apart.
        return
    orders: list[list[int]] = [[payload for _, payload in received] for received in bench.received]
    # Two nodes agree on the words that both get.
    for first, second in combinations(orders, 2):
        common = set(first) & set(second)
        assert [p for p in first if p in common] == [p for p in second if p in common]


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=MANIFEST["queue"] == 1)
async def no_source_starves(dut) -> None:
    """While every node sends always, every source has its share, and the root never rests.

    A queue of one word would let each sink take a word in every other cycle only.
    """
    bench = Bench(dut)
    await bench.reset()
    rounds, start = 3, 4 * max(node.get("up", 0) + node["down"] for node in NODES)
    cycles = start + rounds * len(SOURCES)
    for source in SOURCES:
        bench.waiting[source].extend(numbered(source, cycles))
    before: list[int] = []
    for cycle in range(cycles):
        if cycle == start:
            before = [len(bench.waiting[source]) for source in SOURCES]
        await bench.step()
    sent = [then - len(bench.waiting[s]) for then, s in zip(before, SOURCES, strict=True)]
    assert min(sent) >= rounds - 1, f"a source sent {min(sent)} words where {rounds} are its share"
    assert max(sent) <= rounds + 2, f"a source sent {max(sent)} words where {rounds} are its share"
    assert sum(sent) >= rounds * len(SOURCES) - start
