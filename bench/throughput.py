"""What the direct fabric carries when all nodes send: python bench/throughput.py [SPEC …].

Writes docs/throughput.md from runs of the cycle model, which are the same everywhere. With SPEC, a
network with its algorithm such as star:5=balanced, only prints the rows of these.
"""

import argparse
from pathlib import Path

import numpy as np

from noc.design import Design, design
from noc.model import Traffic, all_sources, endless, random_words, simulate
from noc.networks import IntArray, build_network

PAGE = Path(__file__).resolve().parent.parent / "docs" / "throughput.md"

#: Networks whose nodes all send always.
ENDLESS = (
    *(("star:4", "balanced"), ("star:5", "balanced"), ("scc:4", "shortest")),
    *(("uhc:4", "bt2"), ("hypercube:4", "shortest")),
)

#: Cycles that are counted, after so many that are not.
CYCLES, WARM_UP = 30_000, 2_000

#: Light loads: in the mean a word is offered in one of so many cycles, by any of the sources.
LOADS = (10, 5, 3)

#: Networks whose nodes send a batch.
BATCHES = (
    *(("star:4", "shortest"), ("star:5", "balanced"), ("star:6", "balanced")),
    *(("scc:4", "shortest"), ("scc:5", "shortest"), ("uhc:6", "bt2"), ("uhc:8", "bt2")),
    *(("hypercube:6", "shortest"), ("ccc:4", "shortest"), ("arrangement:5,2", "shortest")),
)

#: Words of a node in a batch.
WORDS = 20

BEGINNING = f"""\
# The direct fabric when all nodes send

This page shows what the direct fabric carries when several nodes send at the same time
(`--fabric direct`), and why the [ordered fabric](ordered.md) is the default for that.

**Under sustained load sources starve.** The direct fabric cannot deadlock and each of its arbiters
is fair, but the network as a whole is not: while other nodes keep sending, a source can wait
without bound. For several sources that do not pause, use the ordered fabric; it delivers a word to
every node in every cycle and serves all sources equally. Use the direct fabric for one source at a
time, where words of different sources never meet, or for several sources at light load, where words
arrive in the fewest cycles.

`python bench/throughput.py` makes the figures of the first and the last table with the cycle model.
In the first table every node always has a word to send and the sinks are always ready. The counts
are of {CYCLES:,} cycles, after {WARM_UP:,} cycles that are not counted.

- **Deliveries a node and cycle** are the words that a node receives in a cycle, as a mean. Their
  limit is 1 − 1/N with N nodes: each router has one bus for all words, the node's own included.
  (In the words a cycle of [performance.md](performance.md) a word counts at its source as well.)
- **Longest wait** is the longest time that a word spends at its inject stream after the word before
  it was accepted, in all {CYCLES + WARM_UP:,} cycles.
- **At a load** are the longest waits when random sources offer, all together, a word in every
  tenth, fifth and third cycle.

| network | algorithm | nodes | VCs | deliveries a node and cycle | words by source, least / most \
| longest wait, cycles | at a load of {" | of ".join(f"1/{every}" for every in LOADS)} |
|---|---|---:|---:|---:|---:|{"---:|" * (1 + len(LOADS))}
"""

MIDDLE = f"""
## Why sources starve

With one source at a time, a word waits only for earlier words of its own source. While the sinks
are ready, each of these takes one cycle on a bus, or in one-port use one cycle for each of its
sends.

With several sources some word can always move ([vcs.md](vcs.md)), but not every word. An in-port
that requests a slot of its VC when one is free is granted after a bounded number of grants to
others ([router.md](router.md#arbitration)). **There is no bound** for an in-port, or for the node's
own inject stream, whose VC has no free slot when it requests: others can take each slot as it
becomes free. Sources therefore starve for want of a free slot and not in arbitration.

The remedies in the next table were tried in the cycle model: every node always sends, for 18,000
cycles after 2,000 that are not counted. LUT and clock are of routers at width 32 on ECP5, speed
grade 6, counted as in [area.md](area.md). The changed routers were not kept, so no command
reproduces this table.

| remedy: words by source, least / most | star:4 | star:5 | scc:4 | uhc:6 | scc:3 \
| star:5, sinks stall in bursts | star:4 router | star:5 router |
|---|---:|---:|---:|---:|---:|---:|---|---|
| the router as it is | 1 / 654 | 0 / 159 | 13 / 244 | 1 / 374 | 0 / 3000 | 0 / 150 \
| 290 LUT, 141.6 MHz | 374 LUT, 129.4 MHz |
| the node's own word wins after 64 cycles | 1 / 654 | 0 / 153 | 0 / 262 | 0 / 350 | 0 / 3000 \
| | | |
| arbiters weighted by the number of sources behind each in-port | 126 / 574 | 18 / 140 \
| 61 / 197 | 23 / 329 | 282 / 2149 | 0 / 85 | | |
| an in-port that was granted without a free slot gets the next slot of its VC | 308 / 462 \
| 74 / 84 | 118 / 142 | 0 / 590 | 0 / 3000 | 0 / 129 | 328 LUT, 128.5 MHz | 406 LUT, 119.0 MHz |
| the slots of each VC go in turn to all in-ports that were ever refused | 379 / 398 | 78 / 78 \
| 124 / 137 | 22 / 414 | 131 / 2102 | 4 / 72 | 372 LUT, 134.9 MHz | 497 LUT, 121.0 MHz |
| the same, with weights | 310 / 438 | 74 / 80 | 125 / 133 | | | | | |

Weights alone make the shares more equal but give no bound: with sinks that stall, sources starve as
before. Starvation ends only if each VC keeps a free slot for the in-port that was refused first,
one in-port after the other; then every word waits for a bounded number of others. That takes up to
a third more area, and the network still carries about half of a word a cycle. The ordered fabric
carries a whole one in a third of the area, so the router stays as it is.

## Batches

Every node sends {WORDS} words as fast as its router takes them, and the run ends when every word
has arrived everywhere. Batches hide starvation: once the favoured sources have sent all their
words, the others are served.

| network | algorithm | nodes | VCs | words | cycles | deliveries a node and cycle |
|---|---|---:|---:|---:|---:|---:|
"""


def longest_wait(direct: Design, traffic: Traffic, cycles: int | None) -> int:
    """The longest time that a word is offered at an inject stream, those left over included."""
    run = simulate(direct.program, traffic, cycles=cycles)
    if run.events is None or run.end not in ("drained", "limit"):
        raise SystemExit(f"{direct.network.spec}: {run.end}")
    own = run.events.port == direct.program.inject
    accepted = np.full(traffic.words, run.cycles, dtype=np.int64)
    accepted[run.events.word[own]] = run.events.cycle[own]
    longest = 0
    for node in range(direct.network.nodes):
        mine = np.flatnonzero(traffic.source == node)[: int(run.accepted[node]) + 1]
        offered = np.maximum(traffic.release[mine], np.append([0], accepted[mine[:-1]] + 1))
        longest = max(longest, int((accepted[mine] - offered).max(initial=0)))
    return longest


def counted(direct: Design, cycles: int, warm_up: int) -> tuple[IntArray, float]:
    """Words of each source after the warm-up, and deliveries of a node in a cycle."""
    traffic = endless(direct.program, cycles + warm_up)
    begin, end = (
        simulate(direct.program, traffic, cycles=stop, events=False)
        for stop in (warm_up, cycles + warm_up)
    )
    rate = (end.delivered - begin.delivered) / direct.network.nodes / cycles
    return end.accepted - begin.accepted, rate


def endless_row(spec: str, algorithm: str) -> str:
    """One network whose nodes send always, and at light loads."""
    direct = design(build_network(spec), algorithm)
    nodes, cycles = direct.network.nodes, CYCLES + WARM_UP
    words, rate = counted(direct, CYCLES, WARM_UP)
    waits = [longest_wait(direct, endless(direct.program, cycles), cycles)]
    for every in LOADS:
        # A gap of g is from 0 to 2 g cycles.
        light = random_words(direct.program, cycles // every, gap=every)
        waits.append(longest_wait(direct, light, None))
    entries = [spec, algorithm, nodes, direct.program.vcs, f"{rate:.2f}"]
    entries += [f"{words.min()} / {words.max()}", *waits]
    return f"| {' | '.join(map(str, entries))} |\n"


def batch_row(spec: str, algorithm: str) -> str:
    """One network whose nodes send a batch."""
    direct = design(build_network(spec), algorithm)
    nodes, traffic = direct.network.nodes, all_sources(direct.program, WORDS)
    run = simulate(direct.program, traffic, events=False)
    if not run.drained:
        raise SystemExit(f"{spec}: {run.end}")
    rate = run.delivered / nodes / run.cycles
    entries = [spec, algorithm, nodes, direct.program.vcs, traffic.words, run.cycles]
    return f"| {' | '.join(map(str, [*entries, f'{rate:.2f}']))} |\n"


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("spec", metavar="SPEC", nargs="*", help="star:5=balanced, …; without, all")
    chosen = parser.parse_args().spec
    if chosen:
        for entry in chosen:
            spec, _, algorithm = entry.partition("=")
            print(endless_row(spec, algorithm or "shortest"), end="")
        return
    text = BEGINNING + "".join(endless_row(*case) for case in ENDLESS)
    text += MIDDLE + "".join(batch_row(*case) for case in BATCHES)
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
