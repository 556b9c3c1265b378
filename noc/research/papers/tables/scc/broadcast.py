"""Tables 1 to 5 of the SCC report: the steps of its broadcast sequences."""

from collections.abc import Callable, Iterator
from functools import cache
from math import log2

import numpy as np

from noc.research.papers.printed import figures
from noc.research.papers.tables.scc.facts import (
    cyclic_rows,
    diameter,
    distance_row,
    size_rows,
    star_diameter,
)
from noc.research.papers.tables.table import (
    PaperTable,
    Reason,
    Row,
    build,
    explained,
    misprint,
    one_tree,
)
from noc.trees import Ports, sequences
from noc.trees.switching import Stages, halving_stages, neighbour_stages, ring_word, star_word

__all__ = ["TABLES", "TABLE_3", "TABLE_5", "odd_stages", "settings_reach"]

# n: lateral steps, local steps, total, relative distance to the diameter in per cent.
Printed = dict[int, tuple[int, int, int, str]]

TABLE_1: Printed = figures("scc-1", "distance")
TABLE_2: Printed = figures("scc-2", "distance")
TABLE_3: Printed = figures("scc-3", "distance")
TABLE_5: Printed = figures("scc-5", "distance")

Steps = Callable[[int], float]


def lateral_nlogn(n: int) -> float:
    """Theorem 3's proof: lateral steps of the n log n network, at most."""
    return 3 * (n * log2(n) - n / 2)


def local_nlogn(n: int) -> float:
    """Theorem 3's proof: local steps of the n log n network, at most."""
    return 4 * n * ((n - 2) // 2) + 2 * (n - 2) * (log2(n) - 1)


def lateral_n2(n: int) -> float:
    """Theorem 6: lateral steps of the n²/2 network."""
    return 1.5 * n * n - 3.5 * n + 2


def local_n2(n: int) -> float:
    """Theorem 7's proof: local steps of the n²/2 network."""
    return 2.0 * n * n - 6 * n + 4


# Lateral and local steps of each sequence, as its theorem or the text counts them.
COUNTS: dict[str, tuple[Steps, Steps]] = {
    "σ(C)": (star_diameter, lambda n: n // 2 * star_diameter(n)),
    "σ-par(C)": (star_diameter, lambda n: (n - 2) * star_diameter(n)),
    "σ-seq(C)": (
        lambda n: (n - 1) * star_diameter(n),
        lambda n: (n - 1) * star_diameter(n) - 1,
    ),
    "σ of the n²/2 network": (lateral_n2, local_n2),
    "σ of the n log n network": (lateral_nlogn, local_nlogn),
}


def settings_reach(stages: Stages, n: int) -> int:
    """How many permutations of 1…n some setting of a network's switches gives."""
    star = build(f"star:{n}")
    reached = np.arange(star.nodes) == 0
    for stage in stages:
        for switch in stage:
            image = np.flatnonzero(reached)
            for d in star_word([[switch]]):
                image = star.neighbour[image, d - 2]
            reached[image] = True
    return int(reached.sum())


@cache
def odd_stages(n: int) -> Reason:
    """Why the n²/2 network of an odd n is longer than the theorems count."""
    stages = neighbour_stages(n)
    short = settings_reach(stages[:-1], n)
    whole = settings_reach(stages, n)
    return misprint(
        "scc-theorem-4",
        n % 2 == 1 and short < whole == build(f"star:{n}").nodes,
    )


def _network_rows(
    printed: Printed, algorithm: str, stages: Callable[[int], Stages], formula: tuple[Steps, Steps]
) -> Iterator[Row]:
    for n, (lateral, local, total, distance) in printed.items():
        yield from size_rows(n)
        counts = [int(steps(n)) for steps in formula]
        for what, figure, count in zip(("lateral", "local"), (lateral, local), counts, strict=True):
            yield Row(f"n = {n}, {what} steps, by the formula", figure, count)
        yield Row(f"n = {n}, total steps, by the two formulas", total, sum(counts))
        yield distance_row(
            "distance, by the formula", n, distance, sum(counts), printed_steps=total
        )
        moves = sequences.walk(n - 1, ring_word(stages(n), n - 1))
        used = sequences.lateral_steps(moves)
        why = odd_stages(n) if n % 2 and algorithm == "switching-n2" else None
        for what, figure, count in (
            ("lateral steps", lateral, used),
            ("local steps", local, len(moves) - used),
            ("total steps", total, len(moves)),
            ("last receipt", total, one_tree(f"scc:{n}", algorithm, "one").steps),
        ):
            yield explained(Row(f"n = {n}, {what}, built", figure, count, bound=True), why)
        yield distance_row(
            "distance, built", n, distance, len(moves), printed_steps=total, bound=True
        )


def _cyclic_rows(printed: Printed, ports: Ports) -> Iterator[Row]:
    for n, (lateral, local, total, distance) in printed.items():
        yield from size_rows(n)
        yield from cyclic_rows(f"n = {n}", f"scc:{n}", ports, (lateral, local, total))
        steps = one_tree(f"scc:{n}", "cyclic", ports).steps
        yield distance_row("distance", n, distance, steps, printed_steps=total)


def _coefficient(steps: Steps, term: str) -> float:
    """The leading coefficient: doubling n, so that the terms below cancel."""
    n = 2**20
    if term == "n":
        return round((steps(2 * n) - steps(n)) / n, 3)
    scale = 2 * n if term == "n log n" else 2 * n * n
    return round((steps(2 * n) - 2 * steps(n)) / scale, 3)


def _table_4() -> Iterator[Row]:
    for name, (*growth, least, greatest) in figures("scc-4", "least", "greatest").items():
        for what, steps, figure, term in zip(
            ("lateral", "local"), COUNTS[name], growth[::2], growth[1::2], strict=True
        ):
            yield Row(f"{name}, {what} steps, times {term}", figure, _coefficient(steps, term))
        totals = {n: sum(int(steps(n)) for steps in COUNTS[name]) for n in range(4, 9)}
        for end, figure, choose in (("least", least, min), ("greatest", greatest, max)):
            n = choose(totals, key=lambda n: totals[n] / diameter(f"scc:{n}"))
            yield distance_row(
                f"{name}, {end} distance", n, figure, totals[n], printed_steps=totals[n]
            )


def _table_1() -> list[Row]:
    formula = (lateral_nlogn, local_nlogn)
    return list(_network_rows(TABLE_1, "switching-nlogn", halving_stages, formula))


def _table_2() -> list[Row]:
    formula = (lateral_n2, local_n2)
    return list(_network_rows(TABLE_2, "switching-n2", neighbour_stages, formula))


TABLES = (
    PaperTable("scc-1", "scc", "one-port broadcast from the n log n network, at most", _table_1),
    PaperTable("scc-2", "scc", "one-port broadcast from the n²/2 network", _table_2),
    PaperTable(
        "scc-3", "scc", "one-port cyclic broadcast", lambda: list(_cyclic_rows(TABLE_3, "one"))
    ),
    PaperTable(
        "scc-4", "scc", "growth and range of the one-port sequences", lambda: list(_table_4())
    ),
    PaperTable(
        "scc-5", "scc", "all-port cyclic broadcast", lambda: list(_cyclic_rows(TABLE_5, "all"))
    ),
)
