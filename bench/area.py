"""Area and clock of all families and sizes, as Markdown: python bench/area.py [PART …].

Brings docs/area.md up to date. The figures are kept in docs/area.json, and a case is measured
again only if the Verilog of its routers, a tool or what the tools are told has changed since, so
that the first run takes hours and the next one seconds. PART names what to measure: a kind of case
(router, network), a target, a network; all must hold. Without PART every case is. The commit is
noted with each case: what is measured in a changed work tree is printed (--print) and not kept.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from results import Results, add_print, designed, noc, origin, row, vcs_of

from noc.design import AnyDesign
from noc.emit.module import Module, Port
from noc.emit.verilog import modules
from noc.networks import build_network
from noc.synth import FAMILIES, Family, Mode, Netlist, Target, target
from noc.synth.io_registers import PINS, with_io_registers
from noc.synth.measure import JUDGED, JUDGING
from noc.synth.netlist import cost, guessed_ps, recipes, script
from noc.synth.nextpnr import options

#: The packages whose versions decide the figures.
PACKAGES = ("amaranth", "pyosys", "yowasp-nextpnr-{}")

#: What noc synth says where a chip has too little; what else it refuses is no result.
DOES_NOT_FIT = re.compile(r" needs \d+ [\w -]+ where \S+ has \d+")


@dataclass(frozen=True)
class Case:
    """One call of noc synth."""

    kind: str
    spec: str
    algorithm: str
    sources: str
    width: int
    target: str
    mapping: str = "best"
    ports: str = "all"
    link_registers: int = 0
    rom: str = "logic"

    @property
    def seeds(self) -> int:
        """How many runs of place and route: as many as a minute or an hour allows."""
        if self.kind == "router":
            return 5
        return 3 if self.spec in SMALL else 1

    @property
    def key(self) -> str:
        """Its name among the kept results."""
        parts = (self.kind, self.spec, self.algorithm, self.ports, self.sources, str(self.width))
        form = [f"hop-{1 + self.link_registers}"] if self.link_registers else []
        form += [] if self.rom == "logic" else [self.rom]
        return " ".join([*parts, self.target, self.mapping, *form])

    @property
    def design(self) -> list[str]:
        """The arguments that describe the network."""
        return [
            *(self.spec, "--fabric", "direct", "--algorithm", self.algorithm),
            *("--ports", self.ports, "--sources", self.sources, "--width", str(self.width)),
            *("--link-registers", str(self.link_registers), "--rom", self.rom),
        ]

    @property
    def arguments(self) -> list[str]:
        """What noc synth is called with."""
        router = ["--router"] if self.kind == "router" else []
        return [*self.design, *router, "--target", self.target, "--mapping", self.mapping]


ROUTERS = (
    ("star:4", "balanced"),
    ("star:5", "balanced"),
    ("star:6", "balanced"),
    ("incomplete-star:5,3", "balanced"),
    ("nk-star:5,2", "shortest"),
    ("arrangement:5,2", "shortest"),
    ("scc:4", "shortest"),
    ("scc:5", "shortest"),
    ("uhc:6", "bt2"),
    ("uhc:8", "bt2"),
    ("hypercube:6", "shortest"),
    ("ccc:4", "shortest"),
)

#: Those of which all mappings are shown, and what is left when the table is no logic.
COMPARED = (("star:5", "balanced"), ("scc:5", "shortest"), ("uhc:8", "bt2"))

NETWORKS = (
    ("star:3", "balanced", 32),
    ("star:4", "balanced", 32),
    ("uhc:6", "bt2", 32),
    ("scc:4", "shortest", 32),
    ("star:5", "balanced", 32),
    ("uhc:8", "bt2", 32),
    ("uhc:8", "bt2", 16),
    ("scc:5", "shortest", 8),
)

#: Those that are placed and routed in a minute.
SMALL = ("star:3", "star:4")

#: Those that nextpnr does not route today: no refusal, it goes on until it is stopped. Of the
#: narrower one a row is kept that was routed with other routers.
NOT_ROUTED = tuple(Case("network", "uhc:8", "bt2", "one", width, "ecp5") for width in (32, 16))

#: Those that are measured with registers on their links as well.
REGISTERED = (
    ("star:4", "balanced"),
    ("uhc:6", "bt2"),
    ("scc:4", "shortest"),
    ("star:5", "balanced"),
)


def cases() -> list[Case]:
    """All of them, the quick ones first."""
    both = ("one", "all")
    routers = [
        Case("router", *chosen, sources, 32, target)
        for target in FAMILIES
        for chosen in ROUTERS
        for sources in both
    ]
    routers += [
        Case("router", *chosen, sources, 32, "ecp5", mapping)
        for mapping in ("plain", "small", "fast")
        for chosen in COMPARED
        for sources in both
    ]
    routers += [
        Case("router", *chosen, sources, 32, "ecp5", rom="block")
        for chosen in COMPARED
        for sources in both
    ]
    # The routers of the networks below that are not among those above.
    routers += [
        Case("router", spec, algorithm, sources, width, "ecp5")
        for spec, algorithm, width in NETWORKS
        for sources in both
        if (spec, algorithm) not in ROUTERS or width != 32
    ]
    networks = [
        Case("network", spec, algorithm, sources, width, "ecp5")
        for spec, algorithm, width in NETWORKS
        for sources in both
    ]
    registered = [
        Case(kind, spec, algorithm, "one", 32, "ecp5", link_registers=1)
        for kind in ("router", "network")
        for spec, algorithm in REGISTERED
    ]
    return routers + networks + registered


def decided_by(
    design: AnyDesign, chosen: Target, mapping: Mode, seeds: int, *, router: bool
) -> Iterator[str]:
    """What decides the figures: the Verilog, all that the tools are told, the tools."""
    top, *routers = (module.text for module in modules(design))
    yield from routers
    if not router:
        yield top
    yield from _told_yosys(chosen.family, mapping)
    for cells in (0, *(more_than + 1 for more_than, _ in chosen.family.ways)):
        yield " ".join(options(chosen, cells=cells, seed=seeds))
    yield repr((chosen.device.sites, chosen.device.room, chosen.family.ways or None))
    yield from (version(package.format(chosen.family.name)) for package in PACKAGES)


def _told_yosys(family: Family, mapping: Mode) -> Iterator[str]:
    """What it is told of a router and of the registers around one, and how a way is chosen."""
    here, cells = Path(), dict.fromkeys(family.luts, 7)
    router = Netlist("router", family, mapping, here, cells, {}, cells, "", logic_ps=1000)
    for recipe in recipes(family, mapping):
        yield from script([Module("router", "")], family, recipe, here, (), None)
    link = Port("link", output=True, bits=2), Port("back", output=False, bits=1)
    around = with_io_registers(router.name, link)
    yield around.text
    yield from script([around], family, recipes(family, "plain")[0], here, [router], PINS)
    yield repr((router.area, family.ffs, family.brams, family.lutrams))
    yield repr(cost(router, 2000, mapping))
    if mapping in ("fast", "best"):
        yield repr((JUDGED, JUDGING, guessed_ps(router)))


def measure(case: Case) -> dict[str, Any]:
    """Run noc synth."""
    result = noc("synth", *case.arguments, "--seeds", str(case.seeds), refusal=DOES_NOT_FIT)
    print(case.key, result.get("lut"), result.get("fmax_mhz"), file=sys.stderr, flush=True)
    return result


def heading(name: str) -> str:
    """The heading of a family."""
    chosen = target(name)
    grade = f", speed grade {chosen.speed}" if len(chosen.device.speeds) > 1 else ""
    return f"{chosen.family.title.removeprefix('Lattice ')} ({chosen.device.name}{grade})"


#: By the mapping and where the table is.
SECTIONS = {
    ("best", "logic"): "best",
    ("plain", "logic"): "plain",
    ("small", "logic"): "small",
    ("fast", "logic"): "fast",
    ("best", "block"): "best, ROM in block RAM",
}

BEGINNING = """\
# Area and clock

This page lists the area and the clock of routers and whole networks of the direct fabric, after
place and route. [performance.md](performance.md) has whole networks of the ordered fabric.
`python bench/area.py` makes the tables with `noc synth`.

**Columns.** *Sources* are one at a time or all at the same time. *Cycles a hop* are 2 with
registers in the links (`--link-registers 1`). *VCs* are [virtual channels](vcs.md). *Router
modules* are the different routers in a network. *Hop* is the time of one hop at the median clock.

**Area** is that of the router alone, or of all routers of a network, in the same netlist whose
clock is measured. LUT counts four-input tables: on ECP5 LUT4 + 2·CCU2C + 6·TRELLIS_DPR16X4, on
Nexus LUT4 + INV + 2·WIDEFN9 + 2·CCU2 + 6·DPR16X4, on iCE40 SB_LUT4. A router is mapped by itself
and remains unchanged in everything that is built around it. If the routers of a network differ, the
table shows the one that is largest when mapped with `--mapping plain`, which `noc synth` chooses;
with another mapping a different router can be larger.

**Clock.** Every port has a register outside the router or network, so the timing includes the paths
to and from the port. These registers are placed and routed with the rest and are not counted. Their
far ends are unconnected, because a network has far more ports than any chip has pins. The reset
comes from a pin and is not timed. MHz is the median over the seeds of place and route, with the
least and the greatest.

**Networks.** In a network a word passes the logic of two routers in one cycle, and the wires are as
long as the network makes them. The last table shows which share of a router's own clock remains.
With registers in the links, which one source at a time allows, the clock rises by these factors:
{gains}.

Networks of more than 3,000 cells are placed with nextpnr's placer `static`, which spreads the
cells. Networks of more than 50,000 cells, the outer registers included, are routed with nextpnr's
`router2`, because its other router does not finish within hours. For star:4, which both can route,
`router2` lowered the clock by a third (74 instead of 114 MHz, with an earlier version of our
routers). The seconds in the last table were measured on a machine with other work; those of the
mapping include the placements and routings that choose a netlist.

**uhc:8 at width 32 does not route.** With an earlier version of our routers, of 196 LUT each and
50,176 LUT in all, the cells fit, but the network needs more than half of the chip's wires of every
length. `router2` did not finish:

| options of nextpnr | wires shared by two nets, of 1.2 million |
|---|---|
| as `noc synth` uses them | 62,000 after six rounds, as many as after the fifth |
| `--router2-alt-weights` | 61,000 after seven rounds |
| `--no-tmdriv` | 50,000 after four rounds, then more again |
| both | 43,500 after seven rounds of three minutes, only 1,000 fewer in the last |

At width 16 with one source, today's routers of 123 LUT do not route either: 32,000 wires are still
shared after 24 rounds. The row in the table is of earlier routers of 141 LUT. (These figures, and
the 74 MHz, are from nextpnr run by hand, otherwise with the options of `noc synth`. No command
reproduces them.)

**Mapping.** `plain` is Yosys' own mapping with four-input tables only (`-nowidelut`). The other
mappings make several netlists with different optimisations in ABC, none of which is best for every
router, and keep one of them:

- `small`: the netlist with the fewest LUTs.
- `fast`: the one with the shortest critical path.
- `best`, the default: the one with the least product of both.

For `fast` and `best` the netlists are placed and routed with seeds that do not count in the
figures; the better half stays for the next round, with one more seed. If a network has more than
four different routers, the critical path is estimated instead. Netlists with multiplexers behind
the four-input tables are made for ECP5 only, and only with a relaxed target delay: when ABC
optimises for the shortest delay they double the area.

**ROM.** With its ROM in a block RAM (`--rom block`), a router has no logic for its table. With one
VC it is smaller for that, with several VCs hardly or not at all, because it then needs more LUT
RAM. The slow block RAM becomes part of the critical path.
"""


def page(kept: dict[str, Any]) -> str:
    """The whole page."""
    lines = [BEGINNING.format(gains=_gains(kept))]
    for name in FAMILIES:
        for (mapping, rom), title in SECTIONS.items():
            rows = [
                (case, kept[case.key])
                for case in cases()
                if (case.kind, case.target) == ("router", name)
                and (case.mapping, case.rom) == (mapping, rom)
                and "lut" in kept.get(case.key, {})
            ]
            if rows:
                lines += [f"## One router, {heading(name)}, {title}", "", *_routers(rows), ""]
    shown = [case for case in cases() if case.key in kept or case in NOT_ROUTED]
    networks = [case for case in shown if case.kind == "network"]
    if networks:
        lines += [f"## Whole networks, {heading('ecp5')}", "", *_networks(networks, kept), ""]
        older = [case for case in networks if _is_older(case, kept)]
        if older:
            smaller = "Measured with earlier routers than those above, which are smaller"
            lines += [f"{smaller}: {_named(older)}.", ""]
    wanted = [case.key for case in cases() if case not in NOT_ROUTED]
    lines.append(f"{sum(key in kept for key in wanted)} of {len(wanted)} cases are measured. ")
    lines[-1] += origin(entry for entry in kept.values() if "lut" in entry)
    return "\n".join(lines)


def _is_older(case: Case, kept: dict[str, Any]) -> bool:
    """Whether a network with one kind of router was measured with another one than is shown."""
    result, router = kept.get(case.key, {}), kept.get(replace(case, kind="router").key, {})
    if "lut" not in result or router.get("router_modules") != 1:
        return False
    return bool(result["lut"] != result["nodes"] * router["lut"])


def _named(older: list[Case]) -> str:
    """Networks by what tells their rows apart."""
    form = {0: "", 1: " with two cycles a hop"}
    return ", ".join(
        f"{case.spec} {case.sources} at width {case.width}{form[case.link_registers]}"
        for case in older
    )


def _gains(kept: dict[str, Any]) -> str:
    """How many times the clock of a network grows with registers on its links."""
    gains = []
    for spec, algorithm in REGISTERED:
        plain = Case("network", spec, algorithm, "one", 32, "ecp5")
        pair = [kept.get(case.key, {}) for case in (plain, replace(plain, link_registers=1))]
        without, registered = (result.get("fmax_mhz") for result in pair)
        if without and registered:
            gains.append(f"{spec} {registered / without:.2f}")
    return ", ".join(gains)


def _head(*names: str) -> list[str]:
    # Names of columns of numbers begin with a blank.
    rule = ["---:" if name.startswith(" ") else "---" for name in names]
    return [row([name.strip() for name in names]), f"|{'|'.join(rule)}|"]


def _clock(result: dict[str, Any]) -> str:
    if len(result["seeds"]) == 1:
        return f"{result['fmax_mhz']:.1f}"
    return f"{result['fmax_mhz']:.1f} ({result['fmax_least']:.1f}–{result['fmax_greatest']:.1f})"


def _routers(rows: list[tuple[Case, dict[str, Any]]]) -> list[str]:
    lines = _head(
        *("network", "algorithm", "sources", " width", " cycles a hop", " VCs", " router modules"),
        *(" LUT", " FF"),
        *(" LUT RAM", " block RAM", " MHz", " hop, ns"),
    )
    for case, result in rows:
        area = [result[name] for name in ("lut", "ff", "lutram", "bram")]
        kinds = result["router_modules"]
        entries = [case.spec, case.algorithm, case.sources, case.width, 1 + case.link_registers]
        entries += [vcs_of(result), kinds]
        lines.append(row([*entries, *area, _clock(result), f"{result['hop_ns']:.1f}"]))
    return lines


def _networks(chosen: list[Case], kept: dict[str, Any]) -> list[str]:
    lines = _head(
        *("network", "algorithm", "sources", " nodes", " width", " cycles a hop", " LUT", " FF"),
        " router, MHz",
        *(" network, MHz", " hop, ns", " share of the router's clock"),
        *(" wires in the critical path", " mapping, s", " place and route, s"),
    )
    for case in chosen:
        result = kept.get(case.key, {})
        router = kept.get(replace(case, kind="router").key, {})
        begin = [
            case.spec,
            case.algorithm,
            case.sources,
            build_network(case.spec).nodes,
            case.width,
        ]
        begin += [1 + case.link_registers]
        if "lut" not in result:
            reason = "not routed" if case in NOT_ROUTED else "does not fit"
            lines.append(row([*begin, reason, *[""] * 8]))
            continue
        alone = router.get("fmax_mhz")
        slowest = max(result["seeds"], key=lambda run: float(run["path_ns"]))
        lines.append(
            row(
                [
                    *(*begin, result["lut"], result["ff"], f"{alone:.1f}" if alone else ""),
                    *(_clock(result), f"{result['hop_ns']:.1f}"),
                    f"{result['fmax_mhz'] / alone:.0%}" if alone else "",
                    f"{slowest['wire_ns']:.1f} ns ({slowest['wire_ns'] / slowest['path_ns']:.0%})",
                    round(result["synthesis_seconds"]),
                    round(sum(run["seconds"] for run in result["seeds"]) / len(result["seeds"])),
                ]
            )
        )
    return lines


def main() -> None:
    """Measure what has changed, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("part", metavar="PART", nargs="*", help="router, network, ecp5, star:5, …")
    parser.add_argument("--table", action="store_true", help="measure nothing, write the table")
    add_print(parser)
    asked = parser.parse_args()
    keys = [case.key for case in cases()]
    results = Results("area", keys, page, only_print=asked.only_print)
    for case in [] if asked.table else cases():
        if set(asked.part) <= set(case.key.split()) and case not in NOT_ROUTED:
            chosen, mapping = target(case.target), cast(Mode, case.mapping)
            router = case.kind == "router"
            decisive = decided_by(designed(case.design), chosen, mapping, case.seeds, router=router)
            results.update(case.key, decisive, partial(measure, case))
    results.write_page()


if __name__ == "__main__":
    main()
