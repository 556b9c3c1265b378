"""What the SCC report states about broadcasts outside its tables: theorems, counts, claims."""

from collections.abc import Iterator
from functools import cache
from math import factorial

import numpy as np

from noc.papers.steps.rounds import pipelined_rounds
from noc.papers.steps.words import LOST
from noc.papers.tables.scc.broadcast import TABLE_1, TABLE_2, odd_stages, settings_reach
from noc.papers.tables.scc.compare import running_time, star_one_port
from noc.papers.tables.scc.facts import (
    build,
    diameter,
    diameter_reason,
    explained,
    one_tree,
    percent,
)
from noc.papers.tables.table import Reason, Row
from noc.trees import Ports, sequences
from noc.trees.cyclic import parallel_moves, rounds, sequential_moves
from noc.trees.switching import (
    Stages,
    dropped_stages,
    halving_stages,
    neighbour_stages,
    ring_word,
    star_word,
)

__all__ = ["mirrored_stages", "rings_reached", "rows"]

MODELS: tuple[Ports, ...] = ("one", "all")

# Messages in the pipelines that are run.
MESSAGES = 4


def _ports(words: list[int]) -> str:
    return "-".join(map(str, words))


def _nlogn_network() -> Iterator[Row]:
    for n in (4, 8, 16):
        stages, log_n = halving_stages(n), n.bit_length() - 1
        yield Row(f"n log n network, n = {n}, stages", 2 * log_n - 1, len(stages))
        switches = n * log_n - n // 2
        yield Row(f"n log n network, n = {n}, switches", switches, sum(map(len, stages)))
        what = f"n log n network, n = {n}, steps on the star, at most"
        yield Row(what, 3 * switches, len(star_word(stages)), bound=True)
    first = _ports(star_word(halving_stages(8)[:1]))
    yield Row("n log n network, n = 8, first stage", "5-6-2-6-7-3-7-8-4-8", first)


def rings_reached(stages: Stages, n: int) -> int:
    """The nodes of a star, or rings of SCC, that the laterals of a switching network inform."""
    star = build(f"star:{n}")
    informed = np.arange(star.nodes) == 0
    for d in star_word(stages):
        informed[star.neighbour[informed, d - 2]] = True
    return int(informed.sum())


def _dropped_switches() -> Iterator[Row]:
    for n in (3, 5, 6, 7, 9):
        stages = dropped_stages(n)
        kept = [switch for stage in stages for switch in stage if n in switch]
        most = 4 * factorial(n - 1)
        why = Reason(
            f"position {n} keeps only the switches (1, {n}) at the two ends, which leaves at most "
            f"{most} of {factorial(n)} settings; halving into unequal parts reaches them all",
            set(kept) == {(1, n)}
            and most < factorial(n)
            and rings_reached(halving_stages(n), n) == factorial(n),
        )
        what = f"n = {n}, rings that the larger network without the missing positions informs"
        yield explained(Row(what, factorial(n), rings_reached(stages, n)), why)


@cache
def _length(name: str, n: int) -> int:
    stages = halving_stages(n) if name == "switching-nlogn" else neighbour_stages(n)
    return len(sequences.walk(n - 1, ring_word(stages, n - 1)))


def _uninformed() -> Iterator[Row]:
    for name in ("switching-nlogn", "switching-n2"):
        for n in range(3, 9):
            step = one_tree(f"scc:{n}", name, "one").step.reshape(-1, n - 1)
            length = _length(name, n)
            why = Reason(
                "the sequence brings the word to every ring, but not to every node of those "
                f"reached last: they need up to {n // 2} local steps more",
                bool((step.min(axis=1) <= length).all()) and step.max() <= length + n // 2,
            )
            what = f"{name}, n = {n}, nodes that the sequence leaves uninformed"
            yield explained(Row(what, 0, int((step > length).sum())), why)


def mirrored_stages(n: int) -> Stages:
    """The report's other network for a power of two: switches 1 … n/4, n/2, n/4 … 1 apart."""
    widening = [2**k for k in range(n.bit_length() - 1)]
    return [
        [(i, i + apart) for i in range(1, n + 1) if (i - 1) & apart == 0]
        for apart in [*widening, *widening[-2::-1]]
    ]


def _bits_reversed(stages: Stages, n: int) -> set[tuple[int, tuple[int, int]]]:
    width = n.bit_length() - 1

    def place(i: int) -> int:
        return int(f"{i - 1:0{width}b}"[::-1], 2) + 1

    return {
        (k, (min(place(i), place(j)), max(place(i), place(j))))
        for k, stage in enumerate(stages)
        for i, j in stage
    }


def _mirrored_network() -> Iterator[Row]:
    for n in (4, 8):
        reached, stages = settings_reach(mirrored_stages(n), n), halving_stages(n)
        same = {(k, switch) for k, stage in enumerate(stages) for switch in stage}
        why = Reason(
            "with the bits of the positions in reverse order it is the n log n network itself",
            _bits_reversed(mirrored_stages(n), n) == same,
        )
        found = "sorts every permutation" if reached == factorial(n) else "does not"
        yield explained(
            Row(f"n = {n}, the network with wide switches inside", "does not", found), why
        )


def _n2_network() -> Iterator[Row]:
    for n in range(3, 9):
        stages = neighbour_stages(n)
        why = odd_stages(n) if n % 2 else None
        yield explained(Row(f"n = {n}, Theorem 4: stages", n - 1, len(stages)), why)
        switches = sum(map(len, stages))
        yield Row(f"n = {n}, Theorem 4: switches", n * (n - 1) // 2, switches)
        what = f"n = {n}, Theorem 5: permutations that settings sort"
        yield Row(what, factorial(n), settings_reach(stages, n))
    ascending, outer_first, _ = neighbour_stages(8)[:3]
    word = [d for i, j in ascending for d in ([j] if i == 1 else [i, j, i])]
    word += star_word([[switch] for switch in outer_first[::-1]])
    why = Reason(
        "misprint: the second stage has a switch (4, 5) and none (5, 6)",
        (4, 5) in outer_first and (5, 6) not in outer_first,
    )
    printed = "2-3-4-3-5-6-5-7-8-7-8-7-6-7-5-6-5-3-2-3"
    yield explained(Row("n²/2 network, n = 8, first two stages", printed, _ports(word)), why)


def _network_beats_network() -> Iterator[Row]:
    for n in range(4, 9):
        better = _length("switching-n2", n) < _length("switching-nlogn", n)
        why = Reason(
            "an exact count is compared with a bound that the n log n network stays far below",
            TABLE_2[n][2] < TABLE_1[n][2] and _length("switching-nlogn", n) < TABLE_1[n][2],
        )
        what = f"n = {n}, the n²/2 network's sequence is shorter than the n log n network's"
        yield explained(Row(what, "yes", "yes" if better else "no"), why)


def _cyclic_sequences() -> Iterator[Row]:
    for n in range(3, 9):
        plan = rounds(build(f"scc:{n}"), "one")
        for name, moves, length in (
            ("σ-seq(C)", sequential_moves(plan, 0), 2 * (n - 1) * plan.count - 1),
            ("σ-par(C)", parallel_moves(plan), (n - 1) * plan.count),
        ):
            algorithm = "cyclic-sequential" if name == "σ-seq(C)" else "cyclic-parallel"
            steps = one_tree(f"scc:{n}", algorithm, "one").steps
            yield Row(f"n = {n}, {name}, steps of the sequence", length, len(moves))
            yield Row(f"n = {n}, {name}, last receipt", length, steps, bound=True)


def _rounds() -> Iterator[Row]:
    for n in range(3, 9):
        for family, ports, length, count in (
            ("scc", MODELS[0], (n + 2) // 2, 3 * (n - 1) // 2),
            ("scc", MODELS[1], (n + 1) // 2, 3 * (n - 1) // 2),
            ("ccc", MODELS[0], (n + 3) // 2, n),
            ("ccc", MODELS[1], (n + 2) // 2, n),
        ):
            spec, name = f"{family}:{n}", f"{family}, n = {n}, {ports}-port"
            steps = one_tree(spec, "cyclic", ports).steps
            yield Row(f"{name} cyclic broadcast, steps", length * count, steps)
            locals_each = rounds(build(spec), ports).locals
            yield Row(f"{name}, Theorem 11: local rate over lateral rate", length - 1, locals_each)


def _pipelines() -> Iterator[Row]:
    for n in range(3, 7):
        for ports in MODELS:
            net, name = build(f"scc:{n}"), f"n = {n}, {ports}-port, {MESSAGES} messages"
            run = pipelined_rounds(net, 0, ports, MESSAGES)
            # The report's floor encloses the whole count of rounds; B is whole, so it does not
            # matter that the floor of 3(n-1)/2 alone is meant.
            per_round = (n + 2) // 2 if ports == "one" else (n + 1) // 2
            printed = per_round * int(MESSAGES - 1 + 3 * (n - 1) / 2)
            yield Row(f"{name}, steps", printed, run.schedule)
            yield Row(f"{name}, last receipt", printed, run.steps)
            received = int((run.received != LOST).sum())
            yield Row(f"{name}, first receipts", MESSAGES * net.nodes, received)
            two = Reason(
                "on a ring of two the local loop runs once, so that no node is ever done with "
                "its local sends and old messages are sent again beside the new",
                rounds(net, ports).locals == 1 and net.degree == 2,
            )
            yield explained(Row(f"{name}, sends beyond the model", 0, run.clashes), two)
            counting = Reason(
                "nodes that number messages by counting receipts would take each of these copies "
                "for the next message; with numbers in the messages every node gets each",
                received == MESSAGES * net.nodes,
            )
            what = f"{name}, second copies that reach a node still waiting for a message"
            yield explained(Row(what, 0, run.stray_copies), counting)


def _distances() -> Iterator[Row]:
    def most(ports: Ports, sizes: tuple[int, ...]) -> float:
        steps = {n: one_tree(f"scc:{n}", "cyclic", ports).steps for n in sizes}
        return max(percent(steps[n], diameter(f"scc:{n}"), "0.0") for n in sizes)

    why = Reason(
        "with the diameter 30 of SCC 7 in place of 31 its 36 steps are 20 % more",
        diameter_reason(7).holds and diameter("scc:7") == 30,
    )
    for what, printed, found in (
        ("all-port, n = 4…8, greatest distance", "17.6", most("all", (4, 5, 6, 7, 8))),
        ("one-port, n = 5 and 7, greatest distance", "16.1", most("one", (5, 7))),
        ("one-port, n = 4…8, greatest distance", "50", most("one", (4, 5, 6, 7, 8))),
    ):
        yield explained(Row(what, printed, found), why)


def _against_star() -> Iterator[Row]:
    for n in range(4, 9):
        what = f"n = {n}, one-port running time, at most the star's"
        yield Row(what, star_one_port(n), running_time(f"scc:{n}", "one"), bound=True)
        on_star = one_tree(f"star:{n}", "balanced", "all").steps
        what = f"n = {n}, all-port running time, in broadcasts on the star"
        yield Row(what, 2, running_time(f"scc:{n}", "all") / on_star)
    for n in range(4, 9):
        found = one_tree(f"star:{n}", "fewest-steps", "one").check()
        why = Reason(
            "not optimal: a verified schedule, found by search, takes fewer one-port steps",
            found.steps < star_one_port(n),
        )
        what = f"star, n = {n}, 'optimal' one-port broadcast of reference 15, steps"
        yield explained(Row(what, star_one_port(n), found.steps), why)


def rows() -> list[Row]:
    """All of them, in the order of the report."""
    parts = (
        _nlogn_network,
        _dropped_switches,
        _uninformed,
        _n2_network,
        _network_beats_network,
        _mirrored_network,
        _cyclic_sequences,
        _rounds,
        _pipelines,
        _distances,
        _against_star,
    )
    return [row for part in parts for row in part()]
