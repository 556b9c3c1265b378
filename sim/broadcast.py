"""One word from each source: it reaches every node once, after exactly as long as it should."""

import cocotb
from fabric import GRAPH, MANIFEST, NODES, ORDERED, Fabric

from noc.trees import build_trees

SOURCES = min(len(NODES), 24)
#: The highest word that is sent.
HIGHEST = SOURCES


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def each_source_alone(dut) -> None:
    """Source after source, each when the word of the one before has arrived everywhere."""
    fabric = Fabric(dut)
    await fabric.start()
    for source in range(SOURCES):
        fabric.clear()
        word = source + 1
        fabric.send(source, word)
        await fabric.arrivals(len(NODES) - 1, limit=50 * len(NODES))
        fabric.check({source: [word]})
        cycles = {
            node: received[0][0] - fabric.accepted[word]
            for node, received in enumerate(fabric.received)
            if node != source
        }
        check_latency(source, cycles)
        name = NODES[source]["label"]
        dut._log.info(
            "%s reached all %d nodes in %d cycles", name, len(NODES), max(cycles.values())
        )


def check_latency(source: int, cycles: dict[int, int]) -> None:
    """In the ordered fabric the way up and the way down; in the direct one the hops of the tree.

    With one port at a time a word may take longer.
    """
    if ORDERED:
        up = NODES[source]["up"]
        assert cycles == {node: up + NODES[node]["down"] for node in cycles}
        return
    trees = build_trees(GRAPH, MANIFEST["algorithm"], root=source, ports=MANIFEST["ports"]).trees
    if len(trees) > 1:
        return
    constant = MANIFEST["inject_cycles"] + MANIFEST["eject_cycles"]
    for node, measured in cycles.items():
        expected = constant + int(trees[0].depth[node]) * MANIFEST["hop_cycles"]
        assert measured == expected if MANIFEST["ports"] == "all" else measured >= expected
