"""A message of many words from one source: with all ports, one word a cycle at every node."""

import cocotb
from driver import Bench
from folder import MANIFEST, NODES

WORDS = 50
#: The highest word that is sent.
HIGHEST = WORDS


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def one_word_a_cycle(dut) -> None:
    """The words arrive in order, and with all ports without a gap."""
    bench = Bench(dut)
    await bench.reset()
    message = list(range(1, WORDS + 1))
    bench.send(0, *message)
    await bench.drain(WORDS * (len(NODES) - 1), cycles=100 * WORDS)
    bench.check({0: message})
    first = bench.accepted[message[0]]
    last = max(cycle for received in bench.received for cycle, _ in received)
    dut._log.info("%d words to %d nodes in %d cycles", WORDS, len(NODES) - 1, last - first)
    if MANIFEST.get("ports", "all") == "all":
        for received in bench.received[1:]:
            assert received[-1][0] - received[0][0] == WORDS - 1
