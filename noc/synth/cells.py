"""A network in the cells of a library for chips, by its Liberty file: area, and delay of logic."""

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from noc.design import AnyDesign
from noc.emit.verilog import modules
from noc.errors import CheckError, InputError, option
from noc.synth import sta, tools
from noc.synth.netlist import FLATTEN_COPIES

# Chips begin in no state of their own: what a reset must set, the Verilog sets by it. Nodes are
# mapped one by one, as they are placed apart.
_SCRIPT = """\
read_verilog -sv {sources}
synth -top {top} -noabc
setattr -unset init w:*
dfflibmap -liberty cells.lib
abc -liberty cells.lib -script +{abc}
{flatten}
opt_clean
delete t:$scopeinfo
tee -q -o cells.json stat -json
write_verilog -noattr -noexpr -nohex cells.v
"""

#: What ABC does for a library by itself, and then it tells the time of the slowest path.
_ABC = "strash;&get,-n;&fraig,-x;&put;scorr;dc2;strash;&get,-n;&dch,-f;&nf;&put;topo;stime,-p"

#: No synthesis takes longer.
_SECONDS = 3 * 3600

_DELAY = re.compile(r"Delay = *([\d.]+) ps")

#: The function of a buffer, as it may be spelled; ABC crashes without one.
_BUFFER = re.compile(r'\bfunction\s*:\s*"[\s(]*\w+[\s)]*"')

_NAND = re.compile(r"(?:nand|nan|nd)_?0?2", re.IGNORECASE)


@dataclass(frozen=True)
class Cell:
    """A cell of a library: its area, and whether it holds a bit."""

    area: float
    register: bool


class Library(NamedTuple):
    """A library: its name, and its cells."""

    name: str
    cells: dict[str, Cell]


@dataclass(frozen=True)
class CellMeasurement:
    """What a design takes of a library."""

    #: The name of the library, as its file says it.
    library: str
    #: In the library's unit, mostly square micrometres.
    area: float
    #: The area in gates, each as large as the smallest NAND of two inputs, if there is one.
    gates: float | None
    #: How many of the cells hold a bit.
    flip_flops: int
    #: How many there are, by type.
    cells: Mapping[str, int] = field(repr=False)
    #: How long the slowest path within a node takes in logic, as ABC estimates it without wires and
    #: buffers; None if there is no logic.
    logic_ps: float | None
    #: The fastest clock of the whole network by OpenSTA, without wires.
    clock_mhz: float | None
    #: Why that is not known, if it is not.
    lack: str
    #: How long synthesis took.
    seconds: float
    #: Name and version of what made it.
    tool: str


def measure_cells(
    design: AnyDesign, liberty: Path, folder: Path, *, progress: Callable[[str], None]
) -> CellMeasurement:
    """Map a whole network to the cells of a library, in an existing folder."""
    library = read_liberty(liberty)
    known = library.cells
    tool, began = tools.yosys(), time.monotonic()
    parts = modules(design)
    (folder / "cells.lib").write_bytes(liberty.read_bytes())
    script = _SCRIPT.format(
        sources=" ".join(module.write(folder).name for module in parts),
        top=parts[0].name,
        flatten="\n".join(FLATTEN_COPIES),
        abc=_ABC,
    )
    (folder / "cells.ys").write_text(script, encoding="utf-8")
    progress(f"synthesis of {len(parts)} modules to {len(known)} cells of {library.name}")
    log = tool.run(["cells.ys"], folder, "cells.txt", seconds=_SECONDS)
    with tools.readable("yosys", "count of cells"):
        statistics = json.loads((folder / "cells.json").read_text(encoding="utf-8"))
        counts = statistics["modules"][f"\\{parts[0].name}"]["num_cells_by_type"]
        version = tools.creator(statistics)
    if unknown := sorted(set(counts) - set(known)):
        raise CheckError(f"{liberty}: yosys leaves {unknown[0]}, which the library does not have")
    area = sum(known[cell].area * count for cell, count in counts.items())
    nand = min((c.area for n, c in known.items() if _NAND.search(n) and c.area > 0), default=None)
    delays = [float(found) for found in _DELAY.findall(log)]
    clock, lack = _find_clock(parts[0].name, folder, progress)
    return CellMeasurement(
        library.name,
        area,
        None if nand is None else area / nand,
        sum(count for cell, count in counts.items() if known[cell].register),
        counts,
        max(delays, default=0.0) or None,
        clock,
        lack,
        time.monotonic() - began,
        version,
    )


def _find_clock(
    top: str, folder: Path, progress: Callable[[str], None]
) -> tuple[float | None, str]:
    """The clock of the netlist in a folder, or why it is not known."""
    analyser = sta.find()
    if analyser is None:
        return None, "OpenSTA is not installed: no sta on PATH"
    progress("timing of the whole network")
    try:
        return sta.measure_clock(analyser, top, folder / "cells.lib", folder / "cells.v"), ""
    except CheckError as error:
        # The area is known all the same.
        return None, str(error)


def read_liberty(path: Path) -> Library:
    """The library of a file."""
    asked = option("cells", path)
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise InputError(f"{asked}: cannot be read: {error.strerror or error}") from None
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)
    library = re.search(r'\blibrary\s*\(\s*"?([^")]+?)"?\s*\)', text)
    # What stands before the next cell belongs to the one before.
    _, *parts = re.split(r"\bcell\s*\(", text)
    cells = {}
    for part in parts:
        name = part.partition(")")[0].strip().strip('"')
        area = re.search(r"\barea\s*:\s*\"?([\d.eE+-]+)", part)
        cells[name] = Cell(
            float(area[1]) if area else 0.0, bool(re.search(r"\b(ff|latch)(_bank)?\s*\(", part))
        )
    if library is None or not cells:
        raise InputError(f"{asked}: is no library of cells in the Liberty format")
    if not any(cell.register for cell in cells.values()):
        raise InputError(f"{asked}: the library has no flip-flop")
    if "cell_rise" not in text:
        raise InputError(f"{asked}: the library has no delays, without which ABC maps nothing")
    if not any(_BUFFER.search(part) and not re.search(r"\b(ff|latch)", part) for part in parts):
        raise InputError(f"{asked}: the library has no buffer, without which ABC maps nothing")
    return Library(library[1], cells)
