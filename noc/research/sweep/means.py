"""Means over seeds, each with an interval that shows how much of it is chance."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from noc.research.sweep.steps.model import STEADY
from noc.research.sweep.table import KEY, Row, write_csv

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

    >>> [round(student_t(freedom), 3) for freedom in (1, 2, 4, 9, 19)]
    [12.706, 4.303, 2.776, 2.262, 2.093]
    """
    low, high = 0.0, 1000.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < 0.95 else (low, middle)
    return high


def _within(t: float, freedom: int) -> float:
    """The chance of a value between -t and t: Abramowitz and Stegun, 26.7.3 and 26.7.4."""
    angle = math.atan(t / math.sqrt(freedom))
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = 0.0
    for number in range(1 + odd, freedom, 2):
        total += term
        term *= math.cos(angle) ** 2 * number / (number + 1)
    total *= math.sin(angle)
    return 2 / math.pi * (angle + total) if odd else total


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
