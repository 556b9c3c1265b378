"""Whether a network fits on a chip, said before place and route, with what would fit."""

import dataclasses
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from noc.design import AnyDesign, alike
from noc.emit.verilog import network_ports, top_ports
from noc.errors import InputError
from noc.hardware import assemble
from noc.networks import Network, measured, network, smaller_names
from noc.synth import tools
from noc.synth.devices import DEVICES, Target
from noc.synth.netlist import Netlist
from noc.synth.targets import Area, Family

__all__ = [
    "check_placed",
    "check_plain",
    "check_routers",
    "demand",
    "holds",
    "lacking",
    "smaller",
    "smaller_sizes",
]

_Made = TypeVar("_Made")

#: How people call what a chip has.
_NAMES = {"lut": "LUTs", "ff": "flip-flops", "bram": "block RAMs", "lutram": "LUT RAM cells"}

#: What the other mappings make of a plain netlist is at least this part of it.
_LEAST_SHARE = 0.7


def check_plain(made: AnyDesign, target: Target, routers: Sequence[Netlist]) -> None:
    """Refuse a network that no mapping makes small enough, by its routers mapped plainly."""
    need = _of_all(made, routers)
    least = Area(*(int(_LEAST_SHARE * count) for count in dataclasses.astuple(need)))
    if not holds(target.device.room, least):
        raise _too_large(made, target, need, "mapped plainly, ")


def check_routers(made: AnyDesign, target: Target, routers: Sequence[Netlist]) -> None:
    """Refuse a network whose routers alone are more than the device holds."""
    need = _of_all(made, routers)
    if not holds(target.device.room, need):
        raise _too_large(made, target, need)


def _of_all(made: AnyDesign, routers: Sequence[Netlist]) -> Area:
    """What all routers of the network take, by the different ones that it has."""
    count = Counter(placed.part for placed in assemble(made).instances)
    need = Area(0, 0, 0, 0)
    for number, router in enumerate(routers):
        need = _sum(need, _area(router), times=count[number])
    return need


def _too_large(made: AnyDesign, target: Target, need: Area, how: str = "") -> InputError:
    """What the routers lack, and what would fit."""
    lack = lacking(need, target.device.room, target.device.name)
    ports = [port for node in top_ports(made) for port in node] + network_ports(made)
    # What is advised has to hold the registers at the ports as well.
    registers = sum(port.bits for port in ports)
    own_cells = registers if target.family.shared_cells else 0
    with_registers = _sum(need, Area(own_cells, registers, 0, 0))
    remedy = _what_fits(made, target, with_registers, made.network.nodes)
    return InputError(f"{how}{_size(made)} needs {lack}; {remedy}")


def check_placed(made: AnyDesign, target: Target, placed: Netlist, *, routers: int) -> None:
    """Refuse so many routers, with the registers at their ports, that are more than it holds."""
    need = _area(placed)
    if lack := lacking(need, target.device.room, target.device.name):
        size = _size(made) if routers == made.network.nodes else f"a router of {_size(made)}"
        remedy = _what_fits(made, target, need, routers)
        raise InputError(f"{size} with the registers at its ports needs {lack}; {remedy}")


def _size(made: AnyDesign) -> str:
    return f"{made.network.spec} at width {made.width}"


def _area(netlist: Netlist) -> Area:
    """What it takes of a chip, where a logic cell is taken as a whole."""
    if not netlist.family.shared_cells:
        return netlist.area
    return demand(netlist.json, netlist.name, netlist.family)


def _sum(one: Area, other: Area, *, times: int = 1) -> Area:
    pairs = zip(dataclasses.astuple(one), dataclasses.astuple(other), strict=True)
    return Area(*(here + times * there for here, there in pairs))


def demand(netlist: Path, top: str, family: Family) -> Area:
    """What a flat netlist in the JSON of Yosys takes; shared cells count whole, as tables."""
    with tools.readable("yosys", "netlist"):
        cells = json.loads(netlist.read_text(encoding="utf-8"))["modules"][top]["cells"].values()
    area = family.area(Counter(cell["type"] for cell in cells))
    return dataclasses.replace(area, lut=_logic_cells(cells)) if family.shared_cells else area


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


def _what_fits(made: AnyDesign, target: Target, need: Area, routers: int) -> str:
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


def _allowed(found: Network, made: AnyDesign) -> bool:
    """Whether another network can be had in the same form."""
    try:
        alike(made, found)
    except InputError:
        return False
    return True


def smaller(spec: str) -> Iterator[Network]:
    """Networks of the same kind, from the next smaller one down."""
    return _each(network, spec)


def smaller_sizes(spec: str) -> Iterator[tuple[str, int]]:
    """Their names and nodes, without building them."""
    return _each(measured, spec)


def _each(made: Callable[[str], _Made], spec: str) -> Iterator[_Made]:
    """What is made of the names of smaller networks."""
    for name in smaller_names(spec):
        try:
            yield made(name)
        except InputError:
            return
