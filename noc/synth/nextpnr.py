"""Place and route, and what its report says."""

import json
import re
import time
from dataclasses import dataclass, replace
from typing import Any

from noc.errors import CheckError, InputError, switch
from noc.synth import tools
from noc.synth.family import Target
from noc.synth.netlist import Netlist

#: No placement and routing takes longer.
_SECONDS = 6 * 3600

#: Asked of every chip, in MHz: more than any network reaches, so that the tool never rests.
_GOAL = 300

#: Where wires are routed once more, this part of the clock that was reached is asked for: with far
#: more too many of them are too slow, which takes longer and makes less of it.
_MORE = 1.08


@dataclass(frozen=True)
class Clock:
    """What one run of place and route reached."""

    #: The greatest frequency of the clock.
    mhz: float
    #: The time of its slowest path, and the part of it that is spent on wires.
    path_ns: float
    wire_ns: float
    #: Cells that are used, by the tool's own names.
    used: dict[str, int]
    seed: int = 0
    seconds: float = 0.0


def place_and_route(
    netlist: Netlist,
    target: Target,
    *,
    seed: int,
    reroute: bool = False,
    clock: str | None = None,
) -> Clock:
    """Place and route a netlist whose ports are pins or open; of several clocks one is named.

    With ``reroute`` once more, where wires on paths that are too slow are routed again.
    """
    cells = sum(netlist.cells.values())
    # Refused before it takes long.
    again = reroute_options(target, cells=cells) if reroute else []
    first = _run(netlist, target, options(target, cells=cells, seed=seed), seed, clock)
    if not reroute:
        return first
    again += options(target, cells=cells, seed=seed, mhz=round(_MORE * first.mhz))
    second = _run(netlist, target, again, seed, clock, ".again")
    best = max(first, second, key=lambda each: each.mhz)
    return replace(best, seconds=round(first.seconds + second.seconds, 1))


def _run(
    netlist: Netlist,
    target: Target,
    chosen: list[str],
    seed: int,
    clock: str | None,
    which: str = "",
) -> Clock:
    report = netlist.folder / f"{netlist.name}.{seed}{which}.report.json"
    arguments = [*chosen, "--json", netlist.json.name, "--report", report.name]
    if target.device.sites:
        constraints = netlist.folder / f"{netlist.name}.pdc"
        lines = [
            f"ldc_set_location -site {{{site}}} [get_ports {pin}]\n"
            for pin, site in target.device.sites.items()
        ]
        constraints.write_text("".join(lines), encoding="utf-8")
        arguments += ["--pdc", constraints.name]
    begin = time.perf_counter()
    log = f"{netlist.name}.{seed}{which}.nextpnr.txt"
    tool = tools.program(target.family.routers[0])
    tool.run(arguments, netlist.folder, log, seconds=_SECONDS)
    seconds = time.perf_counter() - begin
    text = report.read_text(encoding="utf-8")
    return read_report(text, seed=seed, seconds=seconds, clock=clock)


def options(target: Target, *, cells: int, seed: int, mhz: int = _GOAL) -> list[str]:
    """How a netlist with this number of cells is placed and routed."""
    chosen = [*target.arguments, "--seed", str(seed), "--freq", str(mhz), "--timing-allow-fail"]
    for more_than, way in target.family.ways:
        if cells > more_than:
            chosen += way
    return chosen


def reroute_options(target: Target, *, cells: int) -> list[str]:
    """What is added to them to route wires once more; refused where that does not end."""
    if not target.family.reroute:
        raise InputError(f"{switch('reroute', True)}: is not for {target.family.title}")
    if "router2" in options(target, cells=cells, seed=1):
        raise InputError(
            f"{switch('reroute', True)}: {cells} cells are too many to be routed in that way"
        )
    return [target.family.reroute]


def read_report(
    text: str, *, seed: int = 0, seconds: float = 0.0, clock: str | None = None
) -> Clock:
    """The figures of a report in JSON; refuses one in which not one clock is the one meant."""

    def counts(name: str) -> bool:
        return clock is None or re.search(rf"\b{clock}\b", name) is not None

    with tools.readable("nextpnr", "report"):
        report: dict[str, Any] = json.loads(text)
        clocks = {
            name: float(entry["achieved"]) for name, entry in report["fmax"].items() if counts(name)
        }
        used = {name: int(entry["used"]) for name, entry in report["utilization"].items()}
        paths = [path for path in report["critical_paths"] if path["from"] == path["to"]]
        paths = [path for path in paths if counts(path["from"])]
        steps = max(([(s["type"], float(s["delay"])) for s in p["path"]] for p in paths), key=_sum)
    if len(clocks) != 1:
        raise CheckError(f"nextpnr found {len(clocks)} clocks where there is one")
    (mhz,) = clocks.values()
    return Clock(
        mhz=round(mhz, 2),
        path_ns=round(_sum(steps), 3),
        wire_ns=round(_sum([step for step in steps if step[0] == "routing"]), 3),
        used={name: count for name, count in used.items() if count},
        seed=seed,
        seconds=round(seconds, 1),
    )


def _sum(steps: list[tuple[str, float]]) -> float:
    return sum(delay for _, delay in steps)
