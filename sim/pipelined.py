"""A message of many words from one source: with all ports, one word a cycle at every node."""

import cocotb
from driver import Bench
from folder import MANIFEST, NODES, ROUND

#: In rounds a node has no word in each cycle.
FITS = ROUND is None

WORDS = 50
#: The highest word that is sent.
HIGHEST = WORDS


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def one_word_a_cycle(dut) -> None:
    """The words arrive in order, and with all ports without a gap."""
    bench = Bench(dut)
    await bench.reset()
    bench.send(0, *range(1, WORDS + 1))
    await bench.drain()
    cycles = [[cycle for cycle, _ in node.received] for node in bench.nodes[1:]]
    took = max(map(max, cycles)) - bench.nodes[0].accepted[0][0]
    dut._log.info("%d words to %d nodes in %d cycles", WORDS, len(NODES) - 1, took)
    if MANIFEST.get("ports", "all") == "all":
        for own in cycles:
            assert own[-1] - own[0] == WORDS - 1
