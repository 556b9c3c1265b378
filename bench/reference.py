"""What operations cost, and on meshes beside published designs, for docs/performance.md."""

from collections.abc import Sequence

from tables import ROOT, markdown

from noc.design import build_ordered
from noc.programs.latency import count_cycles, find_parties
from noc.programs.latency_bounds import bound_cycles, bound_with_root
from noc.research.sweep import Row, read_table

__all__ = ["CLOCKS", "TABLE", "parts"]

#: The table of ``noc sweep bench/reference.toml``.
TABLE = ROOT / "docs" / "performance" / "reference.csv"

#: That of ``noc sweep bench/operations.toml``.
CLOCKS = ROOT / "docs" / "performance" / "operations.csv"

#: The meshes, by their columns, which are as many as their rows.
MESHES = {"mesh:4,4": 4, "mesh:8,8": 8}

#: Words, as beats of 64 bytes.
BEATS = 1, 16, 256

#: A node of bsg_barrier for five directions: LUTs and flip-flops, mapped like ours.
BSG_LUT, BSG_FF = 23, 7

BARRIER = "barrier"


def parts() -> dict[str, str]:
    """The tables of the page, by their names there."""
    rows = [row for row in read_table(TABLE) if not row["refused"]]
    return {
        "clocks": _clocks([row for row in read_table(CLOCKS) if not row["refused"]]),
        "operations": _operations([row for row in rows if row["operations"] != BARRIER]),
        "multicast": _multicast(),
        "barriers": _barriers([row for row in rows if row["operations"] == BARRIER]),
    }


def _clocks(rows: Sequence[Row]) -> str:
    heads = ["network", " link registers", "operations", " LUT a node", " more LUT", " MHz"]
    heads += [" more MHz"]

    def links(row: Row) -> tuple[str, int]:
        return row["network"], int(row["link_registers"])

    alone = {links(row): row for row in rows if not row["operations"]}
    lines = []
    for row in sorted(rows, key=lambda row: (*links(row), int(row["lut"]))):
        base = alone[links(row)]
        more = [_more(row[name], base[name]) if row is not base else "" for name in ("lut", "mhz")]
        lines.append(
            [
                *(*links(row), row["operations"].replace(",", ", ") or "none"),
                *(f"{int(row['lut']) / int(row['nodes']):.0f}", more[0]),
                *(_range(row), more[1]),
            ]
        )
    return markdown(heads, lines)


def _range(row: Row) -> str:
    """A clock with the least and the greatest of the seeds."""
    mhz, least, most = (float(row[name]) for name in ("mhz", "mhz_least", "mhz_most"))
    return f"{mhz:.0f} ({least:.0f}–{most:.0f})"


def _operations(rows: Sequence[Row]) -> str:
    heads = ["network", "operations", " LUT a node", " FF a node", " more LUT", " more FF"]
    heads += [" cycles", " bound"]
    alone = {row["network"]: row for row in rows if not row["operations"]}
    lines = []
    for row in sorted(rows, key=lambda row: (row["network"], int(row["lut"]))):
        nodes, base = int(row["nodes"]), alone[row["network"]]
        more = [_more(row[name], base[name]) if row is not base else "" for name in ("lut", "ff")]
        lines.append(
            [
                *(row["network"], row["operations"].replace(",", ", ") or "none"),
                *(f"{int(row[name]) / nodes:.0f}" for name in ("lut", "ff")),
                *(*more, row["operation_cycles"] or row["cycles_max"], row["operation_bound"]),
            ]
        )
    return markdown(heads, lines)


def _more(count: str, base: str) -> str:
    return f"{float(count) / float(base) - 1:+.0%}".replace("%", " %")


def _multicast() -> str:
    heads = ["network", " beats", " FlooNoC, cycles", " ours, cycles", " lower bound"]
    lines = []
    for spec, columns in MESHES.items():
        program = build_ordered(spec, operations=["broadcast"]).program
        (operation,) = program.operations.listed
        # From a corner, as far away from the last node as in the formula.
        parties = find_parties(program, operation, source=0)
        for beats in BEATS:
            ours = count_cycles(program, operation, parties, beats)
            bound = bound_cycles(program, operation, parties, beats)
            lines.append([spec, beats, 30 + beats + 2 * (columns - 1), ours, bound])
    return markdown(heads, lines)


def _barriers(rows: Sequence[Row]) -> str:
    heads = ["network", "", " LUT a node", " FF a node", " cycles", " bound with a root"]
    lines = []
    for row in rows:
        nodes, spec = int(row["nodes"]), row["network"]
        program = build_ordered(spec, operations=[BARRIER]).program
        bound = bound_with_root(program, find_parties(program, program.operations.listed[0]), 1)
        area = (f"{int(row[name]) / nodes:.0f}" for name in ("lut", "ff"))
        lines.append([spec, "barrier alone", *area, row["operation_cycles"], bound])
        # A register at each hop up and down, at the node's own input and at the root.
        lines.append([spec, "bsg_barrier", BSG_LUT, BSG_FF, bound + 2, bound])
    return markdown(heads, lines)
