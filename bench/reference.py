"""What operations cost, and on meshes beside published designs, for docs/performance.md."""

from collections.abc import Iterator, Sequence

from tables import ROOT, markdown

from noc.design import build_ordered
from noc.programs.latency import bound_cycles, bound_with_root, count_cycles, find_parties
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

    lines = [
        [row["network"], row["link_registers"], name, _of_a_node(row, "lut"), lut, _range(row), mhz]
        for row, name, (lut, mhz) in _compared(rows, ("lut", "mhz"))
    ]
    return markdown(heads, lines)


def _compared(rows: Sequence[Row], columns: Sequence[str]) -> Iterator[tuple[Row, str, list[str]]]:
    """Each row, its operations, and how much more it has than the network without operations."""

    def links(row: Row) -> tuple[str, int]:
        return row["network"], int(row["link_registers"])

    alone = {links(row): row for row in rows if not row["operations"]}
    for row in sorted(rows, key=lambda row: (*links(row), int(row["lut"]))):
        base = alone[links(row)]
        more = [
            f"{float(row[name]) / float(base[name]) - 1:+.0%}".replace("%", " %")
            * (row is not base)
            for name in columns
        ]
        yield row, row["operations"].replace(",", ", ") or "none", more


def _of_a_node(row: Row, column: str) -> str:
    return f"{int(row[column]) / int(row['nodes']):.0f}"


def _range(row: Row) -> str:
    """A clock with the least and the greatest of the seeds."""
    mhz, least, most = (float(row[name]) for name in ("mhz", "mhz_least", "mhz_most"))
    return f"{mhz:.0f} ({least:.0f}–{most:.0f})"


def _operations(rows: Sequence[Row]) -> str:
    heads = ["network", "operations", " LUT a node", " FF a node", " more LUT", " more FF"]
    heads += [" cycles", " bound"]
    lines = [
        [
            *(row["network"], name, _of_a_node(row, "lut"), _of_a_node(row, "ff"), *more),
            *(row["operation_cycles"] or row["cycles_max"], row["operation_bound"]),
        ]
        for row, name, more in _compared(rows, ("lut", "ff"))
    ]
    return markdown(heads, lines)


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
        spec = row["network"]
        program = build_ordered(spec, operations=[BARRIER]).program
        bound = bound_with_root(program, find_parties(program, program.operations.listed[0]), 1)
        area = (_of_a_node(row, name) for name in ("lut", "ff"))
        lines.append([spec, "barrier alone", *area, row["operation_cycles"], bound])
        # A register at each hop up and down, at the node's own input and at the root.
        lines.append([spec, "bsg_barrier", BSG_LUT, BSG_FF, bound + 2, bound])
    return markdown(heads, lines)
