"""Tables 1 to 7 of the SCC report: the steps of its broadcasts, beside star, cube and CCC."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from math import log2

import numpy as np

from noc.research.papers.printed import figures
from noc.research.papers.tables.scc.facts import (
    MODELS,
    SCC,
    cyclic_rows,
    diameter,
    diameter_reason,
    distance_row,
    percent,
    size_rows,
    star_diameter,
)
from noc.research.papers.tables.table import Reason, Row, Rows, build, one_tree, reason
from noc.trees import Ports, Tree, sequences
from noc.trees.cyclic import rounds
from noc.trees.switching import Stages, halving_stages, neighbour_stages, ring_word, star_word
from noc.trees.tree import NO_PARENT, scheduled

TABLES = {number: Rows() for number in range(1, 8)}

#: By table and n: lateral steps, local steps, total, distance to the diameter in per cent.
PRINTED: dict[int, dict[int, tuple[int, int, int, str]]] = {
    number: figures(f"scc-{number}", "distance") for number in (1, 2, 3, 5)
}

Steps = Callable[[int], float]


def lateral_nlogn(n: int) -> float:
    """Theorem 3's proof: lateral steps of the n log n network, at most."""
    return 3 * (n * log2(n) - n / 2)


def local_nlogn(n: int) -> float:
    """Theorem 3's proof: local steps of the n log n network, at most."""
    return 4 * n * ((n - 2) // 2) + 2 * (n - 2) * (log2(n) - 1)


# Lateral and local steps of each sequence, as its theorem or the text counts them.
COUNTS: dict[str, tuple[Steps, Steps]] = {
    "σ(C)": (star_diameter, lambda n: n // 2 * star_diameter(n)),
    "σ-par(C)": (star_diameter, lambda n: (n - 2) * star_diameter(n)),
    "σ-seq(C)": (
        lambda n: (n - 1) * star_diameter(n),
        lambda n: (n - 1) * star_diameter(n) - 1,
    ),
    # Theorem 6 and Theorem 7's proof.
    "σ of the n²/2 network": (
        lambda n: 1.5 * n * n - 3.5 * n + 2,
        lambda n: 2.0 * n * n - 6 * n + 4,
    ),
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
    short, whole = (settings_reach(part, n) for part in (stages[:-1], stages))
    return reason("scc-theorem-4", n % 2 == 1 and short < whole == build(f"star:{n}").nodes)


def _network_rows(
    number: int, n: int, algorithm: str, name: str, stages: Stages, why: Reason | None
) -> Iterator[Row]:
    """Tables 1 and 2: a switching network by its formulas, and as it is built."""
    lateral, local, total, distance = PRINTED[number][n]
    yield from size_rows(n)
    counts = [int(steps(n)) for steps in COUNTS[name]]
    for what, figure, count in zip(("lateral", "local"), (lateral, local), counts, strict=True):
        yield Row(f"n = {n}, {what} steps, by the formula", figure, count)
    yield Row(f"n = {n}, total steps, by the two formulas", total, sum(counts))
    yield distance_row("distance, by the formula", n, distance, sum(counts), printed_steps=total)
    moves = sequences.walk(n - 1, ring_word(stages, n - 1))
    used = sequences.lateral_steps(moves)
    for what, figure, count in (
        ("lateral steps", lateral, used),
        ("local steps", local, len(moves) - used),
        ("total steps", total, len(moves)),
        ("last receipt", total, one_tree(f"scc:{n}", algorithm, "one").steps),
    ):
        yield Row(f"n = {n}, {what}, built", figure, count, why, bound=True)
    steps = len(moves)
    yield distance_row("distance, built", n, distance, steps, printed_steps=total, bound=True)


@TABLES[1].each(PRINTED[1])
def _table_1(n: int) -> Iterator[Row]:
    name = "σ of the n log n network"
    yield from _network_rows(1, n, "switching-nlogn", name, halving_stages(n), None)


@TABLES[2].each(PRINTED[2])
def _table_2(n: int) -> Iterator[Row]:
    name, why = "σ of the n²/2 network", odd_stages(n) if n % 2 else None
    yield from _network_rows(2, n, "switching-n2", name, neighbour_stages(n), why)


def _scc_rows(ports: Ports, n: int, *, time: bool) -> Iterator[Row]:
    """Tables 3 and 5, which Table 6 repeats with the running time."""
    (*counts, distance), spec = PRINTED[3 if ports == "one" else 5][n], f"scc:{n}"
    yield from size_rows(n)
    yield from cyclic_rows(f"n = {n}", spec, ports, tuple(counts))
    if time:
        yield Row(f"n = {n}, running time", SCC[n][2], running_time(spec, ports))
    steps = one_tree(spec, "cyclic", ports).steps
    yield distance_row("distance", n, distance, steps, printed_steps=counts[2])


@TABLES[3].each(PRINTED[3])
def _table_3(n: int) -> Iterator[Row]:
    return _scc_rows("one", n, time=False)


@TABLES[5].each(PRINTED[5])
def _table_5(n: int) -> Iterator[Row]:
    return _scc_rows("all", n, time=False)


def _coefficient(steps: Steps, term: str) -> float:
    """The leading coefficient: doubling n, so that the terms below cancel."""
    n = 2**20
    if term == "n":
        return round((steps(2 * n) - steps(n)) / n, 3)
    scale = 2 * n if term == "n log n" else 2 * n * n
    return round((steps(2 * n) - 2 * steps(n)) / scale, 3)


@TABLES[4].add
def _table_4() -> Iterator[Row]:
    for name, (*growth, least, greatest) in figures("scc-4", "least", "greatest").items():
        for what, steps, figure, term in zip(
            ("lateral", "local"), COUNTS[name], growth[::2], growth[1::2], strict=True
        ):
            yield Row(f"{name}, {what} steps, times {term}", figure, _coefficient(steps, term))
        totals = {n: sum(int(steps(n)) for steps in COUNTS[name]) for n in SCC}
        for end, figure, choose in (("least", least, min), ("greatest", greatest, max)):
            n = choose(totals, key=lambda n: totals[n] / diameter(f"scc:{n}"))
            what, total = f"{name}, {end} distance", totals[n]
            yield distance_row(what, n, figure, total, printed_steps=total)


STARS = figures("scc-6-star", "one_port_distance", "all_port_distance")
CUBES, CCCS = figures("scc-7-cube"), figures("scc-7-ccc")

# What is printed alike for a network that has no local links.
SAME = ("lateral steps", "total steps", "running time")


def star_one_port(n: int) -> int:
    """Steps of the one-port broadcast on a star that the report quotes from its reference 15."""
    return sum((i - 1).bit_length() + 1 for i in range(2, n + 1))


def running_time(spec: str, ports: Ports) -> int:
    """Time in lateral steps, with local links as much faster as the report assumes."""
    net = build(spec)
    n, plan = int(net.parameters[0]), rounds(net, ports)
    ring_of_star = {"one": n // 2, "all": (n - 1) // 2}
    ring_of_cube = {"one": (n + 1) // 2, "all": n // 2}
    faster = (ring_of_star if net.family == "scc" else ring_of_cube)[ports]
    return plan.count + plan.count * plan.locals // faster


def binomial_tree(n: int) -> Tree:
    """The one-port broadcast on a hypercube: each node's parent lacks its highest bit."""
    net = build(f"hypercube:{n}")
    node = np.arange(net.nodes, dtype=np.int64)
    port = np.frexp(node)[1].astype(np.int64) - 1
    parent = np.where(node > 0, node & ~(1 << np.maximum(port, 0)), NO_PARENT)
    return scheduled(net, "binomial", "one", 0, parent, port)


@TABLES[6].each(MODELS)
def _table_6(ports: Ports) -> Iterator[Row]:
    for n in SCC:
        for row in _scc_rows(ports, n, time=True):
            yield replace(row, what=f"{ports}-port SCC, {row.what}")
    for n, (size, reach, one, one_distance, every, every_distance) in STARS.items():
        spec, name = f"star:{n}", f"{ports}-port star, n = {n}"
        yield Row(f"{name}, size", size, build(spec).nodes)
        yield Row(f"{name}, diameter", reach, diameter(spec))
        printed, distance, how = one, one_distance, ", by the formula of reference 15"
        steps = star_one_port(n)
        if ports == "all":
            printed, distance, how = every, every_distance, ""
            steps = one_tree(spec, "balanced", "all").steps
        for what in SAME:
            yield Row(f"{name}, {what}{how}", printed, steps)
        yield Row(f"{name}, distance", distance, percent(steps, diameter(spec), distance))


def _shape(name: str, spec: str, size: int, degree: int, reach: int) -> Iterator[Row]:
    yield Row(f"{name}, size", size, build(spec).nodes)
    yield Row(f"{name}, degree", degree, build(spec).degree)
    yield Row(f"{name}, diameter", reach, diameter(spec))


@TABLES[7].add
def _table_7() -> Iterator[Row]:
    for n, (size, degree, reach, printed) in CUBES.items():
        name, steps = f"cube, n = {n}", binomial_tree(n).steps
        yield from _shape(name, f"hypercube:{n}", size, degree, reach)
        yield from (Row(f"{name}, {what}", printed, steps) for what in SAME)
    for n, degree in {5: 4, 6: 5, 7: 6}.items():
        (size, reach, printed, *_), name = STARS[n], f"star, n = {n}"
        yield from _shape(name, f"star:{n}", size, degree, reach)
        how, steps = "by the formula of reference 15", star_one_port(n)
        yield from (Row(f"{name}, {how}, {what}", printed, steps) for what in SAME)
    twice = all(time == 2 * n for n, (*_, time) in CCCS.items() if n != 4)
    why = reason("scc-table-7-ccc-4", twice and running_time("ccc:4", "one") == 8)
    for n, (size, degree, reach, *counts, time) in CCCS.items():
        name, spec = f"CCC, n = {n}", f"ccc:{n}"
        yield from _shape(name, spec, size, degree, reach)
        yield from cyclic_rows(name, spec, "one", tuple(counts))
        yield Row(f"{name}, running time", time, running_time(spec, "one"), why)
    for n in range(4, 8):
        (size, reach, time), name, spec = SCC[n], f"SCC, n = {n}", f"scc:{n}"
        for row in _shape(name, spec, size, 3, reach):
            yield replace(row, why=diameter_reason(n))
        yield from cyclic_rows(name, spec, "one", PRINTED[3][n][:3])
        yield Row(f"{name}, running time", time, running_time(spec, "one"))
