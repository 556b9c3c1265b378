"""What has been verified of today's Verilog, as a page: python bench/verified.py [--jobs N].

Writes docs/verified.md from docs/verified.csv and docs/collectives.csv, the tables of

    noc sweep bench/verified.toml -o docs/verified.csv
    noc sweep bench/collectives.toml -o docs/collectives.csv

The page counts a row only if it is of the Verilog that the design has today. The exit status is 1
if a transfer differs.
"""

import argparse
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tables import ROOT, markdown

from noc.networks import measure_network
from noc.sweep import Plan, Row, read_plan, run_parts

__all__ = ["PAGE", "SWEEPS", "page"]

PAGE = ROOT / "docs" / "verified.md"

#: Columns of which the page shows the sums.
COUNTED = ("cycles", "transfers", "different")

BROADCASTS = """\
# What is verified

{first}

`noc verify` simulated each of them under a mixture of traffic, and compared every transfer on every
link, inject and eject stream with the cycle model: the clock cycle, the payload, and in the direct
fabric the code of the word. The mixture holds broadcasts of single sources, words without pauses,
random sources, and sources that never pause; sinks are always ready, ready at random, stall in
bursts or one after the other.

The designs are listed in [bench/verified.toml](../bench/verified.toml), the results in
[verified.csv](verified.csv), a row for each design ([sweeps.md](sweeps.md) explains the columns):

- every family of networks, up to star:6 with 720 nodes, and a graph of a user's;
- both fabrics; all nodes sending, some, and one at a time;
- every algorithm that builds trees, with nodes that send on all of their ports or on one;
- widths from 1 to 512 bits, queues, link registers, ROMs in block RAM, words that return to their
  sender.

`noc sweep bench/verified.toml -o docs/verified.csv` brings the table up to date and verifies only
designs whose Verilog has changed; with `--check` it only tells which have.
"""

OPERATIONS = """
## Operations

{first}

These are networks with [operations](collectives.md). The mixture holds words of all operations of a
network from all nodes, with pauses, with nodes that begin late, and among words that are wrong and
dropped; the alarms of nodes are compared too.

The designs are listed in [bench/collectives.toml](../bench/collectives.toml), the results in
[collectives.csv](collectives.csv):

- every family of networks, links that lead one way only among them;
- operations one by one and together, every operator, groups with nodes in common and without;
- widths from 1 to 512 bits, queues at the sinks and of the groups, link registers, words that
  return to their sender, watchdogs, some sources only, every algorithm that builds one tree.

`noc sweep bench/collectives.toml -o docs/collectives.csv` brings the table up to date.
"""


@dataclass(frozen=True)
class Sweep:
    """A plan, its table, and what the page says of it before the figures."""

    name: str
    text: str

    @property
    def plan(self) -> Path:
        """The file of the plan."""
        return ROOT / "bench" / f"{self.name}.toml"

    @property
    def table(self) -> Path:
        """The results."""
        return ROOT / "docs" / f"{self.name}.csv"


SWEEPS = Sweep("verified", BROADCASTS), Sweep("collectives", OPERATIONS)


def page(results: Iterable[tuple[Sweep, Plan, Sequence[Row]]]) -> str:
    """The page, from each sweep with its plan and the rows that hold today."""
    return "".join(_part(sweep.text, plan, holding) for sweep, plan, holding in results)


def _part(text: str, plan: Plan, holding: Sequence[Row]) -> str:
    transfers = sum(int(row["transfers"]) for row in holding)
    different = sum(int(row["different"]) for row in holding)
    all_of = f"All {plan.rows}" if len(holding) == plan.rows else f"{len(holding)} of {plan.rows}"
    none = "none differs" if not different else f"**{different:,} differ**"
    first = (
        f"**{all_of} designs are verified as their Verilog is today: {transfers:,} transfers were\n"
        f"compared, {none}.**"
    )
    if len(holding) < plan.rows:
        first += " The others are not verified yet, or their Verilog has changed since."
    tools = sorted({row["tools"] for row in holding})
    return f"{text.format(first=first)}{_table(holding)}\nTools: {', '.join(tools)}.\n"


def _table(rows: Iterable[Row]) -> str:
    """A line for each family and fabric."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["network"].partition(":")[0], row["fabric"]].append(row)
    heads = ["family", "fabric", " designs", "largest", " cycles", " transfers", " different"]
    lines = []
    for (family, fabric), group in sorted(groups.items()):
        largest = max((row["network"] for row in group), key=lambda spec: measure_network(spec)[1])
        sums = [sum(int(row[name]) for row in group) for name in COUNTED]
        lines.append([family, fabric, len(group), largest, *(f"{total:,}" for total in sums)])
    return markdown(heads, lines)


def main() -> int:
    """Look which rows hold, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    os.chdir(ROOT)
    results = [(sweep, *_holding(sweep, options.jobs)) for sweep in SWEEPS]
    PAGE.write_text(page(results), encoding="utf-8")
    return int(any(int(row["different"]) for _, _, rows in results for row in rows))


def _holding(sweep: Sweep, jobs: int) -> tuple[Plan, list[Row]]:
    """The plan of a sweep, and the rows of its table that hold today."""
    plan = read_plan(sweep.plan)
    command = ["sweep", str(sweep.plan), "--check"]
    outcome = run_parts(plan, command, None, [sweep.table], jobs=jobs)
    return plan, [row for row in outcome.rows if not row["refused"]]


if __name__ == "__main__":
    sys.exit(main())
