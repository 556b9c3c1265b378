"""Tables of results, kept as text in docs/performance/ and shown on the pages of docs/."""

import csv
import fcntl
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

__all__ = ["FOLDER", "ROOT", "Row", "Table", "fill", "markdown"]

ROOT = Path(__file__).resolve().parent.parent

FOLDER = ROOT / "docs" / "performance"

#: The entries of a row by the names of their columns, as they are written.
Row = Mapping[str, str]


class Table:
    """A table of results; several processes may add rows at a time.

    Parameters
    ----------
    name : str
        Of its file, without the suffix.
    keys : sequence of str
        The columns that tell rows apart.
    values : sequence of str
        The other columns.
    folder : Path
        Where the file lies.
    """

    def __init__(
        self, name: str, keys: Sequence[str], values: Sequence[str], *, folder: Path = FOLDER
    ) -> None:
        self._path = folder / f"{name}.csv"
        self._keys, self.columns = tuple(keys), [*keys, *values]

    def read(self) -> list[Row]:
        """All rows that are kept."""
        if not self._path.exists():
            return []
        with self._path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def find(self, **key: str) -> Row | None:
        """The row of a key."""
        return next((kept for kept in self.read() if self._key(kept) == self._key(key)), None)

    def add(self, fresh: Iterable[Mapping[str, object]], order: Sequence[Sequence[str]]) -> None:
        """Keep rows instead of those of the same keys, in an order of keys; no other row stays."""
        self._path.parent.mkdir(exist_ok=True)
        with (self._path.parent / f".{self._path.stem}.lock").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            kept: dict[tuple[str, ...], Row] = {self._key(entry): entry for entry in self.read()}
            for entry in fresh:
                texts = {name: str(entry[name]) for name in self.columns}
                kept[self._key(texts)] = texts
            self._write([kept[key] for key in map(tuple, order) if key in kept])

    def _key(self, entry: Row) -> tuple[str, ...]:
        return tuple(entry[name] for name in self._keys)

    def _write(self, rows: Iterable[Row]) -> None:
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        # Whole, for others that read it meanwhile.
        whole = self._path.with_name(f".{self._path.name}")
        whole.write_text(text.getvalue(), encoding="utf-8")
        whole.replace(self._path)


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
