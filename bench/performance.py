"""The ordered fabric beside a plain tree and the direct fabric: python bench/performance.py PART.

PART is networks, variants, throughput, latency, stalls, waits, long-run, verilog-run or page. Each
part keeps its figures in docs/performance/ and writes docs/performance.md again; page only does the
latter. After networks follow words that rows must have (a network, a fabric, no-source-numbers); a
row is measured again only if the Verilog of its network has changed since.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loads import LATENCY, LOADS, PARTS, STALLS, THROUGHPUT, WAITS
from long_run import LONG_RUN, long_run
from networks import KEPT, SEEDS, VARIANTS, mark_today, read_measured, refresh, variants
from results import ROOT
from tables import FOLDER, Row, markdown
from verilog_run import VERILOG_RUN, verilog_run

__all__ = ["page"]

PAGE = ROOT / "docs" / "performance.md"

BEGINNING = """\
# The ordered fabric beside a plain tree

This page compares the [ordered fabric](ordered.md) with a plain tree of arbiters and forks, and in
part with the direct fabric: area, clock, throughput, fairness and latency. Then it shows how much
was simulated to find errors. Each section begins with the command that makes its figures; the
figures are also kept as CSV files in [performance/](performance).

The **plain tree**, which the README calls arbiter tree, is what an engineer would build first: a
balanced fan-in of round-robin arbiters with three inputs, and a fan-out of forks with three outputs
behind buffers of two slots. It connects as many ends as the network has nodes; the networks in its
rows only say how many. It consists of the ordered fabric's own buffers, arbiters, forks and leaves
(`bench/baseline.py`), carries the same words, and goes through the same synthesis, place and route.
"""

AREA = """\
## Area and clock of whole networks

`python bench/performance.py networks`: figures after place and route on ECP5 LFE5U-85F, speed grade
6, with a register outside each port, counted as in [area.md](area.md).

- **Source numbers** says whether a word carries the number of the node that sent it
  (`--source-numbers`). Without them a node gets its own words back.
- **LUT** and **FF a node** are those of the whole network, divided by its nodes.
- **MHz** is the median of three seeds of place and route, with the least and the greatest.
- **Words a cycle** are the words that reach all nodes in a cycle, with every node always sending,
  in the cycle model. The limit is 1.
- **Words by source** are the least and the most that a source gets through in 100,000 cycles of
  that run.
- **Words a second per LUT** are the words that all nodes together receive in a second, divided by
  the LUTs of the whole network.
- **Inject to last eject** is the time of a word in an empty network, from its acceptance to the
  last receiver, as a mean over the sources.
"""

OLDER = "\\* measured before the last change of its Verilog.\n"

VARIANTS_TEXT = """\
**Variants of the plain tree.** `python bench/performance.py variants` shows why this plain tree was
chosen: the first row is the plain tree of the comparison, and carries the most words per LUT. All
have 24 ends and 32 bits and are mapped with `--mapping plain`, so that the first row differs from
the one above. A hub of the tree has the given number of children: a chain of arbiters with two
inputs, and one fork. Slots are those of the buffers between the arbiters of a hub. Arbiters with
weights would serve each input in proportion to the number of ends behind it.
"""

THROUGHPUT_TEXT = """\
## Throughput and fairness

`python bench/performance.py throughput`, from the cycle models: every node always sends. The limit
is one word a cycle, which all other nodes receive. The longest wait of a word is the number of
words that pass the root from its offer to its own passing; the table shows it for the source that
came nearest to its bound, which [ordered.md](ordered.md#what-follows) explains. In the direct
fabric waits have no bound and sources starve: see [throughput.md](throughput.md).
"""

LATENCY_TEXT = """\
## Latency against load

`python bench/performance.py latency`, from the cycle models: words arrive at all sources at random
times and wait there. A load of 1 is one word a cycle from all sources together, the most that a
network with one root can carry. Each entry is the latency from the arrival of a word to its last
eject, as a mean and as the 99th percentile, in cycles and, where the clock without source numbers
was measured above, in nanoseconds. An entry is blank where the network does not carry the load, so
that latency grows without limit. At a load of 1.00 it grows in every network; the figure then only
shows how long the run was.

![star:4](performance/latency_star_4.svg)
![star:5](performance/latency_star_5.svg)
"""

STALLS_TEXT = """\
## Sinks that stall

`python bench/performance.py stalls`: every node always sends. Each sink stalls for 1 to 40 cycles
at a time, 29 % of all cycles, independently of the others, so no network can carry more than 0.71
words a cycle. The table shows the words a cycle for several lengths of the queues at the sinks
(`--queue`). Every node takes every word: without a queue, one sink that stalls soon stops all
nodes.
"""

WAITS_TEXT = """\
## Longest waits

`python bench/performance.py waits`: a search for the traffic that makes a word wait longest for the
root. It changes the traffic and the stalls of the sinks at random, step by step, and keeps a change
unless the longest wait, as a share of its source's bound, becomes shorter. On each of these
networks some word waits as long as its bound allows, and none longer.
"""

VERILOG_TEXT = """\
## The Verilog equals the model

`python bench/performance.py verilog-run`: {cycles} router-cycles (nodes times cycles) of the
Verilog of {networks} networks, at least one of each family, each in one of four configurations:
plain, with queues, with link registers, and with own words returned. All sources always send. Sinks
are always ready, ready half of the time, stall in bursts, or stall in turn. Each of {events}
transfers at inject, on every link and at eject was compared with the cycle model: {wrong} differs.
"""

LONG_TEXT = """\
## No word lost, duplicated or reordered

`python bench/performance.py long-run`: {total:,} router-cycles of the cycle model on {networks}
networks, at least one of each family. The loads are 0.30, 0.90 and all sources always sending;
sinks are always ready or stall as above; the configurations are the four of the next section. In
every cycle, each word that passes the root must be the next one of its source, and each word that a
sink takes must be the next one in the order of the root. {passed:,} words passed their roots and
{delivered:,} were delivered: none was lost, duplicated or reordered.
"""


def page() -> str:
    """The whole page, from what is kept."""
    parts = [BEGINNING, AREA + "\n" + _networks(KEPT.read())]
    if tried := VARIANTS.read():
        parts.append(VARIANTS_TEXT + "\n" + _variants(tried))
    parts.append(THROUGHPUT_TEXT + "\n" + _throughput(THROUGHPUT.read()))
    parts.append(LATENCY_TEXT + "\n" + _latency(LATENCY.read(), KEPT.read()))
    parts.append(STALLS_TEXT + "\n" + _stalls(STALLS.read()))
    parts.append(WAITS_TEXT + "\n" + _waits(WAITS.read()))
    parts.append(_long(LONG_RUN.read()))
    if compared := VERILOG_RUN.read():
        parts.append(_verilog(compared))
    return "\n".join(parts)


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
    return f"{markdown(heads, lines)}\n{note}Tools: {', '.join(tools)}.\n"


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


def _verilog(rows: Sequence[Row]) -> str:
    """What was compared of the Verilog."""
    cycles = sum(int(kept["nodes"]) * int(kept["cycles"]) for kept in rows)
    events, wrong = (sum(int(kept[name]) for kept in rows) for name in ("events", "mismatches"))
    return VERILOG_TEXT.format(
        cycles=f"{cycles:,}", networks=len(rows), events=f"{events:,}", wrong=wrong or "none"
    )


def _long(rows: Sequence[Row]) -> str:
    counted = [(int(kept["nodes"]), int(kept["cycles"]), int(kept["passed"])) for kept in rows]
    return LONG_TEXT.format(
        total=sum(nodes * cycles for nodes, cycles, _ in counted),
        networks=len({kept["network"] for kept in rows}),
        passed=sum(passed for _, _, passed in counted),
        delivered=sum(nodes * passed for nodes, _, passed in counted),
    )


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
    parser.add_argument(
        "--read",
        metavar="FILE",
        type=Path,
        nargs="+",
        default=[],
        help="of networks: measure nothing, keep what 'noc synth --seeds 3 --json' printed today",
    )
    asked = parser.parse_args()
    if asked.part == "networks":
        for path in asked.read:
            read_measured(path)
        if not asked.read:
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
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
