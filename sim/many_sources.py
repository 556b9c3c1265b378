"""All nodes send at the same time."""

import cocotb
from driver import Bench, count_deliveries, numbered
from folder import NODES, SOURCES

WORDS = 5
#: The highest word that is sent.
HIGHEST = len(NODES) * WORDS


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def all_at_once(dut) -> None:
    """Several words from every node, offered in the same cycle."""
    bench = Bench(dut)
    await bench.reset()
    sent = {source: numbered(source, WORDS) for source in SOURCES}
    for source, words in sent.items():
        bench.send(source, *words)
    total = len(sent) * WORDS
    await bench.drain(count_deliveries(sent), cycles=20 * len(NODES) * total)
    bench.check(sent)
    last = max(cycle for received in bench.received for cycle, _ in received)
    dut._log.info("%d words everywhere in %d cycles", total, last)
