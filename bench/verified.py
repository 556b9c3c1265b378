"""What has been verified of today's Verilog: python bench/verified.py.

Fills docs/verified.md from the tables of ``noc sweep bench/verified.toml -o docs/verified.csv`` and
of bench/collectives.toml. A row counts only if it is of the Verilog that the design has today. The
exit status is 1 if a transfer differs.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence

from tables import DOCS, ROOT, markdown, write

from noc.networks import measure_network
from noc.research.sweep import Plan, Row, read_plan, run_parts

PAGE = "verified.md"

#: Plans and their tables, by what the parts of the page are called.
SWEEPS = {
    name: (ROOT / "bench" / f"{name}.toml", DOCS / f"{name}.csv")
    for name in ("verified", "collectives")
}

#: Columns of which the page shows the sums.
COUNTED = ("cycles", "transfers", "different")


def parts(name: str, plan: Plan, holding: Sequence[Row]) -> dict[str, str]:
    """The sum and the table of a sweep, from the rows that hold today."""
    _, transfers, different = _sums(holding)
    all_of = f"All {plan.rows}" if len(holding) == plan.rows else f"{len(holding)} of {plan.rows}"
    none = "none differs" if not different else f"**{different:,} differ**"
    first = (
        f"**{all_of} designs are verified as their Verilog is today: {transfers:,} transfers were\n"
        f"compared, {none}.**"
    )
    if len(holding) < plan.rows:
        first += " The others are not verified yet, or their Verilog has changed since."
    tools = sorted({row["tools"] for row in holding})
    return {name: first, f"{name} table": f"{_table(holding)}\nTools: {', '.join(tools)}.\n"}


def _table(rows: Iterable[Row]) -> str:
    """A line for each family and fabric."""
    groups: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        groups[row["network"].partition(":")[0], row["fabric"]].append(row)
    heads = ["family", "fabric", " designs", "largest", " cycles", " transfers", " different"]
    lines = []
    for (family, fabric), group in sorted(groups.items()):
        largest = max((row["network"] for row in group), key=lambda spec: measure_network(spec)[1])
        lines.append([family, fabric, len(group), largest, *(f"{n:,}" for n in _sums(group))])
    return markdown(heads, lines)


def _sums(rows: Sequence[Row]) -> list[int]:
    return [sum(int(row[name]) for row in rows) for name in COUNTED]


def main() -> int:
    """Look which rows hold, and fill the page."""
    os.chdir(ROOT)
    different = 0
    for name, (file, table) in SWEEPS.items():
        plan = read_plan(file)
        check = ["sweep", str(file), "--check"]
        outcome = run_parts(plan, check, None, [table], jobs=os.cpu_count() or 1)
        holding = [row for row in outcome.rows if not row["refused"]]
        write(PAGE, parts(name, plan, holding))
        different += _sums(holding)[-1]
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
