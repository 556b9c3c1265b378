"""What fits on a chip."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noc.synth.targets import Area, Family

__all__ = ["CHIPS", "Chip", "demand"]


@dataclass(frozen=True)
class Chip:
    """What a chip has.

    Parameters
    ----------
    luts : int
        Look-up tables, each with a flip-flop.
    brams : int
        Block RAMs.
    """

    luts: int
    brams: int

    def holds(self, area: Area) -> bool:
        """Whether so much could fit at all."""
        return max(area.lut, area.ff) <= self.luts and area.bram <= self.brams


#: By the name that their platforms give them. The 12F is a 25F whose tools let all of it be used.
CHIPS = {
    "LFE5U-12F": Chip(24_288, 56),
    "LFE5U-25F": Chip(24_288, 56),
    "LFE5U-45F": Chip(43_848, 108),
    "LFE5UM-45F": Chip(43_848, 108),
    "LFE5U-85F": Chip(83_640, 208),
    "LFE5UM5G-85F": Chip(83_640, 208),
    "iCE40UP5K": Chip(5_280, 30),
    "iCE40HX8K": Chip(7_680, 32),
}


def demand(netlist: Path, top: str, family: Family) -> Area:
    """What a flat netlist in the JSON of Yosys takes.

    A cell of iCE40 holds a table and a flip-flop, which go together only if the one feeds the
    other; a carry needs the table beside it.
    """
    cells = json.loads(netlist.read_text(encoding="utf-8"))["modules"][top]["cells"].values()
    area = family.area(Counter(cell["type"] for cell in cells))
    if family.name != "ice40":
        return area
    readers = Counter(
        bit
        for cell in cells
        for port, bits in cell["connections"].items()
        if cell["port_directions"][port] == "input"
        for bit in bits
    )
    fed = {
        cell["connections"]["O"][0]
        for cell in cells
        if cell["type"] == "SB_LUT4" and readers[cell["connections"]["O"][0]] == 1
    }
    alone = sum(_is_ff(cell) and cell["connections"]["D"][0] not in fed for cell in cells)
    return Area(area.lut + alone, area.ff, area.bram, area.lutram)


def _is_ff(cell: dict[str, Any]) -> bool:
    return str(cell["type"]).startswith("SB_DFF")
