"""What became of faults, counted by where they were; a file that goes on where it ended."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from noc.errors import InputError
from noc.faults.campaign import BATCH, Campaign, Found
from noc.faults.outcomes import OUTCOMES

#: The columns of the file; one row for each part in each batch.
COLUMNS = ("campaign", "batch", "part", "injections", *OUTCOMES, "latent")

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
    text = "" if file is None or not file.is_file() else file.read_text(encoding="utf-8")
    if file is not None:
        done, kept = _read(file, text, campaign, tally)
        with file.open("w", encoding="utf-8", newline="") as begun:
            _writer(begun, header=True).writerows(kept)
    yield tally
    for batch in (batch for batch in range(campaign.batches) if batch not in done):
        parts = _count(campaign.play(batch))
        for part, counts in parts.items():
            tally.add(part, counts)
        if file is not None:
            known = {"campaign": campaign.name, "batch": batch}
            with file.open("a", encoding="utf-8", newline="") as more:
                _writer(more).writerows(
                    {**known, "part": part, **_row(counts)} for part, counts in parts.items()
                )
        yield tally


def _count(found: Iterable[Found]) -> dict[str, Counts]:
    parts: dict[str, Counts] = {}
    for each in found:
        counts = parts.setdefault(each.part, Counter())
        counts.update(["injections", each.outcome, *["latent"] * each.latent])
    return parts


def _row(counts: Counts) -> dict[str, int]:
    return {name: counts[name] for name in ("injections", *OUTCOMES, "latent")}


def _writer(file: io.TextIOBase, *, header: bool = False) -> "csv.DictWriter[str]":
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    if header:
        writer.writeheader()
    return writer


def _read(
    file: Path, text: str, campaign: Campaign, tally: Tally
) -> tuple[set[int], list[dict[str, str]]]:
    """The batches of a file that are whole, and their rows; they are counted."""
    batches: dict[int, list[dict[str, str]]] = {}
    reader = csv.DictReader(io.StringIO(text))
    if text and tuple(reader.fieldnames or ()) != COLUMNS:
        raise InputError(f"{file}: is not the table of a campaign")
    for row in reader:
        if row["campaign"] != campaign.name:
            raise InputError(f"{file}: is of another campaign; name another file")
        batches.setdefault(int(row["batch"]), []).append(row)
    whole = {}
    for batch, rows in batches.items():
        size = min(BATCH, campaign.total - batch * BATCH)
        # A run that was stopped may have written a part of the last one.
        right = all(None not in row.values() for row in rows)
        if right and sum(int(row["injections"]) for row in rows) == size:
            whole[batch] = rows
    for rows in whole.values():
        for row in rows:
            tally.add(row["part"], Counter({name: int(row[name]) for name in COLUMNS[3:]}))
    return set(whole), [row for rows in whole.values() for row in rows]
