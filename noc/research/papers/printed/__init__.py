"""What the papers print: figures, a file a table; misprints; and who wrote them.

Rows of ``noc paper`` set the figures beside computed ones.
"""

import csv
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Reference:
    """A paper, as ``papers.toml`` has it; None or nothing where our copy is silent."""

    name: str
    authors: tuple[str, ...]
    title: str
    where: str
    year: int | None = None
    doi: str | None = None

    def __str__(self) -> str:
        by = ", ".join(self.authors) + ": " if self.authors else ""
        doi = f" doi:{self.doi}" if self.doi else ""
        return f"{by}{self.title}. {self.where}.{doi}"


#: Every paper by name.
REFERENCES: dict[str, Reference] = {
    name: Reference(name, **entry | {"authors": tuple(entry["authors"])})
    for name, entry in _toml("papers").items()
}

#: What is right where a paper prints something wrong, by a name that begins with the paper's.
MISPRINTS: dict[str, str] = _toml("misprints")

#: Why other figures differ, by a name that begins with the paper's; with places for figures.
REASONS: dict[str, str] = _toml("reasons")

#: The titles of the tables, by their papers and names.
TITLES: dict[str, dict[str, str]] = _toml("tables")


def figures(name: str, *texts: str) -> dict[Any, tuple[Any, ...]]:
    """The figures that a table prints, by those in its first column.

    Parameters
    ----------
    name : str
        The file, without its suffix.
    *texts : str
        Columns that stay texts, since trailing zeros carry precision; others that are whole
        numbers throughout become numbers.

    >>> figures("scc-3", "distance")[5]
    (6, 12, 18, '12.5')
    """
    with (_FOLDER / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        head, *lines = csv.reader(file)
    columns = [
        [int(each) for each in column]
        if title not in texts and all(each.isdecimal() for each in column)
        else list(column)
        for title, column in zip(head, zip(*lines, strict=True), strict=True)
    ]
    return {key: tuple(line) for key, *line in zip(*columns, strict=True)}
