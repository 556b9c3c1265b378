"""Results as a table: a row for each design and condition, in a text file."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

from noc.errors import InputError
from noc.files import replaced
from noc.research.sweep.plan import Task
from noc.research.sweep.point import DESIGN, Point
from noc.research.sweep.steps import STEPS, Axes, Value

#: A row by its columns; what does not apply is empty.
Row = Mapping[str, str]

#: The columns of the conditions.
AXES = tuple(field.name for field in fields(Axes))

#: Those that are true or false came later: they are empty where they are false.
_SWITCHES = tuple(name for name, kind in get_type_hints(Axes).items() if kind is bool)

#: What every table says of a row.
_ALWAYS = ("refused", "digest", "tools")

#: What a row is about.
KEY = ("steps", *DESIGN, *AXES)

#: All columns: the design, the conditions, the results, and what they hold for.
COLUMNS = (
    *KEY,
    *dict.fromkeys(column for step in STEPS.values() for column in step.columns),
    *_ALWAYS,
)

#: What no table lacks. Other columns are empty where there is none: options and conditions that
#: came later, or that no row of the table has.
_NEEDED = ("steps", "network")


def key_of(row: Row) -> tuple[str, ...]:
    """What a row is about."""
    return tuple(row[name] for name in KEY)


def index(rows: Iterable[Row]) -> dict[tuple[str, ...], Row]:
    """The rows by what they are about."""
    return {key_of(row): row for row in rows}


def row_for(task: Task, axes: Axes, results: Mapping[str, Value]) -> Row:
    """The row of a design under some conditions; those that no step looks at are empty."""
    looked_at = {axis for step in task.steps for axis in STEPS[step].axes}
    conditions = {name: value for name, value in vars(axes).items() if name in looked_at}
    conditions |= {name: conditions.get(name) or None for name in _SWITCHES}
    entries = {"steps": "+".join(task.steps), **task.point._asdict(), **conditions, **results}
    return {name: _text(entries.get(name)) for name in COLUMNS}


def keys_of(task: Task) -> list[tuple[str, ...]]:
    """What the rows of a design are about, under all its conditions."""
    return [key_of(row_for(task, axes, {})) for axes in task.axes]


def point_of(row: Row) -> Point:
    """The design of a row."""
    values: dict[str, Any] = {}
    for name, kind in DESIGN.items():
        if row[name]:
            values[name] = row[name] == "yes" if kind is bool else kind(row[name])
    return Point(**values)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) and value.is_integer() else str(value)


def read_table(path: Path) -> list[Row]:
    """The rows of a file; none if there is no file."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    reader = csv.DictReader(io.StringIO(text))
    names = reader.fieldnames or ()
    if lacking := [name for name in _NEEDED if name not in names]:
        raise InputError(f"{path}: is no table of a sweep: it has no column {lacking[0]!r}")
    rows: list[Row] = []
    for number, row in enumerate(reader, 2):
        if None in row or None in row.values():
            raise InputError(f"{path}: line {number} has more or fewer entries than the first line")
        rows.append({name: row.get(name, "") for name in COLUMNS})
    return rows


def write_table(path: Path, rows: Iterable[Row]) -> None:
    """Write the rows, all columns of their steps, at once: no reader sees half of it."""
    listed = list(rows)
    steps = {step for row in listed for step in row["steps"].split("+") if step in STEPS}
    always = {*_NEEDED, *AXES, *_ALWAYS, *(name for step in steps for name in STEPS[step].columns)}
    always -= {*_SWITCHES}
    used = [name for name in COLUMNS if name in always or any(row[name] for row in listed)]
    write_csv(path, used, listed)


def write_csv(path: Path, names: Sequence[str], rows: Iterable[Row]) -> None:
    """Replace a file by a table with these columns, whole or not at all."""
    text = io.StringIO()
    writer = csv.DictWriter(text, names, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with replaced(path) as temporary:
        temporary.write_text(text.getvalue(), encoding="utf-8", newline="")
