"""Aligned tables and facts for people, JSON for scripts, progress for long work."""

import json
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

__all__ = ["facts", "note", "progress_bar", "stages", "table", "write_json"]

BAR_WIDTH = 30
NOTE_WIDTH = 100


def table(headings: Sequence[str], rows: Iterable[Sequence[object]], indent: str = "") -> str:
    """Columns as wide as their widest entry; columns of numbers are set to the right."""
    cells = [[_text(entry) for entry in row] for row in rows]
    right = [
        bool(cells) and all(_is_number(row[column]) for row in cells)
        for column in range(len(headings))
    ]
    lines = [list(headings), *cells]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    lines.insert(1, ["-" * width for width in widths])

    def aligned(line: list[str]) -> str:
        parts = [
            entry.rjust(width) if to_the_right else entry.ljust(width)
            for entry, width, to_the_right in zip(line, widths, right, strict=True)
        ]
        return (indent + "  ".join(parts)).rstrip()

    return "\n".join(aligned(line) for line in lines)


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


def facts(entries: Mapping[str, object]) -> str:
    """One line for each fact, names in a column."""
    width = max(len(name) for name in entries)
    return "\n".join(f"{name.ljust(width)}  {_text(value)}" for name, value in entries.items())


def write_json(document: Mapping[str, Any]) -> None:
    """Print a document; an iterator in it becomes an array."""
    json.dump(document, sys.stdout, ensure_ascii=False, allow_nan=False, default=list)
    print()


def stages() -> Callable[[str], None]:
    """Tells on standard error what begins, and after how many seconds."""
    began = time.monotonic()

    def tell(stage: str) -> None:
        print(f"{time.monotonic() - began:6.0f} s  {stage}", file=sys.stderr, flush=True)

    return tell


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
