"""``noc paper``: the five papers and their tables, printed beside computed."""

import argparse
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from noc.cli import arguments, output
from noc.errors import InputError
from noc.papers.misprints import MISPRINTS
from noc.papers.references import REFERENCES, Reference

if TYPE_CHECKING:
    from noc.papers.tables import PaperTable, Row

__all__ = ["DESCRIPTION", "EXAMPLES", "HELP", "configure", "run"]

HELP = "compute every table of the five papers beside its printed figures"
DESCRIPTION = (
    "Compute the tables, theorems and worked examples of the five papers and print them beside "
    "the printed figures. The exit status is 1 if a figure differs without a tested reason."
)
EXAMPLES = ("noc paper --list", "noc paper scc-5 --differences", "noc paper uhc --misprints")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "table",
        metavar="TABLE",
        nargs="?",
        help="a table such as scc-3, or a paper such as scc for all its tables (default: all)",
    )
    parser.add_argument(
        "--list", action="store_true", help="list the papers and the tables, and compute nothing"
    )
    parser.add_argument(
        "--differences", action="store_true", help="print only the rows that differ"
    )
    parser.add_argument(
        "--misprints",
        action="store_true",
        help="list what the papers print wrong where they define or prove something, and compute "
        "nothing",
    )
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Compute and print; status 1 if a difference has no tested reason."""
    chosen = _chosen(options.table)
    for name in ("list", "misprints"):
        if getattr(options, name) and options.differences:
            raise InputError(f"--differences: --{name} compares nothing")
    if options.list and options.misprints:
        raise InputError("--misprints: cannot be given together with --list")
    if options.list:
        _list(chosen, as_json=options.json)
        return 0
    if options.misprints:
        _list_misprints(options.table, chosen, as_json=options.json)
        return 0
    results = (
        [(table, table.rows()) for table in chosen]
        if options.json
        else _printed(chosen, only_differences=options.differences)
    )
    if options.json:
        output.write_json(
            {
                "tables": [
                    _document(table, rows, only_differences=options.differences)
                    for table, rows in results
                ]
            }
        )
    every = [row for _, rows in results for row in rows]
    refused = [row for row in every if not row.accepted]
    if not options.json:
        legible = [row for row in every if row.legible]
        agreeing = sum(row.agrees for row in legible)
        print(
            f"{len(legible)} figures: {agreeing} agree, "
            f"{len(legible) - agreeing - len(refused)} differ for a tested reason, "
            f"{len(refused)} differ without one"
        )
    return 1 if refused else 0


def _chosen(name: str | None) -> "list[PaperTable]":
    # Here, because networkx, with which some are computed, takes long to load.
    from noc.papers.tables import TABLES

    chosen = [table for table in TABLES.values() if name in (None, table.name, table.paper)]
    if not chosen:
        papers = ", ".join(dict.fromkeys(table.paper for table in TABLES.values()))
        raise InputError(
            f"TABLE {name!r} is unknown; allowed: a paper ({papers}) or a table named by "
            "'noc paper --list'"
        )
    return chosen


def _list(tables: "Sequence[PaperTable]", *, as_json: bool) -> None:
    """The papers, and their tables."""
    names = dict.fromkeys(table.paper for table in tables)
    references = [REFERENCES[name] for name in names if name in REFERENCES]
    if as_json:
        output.write_json(
            {
                "papers": [_reference(reference) for reference in references],
                "tables": [_heading(table) for table in tables],
            }
        )
        return
    for reference in references:
        print(output.note(f"{reference.name}: ", str(reference)))
    print()
    listed = [(table.name, table.paper, table.title) for table in tables]
    print(output.table(("table", "paper", "title"), listed))


def _list_misprints(name: str | None, tables: "Sequence[PaperTable]", *, as_json: bool) -> None:
    """What is printed wrong, and what is right."""
    papers = {table.paper for table in tables}
    if name is not None and name not in papers:
        raise InputError(f"TABLE {name!r}: --misprints lists those of a paper")
    listed = {
        name: right
        for name, right in MISPRINTS.items()
        if any(name.startswith(f"{paper}-") for paper in papers)
    }
    if as_json:
        output.write_json({"misprints": listed})
        return
    print("\n".join(output.note(f"{name}: ", right) for name, right in listed.items()))


def _reference(reference: Reference) -> dict[str, object]:
    return {**vars(reference), "authors": list(reference.authors)}


def _printed(
    tables: "Sequence[PaperTable]", *, only_differences: bool
) -> "list[tuple[PaperTable, list[Row]]]":
    """Print each table as soon as it is computed."""
    results = []
    for table in tables:
        rows = table.rows()
        results.append((table, rows))
        shown = [row for row in rows if not (only_differences and row.agrees)]
        if shown:
            print(f"{table.name}: {table.title}\n")
            reasons: dict[str, int] = {}
            print("\n\n".join(_columns(shown, reasons)))
            for text, number in reasons.items():
                print()
                print(output.note(f"[{number}] ", text, indent="  "))
            print(flush=True)
    return results


def _columns(rows: "Sequence[Row]", reasons: dict[str, int]) -> Iterator[str]:
    """The figures that the paper prints, then those that it gives a formula for."""
    for formula, figure in ((False, "printed"), (True, "by its formula")):
        lines = [
            (row.what, row.printed, row.computed, _verdict(row, reasons))
            for row in rows
            if row.formula is formula
        ]
        if lines:
            yield output.table(("figure", figure, "computed", "verdict"), lines, indent="  ")


def _verdict(row: "Row", reasons: dict[str, int]) -> str:
    """One word or two; the reason of a difference stands below the table, once."""
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


def _document(
    table: "PaperTable", rows: "list[Row]", *, only_differences: bool
) -> dict[str, object]:
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
            if not (only_differences and row.agrees)
        ],
    }
