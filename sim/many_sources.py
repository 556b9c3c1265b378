"""All nodes send at the same time."""

import cocotb
from driver import send_at_once
from folder import EXCHANGE, NODES, SOURCES

#: The words are for all.
FITS = EXCHANGE is None

WORDS = 5
#: The highest word that is sent.
HIGHEST = len(NODES) * WORDS


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def all_at_once(dut) -> None:
    """Several words from every node, offered in the same cycle."""
    bench = await send_at_once(dut, WORDS, lambda *_: True)
    last = max(cycle for node in bench.nodes for cycle, _ in node.received)
    dut._log.info("%d words everywhere in %d cycles", len(SOURCES) * WORDS, last)
