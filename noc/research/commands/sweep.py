"""Measure many networks alike, into one table.

Measure all designs of a plan: their trees, what they carry in the cycle model, whether their
Verilog equals the model, and their area and clock. The plan is a TOML file with the steps, and
tables [[design]] whose lists are multiplied out (docs/sweeps.md). Each result is written as soon as
it is there, and the same command goes on where it was ended; a result is measured again only if the
Verilog, the model's contract or a tool has changed. The exit status is 1 if a measurement failed or
a Verilog differs from its model.
"""

import argparse
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from noc.cli import arguments, output
from noc.cli.output import Result
from noc.cli.parsers import declare, path_name
from noc.errors import InputError
from noc.files import check_file

if TYPE_CHECKING:
    from noc.research.sweep import Part, Row

GROUP = "measure"

EXAMPLES = (
    "noc sweep plan.toml -o results.csv",
    "noc sweep plan.toml -o results.csv --nodes 100..150 --plot nodes cycles_mean picture.svg",
    "noc sweep plan.toml -o part-1.csv --part 1/4",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "plan",
        metavar="PLAN",
        nargs="+",
        type=path_name,
        help="the TOML file; or tables (.csv) of earlier sweeps, which are joined and drawn",
    )
    repeated = {"action": "append", "default": []}
    declare(
        parser,
        """
        -o --output FILE  the table, CSV; it is brought up to date (default: PLAN with the suffix
            .csv)
        --nodes A..B  only networks with A to B nodes
        --jobs N  measurements at a time (default: as many as there are processors)
        --kept FILE  another table, if it is there, whose rows are taken over where they still hold;
            may be repeated
        --check  measure nothing; the exit status is 1 if a row of the table is missing or no longer
            holds
        --allow-missing  with --check: rows may be missing, but not hold no longer
        --part K/N  measure every N-th design only, from the K-th on: for several machines
        --means FILE  write means over the seeds with their 95%% confidence intervals, as CSV
        --plot X Y FILE  draw column Y over column X, means over the seeds with their intervals, as
            SVG, PDF or PNG; may be repeated
        --json
        """,
        nodes={"type": _size_range},
        jobs={"default": os.cpu_count() or 1},
        kept=repeated,
        part={"type": _part},
        plot={"nargs": 3, "metavar": ("X", "Y", "FILE"), "type": None, **repeated},
    )


def _size_range(text: str) -> tuple[int, int]:
    """The least and the most nodes."""
    from noc.research.sweep.plan import read_range

    try:
        return read_range(text)
    except InputError:
        raise argparse.ArgumentTypeError(f"{text!r}: a range such as 100..150 is needed") from None


def _part(text: str) -> "Part":
    from noc.research.sweep import Part

    match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r}: K/N is needed, such as 1/4")
    try:
        return Part(int(match[1]), int(match[2]))
    except InputError:
        raise argparse.ArgumentTypeError(f"{text!r}: K/N with K from 1 to N is needed") from None


def run(options: argparse.Namespace) -> Result:
    """Measure, write, draw."""
    from noc.research.sweep.plot import check_plot, draw_plot, summarise, write_means

    _check(options)
    plots = [(x, y, Path(file)) for x, y, file in options.plot]
    for plot in plots:
        check_plot(*plot)
    tables = options.plan[0].suffix == ".csv"
    facts, rows, status = ({}, _join(options), 0) if tables else _measure(options)
    if options.means is not None:
        write_means(options.means, rows)
    lines = [output.facts(facts)] if facts else []
    for x, y, file in plots:
        drawn = draw_plot(rows, x, y, file)
        lacking = len(rows) - drawn
        lines.append(f"{file}: {drawn} rows" + f"; {lacking} have no {x} or no {y}" * bool(lacking))

    def document() -> dict[str, object]:
        return {n.replace(" ", "_"): v for n, v in facts.items()} | {"means": summarise(rows)}

    return Result(document, ["\n".join(lines)] if lines else [], status=status)


def _check(options: argparse.Namespace) -> None:
    if options.allow_missing and not options.check:
        raise InputError("--allow-missing: is for --check, which looks what is missing")
    arguments.check_positive(options, "jobs")
    tables = [path for path in options.plan if path.suffix == ".csv"]
    if tables and len(tables) < len(options.plan):
        raise InputError(f"PLAN {tables[0]}: a plan and tables cannot be given together")
    if not tables and len(options.plan) > 1:
        raise InputError(f"PLAN {options.plan[1]}: one plan at a time")
    if tables:
        for name in ("nodes", "check", "part", "json"):
            if getattr(options, name):
                raise InputError(f"--{name}: is for a plan, not for tables")
    for path in tables:
        if not path.is_file():
            raise InputError(f"PLAN {path}: there is no such file")
    for name, path in (("-o", _table(options)), ("--means", options.means)):
        if path is not None:
            check_file(path, f"{name} {path}")


def _table(options: argparse.Namespace) -> Path:
    table: Path = options.output or options.plan[0].with_suffix(".csv")
    return table


def _join(options: argparse.Namespace) -> "list[Row]":
    """The rows of tables, in one table if that is asked for."""
    from noc.research.sweep.table import index, read_table, write_table

    rows = list(index(row for path in options.plan for row in read_table(path)).values())
    if options.output is not None:
        write_table(options.output, rows)
    return rows


def _measure(options: argparse.Namespace) -> "tuple[dict[str, object], list[Row], int]":
    """Facts of the sweep, its rows, and the exit status."""
    from noc.research.sweep import FAILED, measure_part, read_plan, run_parts

    (path,), table = options.plan, _table(options)
    plan = read_plan(path, nodes=options.nodes)
    kept, progress = [*options.kept, table], output.progress_bar("sweep")
    if options.part is not None:
        outcome = measure_part(
            plan, options.part, table, kept, only_kept=options.check, progress=progress
        )
    else:
        command = ["sweep", str(path)] + ["--check"] * options.check
        for plugin in [*options.plugins_before, *options.plugins]:
            command += ["--plugin", str(Path(plugin).resolve())]
        if options.nodes is not None:
            command += ["--nodes", "{}..{}".format(*options.nodes)]
        outcome = run_parts(
            *(plan, command, None if options.check else table, kept),
            jobs=options.jobs,
            progress=progress,
        )
    for failure in outcome.failures:
        print(f"{FAILED}{failure}", file=sys.stderr)
    differ = [row for row in outcome.rows if row["different"] not in ("", "0")]
    for row in differ:
        print(f"{FAILED}{row['network']}: {row['different']} transfers differ", file=sys.stderr)
    # What a part lacks is reported for the whole.
    lacking: tuple[str, ...] = ()
    if options.check and options.part is None:
        lacking = outcome.stale + (() if options.allow_missing else outcome.missing)
    refused = [f"{row['network']}: {row['refused']}" for row in outcome.rows if row["refused"]]
    facts: dict[str, object] = {
        "designs": len(plan.tasks),
        "rows of the plan": plan.rows,
        "taken over": outcome.taken_over,
        "measured": len(outcome.rows) - outcome.taken_over,
        "refused": len(refused),
        "failed": len(outcome.failures),
    }
    for name, designs in (("missing", outcome.missing), ("no longer hold", outcome.stale)):
        if options.check:
            facts[name] = len(designs)
            if designs:
                facts[f"first {name}"] = designs[0]
    facts["table"] = str(table)
    if refused:
        facts["first refused"] = refused[0]
    return facts, list(outcome.rows), 1 if outcome.failures or differ or lacking else 0
