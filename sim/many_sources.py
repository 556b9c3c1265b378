"""All nodes send at the same time."""

import cocotb
from fabric import NODES, Fabric

WORDS = 5
#: The highest word that is sent.
HIGHEST = len(NODES) * WORDS


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def all_at_once(dut) -> None:
    """Several words from every node, offered in the same cycle."""
    fabric = Fabric(dut)
    await fabric.start()
    sent = {
        node: [node * WORDS + number + 1 for number in range(WORDS)] for node in range(len(NODES))
    }
    for node, words in sent.items():
        fabric.send(node, *words)
    total = len(NODES) * WORDS
    await fabric.arrivals(total * (len(NODES) - 1), limit=20 * total)
    fabric.check(sent)
    last = max(cycle for received in fabric.received for cycle, _ in received)
    dut._log.info("%d words everywhere in %d cycles", total, last)
