"""The atlas of measured designs as a page with pictures: python bench/atlas.py [--jobs N].

Writes docs/atlas.md and its pictures from noc/data/atlas.csv, the table of

    noc sweep bench/atlas.toml -o noc/data/atlas.csv

The first line of the page says how many rows are of older Verilog than the designs have today.
"""

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tables import ROOT, markdown

from noc.design import USUAL, FabricName
from noc.sweep import Plan, Row, read_plan, read_table, run_parts
from noc.sweep.plot import pareto_front
from noc.sweep.table import index, point_of

__all__ = ["PAGE", "PLAN", "TABLE", "Entry", "draw", "entries", "page"]

PLAN, PAGE = ROOT / "bench" / "atlas.toml", ROOT / "docs" / "atlas.md"
TABLE = ROOT / "noc" / "data" / "atlas.csv"

#: Of one width and one family of chips, so that points compare.
WIDTH, CHIP = "32", "ecp5"

#: Nodes of a network may all send in the one, and one at a time in the other.
KINDS = {
    ("ordered", "all"): "ordered fabric",
    ("direct", "one"): "direct fabric, one sender at a time",
    ("direct", "all"): "direct fabric, all sending",
}

#: Families told apart without colour too.
MARKS = "osD^v<>ph*X8dP1234"

TEXT = """\
# Atlas

{first}

The table is [noc/data/atlas.csv](../noc/data/atlas.csv): {rows:,} rows of {designs} designs over
all families of networks and algorithms, from {least} to {most:,} nodes. `noc choose` answers from
it. A row is a design and what was measured of it ([sweeps.md](sweeps.md) explains the columns): its
trees and its cycle model at a load, the area of the whole network on ECP5, iCE40 or Nexus, or the
clock of its largest router or of the whole network after place and route. {refused} rows say why
there is no such design.

`noc sweep bench/atlas.toml -o noc/data/atlas.csv` brings the table up to date and measures only
designs whose Verilog has changed; with `--check` it only tells which have. `python bench/atlas.py`
writes this page.

Words have {width} bits on this page, and areas are of ECP5 where nothing else is said. Areas are
mapped with `--mapping plain`; clocks are those of one seed, with a register outside each port, as
[area.md](area.md) explains. All other figures come from the cycle model.

## Area

![LUTs per node over nodes](atlas-luts.svg)

In the ordered fabric a network has one merge less than it has senders, whichever family it is of:
what differs is how many of its buffers need two slots. In the direct fabric the routers' tables and
outputs grow with the number of ports and of nodes.

## Latency

![Cycles over nodes](atlas-cycles.svg)

Cycles of a word that travels alone, from its acceptance to its last receiver, in the mean over the
sources.

## Words a second for the area

![Words a second per LUT over latency](atlas-words.svg)

Words that all nodes together receive in a second, per LUT of the whole network, at its clock and
with every source always sending; over the time of a word that travels alone. Only networks that
were placed and routed as a whole.

## All designs

*Cycles* are those of the picture, *at load 0.5* the mean from a word's coming to its last receiver
where half a word comes in each cycle. *Carries* is words a cycle with every source always sending.
*MHz* is the clock of the largest node or router alone, and of the whole network. The CSV file has
the other widths, loads and columns.
{table}
Tools: {tools}.
"""


@dataclass(frozen=True)
class Entry:
    """A design of the page's width, and what is known of it.

    Parameters
    ----------
    network, fabric, algorithm, sources : str
        The design.
    tree : Row
        Its trees, and its cycle model at full load.
    half : str
        Cycles at load 0.5.
    luts : mapping of str to str
        LUTs by family of chips.
    router, whole : str
        The clock of the largest router, and of the whole network, on the page's chips.
    """

    network: str
    fabric: FabricName
    algorithm: str
    sources: str
    tree: Row
    half: str
    luts: dict[str, str]
    router: str
    whole: str

    @property
    def family(self) -> str:
        """The family of its network."""
        return self.network.partition(":")[0]

    @property
    def nodes(self) -> int:
        """Nodes of its network."""
        return int(self.tree["nodes"])


def entries(rows: Iterable[Row]) -> list[Entry]:
    """The designs of the page's width, by their nodes."""
    by_design: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        if row["width"] == WIDTH and not row["refused"]:
            key = tuple(row[name] for name in ("network", "fabric", "algorithm", "sources"))
            by_design.setdefault(key, []).append(row)
    found = [_entry(key, group) for key, group in by_design.items()]
    known = [entry for entry in found if entry is not None]
    return sorted(known, key=lambda entry: (entry.nodes, entry.network, entry.fabric))


def _entry(key: tuple[str, ...], rows: Sequence[Row]) -> Entry | None:
    loads = {row["load"]: row for row in rows if row["cycles_mean"]}
    if not loads:
        return None
    network, fabric, algorithm, sources = key
    areas = {row["target"]: row["lut"] for row in rows if row["steps"] == "area"}
    clocks = {
        row["measured"]: f"{float(row['mhz']):.0f}"
        for row in rows
        if row["mhz"] and row["target"] == CHIP
    }
    return Entry(
        network,
        cast(FabricName, fabric),
        algorithm,
        sources,
        loads.get("1", next(iter(loads.values()))),
        loads.get("0.5", {}).get("latency_mean", ""),
        areas,
        clocks.get("router", ""),
        clocks.get("network", ""),
    )


def page(plan: Plan, rows: Sequence[Row], older: int) -> str:
    """The page, from all rows, of which some may be older than today's Verilog."""
    listed = entries(rows)
    networks = [entry.nodes for entry in listed]
    designs = {point_of(row) for row in rows if not row["refused"]}
    tools = {tool for row in rows for tool in row["tools"].split("; ") if tool}
    return TEXT.format(
        first=_first(plan, len(rows), older),
        rows=len(rows),
        designs=len(designs),
        least=min(networks),
        most=max(networks),
        refused=sum(bool(row["refused"]) for row in rows),
        width=WIDTH,
        table=_table(listed),
        tools=", ".join(sorted(tools)),
    )


def _first(plan: Plan, there: int, older: int) -> str:
    """Whether the table is that of today."""
    if older:
        text = f"**{older:,} of {there:,} rows are older than the Verilog of today.**"
    else:
        text = "**All rows are of the Verilog of today.**"
    missing = plan.rows - there
    return text + (f" {missing:,} rows of the plan are not measured yet." if missing else "")


def _table(listed: Iterable[Entry]) -> str:
    heads = ["network", " nodes", "fabric", "sources", "algorithm", " cycles", " at load 0.5"]
    heads += [" carries", " LUTs ECP5", " a node", " iCE40", " Nexus", " MHz, router", " network"]
    lines = []
    for entry in listed:
        luts = [entry.luts.get(name, "") for name in ("ecp5", "ice40", "nexus")]
        each = f"{int(luts[0]) / entry.nodes:.0f}" if luts[0] else ""
        lines.append(
            [
                *(entry.network, entry.nodes, entry.fabric, entry.sources, entry.algorithm),
                *(entry.tree["cycles_mean"], entry.half, entry.tree["carried"]),
                *(luts[0], each, luts[1], luts[2], entry.router, entry.whole),
            ]
        )
    return markdown(heads, lines)


def draw(rows: Sequence[Row], folder: Path) -> None:
    """The pictures."""
    listed = entries(rows)
    usual = [e for e in listed if e.algorithm == USUAL[e.fabric] and e.family != "file"]
    _panels(
        [entry for entry in usual if CHIP in entry.luts],
        lambda entry: int(entry.luts[CHIP]) / entry.nodes,
        "LUTs per node",
        folder / "atlas-luts.svg",
    )
    _panels(
        usual,
        lambda entry: float(entry.tree["cycles_mean"]),
        "cycles to all nodes, alone",
        folder / "atlas-cycles.svg",
    )
    _words([entry for entry in listed if entry.whole and CHIP in entry.luts], folder)


def _panels(
    listed: Sequence[Entry], value: Callable[[Entry], float], label: str, file: Path
) -> None:
    """A panel for each fabric, a mark for each family."""
    families = sorted({entry.family for entry in listed})
    kinds = [kind for kind in KINDS if kind != ("direct", "all")]
    with _figure(file, len(kinds)) as axes:
        for axis, kind in zip(axes, kinds, strict=True):
            for number, family in enumerate(families):
                group = [e for e in listed if (e.fabric, e.sources) == kind and e.family == family]
                if group:
                    x, y = [e.nodes for e in group], [value(e) for e in group]
                    axis.plot(
                        x, y, MARKS[number], color=f"C{number % 10}", label=family, markersize=5
                    )
            axis.set_xscale("log", base=2)
            axis.set_xlabel("nodes")
            axis.set_title(KINDS[kind], fontsize="medium")
            axis.set_yscale("log", base=2)
            axis.yaxis.set_major_formatter("{x:.0f}")
            axis.xaxis.set_major_formatter("{x:.0f}")
            axis.grid(alpha=0.3)
        axes[0].set_ylabel(label)
        axes[0].legend(fontsize="x-small", ncols=2, loc="upper left")


def _words(listed: Sequence[Entry], folder: Path) -> None:
    """Words a second per LUT over the latency in nanoseconds."""
    with _figure(folder / "atlas-words.svg", 1) as (axis,):
        points = []
        for number, (kind, title) in enumerate(KINDS.items()):
            group = [entry for entry in listed if (entry.fabric, entry.sources) == kind]
            places = [(_ns(entry), _per_lut(entry)) for entry in group]
            points += places
            axis.plot([x for x, _ in places], [y for _, y in places], "oD^"[number], label=title)
            for entry, (x, y) in zip(group, places, strict=True):
                axis.annotate(
                    *(entry.network, (x, y)),
                    fontsize=7,
                    xytext=(3, 3),
                    textcoords="offset points",
                )
        front = pareto_front(points, "latency_mean", "mhz")
        steps = [ns for ns, _ in front], [words for _, words in front]
        axis.step(*steps, "k--", where="post", linewidth=1, label="Pareto front")
        axis.set_xlabel("ns to all nodes, alone")
        axis.set_ylabel("million words a second per LUT")
        axis.grid(alpha=0.3)
        axis.legend(fontsize="small")


@contextlib.contextmanager
def _figure(file: Path, panels: int) -> Iterator[Any]:
    """The axes of a picture that is then written: the same from the same table."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.hashsalt": "noc", "svg.fonttype": "none"}):
        figure = Figure(figsize=(10, 4.5) if panels > 1 else (8, 5), layout="constrained")
        yield figure.subplots(1, panels, squeeze=False)[0]
        figure.savefig(file, metadata={"Date": None})


def _ns(entry: Entry) -> float:
    return float(entry.tree["cycles_mean"]) * 1000 / float(entry.whole)


def _per_lut(entry: Entry) -> float:
    """In the ordered fabric with source numbers a word reaches all nodes but its own."""
    words = float(entry.tree["carried"]) * (entry.nodes - 1)
    return words * float(entry.whole) / int(entry.luts[CHIP])


def main() -> int:
    """Look which rows hold, and write the page and its pictures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    os.chdir(ROOT)
    plan, rows = read_plan(PLAN), read_table(TABLE)
    command = ["sweep", str(PLAN), "--check"]
    outcome = run_parts(plan, command, None, [TABLE], jobs=options.jobs)
    holding = index(outcome.rows)
    older = sum(key not in holding for key in index(rows))
    PAGE.write_text(page(plan, rows, older), encoding="utf-8")
    draw(rows, PAGE.parent)
    return 0


if __name__ == "__main__":
    sys.exit(main())
