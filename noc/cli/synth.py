"""Measure area and clock of a router or a network with Yosys and nextpnr.

Synthesise, place and route a router or a whole network with Yosys and nextpnr, and print its area
and clock; or map a network to the cells of a library for chips, and print its area in gates.
docs/area.md says what is counted.
"""

import argparse
import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noc.cli import arguments, output
from noc.cli.output import Result, Table
from noc.cli.parsers import declare
from noc.errors import InputError

if TYPE_CHECKING:
    from noc.synth import Measurement

EXAMPLES = (
    "noc synth star:4 --target ecp5",
    "noc synth star:4 --sources one --router --seeds 5",
    "noc synth star:4 --cells osu018_stdcells.lib",
)

#: How many seeds are tried where none are asked for: a router is soon done.
_SEEDS = {"router": 5, "network": 1}

#: For a network whose place and route do not end; most often it nearly fills the chip.
_ADVICE = (
    "use a larger --device or another --target, less --width, --router for one router alone, or "
    "a longer --timeout"
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    arguments.add_design_options(parser)
    declare(
        parser,
        f"""
        --target T  the chip family: {arguments.families()} (default: ecp5)
        --device D  the chip (default: the largest of the family)
        --speed G  the speed grade (default: the slowest)
        --router  measure one router instead of the whole network; if the routers differ, the one
            that is largest with --mapping plain
        --mapping plain|best|whole  plain: map each different part by itself; best: make several
            netlists of each, and keep the one with the least product of LUTs and critical path;
            whole: map the whole network at once, as flows that flatten designs do (default: best
            in the direct fabric; plain in the ordered, where best gains little)
        --seeds N  place and route with N seeds and print the median clock (default:
            {_SEEDS["router"]} for a router, {_SEEDS["network"]} for a network)
        --reroute  place and route once more for a clock that is a little higher, and route wires on
            paths that are too slow for it again, on ECP5: takes some three times as long
        --cells FILE  map the whole network to the cells of a library instead, a Liberty file;
            nothing is placed
        """,
    )
    arguments.add_timeout(parser)
    declare(parser, "--json")


def run(options: argparse.Namespace) -> Result:
    """Synthesise, place, route, report."""
    from noc.synth import measure, target

    if options.cells is not None:
        return _in_cells(options)
    chosen = target(options.target or "ecp5", options.device, options.speed)
    arguments.check_positive(options, "seeds")
    if chosen.family.router is None:
        for name in ("seeds", "mapping", "reroute"):
            if getattr(options, name) not in (None, False, "whole"):
                raise InputError(f"--{name}: nothing is placed and routed for {chosen.family.name}")
    design = arguments.build_design(options)
    report = arguments.report_of(design)
    with (
        arguments.within(options.timeout, _ADVICE),
        tempfile.TemporaryDirectory(prefix="noc-synth-") as folder,
    ):
        measurement = measure(
            design,
            chosen,
            Path(folder),
            router=options.router,
            mapping=options.mapping or report.MAPPING,
            seeds=options.seeds or _SEEDS["router" if options.router else "network"],
            reroute=options.reroute,
            progress=output.stages(),
        )
    return Result(partial(_document, measurement), [_in_words(measurement)], report.hints(design))


def _in_cells(options: argparse.Namespace) -> Result:
    """Map to the cells of a library."""
    from noc.synth.cells import measure_cells

    for name in ("target", "device", "speed", "router", "mapping", "seeds", "reroute"):
        if getattr(options, name):
            raise InputError(f"--{name}: is for chips that exist, and not for --cells FILE")
    design = arguments.build_design(options)
    with (
        arguments.within(options.timeout, "use a longer --timeout"),
        tempfile.TemporaryDirectory(prefix="noc-synth-") as folder,
    ):
        found = measure_cells(design, options.cells, Path(folder), progress=output.stages())
    facts = {
        "network": design.network.spec,
        "nodes": design.network.nodes,
        **arguments.design_facts(design),
        "library": found.library,
        "area": found.area,
        "kge": None if found.gates is None else round(found.gates / 1000, 2),
        "flip_flops": found.flip_flops,
        "logic_ps": found.logic_ps,
        "clock_mhz": found.clock_mhz,
        "synthesis_seconds": round(found.seconds, 1),
        "tool": found.tool,
    }
    cells = sorted(found.cells.items(), key=lambda item: (-item[1], item[0]))
    table = Table([{"cell": name, "count": count} for name, count in cells])
    clock = f"not known: {found.lack}" if found.clock_mhz is None else round(found.clock_mhz, 1)
    return Result({**facts, "cells": table}, [facts | {"clock_mhz": clock}, table])


def _facts(measurement: "Measurement") -> dict[str, Any]:
    design = measurement.design
    return {
        "network": design.network.spec,
        "nodes": design.network.nodes,
        **arguments.design_facts(design),
        "target": measurement.target.family.name,
        "device": measurement.target.device.name,
        "speed": measurement.target.speed,
        "mapping": measurement.mapping,
        "rerouted": measurement.rerouted,
        "measured": measurement.netlist.name,
    }


def _document(measurement: "Measurement") -> dict[str, Any]:
    """Everything that was measured, for scripts."""
    from noc.hardware import assemble

    design, clocks = measurement.design, [clock.mhz for clock in measurement.clocks]
    return {
        **_facts(measurement),
        "hop_cycles": 1 + design.config.link_registers,
        **asdict(measurement.area),
        "cells": measurement.netlist.cells,
        "router_modules": len(assemble(design).parts),
        "fmax_mhz": measurement.mhz if clocks else None,
        "fmax_least": min(clocks, default=None),
        "fmax_greatest": max(clocks, default=None),
        "hop_ns": round(measurement.hop_ns, 2) if clocks else None,
        "seeds": [asdict(clock) for clock in measurement.clocks],
        "synthesis_seconds": measurement.synthesis_seconds,
        "tools": list(measurement.tools),
    }


def _in_words(measurement: "Measurement") -> dict[str, Any]:
    area, cells = measurement.area, sorted(measurement.netlist.cells.items())
    return _facts(measurement) | {
        "LUT": area.lut,
        "flip-flops": area.ff,
        "block RAM": area.bram,
        "LUT RAM": area.lutram,
        "cells": ", ".join(f"{count} {cell}" for cell, count in cells),
        **_timing(measurement),
        "tools": ", ".join(measurement.tools),
    }


def _timing(measurement: "Measurement") -> dict[str, Any]:
    """What place and route reached."""
    clocks, synthesis = measurement.clocks, f"synthesis {measurement.synthesis_seconds:.0f} s"
    if not clocks:
        clock = "not known: no open tools place and route this family here"
        return {"clock": clock, "time": synthesis}
    slowest, fastest = (f(clocks, key=lambda clock: clock.mhz) for f in (min, max))
    clock = f"{measurement.mhz:.1f} MHz with one seed"
    if len(clocks) > 1:
        span = f"{slowest.mhz:.1f} to {fastest.mhz:.1f} over {len(clocks)} seeds"
        clock = f"{measurement.mhz:.1f} MHz, {span}"
    wires = f"{slowest.wire_ns / slowest.path_ns:.0%} of the slowest path are wires"
    routing = f"place and route {sum(clock.seconds for clock in clocks):.0f} s"
    return {
        "clock": clock,
        "hop": f"{measurement.hop_ns:.2f} ns; {wires}",
        "time": f"{synthesis}, {routing}",
    }
