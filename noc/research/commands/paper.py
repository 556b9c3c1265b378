"""Compute every table of the five papers beside its printed figures.

Compute the tables, theorems and worked examples of the five papers and print them beside the
printed figures. The exit status is 1 if a figure differs without a tested reason.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from noc.cli import output
from noc.cli.output import Result, Table
from noc.cli.parsers import declare
from noc.errors import InputError
from noc.research.papers.printed import MISPRINTS, REFERENCES, TITLES

if TYPE_CHECKING:
    from noc.research.papers.tables import PaperTable, Row

GROUP = "follow the papers"

EXAMPLES = ("noc paper --list", "noc paper scc-5 --differences", "noc paper uhc --misprints")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "table",
        metavar="TABLE",
        nargs="?",
        help="a table such as scc-3, or a paper such as scc for all its tables (default: all)",
    )
    declare(
        parser,
        """
        --list  list the papers and the tables, and compute nothing
        --differences  print only the rows that differ
        --misprints  list what the papers print wrong where they define or prove something, and
            compute nothing
        --json
        """,
    )


def names() -> dict[str, list[str]]:
    """What a shell may complete."""
    return {"table": [*TITLES, *(name for titles in TITLES.values() for name in titles)]}


def run(options: argparse.Namespace) -> Result:
    """Compute, or list; status 1 if a difference has no tested reason."""
    chosen = _chosen(options.table)
    for name in ("list", "misprints"):
        if getattr(options, name) and options.differences:
            raise InputError(f"--differences: --{name} compares nothing")
    if options.list and options.misprints:
        raise InputError("--misprints: cannot be given together with --list")
    if options.list:
        return _list(chosen)
    if options.misprints:
        return _list_misprints(options.table, chosen)
    computed: list[Row] = []

    def compute() -> "Iterator[tuple[PaperTable, list[Row]]]":
        """Each table, with the rows that are asked for."""
        for table in chosen:
            rows = table.rows()
            computed.extend(rows)
            yield table, [row for row in rows if not (options.differences and row.agrees)]

    return Result(
        lambda: {"tables": [_document(table, rows) for table, rows in compute()]},
        _text(compute(), computed),
        status=lambda: 0 if all(row.accepted for row in computed) else 1,
    )


def _chosen(name: str | None) -> "list[PaperTable]":
    # Networkx, with which some are computed, takes long to load.
    from noc.research.papers.tables import TABLES

    chosen = [table for table in TABLES.values() if name in (None, table.name, table.paper)]
    if not chosen:
        raise InputError(
            f"TABLE {name!r} is unknown; allowed: a paper ({', '.join(TITLES)}) or a table named "
            "by 'noc paper --list'"
        )
    return chosen


def _list(tables: "Sequence[PaperTable]") -> Result:
    """The papers, and their tables."""
    names = dict.fromkeys(table.paper for table in tables)
    references = [REFERENCES[name] for name in names if name in REFERENCES]
    papers = [vars(each) | {"authors": list(each.authors)} for each in references]
    notes = "\n".join(output.note(f"{each.name}: ", str(each)) for each in references)
    listed = Table([_heading(table) for table in tables])
    return Result({"papers": papers, "tables": listed}, [notes, listed])


def _list_misprints(name: str | None, tables: "Sequence[PaperTable]") -> Result:
    """What is printed wrong, and what is right."""
    papers = {table.paper for table in tables}
    if name is not None and name not in papers:
        raise InputError(f"TABLE {name!r}: --misprints lists those of a paper")
    begins = tuple(f"{paper}-" for paper in papers)
    listed = {name: right for name, right in MISPRINTS.items() if name.startswith(begins)}
    notes = (output.note(f"{name}: ", right) for name, right in listed.items())
    return Result({"misprints": listed}, ["\n".join(notes)])


def _text(
    results: "Iterable[tuple[PaperTable, list[Row]]]", computed: "list[Row]"
) -> Iterator[str]:
    """Each table as soon as it is computed, and then how many figures agree."""
    for table, shown in results:
        if shown:
            reasons: dict[str, int] = {}
            yield f"{table.name}: {table.title}"
            yield from _columns(shown, reasons)
            for text, number in reasons.items():
                yield output.note(f"[{number}] ", text, indent="  ")
    legible = [row for row in computed if row.legible]
    agreeing = sum(row.agrees for row in legible)
    refused = sum(not row.accepted for row in computed)
    yield (
        f"{len(legible)} figures: {agreeing} agree, "
        f"{len(legible) - agreeing - refused} differ for a tested reason, "
        f"{refused} differ without one"
    )


def _columns(rows: "Sequence[Row]", reasons: dict[str, int]) -> Iterator[str]:
    """The figures that the paper prints, then those that it gives a formula for."""
    for formula, figure in ((False, "printed"), (True, "by its formula")):
        chosen = [row for row in rows if row.formula is formula]
        lines = [(r.what, r.printed, r.computed, _verdict(r, reasons)) for r in chosen]
        if lines:
            yield output.table(("figure", figure, "computed", "verdict"), lines, indent="  ")


def _verdict(row: "Row", reasons: dict[str, int]) -> str:
    """One word or two; the reason of a difference is below the table, once."""
    if not row.legible:
        return "not legible in the copy"
    if row.agrees:
        return "within the bound" if row.bound and row.printed != row.computed else "agrees"
    if row.why is None:
        return "DIFFERS"
    named = f"{row.why.text} ({row.why.misprint})" if row.why.misprint else row.why.text
    number = reasons.setdefault(named, len(reasons) + 1)
    return f"{'differs' if row.why.holds else 'DIFFERS, AND THE REASON FAILS'} [{number}]"


def _heading(table: "PaperTable") -> dict[str, object]:
    return {"table": table.name, "paper": table.paper, "title": table.title}


def _document(table: "PaperTable", rows: "list[Row]") -> dict[str, object]:
    return {
        **_heading(table),
        "rows": [
            {
                "what": row.what,
                "printed": row.printed,
                "printed_is_bound": row.bound,
                "formula": row.formula,
                "computed": row.computed,
                "agrees": row.agrees if row.legible else None,
                "accepted": row.accepted,
                "why": None if row.why is None else row.why.text,
                "misprint": None if row.why is None else row.why.misprint,
            }
            for row in rows
        ],
    }
