"""Area and clock of the direct fabric's routers and networks: python bench/area.py [WORD …].

Brings the tables of docs/area.md up to date; the figures are kept in docs/performance/area.csv. A
case is measured again only if its Verilog has changed since, so that the first run takes hours and
the next one seconds. WORD names what to measure: a kind of case (router, network), a target, a
network; all must hold. Without WORD every case is.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Literal

from networks import digest, measure_design
from tables import ROOT, Row, Table, fill, markdown

from noc.design import AnyDesign, Sources, build_direct
from noc.errors import InputError
from noc.networks import build_network
from noc.programs.config import RouterConfig
from noc.synth import FAMILIES, Mode, target

PAGE = ROOT / "docs" / "area.md"

#: What is said where a chip has too little; what else is refused is no result.
DOES_NOT_FIT = re.compile(r" needs \d+ [\w -]+ where \S+ has \d+")

AREA = Table(
    "area",
    (
        *("kind", "network", "algorithm", "sources", "width"),
        *("target", "mapping", "hop_cycles", "rom"),
    ),
    (
        *("nodes", "vcs", "router_modules", "lut", "ff", "lutram", "bram"),
        *("mhz", "mhz_least", "mhz_greatest", "seeds", "hop_ns", "path_ns", "wire_ns"),
        *("synthesis_s", "route_s", "verilog", "commit", "tools"),
    ),
)


@dataclass(frozen=True)
class Case:
    """A router or a network to measure."""

    kind: str
    network: str
    algorithm: str
    sources: Sources
    width: int
    target: str = "ecp5"
    mapping: Mode = "best"
    hop_cycles: int = 1
    rom: Literal["logic", "block"] = "logic"

    @property
    def seeds(self) -> int:
        """How many runs of place and route: as many as a minute or an hour allows."""
        if self.kind == "router":
            return 5
        return 3 if self.network in SMALL else 1

    @property
    def named(self) -> dict[str, str]:
        """What names its row."""
        return {name: str(value) for name, value in asdict(self).items()}

    def build(self) -> AnyDesign:
        """The design."""
        config = RouterConfig(1 if self.hop_cycles == 2 else 0, self.rom)
        net, sources = build_network(self.network), self.sources
        return build_direct(net, self.algorithm, sources=sources, width=self.width, config=config)


ROUTERS = (
    *(("star:4", "balanced"), ("star:5", "balanced"), ("star:6", "balanced")),
    *(("incomplete-star:5,3", "balanced"), ("nk-star:5,2", "shortest")),
    *(("arrangement:5,2", "shortest"), ("scc:4", "shortest"), ("scc:5", "shortest")),
    *(("uhc:6", "bt2"), ("uhc:8", "bt2"), ("hypercube:6", "shortest"), ("ccc:4", "shortest")),
)

#: Those that are also mapped plainly, and measured with their tables in block RAM.
COMPARED = (("star:5", "balanced"), ("scc:5", "shortest"), ("uhc:8", "bt2"))

NETWORKS = (
    *(("star:3", "balanced", 32), ("star:4", "balanced", 32), ("uhc:6", "bt2", 32)),
    *(("scc:4", "shortest", 32), ("star:5", "balanced", 32), ("uhc:8", "bt2", 32)),
    *(("uhc:8", "bt2", 16), ("scc:5", "shortest", 8)),
)

#: Those that are placed and routed in a minute.
SMALL = ("star:3", "star:4")

#: Those that nextpnr does not route today: no refusal, it goes on until it is stopped. Of the
#: narrower one a row is kept that was routed with other routers.
NOT_ROUTED = tuple(Case("network", "uhc:8", "bt2", "one", width) for width in (32, 16))

#: Those that are measured with registers on their links as well.
REGISTERED = (
    ("star:4", "balanced"),
    ("uhc:6", "bt2"),
    ("scc:4", "shortest"),
    ("star:5", "balanced"),
)


def cases() -> list[Case]:
    """All of them, the quick ones first."""
    both: tuple[Sources, ...] = ("one", "all")
    routers = [
        Case("router", *chosen, sources, 32, family)
        for family in FAMILIES
        for chosen in ROUTERS
        for sources in both
    ]
    compared = [Case("router", *chosen, sources, 32) for chosen in COMPARED for sources in both]
    routers += [replace(case, mapping="plain") for case in compared]
    routers += [replace(case, rom="block") for case in compared]
    networks = [
        Case("network", spec, algorithm, sources, width)
        for spec, algorithm, width in NETWORKS
        for sources in both
    ]
    # The routers of these that are not among those above.
    routers += [
        router
        for router in (replace(case, kind="router") for case in networks)
        if router not in routers
    ]
    registered = [
        Case(kind, *chosen, "one", 32, hop_cycles=2)
        for kind in ("router", "network")
        for chosen in REGISTERED
    ]
    return routers + networks + registered


def refresh(words: Sequence[str]) -> None:
    """Measure what is not kept, or was measured of other Verilog."""
    order = [tuple(case.named.values()) for case in cases()]
    for case in cases():
        if not set(words) <= set(case.named.values()) or case in NOT_ROUTED:
            continue
        built_design = case.build()
        mark = digest(built_design)
        kept = AREA.find(**case.named)
        if kept is None or kept["verilog"] != mark:
            row = measure(case, built_design) | {"verilog": mark, "commit": describe_commit()}
            AREA.add([case.named | row], order)
            print(*case.named.values(), row["lut"], row["mhz"], file=sys.stderr, flush=True)


def measure(case: Case, built_design: AnyDesign) -> dict[str, object]:
    """The figures of a case; blank where it does not fit on the chip."""
    try:
        result = measure_design(
            built_design,
            case.seeds,
            chip=case.target,
            router=case.kind == "router",
            mapping=case.mapping,
        )
    except InputError as error:
        if not DOES_NOT_FIT.search(error.message):
            raise
        return dict.fromkeys(AREA.columns, "")
    slowest = max(result["seeds"], key=lambda run: float(run["path_ns"]))
    seconds = sum(run["seconds"] for run in result["seeds"]) / len(result["seeds"])
    same = ("nodes", "vcs", "router_modules", "lut", "ff", "lutram", "bram")
    return {
        **{name: result[name] for name in same},
        "mhz": f"{result['fmax_mhz']:.1f}",
        "mhz_least": f"{result['fmax_least']:.1f}",
        "mhz_greatest": f"{result['fmax_greatest']:.1f}",
        "seeds": len(result["seeds"]),
        "hop_ns": f"{result['hop_ns']:.1f}",
        "path_ns": f"{slowest['path_ns']:.3f}",
        "wire_ns": f"{slowest['wire_ns']:.3f}",
        "synthesis_s": round(result["synthesis_seconds"]),
        "route_s": round(seconds),
        "tools": "; ".join(result["tools"]),
    }


def describe_commit() -> str:
    """The commit of this work tree, marked if it has changed since."""
    command = ("git", "describe", "--always", "--dirty", "--abbrev=10", "--exclude=*")
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def page(text: str) -> str:
    """The page with today's tables."""
    kept = AREA.read()
    wanted = [case for case in cases() if case not in NOT_ROUTED]
    count = sum(AREA.find(**case.named) is not None for case in wanted)
    tools = sorted({tool for row in kept if row["lut"] for tool in row["tools"].split("; ")})
    commits = sorted({row["commit"] for row in kept if row["lut"]})
    return fill(
        text,
        {
            "gains": ", ".join(gains()),
            "routers": "\n" + "".join(show_all_routers(kept)),
            "networks": show_networks(),
            "origin": f"{count} of {len(wanted)} cases are measured. Tools: {', '.join(tools)}. "
            f"Measured at commit {', '.join(commits)}.",
        },
    )


def gains() -> list[str]:
    """How many times the clock of a network grows with registers on its links."""
    result = []
    for spec, algorithm in REGISTERED:
        plain = Case("network", spec, algorithm, "one", 32)
        pair = [AREA.find(**case.named) for case in (plain, replace(plain, hop_cycles=2))]
        without, registered = (float(row["mhz"]) if row else 0.0 for row in pair)
        if without and registered:
            result.append(f"{spec} {registered / without:.2f}")
    return result


def show_all_routers(kept: Sequence[Row]) -> list[str]:
    """A table for each family and mapping."""
    result = []
    for name, family in FAMILIES.items():
        chosen = target(name)
        grade = f", speed grade {chosen.speed}" if len(chosen.device.speeds) > 1 else ""
        chip = f"{family.title.removeprefix('Lattice ')} ({chosen.device.name}{grade})"
        for mapping, rom in (("best", "logic"), ("plain", "logic"), ("best", "block")):
            rows = [
                row
                for row in kept
                if (row["kind"], row["target"], row["mapping"], row["rom"])
                == ("router", name, mapping, rom)
            ]
            block = ", ROM in block RAM" if rom == "block" else ""
            if rows:
                result.append(f"\n## One router, {chip}, {mapping}{block}{show_routers(rows)}")
    return result


def show_clock(row: Row) -> str:
    """The median, with the least and the greatest of several."""
    if row["seeds"] == "1":
        return row["mhz"]
    return f"{row['mhz']} ({row['mhz_least']}–{row['mhz_greatest']})"


def show_routers(rows: Sequence[Row]) -> str:
    """The table of some routers."""
    columns = ["network", "algorithm", "sources", "width", "hop_cycles", "vcs", "router_modules"]
    columns += ["lut", "ff", "lutram", "bram"]
    heads = ["network", "algorithm", "sources", " width", " cycles a hop", " VCs"]
    heads += [" router modules", " LUT", " FF", " LUT RAM", " block RAM", " MHz", " hop, ns"]
    return markdown(
        heads,
        [[*(row[name] for name in columns), show_clock(row), row["hop_ns"]] for row in rows],
    )


def show_networks() -> str:
    """The table of the networks, and which of them had other routers than are shown."""
    heads = ["network", "algorithm", "sources", " nodes", " width", " cycles a hop", " LUT", " FF"]
    heads += [" router, MHz", " network, MHz", " hop, ns", " share of the router's clock"]
    heads += [" wires in the critical path", " mapping, s", " place and route, s"]
    rows: list[list[object]] = []
    older: list[str] = []
    for case in cases():
        row = AREA.find(**case.named)
        if case.kind != "network" or (row is None and case not in NOT_ROUTED):
            continue
        begin: list[object] = [
            case.network,
            case.algorithm,
            case.sources,
            build_network(case.network).nodes,
        ]
        begin += [case.width, case.hop_cycles]
        router = AREA.find(**replace(case, kind="router").named)
        if row is None or router is None or not row["lut"]:
            reason = "not routed" if case in NOT_ROUTED else "does not fit"
            rows.append([*begin, reason, *[""] * 8])
            continue
        path, wire = float(row["path_ns"]), float(row["wire_ns"])
        share = float(row["mhz"]) / float(router["mhz"])
        end = [row["lut"], row["ff"], router["mhz"], show_clock(row), row["hop_ns"]]
        end += [f"{share:.0%}", f"{wire:.1f} ns ({wire / path:.0%})"]
        rows.append([*begin, *end, row["synthesis_s"], row["route_s"]])
        cells = int(row["nodes"]) * int(router["lut"])
        if router["router_modules"] == "1" and int(row["lut"]) != cells:
            hop = " with two cycles a hop" if case.hop_cycles == 2 else ""
            older.append(f"{case.network} {case.sources} at width {case.width}{hop}")
    smaller = "Measured with earlier routers than those above, which are smaller"
    return markdown(heads, rows) + (f"\n{smaller}: {', '.join(older)}.\n" if older else "")


def main() -> None:
    """Measure what has changed, and show it on the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("word", metavar="WORD", nargs="*", help="router, network, ecp5, star:5, …")
    parser.add_argument("--page", action="store_true", help="measure nothing, write the page")
    asked = parser.parse_args()
    if not asked.page:
        refresh(asked.word)
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
