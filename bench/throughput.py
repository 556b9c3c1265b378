"""How many words a network delivers when all nodes send at once: python bench/throughput.py.

Writes docs/throughput.md from runs of the cycle model, which are the same everywhere.
"""

from pathlib import Path

import numpy as np

from noc.design import design
from noc.model import simulate
from noc.model.traffic import Traffic
from noc.networks import network

PAGE = Path(__file__).resolve().parent.parent / "docs" / "throughput.md"

NETWORKS = (
    *(("star:4", "shortest"), ("star:5", "balanced"), ("star:6", "balanced")),
    *(("scc:4", "shortest"), ("scc:5", "shortest"), ("uhc:6", "bt2"), ("uhc:8", "bt2")),
    *(("hypercube:6", "shortest"), ("ccc:4", "shortest"), ("arrangement:5,2", "shortest")),
)

#: Words that each node sends, one after the other, as soon as its router takes them.
WORDS = 20

BEGINNING = f"""\
# All nodes sending at once

Made by `python bench/throughput.py` with the cycle model: every node sends {WORDS} words as fast as
its router takes them, sinks are always ready, and the run ends when every word is everywhere. A
router has one bus, and every word crosses it at every node, so that no network of such routers can
deliver more than (N - 1) / N words a node and cycle, about one: the last column is near its share.

| network | algorithm | nodes | classes | words | cycles | deliveries a node and cycle |
|---|---|---:|---:|---:|---:|---:|
"""


def row(spec: str, algorithm: str) -> str:
    """One network."""
    made = design(network(spec), algorithm, sources="all")
    nodes = made.network.nodes
    source = np.repeat(np.arange(nodes), WORDS)
    zeros = np.zeros(source.size, dtype=np.int64)
    traffic = Traffic(source, zeros, zeros, np.ones((1, nodes), dtype=bool))
    run = simulate(made.program, made.classes, traffic, events=False)
    if not run.drained:
        raise SystemExit(f"{spec}: {run.end}")
    rate = run.delivered / nodes / run.cycles
    entries = [spec, algorithm, nodes, made.classes.count, source.size, run.cycles, f"{rate:.2f}"]
    return f"| {' | '.join(map(str, entries))} |\n"


if __name__ == "__main__":
    text = BEGINNING + "".join(row(*case) for case in NETWORKS)
    PAGE.write_text(text, encoding="utf-8")
    print(text)
