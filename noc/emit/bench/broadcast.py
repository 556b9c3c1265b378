"""A cocotb bench for the network in the folder above; run it with run.py, or read and change it.

It knows the network only from manifest.json and program.json.
"""

import cocotb
from driver import SAMPLE, Bench, at_random, numbered, send_alone, send_at_once
from folder import MANIFEST, NODES, SOURCES, list_receivers
from latency import expect_latency


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def every_broadcast_takes_its_hops(dut) -> None:
    """A word alone reaches every node in exactly the cycles of its way."""
    for source, cycles in (await send_alone(dut, SAMPLE)).items():
        assert cycles == expect_latency(source)


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def stalls_lose_nothing(dut) -> None:
    """With sinks that stall at random, each node gets the words of one source once, in order."""
    bench = Bench(dut)
    bench.ready = at_random(0.4)
    await bench.reset()
    source, words = SOURCES[0], numbered(SOURCES[0], 20)
    bench.send(source, *words)
    await bench.drain(len(words) * len(list_receivers(source)), cycles=4000 * len(words))
    for node, received in enumerate(bench.received):
        assert [word for _, word in received] == (words if node != source else [])


@cocotb.test(timeout_time=100, timeout_unit="ms", skip="idle" not in MANIFEST)
async def idle_says_when_the_next_may_begin(dut) -> None:
    """Sinks stall at random, and each source begins at once when the one before has left."""
    bench = Bench(dut)
    bench.ready = at_random(0.4)
    await bench.reset()
    count, sent, expected = 3, 0, [[] for _ in NODES]
    for source in (*SAMPLE, SAMPLE[0]):
        words = numbered(source, count)
        bench.send(source, *words)
        for node in list_receivers(source):
            expected[node] += words
        sent += count
        limit = bench.cycle + 400 * len(NODES)
        while bench.waiting[source] or not bench.idle():
            assert bench.cycle < limit, "the network does not become idle"
            await bench.step()
            accepted = sent - len(bench.waiting[source])
            missing = accepted * (len(NODES) - 1) - bench.count_received()
            # Words in queues have left the network.
            if missing and not MANIFEST["queue"]:
                assert not bench.idle(), f"idle, and {missing} words are under way"
    await bench.drain(sum(map(len, expected)), cycles=4000)
    assert [[word for _, word in received] for received in bench.received] == expected


@cocotb.test(timeout_time=100, timeout_unit="ms", skip=len(SOURCES) < 2 or "idle" in MANIFEST)
async def all_sources_at_once(dut) -> None:
    """Every source sends at full rate into random sinks until every word is everywhere."""
    await send_at_once(dut, 3, at_random(0.7))
