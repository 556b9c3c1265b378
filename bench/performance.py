"""The ordered fabric beside a plain tree and the direct fabric: python bench/performance.py PART.

PART is networks, variants, throughput, latency, stalls, waits, long-run, verilog-run or page. Each
part keeps its figures in docs/performance/ and writes the tables of docs/performance.md again; page
only does the latter. After networks follow words that rows must have (a network, a fabric,
no-source-numbers); a row is measured again only if the Verilog of its network has changed since.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loads import LATENCY, LOADS, PARTS, STALLS, THROUGHPUT, WAITS
from long_run import LONG_RUN, long_run
from networks import KEPT, SEEDS, VARIANTS, mark_today, refresh, variants
from reference import parts as reference
from tables import FOLDER, ROOT, Row, fill, markdown
from verilog_run import VERILOG_RUN, verilog_run

__all__ = ["page"]

PAGE = ROOT / "docs" / "performance.md"

OLDER = "\\* measured before the last change of its Verilog.\n"


def page(text: str) -> str:
    """The page, with what is kept in its tables."""
    parts = {
        "networks": _networks(KEPT.read()),
        "variants": _variants(VARIANTS.read()),
        "throughput": _throughput(THROUGHPUT.read()),
        "latency": _latency(LATENCY.read(), KEPT.read()),
        "stalls": _stalls(STALLS.read()),
        "waits": _waits(WAITS.read()),
        **reference(),
    }
    return fill(text, parts | _verilog(VERILOG_RUN.read()) | _long(LONG_RUN.read()))


def _networks(rows: Sequence[Row]) -> str:
    heads = ["network", "fabric", " nodes", " width", "source numbers", " LUT a node", " FF a node"]
    heads += (" MHz", " words a cycle", " words by source, least / most")
    heads += (" M words a second per LUT", " inject to last eject, ns")
    lines = []
    for kept in rows:
        nodes, mhz = int(kept["nodes"]), float(kept["mhz"])
        older = "" if kept["now"] == kept["verilog"] else " \\*"
        lut = int(kept["lut"]) / nodes
        lines.append(
            [
                *(kept["network"] + older, kept["fabric"], nodes, kept["width"]),
                *(kept["source_numbers"], f"{lut:.0f}", f"{int(kept['ff']) / nodes:.0f}"),
                *(_clock(kept), kept["deliveries"], f"{kept['least']} / {kept['most']}"),
                f"{mhz * float(kept['deliveries']) / lut:.2f}",
                f"{1000 * float(kept['cycles']) / mhz:.0f}",
            ]
        )
    tools = sorted({tool for kept in rows for tool in kept["tools"].split("; ")})
    note = OLDER if any(kept["now"] != kept["verilog"] for kept in rows) else ""
    return f"{markdown(heads, lines)}\n{note}Tools: {', '.join(tools)}."


def _clock(kept: Row) -> str:
    if kept["seeds"] == "1":
        return f"{kept['mhz']}, one seed"
    return f"{kept['mhz']} ({kept['mhz_least']}–{kept['mhz_greatest']})"


def _variants(rows: Sequence[Row]) -> str:
    heads = [" children", " slots", "weights", " LUT an end", " FF an end", " MHz"]
    heads += (" words by source, least / most", " M words a second per LUT")
    heads += (" inject to last eject, ns",)
    lines = []
    for kept in rows:
        ends, mhz = int(kept["nodes"]), float(kept["mhz"])
        lut = int(kept["lut"]) / ends
        lines.append(
            [
                *(kept["children"], kept["slots"], kept["weighted"], f"{lut:.0f}"),
                *(f"{int(kept['ff']) / ends:.0f}", _clock(kept)),
                *(f"{kept['least']} / {kept['most']}", f"{mhz / lut:.2f}"),
                f"{1000 * float(kept['cycles']) / mhz:.0f}",
            ]
        )
    return markdown(heads, lines)


def _throughput(rows: Sequence[Row]) -> str:
    heads = ["network", "fabric", " nodes", " words a cycle"]
    heads += (" words by source, least / most", " in cycles", " longest wait, words", " bound")
    return markdown(
        heads,
        [
            [
                *(kept["network"], kept["fabric"], kept["nodes"], kept["deliveries"]),
                *(f"{kept['least']} / {kept['most']}", kept["cycles"]),
                *(kept["waited"], kept["bound"]),
            ]
            for spec in dict.fromkeys(kept["network"] for kept in rows)
            for kept in rows
            if kept["network"] == spec
        ],
    )


def _clocks(measured: Sequence[Row]) -> dict[tuple[str, str], float]:
    """MHz by fabric and network, of words of 32 bits without the numbers of their senders."""
    return {
        (kept["fabric"], kept["network"]): float(kept["mhz"])
        for kept in measured
        if (kept["width"], kept["source_numbers"]) == ("32", "no")
    }


def _latency(rows: Sequence[Row], measured: Sequence[Row]) -> str:
    heads = ["network", "fabric", "", *(f" {load:.2f}" for load in LOADS)]
    clocks, lines = _clocks(measured), []
    for spec, fabric in dict.fromkeys((kept["network"], kept["fabric"]) for kept in rows):
        own = [kept for kept in rows if (kept["network"], kept["fabric"]) == (spec, fabric)]
        lines.append([spec, fabric, "cycles", *(_pair(kept, 1) for kept in own)])
        if clock := clocks.get((fabric, spec)):
            lines.append([spec, fabric, "ns", *(_pair(kept, 1000 / clock) for kept in own)])
    return markdown(heads, lines)


def _pair(kept: Row, unit: float) -> str:
    if not kept["mean"]:
        return ""
    mean, p99 = float(kept["mean"]) * unit, int(kept["p99"]) * unit
    return f"{mean:.1f}, {p99:.0f}" if unit == 1 else f"{mean:.0f}, {p99:.0f}"


def _stalls(rows: Sequence[Row]) -> str:
    queues = list(dict.fromkeys(kept["queue"] for kept in rows))
    carried = {(kept["network"], kept["queue"]): kept["deliveries"] for kept in rows}
    return markdown(
        ["network", *(f" queue {queue}" for queue in queues)],
        [
            [spec, *(carried.get((spec, queue), "") for queue in queues)]
            for spec in dict.fromkeys(kept["network"] for kept in rows)
        ],
    )


def _waits(rows: Sequence[Row]) -> str:
    heads = ("network", " steps", " longest wait found, words", " its bound", " share")
    return markdown(
        heads,
        [
            [
                *(kept["network"], kept["steps"], kept["waited"], kept["bound"]),
                f"{int(kept['waited']) / int(kept['bound']):.0%}",
            ]
            for kept in rows
        ],
    )


def _verilog(rows: Sequence[Row]) -> dict[str, str]:
    """What was compared of the Verilog."""
    cycles = sum(int(kept["nodes"]) * int(kept["cycles"]) for kept in rows)
    events, wrong = (sum(int(kept[name]) for kept in rows) for name in ("events", "mismatches"))
    compared = f"{cycles:,} router-cycles of the Verilog of {len(rows)}"
    return {"compared": compared, "events": f"{events:,}", "wrong": str(wrong or "none")}


def _long(rows: Sequence[Row]) -> dict[str, str]:
    """What was sent in the model."""
    counted = [(int(kept["nodes"]), int(kept["cycles"]), int(kept["passed"])) for kept in rows]
    total = sum(nodes * cycles for nodes, cycles, _ in counted)
    networks = len({kept["network"] for kept in rows})
    return {
        "simulated": f"{total:,} router-cycles of the cycle model on {networks}",
        "passed": f"{sum(passed for _, _, passed in counted):,}",
        "delivered": f"{sum(nodes * passed for nodes, _, passed in counted):,}",
    }


#: Colours that are told apart in print, too.
STYLES = {"ordered": ("#1b6ca8", "-"), "plain tree": ("#7a7a7a", "--"), "direct": ("#c0392b", ":")}


def draw() -> None:
    """Curves of latency against load, in cycles and in nanoseconds."""
    rows, clocks = LATENCY.read(), _clocks(KEPT.read())
    for spec in dict.fromkeys(kept["network"] for kept in rows):
        own = [kept for kept in rows if kept["network"] == spec and kept["mean"]]
        _figure(spec, own, clocks, FOLDER / f"latency_{spec.replace(':', '_')}.svg")


def _figure(
    spec: str, rows: Sequence[Row], clocks: dict[tuple[str, str], float], path: Path
) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.6), layout="constrained")
    for axis, unit in zip(figure.subplots(1, 2), ("cycles", "ns"), strict=True):
        for fabric, (colour, line) in STYLES.items():
            clock = clocks.get((fabric, spec))
            if unit == "ns" and clock is None:
                continue
            scale = 1000 / clock if unit == "ns" and clock else 1.0
            own = [kept for kept in rows if kept["fabric"] == fabric and kept["load"] != "1.00"]
            loads = [float(kept["load"]) for kept in own]
            named: dict[str, Any] = {"color": colour, "linestyle": line}
            axis.plot(loads, [scale * float(k["mean"]) for k in own], label=fabric, **named)
            axis.plot(loads, [scale * float(k["p99"]) for k in own], linewidth=0.8, **named)
        axis.set(xlabel="load", ylabel=unit, yscale="log", xlim=(0, 1), title=f"{spec}, {unit}")
        axis.grid(visible=True, alpha=0.3)
        if axis.lines:
            axis.legend(title="mean, and 99 % (thin)", fontsize="small", title_fontsize="small")
    # A fixed salt and no date: the same figures give the same bytes.
    settings: Any = {"svg.hashsalt": "noc", "svg.fonttype": "none"}
    fresh = path.with_name(f".{path.name}")
    with mpl.rc_context(settings):
        figure.savefig(fresh, format="svg", metadata={"Date": None})
    fresh.replace(path)


def main() -> int:
    """Bring a part up to date, and the page."""
    # Networks from files are named by their paths from there.
    os.chdir(ROOT)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    names = ("networks", "variants", *PARTS, "long-run", "verilog-run", "page")
    parser.add_argument("part", metavar="PART", choices=names, help=", ".join(names))
    parser.add_argument("word", metavar="WORD", nargs="*", help="of networks: star:4, ordered, …")
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"of networks (default: {SEEDS})")
    asked = parser.parse_args()
    if asked.part == "networks":
        refresh(asked.word, asked.seeds)
    elif asked.part == "variants":
        variants()
    elif asked.part == "long-run":
        long_run()
    elif asked.part == "verilog-run":
        verilog_run()
    elif asked.part in PARTS:
        PARTS[asked.part]()
    if asked.part in ("networks", "page"):
        mark_today()
    draw()
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
