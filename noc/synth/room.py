"""Whether a network fits on a chip, said before place and route, with what would fit."""

import dataclasses
import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from noc.design import Design, design
from noc.errors import InputError
from noc.networks import Network, network
from noc.synth.devices import DEVICES, Target
from noc.synth.netlist import Netlist
from noc.synth.targets import Area, Family

__all__ = ["check_placed", "check_routers", "demand", "holds", "lacking", "smaller"]

#: How people call what a chip has.
_NAMES = {"lut": "LUTs", "ff": "flip-flops", "bram": "block RAMs", "lutram": "LUT RAM cells"}


def check_routers(made: Design, target: Target, routers: Sequence[Netlist]) -> None:
    """Refuse a network whose routers alone are more than the device holds."""
    count = Counter(int(number) for number in made.fabric.table)
    total: Counter[str] = Counter()
    for number, router in enumerate(routers):
        cells = {cell: many * count[number] for cell, many in router.cells.items()}
        total.update(cells)
    _check(made, target, target.family.area(total), made.network.nodes)


def check_placed(made: Design, target: Target, placed: Netlist, *, routers: int) -> None:
    """Refuse so many routers, with the registers at their ports, that are more than it holds."""
    area = placed.area
    if target.family.name == "ice40":
        area = demand(placed.json, placed.name, target.family)
    _check(made, target, area, routers)


def demand(netlist: Path, top: str, family: Family) -> Area:
    """What a flat netlist in the JSON of Yosys takes; of iCE40 whole logic cells as tables."""
    cells = json.loads(netlist.read_text(encoding="utf-8"))["modules"][top]["cells"].values()
    area = family.area(Counter(cell["type"] for cell in cells))
    return dataclasses.replace(area, lut=_logic_cells(cells)) if family.name == "ice40" else area


def _logic_cells(cells: Collection[dict[str, Any]]) -> int:
    """Logic cells of an iCE40: a LUT shares one with a flip-flop that it alone feeds."""
    users: Counter[Any] = Counter()
    for cell in cells:
        for port, bits in cell["connections"].items():
            if cell["port_directions"].get(port) != "output":
                users.update(bits)
    single = {
        cell["connections"]["O"][0]
        for cell in cells
        if cell["type"] == "SB_LUT4" and users[cell["connections"]["O"][0]] == 1
    }
    luts: int = sum(cell["type"] == "SB_LUT4" for cell in cells)
    alone: int = sum(
        cell["type"].startswith("SB_DFF") and cell["connections"]["D"][0] not in single
        for cell in cells
    )
    return luts + alone


def lacking(need: Area, room: Area, chip: str) -> str:
    """What a chip has too little of, as people say it; empty if it may hold everything."""
    short = [
        f"{count} {_NAMES[name]} where {chip} has {getattr(room, name)}"
        for name, count in dataclasses.asdict(need).items()
        if count > getattr(room, name)
    ]
    return " and ".join(short)


def holds(room: Area, need: Area) -> bool:
    """Whether so much could fit at all."""
    return not lacking(need, room, "")


def _check(made: Design, target: Target, need: Area, routers: int) -> None:
    device = target.device
    if lack := lacking(need, device.room, device.name):
        size = f"{made.network.spec} at width {made.width}"
        if routers < made.network.nodes:
            size = f"a router of {size}"
        raise InputError(f"{size} needs {lack}; {_what_fits(made, target, need, routers)}")


def _what_fits(made: Design, target: Target, need: Area, routers: int) -> str:
    """The smallest device, or else the largest network, that would do."""
    for device in sorted(DEVICES[target.family.name], key=lambda device: device.room.lut):
        if holds(device.room, need):
            return f"--device {device.name} holds it"
    room = target.device.room
    held = min(
        getattr(room, name) * routers // count
        for name, count in dataclasses.asdict(need).items()
        if count
    )
    remedy = "less --width makes" if made.sources == "one" else "less --width or --sources one make"
    if not held:
        return f"{remedy} it smaller"
    for found in smaller(made.network.spec):
        if found.nodes <= held and _allowed(found, made):
            return f"{held} such routers fit, so {found.spec} ({found.nodes} nodes) does"
    return f"{held} such routers fit; {remedy} them smaller"


def _allowed(found: Network, like: Design) -> bool:
    """Whether another network can be had in the same form."""
    of = like.program
    try:
        design(found, of.algorithm, ports=of.ports, sources=like.sources, form=like.form)
    except InputError:
        return False
    return True


def smaller(spec: str) -> Iterator[Network]:
    """Networks of the same kind, from the next smaller one down."""
    kind, _, parameters = spec.partition(":")
    first, comma, others = parameters.partition(",")
    if not first.isdigit():
        return
    for number in range(int(first) - 1, 0, -1):
        try:
            yield network(f"{kind}:{number}{comma}{others}")
        except InputError:
            return
