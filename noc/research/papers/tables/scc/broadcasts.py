"""Tables 1 to 7 of the SCC report: the steps of its broadcasts, beside star, cube and CCC."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from math import floor, log2

import numpy as np

from noc.research.papers.printed import figures
from noc.research.papers.tables.scc.graph import diameter, diameter_reason, star_diameter
from noc.research.papers.tables.table import Reason, Row, Rows, build, named, one_tree, reason
from noc.trees import Ports, Tree, rings
from noc.trees.rings import Stages, halving_stages, neighbour_stages, ring_word, rounds, star_word
from noc.trees.tree import NO_PARENT, scheduled

TABLES = {number: Rows() for number in range(1, 8)}

#: By table and n: lateral steps, local steps, total, distance to the diameter in per cent.
PRINTED: dict[int, dict[int, tuple[int, int, int, str]]] = {
    number: figures(f"scc-{number}", "distance") for number in (1, 2, 3, 5)
}

MODELS: tuple[Ports, ...] = ("one", "all")

#: What Tables 1, 2, 3, 5, 6 and 7 all print for SCC: size, diameter, running time.
SCC = figures("scc-6-scc")

Steps = Callable[[int], float]


def size_rows(n: int) -> Iterator[Row]:
    """The two columns that every table repeats."""
    (size, printed, _), spec = SCC[n], f"scc:{n}"
    yield Row("size", size, build(spec).nodes)
    yield Row("diameter", printed, diameter(spec), diameter_reason(n))


def cyclic_rows(spec: str, ports: Ports, printed: tuple[int, ...]) -> Iterator[Row]:
    """Lateral, local and all steps of Algorithm 4 or 5, and those in which somebody receives."""
    tree = one_tree(spec, "cyclic", ports)
    plan = rounds(tree.network, ports)
    busy = np.unique(tree.step[tree.step > 0])
    busy_local = int(np.count_nonzero(busy % plan.length))
    lateral, local, total = printed
    yield Row("lateral steps", lateral, plan.count)
    yield Row("lateral steps that inform a node", lateral, busy.size - busy_local)
    yield Row("local steps", local, plan.count * plan.locals)
    yield Row("local steps that inform a node", local, busy_local, bound=True)
    yield Row("total steps of the schedule", total, plan.steps)
    yield Row("step of the last receipt", total, tree.steps)


def percent(steps: int, distance: int, printed: str) -> float:
    """How far steps exceed a distance; a whole number where a whole number is printed."""
    exact = 100 * (steps - distance) / distance
    return exact if "." in printed else floor(exact + 0.5)


def distance_row(
    what: str, n: int, printed: str, steps: int, *, printed_steps: int, bound: bool = False
) -> Row:
    """A relative distance to the diameter of SCC, with the reason where the figure is wrong."""
    searched, stated = diameter(f"scc:{n}"), SCC[n][1]
    exact, unit = 100 * (printed_steps / stated - 1), 10 ** len(printed.partition(".")[2])
    why = reason("cut-off", floor(exact * unit) == round(float(printed) * unit))
    if searched != stated:
        follows = Row("", printed, percent(printed_steps, stated, printed)).agrees or why.holds
        holds = follows and diameter_reason(n).holds
        why = reason("scc-printed-diameter", holds, printed=stated, searched=searched)
    return Row(what, printed, percent(steps, searched, printed), why, bound=bound)


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


#: By table: the algorithm, the name in Table 4 and the stages of a switching network.
NETWORKS: dict[int, tuple[str, str, Callable[[int], Stages]]] = {
    1: ("switching-nlogn", "σ of the n log n network", halving_stages),
    2: ("switching-n2", "σ of the n²/2 network", neighbour_stages),
}


@TABLES[1].each(product([1], PRINTED[1]), "n = {1}, ")
@TABLES[2].each(product([2], PRINTED[2]), "n = {1}, ")
def _network_rows(number: int, n: int) -> Iterator[Row]:
    """A switching network by its formulas, and as it is built."""
    algorithm, name, stages = NETWORKS[number]
    lateral, local, total, distance = PRINTED[number][n]
    yield from size_rows(n)
    counts = [int(steps(n)) for steps in COUNTS[name]]
    for what, figure, count in zip(("lateral", "local"), (lateral, local), counts, strict=True):
        yield Row(f"{what} steps, by the formula", figure, count)
    yield Row("total steps, by the two formulas", total, sum(counts))
    yield distance_row("distance, by the formula", n, distance, sum(counts), printed_steps=total)
    moves = rings.walk(n - 1, ring_word(stages(n), n - 1))
    steps, used = len(moves), rings.lateral_steps(moves)
    why = odd_stages(n) if number == 2 and n % 2 else None
    yield Row("lateral steps, built", lateral, used, why, bound=True)
    yield Row("local steps, built", local, steps - used, why, bound=True)
    yield Row("total steps, built", total, steps, why, bound=True)
    last = one_tree(f"scc:{n}", algorithm, "one").steps
    yield Row("last receipt, built", total, last, why, bound=True)
    yield distance_row("distance, built", n, distance, steps, printed_steps=total, bound=True)


@TABLES[3].each(product(["one"], PRINTED[3]), "n = {1}, ")
@TABLES[5].each(product(["all"], PRINTED[5]), "n = {1}, ")
def _scc_rows(ports: Ports, n: int, *, time: bool = False) -> Iterator[Row]:
    """What Table 6 repeats with the running time."""
    (*counts, distance), spec = PRINTED[3 if ports == "one" else 5][n], f"scc:{n}"
    yield from size_rows(n)
    yield from cyclic_rows(spec, ports, tuple(counts))
    if time:
        yield Row("running time", SCC[n][2], running_time(spec, ports))
    steps = one_tree(spec, "cyclic", ports).steps
    yield distance_row("distance", n, distance, steps, printed_steps=counts[2])


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
            what, total = f"n = {n}, {name}, {end} distance", totals[n]
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
        yield from named(f"{ports}-port SCC, n = {n}, ", _scc_rows(ports, n, time=True))
    for n, (size, reach, one, one_distance, every, every_distance) in STARS.items():
        spec, name = f"star:{n}", f"{ports}-port star, n = {n}"
        yield from named(f"{name}, ", _shape(spec, size, reach))
        printed, distance, how = one, one_distance, ", by the formula of reference 15"
        steps = star_one_port(n)
        if ports == "all":
            printed, distance, how = every, every_distance, ""
            steps = one_tree(spec, "balanced", "all").steps
        for what in SAME:
            yield Row(f"{name}, {what}{how}", printed, steps)
        yield Row(f"{name}, distance", distance, percent(steps, diameter(spec), distance))


def _shape(spec: str, size: int, reach: int, degree: int | None = None) -> Iterator[Row]:
    yield Row("size", size, build(spec).nodes)
    if degree is not None:
        yield Row("degree", degree, build(spec).degree)
    yield Row("diameter", reach, diameter(spec))


@TABLES[7].each(CUBES, "cube, n = {}, ")
def _cubes(n: int) -> Iterator[Row]:
    (size, degree, reach, printed), steps = CUBES[n], binomial_tree(n).steps
    yield from _shape(f"hypercube:{n}", size, reach, degree)
    yield from (Row(what, printed, steps) for what in SAME)


@TABLES[7].each((5, 6, 7), "star, n = {}, ")
def _stars(n: int) -> Iterator[Row]:
    (size, reach, printed, *_), how = STARS[n], "by the formula of reference 15"
    yield from _shape(f"star:{n}", size, reach, n - 1)
    yield from (Row(f"{how}, {what}", printed, star_one_port(n)) for what in SAME)


@TABLES[7].each(CCCS, "CCC, n = {}, ")
def _cycles(n: int) -> Iterator[Row]:
    (size, degree, reach, *counts, time), spec = CCCS[n], f"ccc:{n}"
    yield from _shape(spec, size, reach, degree)
    yield from cyclic_rows(spec, "one", tuple(counts))
    twice = all(time == 2 * n for n, (*_, time) in CCCS.items() if n != 4)
    why = reason("scc-table-7-ccc-4", twice and running_time("ccc:4", "one") == 8)
    yield Row("running time", time, running_time(spec, "one"), why)


@TABLES[7].each(range(4, 8), "SCC, n = {}, ")
def _star_cycles(n: int) -> Iterator[Row]:
    (size, reach, time), spec = SCC[n], f"scc:{n}"
    yield from (replace(row, why=diameter_reason(n)) for row in _shape(spec, size, reach, 3))
    yield from cyclic_rows(spec, "one", PRINTED[3][n][:3])
    yield Row("running time", time, running_time(spec, "one"))
