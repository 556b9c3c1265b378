"""The tables of docs/performance.md from the kept figures: python bench/performance.py.

Sweeps keep networks.csv and loads.csv, operations.csv and reference.csv (``bench/*.toml``), and
``bench/extra.py`` the others. Rows of older.csv are of Verilog that has changed since; each is
shown until networks.csv has the same network again.
"""

from collections.abc import Sequence
from pathlib import Path

import reference
from tables import FOLDER, markdown, read, write

from noc.research.sweep import Row, read_table
from noc.research.sweep.plot import draw_plot

__all__ = ["OLDER", "PAGE", "PICTURE", "draw", "networks_table", "parts"]

PAGE = "performance.md"
PICTURE = FOLDER / "latency.svg"

OLDER = "\\* measured before the last change of its Verilog.\n"
FABRICS = {"ordered": "ordered", "plain-tree": "plain tree", "direct": "direct, one sender"}
SHARES = " words by source, least / most"


def _sweep(name: str) -> list[Row]:
    """A table of a sweep, smaller networks first."""
    rows = [row for row in read_table(FOLDER / f"{name}.csv") if not row["refused"]]
    return sorted(rows, key=lambda row: int(row["nodes"]))


def parts() -> dict[str, str]:
    """The tables of the page, by their names there."""
    loads, networks = _sweep("loads"), _sweep("networks")
    measured = {(row["network"], row["fabric"]) for row in networks}
    older = [row for row in _sweep("older") if (row["network"], row["fabric"]) not in measured]
    return {
        "networks": networks_table([*networks, *older]),
        "lean": networks_table(_sweep("lean")),
        "variants": _variants(read("variants")),
        "throughput": _throughput([row for row in loads if row["load"] == "1"]),
        "latency": _latency([row for row in loads if row["load"] != "1"], networks),
        "stalls": _stalls(read("stalls")),
        "waits": _waits(read("waits")),
        **reference.parts(),
        **_long(read("long_run")),
    }


def networks_table(rows: Sequence[Row]) -> str:
    """Area, clock and use, and below the tools."""
    heads = ["network", "fabric", " nodes", " width", " LUT a node", " FF a node", " MHz"]
    heads += [" words a cycle", SHARES, " M words a second per LUT", " inject to last eject, ns"]
    lines = []
    for row in sorted(rows, key=lambda row: int(row["nodes"])):
        older = "" if row["digest"] else " \\*"
        lines.append(
            [
                *(row["network"] + older, FABRICS[row["fabric"]], row["nodes"], row["width"]),
                *(*_costs(row), f"{float(row['carried']):.2f}", _shares(row)),
                *_speeds(row, float(row["carried"])),
            ]
        )
    tools = sorted({tool for row in rows if row["digest"] for tool in row["tools"].split("; ")})
    note = "" if all(row["digest"] for row in rows) else OLDER
    return f"{markdown(heads, lines)}\n{note}Tools: {', '.join(tools)}."


def _costs(row: Row) -> list[str]:
    """LUTs and flip-flops of a node, and the clock."""
    area = [f"{int(row[name]) / int(row['nodes']):.0f}" for name in ("lut", "ff")]
    mhz, least, most = (f"{float(row[name]):.1f}" for name in ("mhz", "mhz_least", "mhz_most"))
    return [*area, f"{mhz}, one seed" if row["seeds"] == "1" else f"{mhz} ({least}–{most})"]


def _shares(row: Row) -> str:
    return f"{row['words_least']} / {row['words_most']}"


def _speeds(row: Row, carried: float) -> list[str]:
    """Words a second of all nodes for a LUT of all, and the time of a word alone."""
    mhz, lut = float(row["mhz"]), int(row["lut"]) / int(row["nodes"])
    return [f"{mhz * carried / lut:.2f}", f"{1000 * float(row['cycles_mean']) / mhz:.0f}"]


def _variants(rows: Sequence[Row]) -> str:
    heads = [" children", " slots", "weights", " LUT an end", " FF an end", " MHz", SHARES]
    heads += [" M words a second per LUT", " inject to last eject, ns"]
    forms = ("children", "slots", "weighted")
    lines = [[*map(row.get, forms), *_costs(row), _shares(row), *_speeds(row, 1)] for row in rows]
    return markdown(heads, lines)


def _throughput(rows: Sequence[Row]) -> str:
    heads = ["network", " nodes", " words a cycle", SHARES, " in cycles"]
    lines = []
    for row in rows:
        carried = f"{float(row['carried']):.2f}"
        lines.append([row["network"], row["nodes"], carried, _shares(row), row["cycles_counted"]])
    return markdown(heads, lines)


def _latency(rows: Sequence[Row], networks: Sequence[Row]) -> str:
    loads = list(dict.fromkeys(row["load"] for row in rows))
    clocks = {row["network"]: float(row["mhz"]) for row in networks if row["fabric"] != "direct"}
    lines = []
    for spec in dict.fromkeys(row["network"] for row in rows):
        own = [row for row in rows if row["network"] == spec]
        lines.append([spec, "cycles", *(_pair(row, 1, 1) for row in own)])
        if clock := clocks.get(spec):
            lines.append([spec, "ns", *(_pair(row, 1000 / clock, 0) for row in own)])
    return markdown(["network", "", *(f" {float(load):.2f}" for load in loads)], lines)


def _pair(row: Row, unit: float, digits: int) -> str:
    """Mean and 99 %; without a steady state there is none."""
    if not row["latency_mean"]:
        return ""
    mean, p99 = float(row["latency_mean"]) * unit, int(row["latency_p99"]) * unit
    return f"{mean:.{digits}f}, {p99:.0f}"


def _stalls(rows: Sequence[Row]) -> str:
    carried: dict[str, dict[str, str]] = {}
    for row in rows:
        carried.setdefault(row["network"], {})[f" queue {row['queue']}"] = row["carried"]
    heads = ["network", *next(iter(carried.values()))]
    return markdown(heads, [[spec, *own.values()] for spec, own in carried.items()])


def _waits(rows: Sequence[Row]) -> str:
    heads = ("network", "traffic", " longest wait, words", " its bound", " share")
    # Rounded down: 100 % is the bound itself.
    shares = (f"{100 * int(row['waited']) // int(row['bound'])}%" for row in rows)
    return markdown(
        heads, [[*row.values(), share] for row, share in zip(rows, shares, strict=True)]
    )


def _long(rows: Sequence[Row]) -> dict[str, str]:
    """What was sent in the model."""
    counted = [(int(row["nodes"]), int(row["cycles"]), int(row["passed"])) for row in rows]
    total = sum(nodes * cycles for nodes, cycles, _ in counted)
    networks = len({row["network"] for row in rows})
    return {
        "simulated": f"{total:,} router-cycles of the cycle model on {networks}",
        "passed": f"{sum(passed for _, _, passed in counted):,}",
        "delivered": f"{sum(nodes * passed for nodes, _, passed in counted):,}",
    }


def draw(file: Path) -> None:
    """Latency against load, as ``noc sweep --plot`` draws it."""
    draw_plot(_sweep("loads"), "load", "latency_mean", file)


if __name__ == "__main__":
    draw(PICTURE)
    write(PAGE, parts())
