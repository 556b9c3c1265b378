"""Tables 6 and 7 of the SCC report: broadcasts on SCC beside star, cube and CCC."""

from collections.abc import Iterator

import numpy as np

from noc.research.papers.printed import figures
from noc.research.papers.tables.scc.broadcast import TABLE_3, TABLE_5
from noc.research.papers.tables.scc.facts import (
    DIAMETERS,
    SCC,
    SIZES,
    cyclic_rows,
    diameter,
    diameter_reason,
    distance_row,
    percent,
    size_rows,
)
from noc.research.papers.tables.table import PaperTable, Row, build, explained, misprint, one_tree
from noc.trees import Ports, Tree
from noc.trees.cyclic import rounds
from noc.trees.tree import NO_PARENT, scheduled

__all__ = ["TABLES", "binomial_tree", "star_one_port"]

# Running time in lateral link steps; the other SCC columns are those of Tables 3 and 5.
RUNNING_TIMES = {n: time for n, (*_, time) in SCC.items()}
STARS = figures("scc-6-star", "one_port_distance", "all_port_distance")
CUBES, CCCS = figures("scc-7-cube"), figures("scc-7-ccc")
STAR_DEGREES = {5: 4, 6: 5, 7: 6}


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


def _scc_part(ports: Ports) -> Iterator[Row]:
    printed = TABLE_3 if ports == "one" else TABLE_5
    for n, (lateral, local, total, distance) in printed.items():
        name = f"{ports}-port SCC"
        for row in [
            *size_rows(n),
            *cyclic_rows(f"n = {n}", f"scc:{n}", ports, (lateral, local, total)),
            Row(f"n = {n}, running time", RUNNING_TIMES[n], running_time(f"scc:{n}", ports)),
            distance_row(
                "distance",
                n,
                distance,
                one_tree(f"scc:{n}", "cyclic", ports).steps,
                printed_steps=total,
            ),
        ]:
            yield Row(f"{name}, {row.what}", row.printed, row.computed, row.why, row.bound)


def _star_part(ports: Ports) -> Iterator[Row]:
    for n, (size, reach, one, one_distance, every, every_distance) in STARS.items():
        spec, name = f"star:{n}", f"{ports}-port star, n = {n}"
        yield Row(f"{name}, size", size, build(spec).nodes)
        yield Row(f"{name}, diameter", reach, diameter(spec))
        if ports == "one":
            steps, printed, distance = star_one_port(n), one, one_distance
            how = ", by the formula of reference 15"
        else:
            steps, printed, distance = (
                one_tree(spec, "balanced", "all").steps,
                every,
                every_distance,
            )
            how = ""
        for what in ("lateral steps", "total steps", "running time"):
            yield Row(f"{name}, {what}{how}", printed, steps)
        yield Row(f"{name}, distance", distance, percent(steps, diameter(spec), distance))


def _table_6() -> list[Row]:
    return [
        *_scc_part("one"),
        *_star_part("one"),
        *_scc_part("all"),
        *_star_part("all"),
    ]


def _shape(name: str, spec: str, size: int, degree: int, reach: int) -> list[Row]:
    return [
        Row(f"{name}, size", size, build(spec).nodes),
        Row(f"{name}, degree", degree, build(spec).degree),
        Row(f"{name}, diameter", reach, diameter(spec)),
    ]


def _same_steps(name: str, printed: int, steps: int) -> list[Row]:
    """Lateral steps, total and running time of a network that has no local links."""
    return [
        Row(f"{name}, {what}", printed, steps)
        for what in ("lateral steps", "total steps", "running time")
    ]


def _ccc_part() -> Iterator[Row]:
    twice = all(time == 2 * n for n, (*_, time) in CCCS.items() if n != 4)
    why = misprint(
        "scc-table-7-ccc-4",
        twice and running_time("ccc:4", "one") == 8,
    )
    for n, (size, degree, reach, lateral, local, total, time) in CCCS.items():
        name, spec = f"CCC, n = {n}", f"ccc:{n}"
        yield from _shape(name, spec, size, degree, reach)
        yield from cyclic_rows(name, spec, "one", (lateral, local, total))
        yield explained(Row(f"{name}, running time", time, running_time(spec, "one")), why)


def _table_7() -> list[Row]:
    rows: list[Row] = []
    for n, (size, degree, reach, steps) in CUBES.items():
        name = f"cube, n = {n}"
        rows += _shape(name, f"hypercube:{n}", size, degree, reach)
        rows += _same_steps(name, steps, binomial_tree(n).steps)
    for n, degree in STAR_DEGREES.items():
        size, reach, steps, *_ = STARS[n]
        name = f"star, n = {n}"
        rows += _shape(name, f"star:{n}", size, degree, reach)
        rows += _same_steps(f"{name}, by the formula of reference 15", steps, star_one_port(n))
    rows += _ccc_part()
    for n in range(4, 8):
        name, spec = f"SCC, n = {n}", f"scc:{n}"
        why = diameter_reason(n) if n % 2 else None
        shape = _shape(name, spec, SIZES[n], 3, DIAMETERS[n])
        rows += [explained(row, why) for row in shape]
        rows += cyclic_rows(name, spec, "one", TABLE_3[n][:3])
        rows.append(Row(f"{name}, running time", RUNNING_TIMES[n], running_time(spec, "one")))
    return rows


TABLES = (
    PaperTable("scc-6", "scc", "broadcasts on SCC and star", _table_6),
    PaperTable("scc-7", "scc", "one-port broadcasts on cube, star, CCC and SCC", _table_7),
)
