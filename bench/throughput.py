"""What the direct fabric carries when all nodes send: python bench/throughput.py [SPEC …].

Brings the tables of docs/throughput.md up to date by runs of the cycle model, which are the same
everywhere. With SPEC, a network with its algorithm such as star:5=balanced, only prints the rows of
these.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from tables import ROOT, fill, markdown

from noc.design import Design, build_direct
from noc.model import Traffic, all_sources, endless, random_words, simulate
from noc.networks import IntArray, build_network

PAGE = ROOT / "docs" / "throughput.md"

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


def endless_row(spec: str, algorithm: str) -> list[object]:
    """One network whose nodes send always, and at light loads."""
    direct = build_direct(build_network(spec), algorithm)
    nodes, cycles = direct.network.nodes, CYCLES + WARM_UP
    words, rate = counted(direct, CYCLES, WARM_UP)
    waits = [longest_wait(direct, endless(direct.program, cycles), cycles)]
    for every in LOADS:
        # A gap of g is from 0 to 2 g cycles.
        light = random_words(direct.program, cycles // every, gap=every)
        waits.append(longest_wait(direct, light, None))
    entries = [spec, algorithm, nodes, direct.program.vcs, f"{rate:.2f}"]
    return [*entries, f"{words.min()} / {words.max()}", *waits]


def batch_row(spec: str, algorithm: str) -> list[object]:
    """One network whose nodes send a batch."""
    direct = build_direct(build_network(spec), algorithm)
    nodes, traffic = direct.network.nodes, all_sources(direct.program, WORDS)
    run = simulate(direct.program, traffic, events=False)
    if not run.drained:
        raise SystemExit(f"{spec}: {run.end}")
    rate = run.delivered / nodes / run.cycles
    vcs = direct.program.vcs
    return [spec, algorithm, nodes, vcs, traffic.words, run.cycles, f"{rate:.2f}"]


def show_endless(cases: Sequence[tuple[str, str]]) -> str:
    """The table of networks whose nodes send always."""
    heads = ["network", "algorithm", " nodes", " VCs", " deliveries a node and cycle"]
    heads += [" words by source, least / most", " longest wait, cycles"]
    heads += [f" at a load of 1/{LOADS[0]}", *(f" of 1/{every}" for every in LOADS[1:])]
    return markdown(heads, [endless_row(*case) for case in cases])


def show_batches(cases: Sequence[tuple[str, str]]) -> str:
    """The table of networks whose nodes send a batch."""
    heads = ["network", "algorithm", " nodes", " VCs", " words", " cycles"]
    heads += [" deliveries a node and cycle"]
    return markdown(heads, [batch_row(*case) for case in cases])


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("spec", metavar="SPEC", nargs="*", help="star:5=balanced, …; without, all")
    chosen = parser.parse_args().spec
    if chosen:
        named = [entry.partition("=") for entry in chosen]
        print(show_endless([(spec, algorithm or "shortest") for spec, _, algorithm in named]))
        return
    parts = {"endless": show_endless(ENDLESS), "batches": show_batches(BATCHES)}
    PAGE.write_text(fill(PAGE.read_text(encoding="utf-8"), parts), encoding="utf-8")


if __name__ == "__main__":
    main()
