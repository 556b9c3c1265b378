"""Pictures of a table: one column over another, and the rows that no other row beats."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from noc.draw.library import check_library
from noc.errors import InputError, option
from noc.sweep.table import COLUMNS, Row

__all__ = ["check_plot", "draw_plot", "pareto_front"]

#: Columns of which more is better; of all others less is.
_MORE_IS_BETTER = frozenset(
    {"nodes", "senders", "width", "load", "carried", "words_least", "mhz", "mhz_least", "mhz_most"}
)

_UNITS = {
    "load": "words a cycle",
    "carried": "words a cycle",
    **dict.fromkeys(("cycles_mean", "cycles_max", "latency_mean", "latency_p99"), "cycles"),
    **dict.fromkeys(("operation_cycles", "operation_bound"), "cycles"),
    **dict.fromkeys(("up_height", "down_height"), "hops"),
    **dict.fromkeys(("mhz", "mhz_least", "mhz_most"), "MHz"),
}

_ENDINGS = (".svg", ".pdf", ".png")

#: Families told apart without colour too.
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
    if not file.parent.is_dir():
        raise InputError(f"{option('plot', file)}: there is no directory {file.parent}")
    check_library()


def draw_plot(rows: Sequence[Row], x: str, y: str, file: Path) -> int:
    """Draw a column over another, families by their marks; the result is how many rows have both.

    Over the load, the rows of a design are joined by a line; else the Pareto front is.
    """
    from matplotlib.figure import Figure

    points = _points(rows, x, y)
    if not points:
        raise InputError(f"{option('plot', y)}: no row has both {x} and {y}")
    figure = Figure(figsize=(8, 5), layout="constrained")
    axis = figure.subplots()
    groups: dict[str, list[tuple[float, float, Row]]] = {}
    for point in points:
        groups.setdefault(_series(point[2], curves=x == "load"), []).append(point)
    for number, (name, group) in enumerate(groups.items()):
        group.sort(key=lambda point: point[0])
        style = "-" if x == "load" else ""
        mark = _MARKS[number % len(_MARKS)]
        axis.plot(*_columns(group), style, marker=mark, label=name, markersize=5)
    if x != "load":
        front = pareto_front([point[:2] for point in points], x, y)
        axis.step(*_columns(front), "k--", where="post", linewidth=1, label="Pareto front")
    axis.set_xlabel(_with_unit(x))
    axis.set_ylabel(_with_unit(y))
    axis.grid(alpha=0.3)
    axis.legend(fontsize="small", ncols=1 + len(groups) // 12)
    # The same table gives the same file.
    figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
    return len(points)


def _with_unit(column: str) -> str:
    """As an axis calls a column.

    >>> _with_unit("latency_mean"), _with_unit("lut")
    ('latency_mean (cycles)', 'lut')
    """
    unit = _UNITS.get(column)
    return column if unit is None else f"{column} ({unit})"


def pareto_front(
    points: Sequence[tuple[float, float]], x: str, y: str
) -> list[tuple[float, float]]:
    """The points that no other beats in one column without being worse in the other.

    >>> pareto_front([(1, 5), (2, 3), (3, 4), (4, 1)], "lut", "cycles_mean")
    [(1, 5), (2, 3), (4, 1)]
    """
    signs = [-1 if name in _MORE_IS_BETTER else 1 for name in (x, y)]
    front: list[tuple[float, float]] = []
    for point in sorted(set(points), key=lambda p: (signs[0] * p[0], signs[1] * p[1])):
        if not front or signs[1] * point[1] < signs[1] * front[-1][1]:
            front.append(point)
    return front


def _points(rows: Sequence[Row], x: str, y: str) -> list[tuple[float, float, Row]]:
    points = []
    for row in rows:
        try:
            points.append((float(row[x]), float(row[y]), row))
        except ValueError:
            continue
    return points


def _columns(points: Sequence[tuple[Any, ...]]) -> tuple[list[float], list[float]]:
    return [point[0] for point in points], [point[1] for point in points]


def _series(row: Row, *, curves: bool) -> str:
    """What a point belongs to: its design where curves are drawn, else its family."""
    fabric, algorithm = row["fabric"], row["algorithm"]
    name = row["network"] if curves else row["network"].partition(":")[0]
    return " ".join(part for part in (name, fabric, algorithm) if part)
