"""Testbenches for streams in Amaranth's own simulator, and packets to send through them."""

import random

from amaranth.sim import Simulator


def simulate(dut, clocks: dict[str, float], *benches, until: float) -> None:
    """Run testbenches, and fail if one has not ended after so many microseconds."""
    ended = []

    def guarded(bench):
        async def run(ctx):
            await bench(ctx)
            ended.append(bench)

        return run

    simulator = Simulator(dut)
    for domain, period in clocks.items():
        simulator.add_clock(period * 1e-6, domain=domain, phase=period * 0.37e-6)
    for bench in benches:
        simulator.add_testbench(guarded(bench))
    simulator.run_until(until * 1e-6)
    assert len(ended) == len(benches), "a testbench did not end in time"


def writer(port, words, chance, seed, domain="sync"):
    """Offer words in turn, with pauses."""

    async def bench(ctx):
        lots = random.Random(seed)
        for word in words:
            while lots.random() >= chance:
                await ctx.tick(domain)
            ctx.set(port.payload, word)
            ctx.set(port.valid, 1)
            await ctx.tick(domain).until(port.ready)
            ctx.set(port.valid, 0)

    return bench


def reader(port, count, got, chance, seed, domain="sync", spare=20):
    """Take words at random times, and longer than is needed, so that a stray one is seen."""

    async def bench(ctx):
        lots, left, cycle, waiting = random.Random(seed), spare, 0, None
        while left:
            ready = lots.random() < chance or len(got) >= count
            ctx.set(port.ready, ready)
            _, _, valid, payload = await ctx.tick(domain).sample(port.valid, port.payload)
            assert waiting is None or (valid and payload == waiting), "a word was taken back"
            waiting = payload if valid and not ready else None
            if ready and valid:
                got.append((cycle, payload))
            left -= len(got) >= count
            cycle += 1

    return bench


def mixed(sources: int, longest: int, packets: int, seed: int):
    """Packets of all sources, and the same words in an order in which they may arrive."""
    lots = random.Random(seed)
    sent = {
        source: [
            [lots.randrange(256) for _ in range(lots.randint(1, longest))] for _ in range(packets)
        ]
        for source in range(sources)
    }
    queues = {
        source: [
            {"source": source, "last": place == len(packet) - 1, "data": word}
            for packet in own
            for place, word in enumerate(packet)
        ]
        for source, own in sent.items()
    }
    words = []
    while queues:
        source = lots.choice(list(queues))
        words.append(queues[source].pop(0))
        if not queues[source]:
            del queues[source]
    return sent, words


def packets_of(received) -> dict[int, list[list[int]]]:
    """What arrived, by source; fails where a packet has a word of another source in between."""
    result: dict[int, list[list[int]]] = {}
    within = None
    for _, word in received:
        source = word["source"]
        assert within in (None, source), "a word of another source within a packet"
        own = result.setdefault(source, [])
        if within is None:
            own.append([])
        own[-1].append(word["data"])
        within = None if word["last"] else source
    assert within is None, "the last packet has no end"
    return result
