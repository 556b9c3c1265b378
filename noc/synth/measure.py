"""Area and clock of a router, or of a whole network."""

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Literal

from noc.design import AnyDesign
from noc.emit.module import CLOCKED, Module, Port, ports_of, write_instance
from noc.emit.verilog import common_ports, idle_module, node_ports, part_modules
from noc.errors import InputError, option
from noc.hardware import assemble
from noc.processes import OutOfTimeError
from noc.synth import nextpnr, tools
from noc.synth.family import Area, Family, Target, check_fit, fullness, lacking
from noc.synth.netlist import (
    Netlist,
    count_area,
    network_netlist,
    router_netlists,
    sum_areas,
    synthesise,
    whole_netlist,
)
from noc.synth.nextpnr import Clock

#: The ports that stay: all others are ports of registers, and those may be left open.
PINS = ("clk", "rst")


def with_io_registers(name: str, ports: Sequence[Port]) -> Module:
    """A module around another, with a register between each of its ports and the outside."""
    inside = {port.name: f"inner_{port.name}" for port in ports}
    declared, wires, moves = ["  input clk", "  input rst"], [], []
    for port in ports:
        inner = inside[port.name]
        declared.append(f"  {'output reg' if port.output else 'input'} {port.span}{port.name}")
        wires.append(f"  {'wire' if port.output else 'reg'} {port.span}{inner};")
        to, source = (port.name, inner) if port.output else (inner, port.name)
        moves.append(f"    {to} <= {source};")
    instance = write_instance(name, "inner", CLOCKED | inside)
    lines = [f"module {name}_io (", ",\n".join(declared), ");", *wires]
    lines += ["  always @(posedge clk) begin", *moves, "  end", *instance, "endmodule"]
    return Module.of(f"{name}_io", lines)


#: Whether the parts of a network are mapped by themselves, in one way or in the best of several, or
#: the whole network at once.
Mapping = Literal["plain", "best", "whole"]

#: Told what begins, in words.
Progress = Callable[[str], None]

#: In a network of at most this many different routers each netlist of one is placed to find the
#: best; with more that would take too long.
JUDGED = 4

#: The first seed with which it is placed; others than those of the figures, which would flatter it.
JUDGING = 1001


@dataclass(frozen=True)
class Measurement:
    """What was made of a design for a target."""

    design: AnyDesign
    target: Target
    #: Of the whole network, or of one router; where there are different ones, that which is the
    #: largest when all are mapped plainly.
    netlist: Netlist
    #: How it was mapped.
    mapping: Mapping
    #: Whether wires on paths that are too slow were routed once more.
    rerouted: bool
    #: What was placed and routed, with registers at its ports.
    placed: Netlist
    #: What place and route reached, by seed; none where nothing open places and routes.
    clocks: tuple[Clock, ...]
    synthesis_seconds: float
    #: Names and versions of what was used.
    tools: tuple[str, ...]

    @property
    def area(self) -> Area:
        """The area, without the registers at the ports."""
        return self.netlist.area

    @property
    def mhz(self) -> float:
        """The median of the clock over the seeds."""
        return statistics.median(clock.mhz for clock in self.clocks)

    @property
    def hop_ns(self) -> float:
        """The time of a hop at that clock."""
        cycles: int = 1 + self.design.config.link_registers
        return cycles * 1000 / self.mhz


def measure(
    design: AnyDesign,
    target: Target,
    folder: Path,
    *,
    router: bool,
    mapping: Mapping = "best",
    seeds: int = 1,
    reroute: bool = False,
    progress: Progress | None = None,
) -> Measurement:
    """Synthesise, place and route; the files lie in a folder afterwards.

    Every port has a register outside, which is placed and routed too and is not counted. Where
    nothing open places and routes the family, the cells alone are counted, mapped plainly or as a
    whole.
    """
    if router and mapping == "whole":
        raise InputError(f"{option('mapping', mapping)}: is for a network, not for one router")
    if reroute:
        nextpnr.reroute_options(target, cells=0)
    family, room, chip = target.family, target.device.room, target.device.name
    routed, say = family.router is not None, progress or (lambda _: None)
    tools.check(*filter(None, [family.router]))
    used = [tools.program(family.routers[0]).version()] if routed else []
    mapping = mapping if routed or mapping == "whole" else "plain"
    kinds = len(assemble(design).parts)
    several = kinds > 1 and mapping != "whole"
    say(f"synthesis of {kinds} different modules" if several else "synthesis")
    begin = time.perf_counter()
    what = f"{design.network.spec} at width {design.width}"
    if router:
        netlist, ports = _map_router(design, target, folder, mapping)
    else:
        netlist, ports = _map_network(design, target, folder, mapping, what)
    placed, clocks = netlist, []
    if routed:
        placed = _with_registers(netlist, ports, target, folder)
        size = f"{'a router of ' if router else ''}{what} with the registers at its ports"
        need = count_area(placed.json, placed.name, family)
        check_fit(size, need, room, chip)
    seconds = round(time.perf_counter() - begin, 1)
    if routed:
        own = count_area(netlist.json, netlist.name, family)
        full = (
            f"{fullness(need, room, chip)}; {own.lut} and {own.ff} without the registers around "
            "its ports"
        )
        for seed in range(1, seeds + 1):
            say(f"place and route, seed {seed} of {seeds}: {full}")
            try:
                clock = nextpnr.place_and_route(placed, target, seed=seed, reroute=reroute)
            except OutOfTimeError as error:
                raise OutOfTimeError(f"{error.message}: it takes {full}") from None
            clocks.append(clock)
    used = [netlist.tool, *used]
    return Measurement(
        design, target, netlist, mapping, reroute, placed, tuple(clocks), seconds, tuple(used)
    )


def _map_router(
    design: AnyDesign, target: Target, folder: Path, mapping: Mapping
) -> tuple[Netlist, list[Port]]:
    """The largest router, for which a plain look at each is enough, and its ports."""
    assert mapping != "whole"
    mapped = partial(router_netlists, design, target.family, folder, modules=part_modules(design))
    tables = [netlist.area.lut for netlist in mapped()] if len(assemble(design).parts) > 1 else [0]
    largest = tables.index(max(tables))
    (netlist,) = mapped(mapping=mapping, only=largest, placed_ps=_trials(design, target))
    return netlist, _router_ports(design, largest)


def _map_network(
    design: AnyDesign, target: Target, folder: Path, mapping: Mapping, what: str
) -> tuple[Netlist, list[Port]]:
    """The whole network, which must fit, and its ports; ``what`` is what a refusal calls it."""
    family, room, chip = target.family, target.device.room, target.device.name
    if mapping == "whole":
        netlist = whole_netlist(design, family, folder)
        check_fit(what, count_area(netlist.json, netlist.name, family), room, chip)
    else:
        judge = _trials(design, target) if len(assemble(design).parts) <= JUDGED else None
        routers = router_netlists(design, family, folder, mapping=mapping, placed_ps=judge)
        areas = [count_area(part.json, part.name, family) for part in routers]
        check_fit(what, sum_areas(design, areas), room, chip)
        netlist = network_netlist(design, family, folder, routers=routers)
    nodes, common = node_ports(assemble(design)), common_ports(assemble(design))
    return netlist, [*chain.from_iterable(nodes), *common]


def measure_area(
    design: AnyDesign, family: Family, folder: Path, *, modules: Sequence[Module] | None = None
) -> Area:
    """The area of a whole network, mapped plainly, as :func:`measure` says it.

    The network itself is not made: a part is mapped by itself and stays as it is in whatever is
    built around it, so that the areas of the parts add up to that of the network. ``modules`` are
    the Verilog of the parts, for those who have that already.
    """
    netlists = router_netlists(design, family, folder, modules=modules)
    parts = [netlist.area for netlist in netlists]
    area, idle = sum_areas(design, parts), idle_module(design)
    return area if idle is None else area + synthesise(idle, family, folder).area


def _with_registers(
    netlist: Netlist, ports: Sequence[Port], target: Target, folder: Path
) -> Netlist:
    module = with_io_registers(netlist.name, ports)
    return synthesise(module, target.family, folder, parts=[netlist], pins=PINS)


def _trials(design: AnyDesign, target: Target) -> Callable[[int, Netlist, int], float]:
    """What judges netlists of routers: the slowest path after place and route in a trial."""
    surrounded: dict[Path, Netlist] = {}

    def path_ps(table: int, netlist: Netlist, trial: int) -> float:
        folder = netlist.folder
        if folder not in surrounded:
            ports = _router_ports(design, table)
            surrounded[folder] = _with_registers(netlist, ports, target, folder)
        placed = surrounded[folder]
        need = count_area(placed.json, placed.name, placed.family)
        if lacking(need, target.device.room, ""):
            return math.inf
        return 1000 * nextpnr.place_and_route(placed, target, seed=JUDGING + trial).path_ns

    return path_ps


def _router_ports(design: AnyDesign, number: int) -> list[Port]:
    return [port for _, port in ports_of(assemble(design).parts[number].signature)]
