"""What commands found, printed as text, JSON or CSV; hints, and progress for long work."""

import argparse
import csv
import json
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

BAR_WIDTH = 30
NOTE_WIDTH = 100

Row = Mapping[str, object]
_Item = TypeVar("_Item")


@dataclass(frozen=True)
class Table:
    """Rows of named columns: an array in JSON, columns in text, lines in CSV.

    In text, columns in which no row has an entry are left out.
    """

    #: All with the same keys.
    rows: Iterable[Row]
    #: Headings of columns in text that are not their names.
    heads: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        rows = [*self.rows]
        names = [
            name for name in next(iter(rows), {}) if any(row[name] is not None for row in rows)
        ]
        heads = [self.heads.get(name, name.replace("_", " ")) for name in names]
        return table(heads, [[row[name] for name in names] for row in rows]) if rows else ""


@dataclass
class Result:
    """What a command prints; of its two forms only the one that is printed is made."""

    #: Facts and tables, as ``--json`` prints them.
    document: Mapping[str, Any] | Callable[[], Mapping[str, Any]] = field(default_factory=dict)
    #: What people read: facts, tables, and text as it is, with empty lines between them. It is
    #: printed as it is made. None prints the document.
    text: Iterable[Row | Table | str] | None = None
    #: For people, beside the text.
    hints: Iterable[str] = ()
    #: The exit status, asked for after printing.
    status: int | Callable[[], int] = 0

    def entries(self) -> Mapping[str, Any]:
        """The document."""
        return self.document() if callable(self.document) else self.document

    def parts(self) -> Iterator[str]:
        """The text, or the document as text: its facts in words, then its tables."""
        if self.text is None:
            entries = self.entries()
            tables = {name: each for name, each in entries.items() if isinstance(each, Table)}
            yield facts(words({name: entries[name] for name in entries if name not in tables}))
            yield from filter(None, map(str, tables.values()))
            return
        for part in self.text:
            yield facts(part) if isinstance(part, Mapping) else str(part)


def show(result: Result, options: argparse.Namespace) -> int:
    """Print it in the form that the options ask for; the result is the exit status."""
    if getattr(options, "json", False):
        _write_json(result.entries())
    elif getattr(options, "csv", False):
        _write_csv(result.entries())
    else:
        before = ""
        for part in result.parts():
            print(f"{before}{part}", flush=True)
            before = "\n"
        for line in result.hints:
            hint(line)
    return result.status() if callable(result.status) else result.status


def _write_json(document: Mapping[str, Any]) -> None:
    """Print a document; a table or an iterator in it becomes an array."""

    def listed(value: Any) -> list[Any]:
        return list(value.rows if isinstance(value, Table) else value)

    json.dump(document, sys.stdout, ensure_ascii=False, allow_nan=False, default=listed)
    print()


def _write_csv(document: Mapping[str, Any]) -> None:
    """Print the table of a document, for a spreadsheet."""
    (rows,) = (list(value.rows) for value in document.values() if isinstance(value, Table))
    writer = csv.DictWriter(sys.stdout, rows[0], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def hint(line: str) -> None:
    """A line for people, beside the output that scripts read."""
    print(f"hint: {line}", file=sys.stderr)


def words(entries: Mapping[str, _Item]) -> dict[str, _Item]:
    """Facts with the names that people read."""
    return {name.replace("_", " "): value for name, value in entries.items()}


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], indent: str = "") -> str:
    """Columns as wide as their widest entry; columns of numbers are set to the right."""
    columns = [[heading] for heading in headings]
    for row in rows:
        for column, entry in zip(columns, row, strict=True):
            column.append(_text(entry))
    for column in columns:
        width = max(map(len, column))
        right = len(column) > 1 and all(map(_is_number, column[1:]))
        column[:] = [entry.rjust(width) if right else entry.ljust(width) for entry in column]
        column.insert(1, "-" * width)
    return "\n".join((indent + "  ".join(line)).rstrip() for line in zip(*columns, strict=True))


def note(mark: str, text: str, indent: str = "") -> str:
    """A paragraph that hangs from its mark, in lines of readable length."""
    return textwrap.fill(
        text, NOTE_WIDTH, initial_indent=indent + mark, subsequent_indent=indent + " " * len(mark)
    )


def _text(entry: object) -> str:
    if isinstance(entry, bool):
        return "yes" if entry else "no"
    if isinstance(entry, float):
        return f"{entry:.4g}" if abs(entry) < 1e4 else f"{entry:.0f}"
    if isinstance(entry, list):
        return ",".join(map(str, entry))
    return "" if entry is None else str(entry)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).replace("-", "", 1).isdigit() or not text


def facts(entries: Row) -> str:
    """One line for each fact, names in a column."""
    width = max(len(name) for name in entries)
    return "\n".join(f"{name.ljust(width)}  {_text(value)}" for name, value in entries.items())


def stages() -> Callable[[str], None]:
    """Says on standard error what begins, and after how many seconds."""
    began = time.monotonic()

    def say(stage: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {stage}", file=sys.stderr, flush=True)

    return say


def progress_bar(what: str) -> Callable[[float], None] | None:
    """A bar on standard error, or None where nobody watches."""
    if not sys.stderr.isatty():
        return None

    def show(share: float) -> None:
        filled = round(BAR_WIDTH * share)
        bar = "#" * filled + "." * (BAR_WIDTH - filled)
        sys.stderr.write(f"\r{what} [{bar}] {share:4.0%}" + ("\n" if share >= 1 else ""))
        sys.stderr.flush()

    return show


def watched(items: Sequence[_Item], what: str) -> Iterator[_Item]:
    """The items, one after the other, and a bar that shows how many are done."""
    bar = progress_bar(what)
    for done, item in enumerate(items, start=1):
        yield item
        if bar is not None:
            bar(done / len(items))
