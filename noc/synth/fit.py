"""Whether a netlist fits on a chip, by its cells, before place and route."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from noc.design import AnyDesign
from noc.errors import InputError, option
from noc.hardware import assemble
from noc.synth import tools
from noc.synth.family import Area, Family

#: How people call what a chip has.
_NAMES = {"lut": "LUTs", "ff": "flip-flops", "bram": "block RAMs", "lutram": "LUT RAM cells"}


def count_area(netlist: Path, top: str, family: Family) -> Area:
    """What a flat netlist in the JSON of Yosys takes of a chip."""
    with tools.readable("yosys", "netlist"):
        cells = json.loads(netlist.read_text(encoding="utf-8"))["modules"][top]["cells"].values()
        return family.occupied(cells)


def sum_areas(design: AnyDesign, parts: Sequence[Area]) -> Area:
    """What all parts of a network take, by the areas of the different ones."""
    often = Counter(placed.part for placed in assemble(design).instances)
    return sum((area.times(often[kind]) for kind, area in enumerate(parts)), Area(0, 0, 0, 0))


def lacking(need: Area, room: Area, chip: str) -> str:
    """What a chip has too little of, as people say it; empty if it may hold everything."""
    short = [
        f"{count} {_NAMES[name]} where {chip} has {getattr(room, name)}"
        for name, count in asdict(need).items()
        if count > getattr(room, name)
    ]
    return " and ".join(short)


def fullness(need: Area, room: Area, chip: str) -> str:
    """How full a chip gets, as people say it."""
    parts = [
        f"{count} of {getattr(room, name)} {_NAMES[name]}"
        for name, count in asdict(need).items()
        if count
    ]
    return f"{', '.join(parts)} of {chip}"


def check_fit(what: str, need: Area, room: Area, chip: str) -> None:
    """Refuse what takes more of a chip than there is."""
    if lack := lacking(need, room, chip):
        raise InputError(f"{what} needs {lack}; use a smaller network, or less {option('width')}")
