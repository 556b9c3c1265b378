"""What became of faults, counted by where they were; a file that goes on where it ended."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from noc.errors import InputError
from noc.faults.campaign import Campaign, Injection
from noc.faults.outcomes import OUTCOMES
from noc.files import replaced

#: The columns of the file; one row for each part in each batch.
COLUMNS = ("campaign", "batch", "part", "injections", *OUTCOMES, "latent")

#: Those that are counts.
_NUMBERS = COLUMNS[3:]

Counts = Counter[str]


@dataclass
class Tally:
    """Counts of outcomes, by parts."""

    parts: dict[str, Counts] = field(default_factory=dict)

    def add(self, part: str, counts: Counts) -> None:
        """Add those of a part."""
        self.parts.setdefault(part, Counter()).update(counts)

    @property
    def total(self) -> Counts:
        """Those of all parts."""
        return sum(self.parts.values(), Counter())

    def rows(self) -> Iterator[dict[str, object]]:
        """A row for each part, those that do most harm first."""
        parts = self.parts.items()
        for part, counts in sorted(parts, key=lambda item: (-harm(item[1]), item[0])):
            share = harm(counts) / counts["injections"]
            yield {"part": part, **_row(counts), "harm": share}


def harm(counts: Counts) -> int:
    """How many did harm, and nobody told."""
    return counts["wrong"] + counts["hung"]


def metrics(counts: Counts) -> dict[str, float | None]:
    """Those of ISO 26262, of single points and latent ones, if all faults are as likely."""
    safe = counts["injections"] - harm(counts)
    return {
        "spfm": safe / counts["injections"],
        "lfm": (safe - counts["latent"]) / safe if safe else None,
    }


def play(campaign: Campaign, file: Path | None) -> Iterator[Tally]:
    """Play all batches that a file has not; what is known after each, also before the first."""
    tally, done = Tally(), set[int]()
    if file is not None:
        kept = _read(file, campaign)
        for row in kept:
            tally.add(row["part"], Counter({name: int(row[name]) for name in _NUMBERS}))
        done = {int(row["batch"]) for row in kept}
        with replaced(file, f"-o {file}") as name, name.open("w", encoding="utf-8") as begun:
            _writer(begun, header=True).writerows(kept)
    yield tally
    for batch in (batch for batch in range(campaign.batches) if batch not in done):
        parts = _count(campaign.play(batch))
        for part, counts in parts.items():
            tally.add(part, counts)
        if file is not None:
            known = {"campaign": campaign.name, "batch": batch}
            with file.open("a", encoding="utf-8") as more:
                _writer(more).writerows(
                    {**known, "part": part, **_row(counts)} for part, counts in parts.items()
                )
        yield tally


def _count(injections: Iterable[Injection]) -> dict[str, Counts]:
    parts: dict[str, Counts] = {}
    for each in injections:
        counts = parts.setdefault(each.part, Counter())
        counts.update(["injections", each.outcome, *["latent"] * each.latent])
    return parts


def _row(counts: Counts) -> dict[str, int]:
    return {name: counts[name] for name in _NUMBERS}


def _writer(file: io.TextIOBase, *, header: bool = False) -> "csv.DictWriter[str]":
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    if header:
        writer.writeheader()
    return writer


def _read(file: Path, campaign: Campaign) -> list[dict[str, str]]:
    """The rows of a file, if it is there, of those batches that are whole."""
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    # A run that was stopped may have written a part of a line, and of the last batch.
    reader = csv.DictReader(io.StringIO(text[: text.rfind("\n") + 1]))
    rows = [*reader]
    sizes = Counter[str]()
    if text and tuple(reader.fieldnames or ()) != COLUMNS:
        raise InputError(f"{file}: is not the table of a campaign")
    for row in rows:
        if None in row or not all((row[name] or "").isdecimal() for name in ("batch", *_NUMBERS)):
            raise InputError(f"{file}: a line of it is not that of a campaign: {[*row.values()]}")
        if row["campaign"] != campaign.name:
            raise InputError(f"{file}: is of another campaign; name another file")
        sizes[row["batch"]] += int(row["injections"])
    return [row for row in rows if sizes[row["batch"]] == len(campaign.numbers(int(row["batch"])))]
