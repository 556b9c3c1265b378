"""Verilog to a netlist of a family's cells, each router once."""

import json
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from noc.design import Design
from noc.emit.verilog import Module, modules
from noc.synth import tools
from noc.synth.targets import Area, Family

__all__ = ["Mode", "Netlist", "network_netlist", "router_netlists", "synthesise"]

#: Whether cells are saved, or time.
Mode = Literal["small", "fast"]

#: No synthesis takes longer.
_SECONDS = 3600


@dataclass(frozen=True)
class Netlist:
    """A module mapped to the cells of a family; its files lie in a folder.

    Parameters
    ----------
    name : str
        The name of the module.
    family : Family
        Whose cells it is made of.
    mapping : "small" or "fast"
        How it was mapped.
    folder : Path
        Where its files lie.
    own : mapping of str to int
        Its cells by type, without those of its parts.
    parts : mapping of str to int
        How many instances it has of each part.
    cells : mapping of str to int
        Its cells by type, with those of its parts.
    tool : str
        Name and version of what made it.
    """

    name: str
    family: Family
    mapping: Mode
    folder: Path = field(repr=False)
    own: dict[str, int]
    parts: dict[str, int]
    cells: dict[str, int]
    tool: str

    @property
    def area(self) -> Area:
        """What its cells add up to."""
        return self.family.area(self.cells)

    @property
    def verilog(self) -> Path:
        """As Verilog, the parts as modules of their own: for simulation with cell models."""
        return self.folder / f"{self.name}.netlist.v"

    @property
    def rtlil(self) -> Path:
        """In the format of Yosys, the parts as modules of their own."""
        return self.folder / f"{self.name}.netlist.il"

    @property
    def json(self) -> Path:
        """As one flat module in JSON: for place and route."""
        return self.folder / f"{self.name}.netlist.json"


def synthesise(
    module: Module,
    family: Family,
    folder: Path,
    *,
    mapping: Mode = "small",
    parts: Sequence[Netlist] = (),
    helpers: Sequence[Module] = (),
    pins: Sequence[str] | None = None,
) -> Netlist:
    """Map a module to the cells of a family.

    Parameters
    ----------
    module : Module
        What to map.
    family : Family
        To whose cells.
    folder : Path
        An existing folder for the files.
    mapping : "small" or "fast"
        What to save.
    parts : sequence of Netlist
        Modules that it instantiates and that are mapped already; they stay as they are.
    helpers : sequence of Module
        Other modules that it instantiates; they become one with it.
    pins : sequence of str or None
        Ports that are pins of the chip in the JSON file, where the other ports are left open.
        None leaves all ports.
    """
    tool = tools.yosys()
    sources = [module, *helpers]
    for source in sources:
        (folder / f"{source.name}.v").write_text(source.text, encoding="utf-8")
    options = family.small if mapping == "small" else family.fast
    lines = [
        *(f"read_verilog -sv -lib {_seen_from(folder, part.verilog)}" for part in parts),
        *(f"read_verilog -sv {source.name}.v" for source in sources),
        f"{family.synth} {options} -top {module.name}",
        # A module that is read takes the place of the black box of its name.
        *(f"read_rtlil -overwrite {_seen_from(folder, part.rtlil)}" for part in parts),
        f"hierarchy -top {module.name}",
        "delete t:$scopeinfo",
        f"tee -q -o {module.name}.stat.json stat -json",
        # The models of the cells stay out.
        "select =A:blackbox %n",
        f"write_rtlil -selected {module.name}.netlist.il",
        f"write_verilog -noattr -selected {module.name}.netlist.v",
        "select -clear",
        "flatten",
        "delete t:$scopeinfo",
        *([] if pins is None else _only_pins(module.name, family, pins)),
        f"write_json {module.name}.netlist.json",
    ]
    script = f"{module.name}.ys"
    (folder / script).write_text("\n".join([*lines, ""]), encoding="utf-8")
    tool.run([script], folder, f"{module.name}.yosys.txt", seconds=_SECONDS)
    made = json.loads((folder / f"{module.name}.stat.json").read_text(encoding="utf-8"))
    own, instances, cells = _count(made["modules"], f"\\{module.name}")
    return Netlist(module.name, family, mapping, folder, own, instances, cells, _version(made))


def router_netlists(
    design: Design,
    family: Family,
    folder: Path,
    *,
    mapping: Mode = "small",
    progress: Callable[[float], None] | None = None,
) -> list[Netlist]:
    """Each different router of a design, in the order of its tables."""
    made = modules(design.fabric, width=design.width)[1:]
    result = []
    for count, module in enumerate(made, 1):
        result.append(synthesise(module, family, folder, mapping=mapping))
        if progress is not None:
            progress(count / len(made))
    return result


def network_netlist(
    design: Design, family: Family, folder: Path, *, routers: Sequence[Netlist]
) -> Netlist:
    """The whole network around its routers, which are mapped already."""
    top = modules(design.fabric, width=design.width)[0]
    return synthesise(top, family, folder, mapping=routers[0].mapping, parts=routers)


def _only_pins(name: str, family: Family, pins: Sequence[str]) -> list[str]:
    """Commands that leave all other ports open, and give the pins their buffers."""
    selected = " ".join(f"{name}/w:{pin}" for pin in pins)
    union = " ".join(["%u"] * (len(pins) - 1))
    return [f"delete -port {name}/x:* {selected} {union} %d", *filter(None, [family.pads])]


def _seen_from(folder: Path, path: Path) -> str:
    """A path for a script that runs in a folder; the WebAssembly build has a /tmp of its own."""
    return f'"{os.path.relpath(path.resolve(), folder.resolve())}"'


def _version(made: dict[str, Any]) -> str:
    """Name and number of the tool, without how it was built."""
    return " ".join(str(made["creator"]).split()[:2])


def _count(
    made: dict[str, Any], name: str
) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """The cells of a module alone, its instances of other modules, and all cells in it."""
    own: Counter[str] = Counter()
    instances: Counter[str] = Counter()
    cells: Counter[str] = Counter()
    for kind, count in made[name]["num_cells_by_type"].items():
        if f"\\{kind}" in made:
            instances[kind] = count
            inside = _count(made, f"\\{kind}")[2]
            cells.update({cell: count * number for cell, number in inside.items()})
        else:
            own[kind] = count
    cells.update(own)
    return dict(own), dict(instances), dict(cells)
