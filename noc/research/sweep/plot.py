"""Means over seeds with their confidence intervals, and pictures of a table."""

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from noc.draw.canvas import check_library
from noc.errors import InputError, option
from noc.files import check_file
from noc.research.sweep.point import PLAIN_TREE
from noc.research.sweep.steps.model import STEADY
from noc.research.sweep.table import COLUMNS, KEY, Row, point_of, write_csv

#: What is random in a run of the model.
_RANDOM = ("offered", "carried", "latency_mean", "latency_p99")


@dataclass(frozen=True)
class Mean:
    """A mean, and half the width of its 95 % confidence interval; None of one sample."""

    mean: float
    half: float | None


@cache
def student_t(freedom: int) -> float:
    """Where 95 % of Student's t distribution lie between minus this and this.

    With t = √ν·tan α, the density of α is proportional to cos^(ν-1) α.

    >>> [round(student_t(freedom), 3) for freedom in (1, 2, 4, 9, 19)]
    [12.706, 4.303, 2.776, 2.262, 2.093]
    """
    edges = np.linspace(0, np.pi / 2, 100_001)
    share = np.cumsum(np.cos((edges[1:] + edges[:-1]) / 2) ** (freedom - 1))
    angle = np.interp(0.95 * share[-1], share, edges[1:])
    return math.sqrt(freedom) * math.tan(angle)


def same_but_seed(rows: Iterable[Row]) -> dict[tuple[str, ...], list[Row]]:
    """The rows in groups that differ in nothing but the seed of their traffic."""
    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in KEY if name != "seed"), []).append(row)
    return groups


def mean_of(rows: Iterable[Row], column: str) -> Mean | None:
    """The mean of a column; None if a row lacks it, since those that are left were selected."""
    try:
        values = np.array([float(row[column]) for row in rows])
    except ValueError:
        return None
    if values.size == 1:
        return Mean(float(values[0]), None)
    half = student_t(values.size - 1) * values.std(ddof=1) / math.sqrt(values.size)
    return Mean(float(values.mean()), float(half))


def summarise(rows: Iterable[Row]) -> list[Mapping[str, str]]:
    """A row for each design and condition that a load was measured of, over all of its seeds."""
    result: list[Mapping[str, str]] = []
    for group in same_but_seed(row for row in rows if row["steady"]).values():
        entries = {name: group[0][name] for name in KEY if name != "seed"}
        entries["samples"] = str(len(group))
        entries["samples_steady"] = str(sum(row["steady"] == STEADY for row in group))
        for column in _RANDOM:
            mean = mean_of(group, column)
            entries[column] = "" if mean is None else f"{mean.mean:.6g}"
            half = None if mean is None else mean.half
            entries[f"{column}_ci95"] = "" if half is None else f"{half:.3g}"
        result.append(entries)
    return result


def write_means(path: Path, rows: Iterable[Row]) -> None:
    """Write the summary as a table, CSV."""
    listed = summarise(rows)
    names = [name for name in (listed or [{}])[0] if any(row[name] for row in listed)]
    write_csv(path, names, listed)


#: Columns of which more is better, and less of all others; and names of columns on axes.
_AXES = tomllib.loads((Path(__file__).parent / "axes.toml").read_text(encoding="utf-8"))

_ENDINGS = (".svg", ".pdf", ".png")

#: Families are distinguished without colour too.
_MARKS = "osD^v<>ph*X8dP"


def check_plot(x: str, y: str, file: Path) -> None:
    """Refuse, before anything is measured, what cannot be drawn."""
    for name in (x, y):
        if name not in COLUMNS:
            raise InputError(
                f"{option('plot', name)}: is no column; there are: {', '.join(COLUMNS)}"
            )
    if file.suffix not in _ENDINGS:
        raise InputError(f"{option('plot', file)}: one of {', '.join(_ENDINGS)} is needed")
    check_file(file, option("plot", file))
    check_library()


def draw_plot(rows: Sequence[Row], x: str, y: str, file: Path) -> int:
    """Draw a column over another, families by their marks; the result is how many rows have both.

    Rows that differ in their seed only are one point, their mean, with its 95 % confidence
    interval. Over the load, the points of a design are joined by a line; else the Pareto front is.
    """
    from matplotlib.figure import Figure

    points = _points(rows, x, y)
    if not points:
        raise InputError(f"{option('plot', y)}: no row has both {x} and {y}")
    figure = Figure(figsize=(8, 5), layout="constrained")
    axis, curves = figure.subplots(), x == "load"
    series: dict[str, list[_Point]] = {}
    for point in points:
        series.setdefault(_series(point.rows[0], curves=curves), []).append(point)
    for number, (name, group) in enumerate(series.items()):
        group.sort(key=lambda point: point.x)
        mark, line = _MARKS[number % len(_MARKS)], "-" if curves else ""
        drawn = axis.errorbar(
            *([point.x for point in group], [point.y.mean for point in group]),
            yerr=[point.y.half or 0 for point in group],
            fmt=f"{mark}{line}",
            label=name,
            markersize=5,
            capsize=3,
        )
        if curves and (end := _end(rows, name, group[-1].x)) is not None:
            axis.axvline(end, color=drawn[0].get_color(), linestyle=":", linewidth=1)
            at_the_top: dict[str, Any] = {"transform": axis.get_xaxis_transform(), "clip_on": False}
            axis.plot(end, 1, "x", color=drawn[0].get_color(), **at_the_top)
    if not curves:
        front = pareto_front([(point.x, point.y.mean) for point in points], x, y)
        axis.step(*zip(*front, strict=True), "k--", where="post", linewidth=1, label="Pareto front")
    axis.set(xlabel=_name(x), ylabel=_name(y))
    axis.grid(alpha=0.3)
    title = "× and dots: no steady state from here on" if curves else None
    axis.legend(title=title, fontsize="small", title_fontsize="small", ncols=1 + len(series) // 12)
    # The same table gives the same file.
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
    return sum(len(point.rows) for point in points)


def _name(column: str) -> str:
    """As an axis calls a column.

    >>> _name("latency_mean"), _name("words_least")
    ('mean latency in cycles', 'words least')
    """
    return str(_AXES["names"].get(column, column.replace("_", " ")))


def pareto_front(
    points: Sequence[tuple[float, float]], x: str, y: str
) -> list[tuple[float, float]]:
    """The points that no other beats in one column without being worse in the other.

    >>> pareto_front([(1, 5), (2, 3), (3, 4), (4, 1)], "lut", "cycles_mean")
    [(1, 5), (2, 3), (4, 1)]
    """
    signs = [-1 if name in _AXES["more_is_better"] else 1 for name in (x, y)]
    front: list[tuple[float, float]] = []
    for point in sorted(set(points), key=lambda p: (signs[0] * p[0], signs[1] * p[1])):
        if not front or signs[1] * point[1] < signs[1] * front[-1][1]:
            front.append(point)
    return front


class _Point(NamedTuple):
    """Rows that differ in their seed only."""

    x: float
    y: Mean
    rows: list[Row]


def _points(rows: Sequence[Row], x: str, y: str) -> list[_Point]:
    points = []
    for group in same_but_seed(rows).values():
        across, up = mean_of(group, x), mean_of(group, y)
        if across is not None and up is not None:
            points.append(_Point(across.mean, up, group))
    return points


def _end(rows: Sequence[Row], name: str, last: float) -> float | None:
    """The least load after the last one drawn at which a design is in no steady state."""
    return min(
        (
            float(row["load"])
            for row in rows
            if row["steady"] not in ("", STEADY)
            and float(row["load"]) > last
            and _series(row, curves=True) == name
        ),
        default=None,
    )


def _series(row: Row, *, curves: bool) -> str:
    """What a point belongs to: its design where curves are drawn, else its family."""
    point = point_of(row)
    fabric = point.fabric if point.fabric != PLAIN_TREE else None
    usual = "one" if fabric == "direct" else "all"
    sources = point.sources if point.sources != usual else None
    plain = point.but(fabric=None, algorithm=None, sources=sources)
    name = plain.text if curves else point.network.partition(":")[0]
    return " ".join(part for part in (name, fabric, point.algorithm) if part)
