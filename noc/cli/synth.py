"""``noc synth``: area and clock of a router or of the whole network, with open tools."""

import argparse
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noc.cli import arguments, output
from noc.errors import InputError

if TYPE_CHECKING:
    from noc.synth import Measurement

__all__ = ["DESCRIPTION", "EXAMPLES", "HELP", "configure", "document", "run"]

HELP = "measure area and clock of a router or a network with Yosys and nextpnr"
DESCRIPTION = (
    "Synthesise, place and route a router or a whole network with Yosys and nextpnr, and print "
    "its area and clock. docs/area.md says what is counted."
)
EXAMPLES = ("noc synth star:4 --target ecp5", "noc synth star:4 --sources one --router --seeds 5")

#: How many seeds are tried where none are asked for: a router is soon done.
_SEEDS = {"router": 5, "network": 1}


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    arguments.add_tree_options(parser, root=False, hardware=True)
    arguments.add_design_options(parser)
    parser.add_argument(
        "--target",
        metavar="T",
        default="ecp5",
        help=f"the chip family: {arguments.families()} (default: ecp5)",
    )
    parser.add_argument(
        "--device", metavar="D", help="the chip (default: the largest of the family)"
    )
    parser.add_argument("--speed", metavar="G", help="the speed grade (default: the slowest)")
    parser.add_argument(
        "--router",
        action="store_true",
        help="measure one router instead of the whole network; if the routers differ, the one that "
        "is largest with --mapping plain",
    )
    parser.add_argument(
        "--mapping",
        choices=("plain", "small", "fast", "best"),
        help="plain: make one netlist; the others make several and keep the one with the fewest "
        "LUTs (small), the shortest critical path (fast) or the least product of both (best) "
        "(default: best in the direct fabric; plain in the ordered, where the others gain nothing)",
    )
    parser.add_argument(
        "--seeds",
        metavar="N",
        type=arguments.whole_number,
        help="place and route with N seeds and print the median clock (default: "
        f"{_SEEDS['router']} for a router, {_SEEDS['network']} for a network)",
    )
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Synthesise, place, route, tell."""
    from noc.design import OrderedDesign
    from noc.synth import Mode, measure, target

    chosen = target(options.target, options.device, options.speed)
    if options.seeds == 0:
        raise InputError("--seeds 0: at least 1 is needed")
    seeds = options.seeds or _SEEDS["router" if options.router else "network"]
    design = arguments.build_design(options)
    usual: Mode = "plain" if isinstance(design, OrderedDesign) else "best"
    with tempfile.TemporaryDirectory(prefix="noc-synth-") as folder:
        made = measure(
            design,
            chosen,
            Path(folder),
            router=options.router,
            mapping=options.mapping or usual,
            seeds=seeds,
            progress=output.progress_bar("synthesis, place and route"),
        )
    if options.json:
        output.write_json(document(made))
    else:
        _print(made)
    return 0


def document(made: "Measurement") -> dict[str, Any]:
    """Everything that was measured, for scripts."""
    from noc.hardware import assemble

    design = made.design
    return {
        **_facts(made),
        "hop_cycles": 1 + design.config.link_registers,
        **asdict(made.area),
        "cells": made.netlist.cells,
        "router_modules": len(assemble(design).parts),
        "fmax_mhz": made.mhz,
        "fmax_least": min(clock.mhz for clock in made.clocks),
        "fmax_greatest": max(clock.mhz for clock in made.clocks),
        "hop_ns": round(made.hop_ns, 2),
        "seeds": [asdict(clock) for clock in made.clocks],
        "synthesis_seconds": made.synthesis_seconds,
        "tools": list(made.tools),
    }


def _facts(made: "Measurement") -> dict[str, Any]:
    design = made.design
    return {
        "network": design.network.spec,
        "nodes": design.network.nodes,
        **arguments.design_facts(design),
        "target": made.target.family.name,
        "device": made.target.device.name,
        "speed": made.target.speed,
        "mapping": made.netlist.mapping,
        "measured": made.netlist.name,
    }


def _print(made: "Measurement") -> None:
    area, clocks = made.area, made.clocks
    least, greatest = min(c.mhz for c in clocks), max(c.mhz for c in clocks)
    cells = ", ".join(f"{count} {cell}" for cell, count in sorted(made.netlist.cells.items()))
    slowest = min(clocks, key=lambda clock: clock.mhz)
    wires = f"{slowest.wire_ns / slowest.path_ns:.0%} of the slowest path are wires"
    facts = _facts(made) | {
        "LUT": area.lut,
        "flip-flops": area.ff,
        "block RAM": area.bram,
        "LUT RAM": area.lutram,
        "cells": cells,
        "clock": f"{made.mhz:.1f} MHz, {least:.1f} to {greatest:.1f} over {len(clocks)} seeds"
        if len(clocks) > 1
        else f"{made.mhz:.1f} MHz with one seed",
        "hop": f"{made.hop_ns:.2f} ns; {wires}",
        "time": f"synthesis {made.synthesis_seconds:.0f} s, place and route "
        f"{sum(clock.seconds for clock in clocks):.0f} s",
        "tools": ", ".join(made.tools),
    }
    print(output.facts(facts))
