"""The tables of docs/performance.md from the kept figures: python bench/performance.py.

Sweeps keep networks.csv and loads.csv, operations.csv and reference.csv (``bench/*.toml``), and
``bench/extra.py`` the others. Rows of older.csv are of Verilog that has changed since; each is
shown until networks.csv has the same network again.
"""

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path

from tables import FOLDER, markdown, read, write

from noc.design import build_ordered
from noc.programs.latency import bound_cycles, bound_with_root, count_cycles, find_parties
from noc.research.sweep import Row, read_table
from noc.research.sweep.plot import draw_plot

PAGE = "performance.md"
PICTURE = FOLDER / "latency.svg"

_NETWORK = itemgetter("network")

OLDER = "\\* measured before the last change of its Verilog.\n"
FABRICS = {
    "ordered": "ordered",
    "plain-tree": "plain tree",
    "direct": "direct, one sender",
    "timetable": "timetable",
}
SHARES = " words by source, least / most"

#: The meshes, by their columns, which are as many as their rows; words, as beats of 64 bytes.
MESHES, BEATS = {"mesh:4,4": 4, "mesh:8,8": 8}, (1, 16, 256)

#: A node of bsg_barrier for five directions: LUTs and flip-flops, mapped like ours.
BSG_LUT, BSG_FF = 23, 7


def _kept(name: str) -> list[Row]:
    """A table of a sweep."""
    return [row for row in read_table(FOLDER / f"{name}.csv") if not row["refused"]]


def _sweep(name: str) -> list[Row]:
    """A table of a sweep, smaller networks first."""
    return sorted(_kept(name), key=lambda row: int(row["nodes"]))


def parts() -> dict[str, str]:
    """The tables of the page, by their names there."""
    loads, networks = _sweep("loads"), _sweep("networks")
    measured = {(row["network"], row["fabric"]) for row in networks}
    older = [row for row in _sweep("older") if (row["network"], row["fabric"]) not in measured]
    return {
        "networks": networks_table([*networks, *older]),
        "lean": networks_table(_sweep("lean"), _built),
        "limits": _limits(read("limits")),
        "rounds": networks_table(_sweep("rounds"), _built),
        "exchanges": networks_table(
            _sweep("exchanges"), lambda row: f"{row['network']}, {row['exchange']}"
        ),
        "sums": networks_table(_sweep("sums"), _summed),
        "slices": networks_table(_sweep("slices"), _sliced),
        "variants": _variants(read("variants")),
        "throughput": _throughput([row for row in loads if row["load"] == "1"]),
        "latency": _latency([row for row in loads if row["load"] != "1"], networks),
        "stalls": _stalls(read("stalls")),
        "waits": _waits(read("waits")),
        **operations_parts(),
        **_long(read("long_run")),
    }


def _built(row: Row) -> str:
    """A network, and how it is built otherwise than with sinks that are always ready."""
    sinks = [] if row["sinks"] in ("", "always-ready") else [f"{row['sinks']} sinks"]
    queue = [f"queue {row['queue']}"] * (row["queue"] != "0")
    more = [row["start"]] if row.get("start", "") not in ("", "always") else []
    more += row.get("operations", "").split(",")[1:]
    more += ["look-ahead"] * (row["lookahead"] == "yes")
    more += ["mapped as a whole"] * (row["mapping"] == "whole")
    return ", ".join([row["network"], *sinks, *queue, *more])


def networks_table(rows: Sequence[Row], name: Callable[[Row], str] = _NETWORK) -> str:
    """Area, clock and use, and below the tools."""
    heads = ["network", "fabric", " nodes", " width", " LUT a node", " FF a node", " MHz"]
    heads += [" words a cycle", SHARES, " M words a second per LUT", " inject to last eject, ns"]
    lines = []
    for row in sorted(rows, key=lambda row: int(row["nodes"])):
        older = "" if row["digest"] else " \\*"
        lines.append(
            [
                *(name(row) + older, FABRICS[row["fabric"]], row["nodes"], row["width"]),
                *(*_costs(row), f"{float(row['carried']):.2f}", _shares(row)),
                *_speeds(row, float(row["carried"])),
            ]
        )
    tools = sorted({tool for row in rows if row["digest"] for tool in row["tools"].split("; ")})
    note = "" if all(row["digest"] for row in rows) else OLDER
    return f"{markdown(heads, lines)}\n{note}Tools: {', '.join(tools)}."


def _summed(row: Row) -> str:
    """A network, what is added up in it, and the cycles of a round if they are more than one."""
    length = f", round {row['round']}" * (row["round"] not in ("", "1"))
    return f"{row['network']}, {row['exchange'] or row['operations']}{length}"


def _sliced(row: Row) -> str:
    """A network, the algorithm of its trees where there are several, and dead links survived."""
    trees = f", {row['algorithm']}" * (row["algorithm"] != "shortest")
    return (
        row["network"] + trees + f", survive {row['survive']}" * (row["survive"] not in ("", "0"))
    )


def _costs(row: Row) -> list[str]:
    """LUTs and flip-flops of a node, and the clock."""
    area = [_of_a_node(row, name) for name in ("lut", "ff")]
    alone = f"{float(row['mhz']):.1f}, one seed"
    return [*area, alone if row["seeds"] == "1" else _range(row, 1)]


def _shares(row: Row) -> str:
    return f"{row['words_least']} / {row['words_most']}" if row["words_least"] else ""


def _speeds(row: Row, carried: float) -> list[str]:
    """Words a second of all nodes for a LUT of all, and the time of a word alone."""
    mhz, lut = float(row["mhz"]), int(row["lut"]) / int(row["nodes"])
    # Of words that are only joined there is none.
    latency = f"{1000 * float(row['cycles_mean']) / mhz:.0f}" if row["cycles_mean"] else ""
    return [f"{mhz * carried / lut:.2f}", latency]


def _limits(rows: Sequence[Row]) -> str:
    heads = ["network", "left out of the way up", " LUT a node", " FF a node", " MHz"]
    return markdown(heads, [[row["network"], row["left_out"], *_costs(row)] for row in rows])


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
    queues = list(dict.fromkeys(row["queue"] for row in rows))
    carried: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        carried.setdefault((row["network"], row["sinks"]), {})[row["queue"]] = row["carried"]
    heads = ["network", "`--sinks`", *(f" queue {queue}" for queue in queues)]
    lines = [[*key, *(own.get(queue, "") for queue in queues)] for key, own in carried.items()]
    return markdown(heads, lines)


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


def operations_parts() -> dict[str, str]:
    """What operations cost, and on meshes beside published designs."""
    rows = _kept("reference")
    return {
        "clocks": _clocks(_kept("operations")),
        "operations": _operations([row for row in rows if row["operations"] != "barrier"]),
        "multicast": _multicast(),
        "barriers": _barriers([row for row in rows if row["operations"] == "barrier"]),
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


def _range(row: Row, digits: int = 0) -> str:
    """A clock with the least and the greatest of the seeds."""
    mhz, *ends = (f"{float(row[n]):.{digits}f}" for n in ("mhz", "mhz_least", "mhz_most"))
    return f"{mhz} ({'–'.join(ends)})"


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
        program = build_ordered(spec, operations=["barrier"]).program
        bound = bound_with_root(program, find_parties(program, program.operations.listed[0]), 1)
        area = (_of_a_node(row, name) for name in ("lut", "ff"))
        lines.append([spec, "barrier alone", *area, row["operation_cycles"], bound])
        # A register at each hop up and down, at the node's own input and at the root.
        lines.append([spec, "bsg_barrier", BSG_LUT, BSG_FF, bound + 2, bound])
    return markdown(heads, lines)


def draw(file: Path) -> None:
    """Latency against load, as ``noc sweep --plot`` draws it."""
    draw_plot(_sweep("loads"), "load", "latency_mean", file)


if __name__ == "__main__":
    draw(PICTURE)
    write(PAGE, parts())
