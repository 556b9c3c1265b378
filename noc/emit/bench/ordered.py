"""A cocotb bench for the ordered network in the folder above; run it with run.py, or read it.

It knows the network only from manifest.json.
"""

import cocotb
from driver import SAMPLE, Bench, at_random, numbered, send_alone, send_at_once
from folder import MANIFEST, NODES, SOURCES
from latency import expect_latency


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def latency_is_exact(dut) -> None:
    """A word alone reaches a node after exactly up(source) + down(node) cycles."""
    for source, cycles in (await send_alone(dut, SAMPLE)).items():
        assert cycles == expect_latency(source)


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def all_see_one_order(dut) -> None:
    """Sources send at full rate into sinks that stall; nodes get each word once, in one order."""
    await send_at_once(dut, 3, at_random(0.7))


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
        bench.send(source, *numbered(source, cycles))
    before: list[int] = []
    for cycle in range(cycles):
        if cycle == start:
            before = [len(bench.waiting[source]) for source in SOURCES]
        await bench.step()
    sent = [then - len(bench.waiting[s]) for then, s in zip(before, SOURCES, strict=True)]
    assert min(sent) >= rounds - 1, f"a source sent {min(sent)} words where {rounds} are its share"
    assert max(sent) <= rounds + 2, f"a source sent {max(sent)} words where {rounds} are its share"
    assert sum(sent) >= rounds * len(SOURCES) - start
