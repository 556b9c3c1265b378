"""Whether a network fits on a chip, said before place and route, with what would fit."""

import dataclasses
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from noc.design import Design
from noc.errors import InputError
from noc.networks import Network, network
from noc.programs import program
from noc.synth.devices import DEVICES, Device, Target
from noc.synth.netlist import Netlist
from noc.synth.targets import Area

__all__ = ["check_placed", "check_routers", "logic_cells", "smaller"]

#: How people call what a chip has.
_NAMES = {"lut": "LUTs", "ff": "flip-flops", "bram": "block RAMs", "lutram": "LUT RAM cells"}


def check_routers(design: Design, target: Target, routers: Sequence[Netlist]) -> None:
    """Refuse a network whose routers alone are more than the device holds."""
    count = Counter(int(number) for number in design.fabric.table)
    total: Counter[str] = Counter()
    for number, router in enumerate(routers):
        cells = {cell: many * count[number] for cell, many in router.cells.items()}
        total.update(cells)
    _check(design, target, target.family.area(total), design.network.nodes)


def check_placed(design: Design, target: Target, placed: Netlist, *, routers: int) -> None:
    """Refuse so many routers, with the registers at their ports, that are more than it holds."""
    area = placed.area
    if target.family.name == "ice40":
        cells = logic_cells(placed.json, placed.name)
        area = Area(lut=cells, ff=cells, bram=area.bram, lutram=0)
    _check(design, target, area, routers)


def logic_cells(netlist: Path, top: str) -> int:
    """Logic cells of an iCE40: a LUT shares one with a flip-flop that it alone feeds."""
    document = json.loads(netlist.read_text(encoding="utf-8"))
    cells = document["modules"][top]["cells"].values()
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


def _check(design: Design, target: Target, need: Area, routers: int) -> None:
    lacking = [
        f"{count} {_NAMES[name]} where {target.device.name} has {room}"
        for name, count, room in _compared(need, target.device)
        if count > room
    ]
    if lacking:
        size = f"{design.network.spec} at width {design.width}"
        if routers < design.network.nodes:
            size = f"a router of {size}"
        advice = _what_fits(design, target, need, routers)
        raise InputError(f"{size} needs {' and '.join(lacking)}; {advice}")


def _compared(need: Area, device: Device) -> list[tuple[str, int, int]]:
    return [
        (name, count, getattr(device.room, name))
        for name, count in dataclasses.asdict(need).items()
    ]


def _what_fits(design: Design, target: Target, need: Area, routers: int) -> str:
    """The smallest device, or else the largest network, that would do."""
    for device in sorted(DEVICES[target.family.name], key=lambda device: device.room.lut):
        if all(count <= room for _, count, room in _compared(need, device)):
            return f"--device {device.name} holds it"
    held = min(
        room * routers // count for _, count, room in _compared(need, target.device) if count
    )
    if not held:
        return "less --width or --sources one make it smaller"
    for found in smaller(design.network.spec):
        if found.nodes <= held and _allowed(found, design):
            return f"{held} such routers fit, so {found.spec} ({found.nodes} nodes) does"
    return f"{held} such routers fit; less --width or --sources one make them smaller"


def _allowed(found: Network, like: Design) -> bool:
    """Whether the algorithm and the form of a design are defined on another network."""
    of = like.program
    try:
        made = program(found, of.algorithm, ports=of.ports)
    except InputError:
        return False
    return like.sources == "all" or made.trees == 1


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
