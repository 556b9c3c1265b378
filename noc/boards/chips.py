"""What a netlist takes of a chip, and whether it fits."""

import json
from collections import Counter
from pathlib import Path

from noc.synth.room import logic_cells
from noc.synth.targets import Area, Family

__all__ = ["demand", "holds"]


def demand(netlist: Path, top: str, family: Family) -> Area:
    """What a flat netlist in the JSON of Yosys takes; of iCE40 whole logic cells as tables."""
    cells = json.loads(netlist.read_text(encoding="utf-8"))["modules"][top]["cells"].values()
    area = family.area(Counter(cell["type"] for cell in cells))
    if family.name != "ice40":
        return area
    return Area(logic_cells(netlist, top), area.ff, area.bram, area.lutram)


def holds(room: Area, need: Area) -> bool:
    """Whether so much could fit at all."""
    return all(count <= getattr(room, name) for name, count in vars(need).items())
