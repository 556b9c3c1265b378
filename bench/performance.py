"""The tables of docs/performance.md from the kept figures: python bench/performance.py.

Sweeps keep networks.csv and loads.csv, operations.csv and reference.csv (``bench/*.toml``), and
``bench/extra.py`` the others. Rows of older.csv are of Verilog that has changed since; each is
shown until networks.csv has the same network again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
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
        "elements": _table(read("elements"), "choices", *COSTS),
        "limits": _table(read("limits"), "network", "left out of the way up", *COSTS),
        "rounds": networks_table(_sweep("rounds"), _built),
        "exchanges": networks_table(
            _sweep("exchanges"), lambda row: f"{row['network']}, {row['exchange']}"
        ),
        "sums": networks_table(_sweep("sums"), _summed),
        "slices": networks_table(_sweep("slices"), _sliced),
        "variants": _table(
            read("variants"),
            *(" children", " slots", "weights", " LUT an end", " FF an end", " MHz"),
            *(SHARES, *SPEEDS),
        ),
        "throughput": _table(
            [row for row in loads if row["load"] == "1"],
            *("network", " nodes", " words a cycle", SHARES, " in cycles"),
        ),
        "latency": _latency([row for row in loads if row["load"] != "1"], networks),
        "stalls": _stalls(read("stalls")),
        "waits": _table(
            read("waits"), "network", "traffic", " longest wait, words", " its bound", " share"
        ),
        **operations_parts(),
        **_long(read("long_run")),
    }


def _built(row: Row) -> str:
    """A network, and how it is built otherwise than with sinks that are always ready."""
    sinks = [] if row["sinks"] in ("", "always-ready") else [f"{row['sinks']} sinks"]
    queue = [f"queue {row['queue']}"] * (row["queue"] != "0")
    more = [row["start"]] if row.get("start", "") not in ("", "always") else []
    more += ["one eject stream"] * (row.get("ejects") == "one")
    more += ["one chooser"] * (row.get("choices") == "one")
    more += row.get("operations", "").split(",")[1:]
    more += ["look-ahead"] * (row["lookahead"] == "yes")
    more += ["mapped as a whole"] * (row["mapping"] == "whole")
    more += ["rerouted"] * (row.get("reroute") == "yes")
    return ", ".join([row["network"], *sinks, *queue, *more])


def networks_table(rows: Sequence[Row], name: Callable[[Row], str] = _NETWORK) -> str:
    """Area, clock and use, and below the tools."""
    shown = [
        {**row, "network": name(row) + " \\*" * (not row["digest"])}
        for row in sorted(rows, key=lambda row: int(row["nodes"]))
    ]
    heads = ["network", "fabric", " nodes", " width", *COSTS, " words a cycle", SHARES, *SPEEDS]
    tools = sorted({tool for row in rows if row["digest"] for tool in row["tools"].split("; ")})
    note = "" if all(row["digest"] for row in rows) else OLDER
    return f"{_table(shown, *heads)}\n{note}Tools: {', '.join(tools)}."


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


def _of_a_node(row: Row, column: str) -> str:
    return f"{int(row[column]) / int(row['nodes']):.0f}"


def _clock(row: Row) -> str:
    """With the least and the greatest of the seeds."""
    mhz, *ends = (f"{float(row[n]):.1f}" for n in ("mhz", "mhz_least", "mhz_most"))
    return f"{mhz}, one seed" if row["seeds"] == "1" else f"{mhz} ({'–'.join(ends)})"


def _shares(row: Row) -> str:
    return f"{row['words_least']} / {row['words_most']}" if row["words_least"] else ""


def _speed(row: Row) -> str:
    """Words a second of all nodes for a LUT of all."""
    words = float(row["mhz"]) * float(row.get("carried", 1))
    return f"{words / (int(row['lut']) / int(row['nodes'])):.2f}"


def _alone(row: Row) -> str:
    """The time of a word alone; of words that are only joined there is none."""
    cycles = row["cycles_mean"]
    return f"{1000 * float(cycles) / float(row['mhz']):.0f}" if cycles else ""


COSTS = " LUT a node", " FF a node", " MHz"
SPEEDS = " M words a second per LUT", " inject to last eject, ns"

#: What is shown of a row below each head, where that is not the row's column of this name.
COLUMNS: dict[str, Callable[[Row], object]] = {
    "fabric": lambda row: FABRICS[row["fabric"]],
    " LUT a node": lambda row: _of_a_node(row, "lut"),
    " FF a node": lambda row: _of_a_node(row, "ff"),
    " MHz": _clock,
    " words a cycle": lambda row: f"{float(row['carried']):.2f}",
    SHARES: _shares,
    " M words a second per LUT": _speed,
    " inject to last eject, ns": _alone,
    " link registers": itemgetter("link_registers"),
    "left out of the way up": itemgetter("left_out"),
    "weights": itemgetter("weighted"),
    " LUT an end": lambda row: _of_a_node(row, "lut"),
    " FF an end": lambda row: _of_a_node(row, "ff"),
    " in cycles": itemgetter("cycles_counted"),
    " longest wait, words": itemgetter("waited"),
    " its bound": itemgetter("bound"),
    # Rounded down: 100 % is the bound itself.
    " share": lambda row: f"{100 * int(row['waited']) // int(row['bound'])}%",
    " cycles": lambda row: row["operation_cycles"] or row["cycles_max"],
    " bound": itemgetter("operation_bound"),
}


def _table(rows: Iterable[Row], *heads: str) -> str:
    """Columns by their heads."""
    shown = [COLUMNS.get(head) or itemgetter(head.strip()) for head in heads]
    return markdown(heads, [[show(row) for show in shown] for row in rows])


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
        "clocks": _table(
            _compared(_kept("operations"), "LUT", "MHz"),
            *("network", " link registers", "operations", " LUT a node", " more LUT", " MHz"),
            " more MHz",
        ),
        "operations": _table(
            _compared([row for row in rows if row["operations"] != "barrier"], "LUT", "FF"),
            *("network", "operations", " LUT a node", " FF a node", " more LUT", " more FF"),
            *(" cycles", " bound"),
        ),
        "multicast": _multicast(),
        "barriers": _barriers([row for row in rows if row["operations"] == "barrier"]),
    }


def _compared(rows: Sequence[Row], *columns: str) -> Iterator[Row]:
    """Each row with its operations, and how much more it has than the network without them."""

    def links(row: Row) -> tuple[str, int]:
        return row["network"], int(row["link_registers"])

    alone = {links(row): row for row in rows if not row["operations"]}
    for row in sorted(rows, key=lambda row: (*links(row), int(row["lut"]))):
        base = alone[links(row)]
        more = {
            f"more {name}": f"{float(row[name.lower()]) / float(base[name.lower()]) - 1:+.0%}"
            for name in columns
        }
        more = {name: text.replace("%", " %") * (row is not base) for name, text in more.items()}
        named = row["operations"].replace(",", ", ") or "none"
        yield {**row, **more, "operations": named}


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
