"""What scripts share that write tables of docs/: kept figures, and pages with comments to fill."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
FOLDER = DOCS / "performance"


def read(name: str) -> list[dict[str, str]]:
    """The rows of a table that is no sweep's."""
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def keep(name: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Write such a table."""
    with (FOLDER / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def markdown(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table, below a blank line; the heads of columns of numbers begin with a blank."""
    rule = ["---:" if head.startswith(" ") else "---" for head in heads]
    lines = [_line(head.strip() for head in heads), f"|{'|'.join(rule)}|", *map(_line, rows)]
    return "\n".join(["\n", *lines, ""])


def _line(entries: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, entries))} |"


def fill(page: str, parts: Mapping[str, str]) -> str:
    """A page with these texts between its comments ``<!-- NAME -->`` and ``<!-- end -->``."""
    for name, text in parts.items():
        begin, marked, rest = page.partition(f"<!-- {name} -->")
        _, end, after = rest.partition("<!-- end -->")
        if not (marked and end):
            raise SystemExit(f"the page needs <!-- {name} --> and <!-- end --> behind it")
        page = f"{begin}{marked}{text}{end}{after}"
    return page


def write(name: str, parts: Mapping[str, str]) -> None:
    """Fill a page of docs/."""
    path = DOCS / name
    path.write_text(fill(path.read_text(encoding="utf-8"), parts), encoding="utf-8")
