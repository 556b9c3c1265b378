"""A cocotb bench for the network in the folder above; run it with run.py, or read and change it.

It knows the network only from manifest.json and program.json.
"""

import json
from collections import deque

import cocotb
from driver import FOLDER, MANIFEST, NODES, SAMPLE, SOURCES, Bench, numbered

PROGRAM = json.loads((FOLDER / "program.json").read_text(encoding="utf-8"))
# For each router what it sends, by code.
SENDS = {
    router: {entry["code"]: entry["sends"] for entry in table["codes"]}
    for router, table in PROGRAM["routers"].items()
}


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


@cocotb.test(timeout_time=100, timeout_unit="ms", skip="idle" not in MANIFEST)
async def idle_says_when_the_next_may_begin(dut) -> None:
    """Sinks stall at random, and each source begins at once when the one before has left."""
    bench = Bench(dut)
    await bench.reset()
    count, sent, expected = 3, 0, [[] for _ in NODES]
    for source in (*SAMPLE, SAMPLE[0]):
        words = numbered(source, count)
        bench.waiting[source].extend(words)
        for node in range(len(NODES)):
            expected[node] += words if node != source else []
        sent += count
        limit = bench.cycle + 400 * len(NODES)
        while bench.waiting[source] or not bench.idle():
            assert bench.cycle < limit, "the network does not become idle"
            await bench.step(ready_chance=0.4)
            accepted = sent - len(bench.waiting[source])
            missing = accepted * (len(NODES) - 1) - sum(map(len, bench.received))
            # Words in queues have left the network.
            if missing and not MANIFEST["queue"]:
                assert not bench.idle(), f"idle, and {missing} words are under way"
    await bench.drain(sum(map(len, expected)), bench.cycle + 4000)
    assert [[word for _, word in received] for received in bench.received] == expected


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=len(SOURCES) < 2 or "idle" in MANIFEST)
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
