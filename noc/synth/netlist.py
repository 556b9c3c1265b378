"""Verilog to a netlist of a family's cells, each router once."""

import itertools
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat
from pathlib import Path
from statistics import mean
from typing import Any, Literal

from noc.design import AnyDesign
from noc.emit.module import Module
from noc.emit.verilog import part_modules, top_module
from noc.errors import CheckError
from noc.hardware import assemble
from noc.processes import Pool
from noc.synth import tools
from noc.synth.family import Area, Family, Recipe
from noc.synth.kept import kept_for

#: What is found, and then mapped to carry cells: sums of which a summand is chosen, and any others,
#: which become such sums. Of several one after the other Yosys would make larger ones.
_CHOSEN = """\
module sum_of_choice(input [{top}:0] a, b, c, input s, output [{top}:0] o);
  assign o = a + (s ? c : b);
endmodule"""
_PLAIN = """\
module sum_of_two(input [{top}:0] a, b, output [{top}:0] o);
  assign o = a + b;
endmodule"""
_PLAIN_MAPPED = """\
module sum_of_two(input [{top}:0] a, b, output [{top}:0] o);
  sum_of_choice inner(.a(a), .b(b), .c(b), .s(1'b0), .o(o));
endmodule"""

#: Copies of registers are modules, so that none is merged, until all is mapped.
FLATTEN_COPIES = ("setattr -mod -unset keep_hierarchy *", "flatten")

#: Yosys maps narrower sums to tables.
_NARROWEST = 5


def widths_of_sums(design: AnyDesign) -> tuple[int, ...]:
    """How many bits the sums of a design have, if there are any."""
    return (design.width,) if "sum" in design.operators and design.width >= _NARROWEST else ()


def map_sums(family: Family, name: str, widths: tuple[int, ...]) -> list[str]:
    """Commands of Yosys that map such sums of a module that has been read to a family's cells."""
    lines = []
    if family.sum_of_choice and widths:
        lines += [f"hierarchy -top {name}", "proc", "flatten", "opt_expr", "opt_clean"]
        # A choice of whole words becomes one of data and one of the rest.
        lines += ["wreduce", "splitcells", "opt_clean", "design -push"]
        for width in widths:
            lines += [*_read(_CHOSEN.format(top=width - 1)), "proc", "opt_clean"]
            lines += [f"design -stash chosen_{width}"]
            lines += [*_read(_PLAIN.format(top=width - 1)), "proc", "opt_clean"]
            lines += [f"design -stash plain_{width}"]
            for mapped in (_PLAIN_MAPPED, family.sum_of_choice):
                lines += _read(mapped.format(width=width, top=width - 1))
            lines += [f"design -stash mapped_{width}"]
        lines += ["design -pop"]
        for width in widths:
            lines += [f"extract -map %chosen_{width}", f"extract -map %plain_{width}"]
            lines += [f"techmap -map %mapped_{width}"]
    return lines


def _read(verilog: str) -> list[str]:
    return ["read_verilog -sv <<end_of_text", verilog, "end_of_text"]


#: A plain netlist is made in one way. The best is that of several which has the least product of
#: tables and the time of the slowest path.
Mode = Literal["plain", "best"]

#: No synthesis takes longer.
_SECONDS = 3600

#: How the names of the files end that are read later, by the package or by Yosys.
_FILES = (".stat.json", ".sta.txt", ".netlist.il", ".netlist.v", ".netlist.json")

#: How long the slowest path of a netlist takes, in picoseconds, by the number of the trial.
Judge = Callable[["Netlist", int], float]

#: A path of L ps of logic takes about 2·(L + this) after place and route on ECP5: the wires within
#: it cost as much as its logic, and the registers and the wires at its ends the rest.
_BESIDES = 1700


@dataclass(frozen=True)
class Netlist:
    """A module mapped to the cells of a family; its files lie in a folder."""

    #: The name of the module.
    name: str
    family: Family
    folder: Path = field(repr=False)
    #: Its cells by type, without and with those of its parts.
    own: dict[str, int]
    #: The number of instances of each part.
    parts: dict[str, int]
    cells: dict[str, int]
    #: Name and version of what made it.
    tool: str
    #: The time that its slowest path spends in logic, in picoseconds, without its parts.
    logic_ps: int = 0

    @property
    def area(self) -> Area:
        """What its cells add up to."""
        return self.family.area(self.cells)

    @property
    def verilog(self) -> Path:
        """As Verilog, the parts as modules of their own, for simulation with cell models."""
        return self.folder / f"{self.name}.netlist.v"

    @property
    def rtlil(self) -> Path:
        """In the format of Yosys, the parts as modules of their own."""
        return self.folder / f"{self.name}.netlist.il"

    @property
    def json(self) -> Path:
        """As one flat module in JSON, for place and route."""
        return self.folder / f"{self.name}.netlist.json"


def synthesise(
    module: Module,
    family: Family,
    folder: Path,
    *,
    mapping: Mode = "plain",
    parts: Sequence[Netlist] = (),
    pins: Sequence[str] | None = None,
    sums: tuple[int, ...] = (),
    placed_ps: Judge | None = None,
) -> Netlist:
    """Map a module to the cells of a family.

    What is built around parts is wiring, and mapped in the plain way.

    Parameters
    ----------
    module, family, folder : Module, Family, Path
        What to map, to whose cells, and an existing folder for the files.
    mapping : "plain" or "best"
        In one way, or in several: then the one with the least product of tables and time is taken.
    parts : sequence of Netlist
        Modules that it instantiates and that are mapped already; they stay as they are.
    pins : sequence of str or None
        Ports that are pins of the chip in the JSON file, where the other ports are left open.
        None leaves all ports.
    sums : tuple of int
        The widths of sums of which a summand may be chosen.
    placed_ps : function, optional
        How long the slowest path of a netlist takes after place and route, in a trial of this
        number; by default that is guessed from the logic alone.
    """
    tool = tools.yosys()
    ways = family.recipes[:1] if parts or mapping == "plain" else family.recipes

    def mapped(number: int) -> Netlist:
        inside = folder / f"{module.name}.{number}"
        inside.mkdir(exist_ok=True)
        module.write(inside)
        lines = _script(module.name, family, ways[number], inside, parts, pins, sums)
        # What is built around parts is made for one network only.
        kept = kept_for(module, lines) if not parts else None
        if kept is not None and kept.fetch(inside):
            return _read_netlist(module.name, family, inside)
        commands = inside / "script.ys"
        commands.write_text("\n".join([*lines, ""]), encoding="utf-8")
        tool.run([commands.name], inside, "yosys.txt", seconds=_SECONDS)
        netlist = _read_netlist(module.name, family, inside)
        if kept is not None:
            kept.keep(inside, _FILES)
        return netlist

    with Pool() as pool:
        tried = pool.map(mapped, range(len(ways)))
        best = _best(tried, placed_ps, pool)
    for netlist in tried:
        if netlist is not best:
            shutil.rmtree(netlist.folder)
    return best


def _best(tried: Sequence[Netlist], placed_ps: Judge | None, pool: Pool) -> Netlist:
    """What has the least cost: after each trial the better half stays, so that the best have most.

    One placement says little: those of one netlist differ by a tenth.
    """
    if placed_ps is None or len(tried) == 1:
        return min(tried, key=lambda netlist: _cost(netlist, 2 * (netlist.logic_ps + _BESIDES)))
    # Several ways often lead to one netlist.
    left = list({netlist.verilog.read_bytes(): netlist for netlist in reversed(tried)}.values())
    paths: dict[Path, list[float]] = {netlist.folder: [] for netlist in left}
    for trial in itertools.count():
        if len(left) == 1:
            break
        for netlist, path in zip(left, pool.map(placed_ps, left, repeat(trial)), strict=True):
            paths[netlist.folder].append(path)
        left.sort(key=lambda netlist: _cost(netlist, mean(paths[netlist.folder])))
        left = left[: (len(left) + 1) // 2]
    return left[0]


def _cost(netlist: Netlist, path_ps: float) -> tuple[float, float]:
    """What to have least of, and what decides between equals."""
    return netlist.area.lut * path_ps, netlist.area.lut


def _script(
    name: str,
    family: Family,
    recipe: Recipe,
    folder: Path,
    parts: Sequence[Netlist],
    pins: Sequence[str] | None,
    sums: tuple[int, ...],
) -> list[str]:
    """The commands of Yosys."""
    return [
        *(f"read_verilog -sv -lib {_seen_from(folder, part.verilog)}" for part in parts),
        # A part stays even if nothing listens to it.
        *(f"setattr -mod -set keep 1 ={part.name}" for part in parts),
        f"read_verilog -sv {name}.v",
        *map_sums(family, name, sums),
        *([f"scratchpad -set abc9.script +{recipe.script}"] if recipe.script else []),
        *([f"scratchpad -set abc9.D {recipe.picoseconds}"] if recipe.picoseconds else []),
        f"{family.synth} {recipe.options} -top {name}",
        # Where registers are mapped with all else, ports of theirs that nothing needs lead to wires
        # that nothing drives: place and route would take these for clock enables that all differ.
        *([] if parts else [*FLATTEN_COPIES, "setundef -undriven -undef"]),
        f"tee -q -o {name}.sta.txt sta",
        # A module that is read takes the place of the black box of its name.
        *(f"read_rtlil -overwrite {_seen_from(folder, part.rtlil)}" for part in parts),
        f"hierarchy -top {name}",
        "delete t:$scopeinfo",
        f"tee -q -o {name}.stat.json stat -json",
        # The models of the cells stay out.
        "select =A:blackbox %n",
        f"write_rtlil -selected {name}.netlist.il",
        f"write_verilog -noattr -selected {name}.netlist.v",
        "select -clear",
        "flatten",
        "delete t:$scopeinfo",
        *([] if pins is None else _only_pins(name, family, pins)),
        f"write_json {name}.netlist.json",
    ]


def _read_netlist(name: str, family: Family, folder: Path) -> Netlist:
    """What the files say."""
    with tools.readable("yosys", "count of cells"):
        statistics = json.loads((folder / f"{name}.stat.json").read_text(encoding="utf-8"))
        own, instances, cells = _count(statistics["modules"], f"\\{name}")
        version = tools.creator(statistics)
    paths = (folder / f"{name}.sta.txt").read_text(encoding="utf-8")
    latest = re.search(r"^Latest arrival time in '\S+' is (\d+):", paths, re.MULTILINE)
    # It sees paths from inputs to outputs, and registers may end all of them.
    if latest is None and "No timing paths found" not in paths:
        raise CheckError(f"yosys finds no path in {name}")
    logic = int(latest[1]) if latest else 0
    return Netlist(name, family, folder, own, instances, cells, version, logic)


def router_netlists(
    design: AnyDesign,
    family: Family,
    folder: Path,
    *,
    modules: Sequence[Module] | None = None,
    mapping: Mode = "plain",
    only: int | None = None,
    placed_ps: Callable[[int, Netlist, int], float] | None = None,
    progress: Callable[[float], None] | None = None,
) -> list[Netlist]:
    """Each different router of a design, in the order of its tables, or only that of one.

    ``modules`` are their Verilog, if that is known. ``placed_ps`` says how long the slowest path of
    a netlist of the router of a table takes, by the number of the trial.
    """
    numbered = list(enumerate(part_modules(design) if modules is None else modules))
    if only is not None:
        numbered = [numbered[only]]
    result, sums = [], widths_of_sums(design)
    for count, (table, module) in enumerate(numbered, 1):
        judge = None if placed_ps is None else partial(placed_ps, table)
        result.append(
            synthesise(module, family, folder, mapping=mapping, sums=sums, placed_ps=judge)
        )
        if progress is not None:
            progress(count / len(numbered))
    return result


def network_netlist(
    design: AnyDesign, family: Family, folder: Path, *, routers: Sequence[Netlist]
) -> Netlist:
    """The whole network around its routers, which are mapped already."""
    return synthesise(top_module(design), family, folder, parts=routers)


def whole_netlist(design: AnyDesign, family: Family, folder: Path) -> Netlist:
    """The whole network as one module, mapped at once in the plain way.

    Flows that flatten a design make it so: nodes share the registers that always hold the same
    word, as do those below one fork if nothing waits there.
    """
    top = top_module(design)
    text = "\n".join(module.text for module in (*part_modules(design), top))
    return synthesise(Module(top.name, text), family, folder, sums=widths_of_sums(design))


def _only_pins(name: str, family: Family, pins: Sequence[str]) -> list[str]:
    """Commands that leave all other ports open, and give the pins their buffers."""
    selected = " ".join(f"{name}/w:{pin}" for pin in pins)
    union = " ".join(["%u"] * (len(pins) - 1))
    return [f"delete -port {name}/x:* {selected} {union} %d", *filter(None, [family.pads])]


def _seen_from(folder: Path, path: Path) -> str:
    """A path for a script that runs in a folder; the WebAssembly build has a /tmp of its own."""
    return f'"{os.path.relpath(path.resolve(), folder.resolve())}"'


def _count(
    modules: dict[str, Any], name: str
) -> tuple[dict[str, int], dict[str, int], dict[str, int]]:
    """The cells of a module alone, its instances of other modules, and all cells in it."""
    own: Counter[str] = Counter()
    instances: Counter[str] = Counter()
    cells: Counter[str] = Counter()
    for kind, count in modules[name]["num_cells_by_type"].items():
        if f"\\{kind}" in modules:
            instances[kind] = count
            inside = _count(modules, f"\\{kind}")[2]
            cells.update({cell: count * number for cell, number in inside.items()})
        else:
            own[kind] = count
    cells.update(own)
    return dict(own), dict(instances), dict(cells)


def count_area(netlist: Path, top: str, family: Family) -> Area:
    """What a flat netlist in the JSON of Yosys takes of a chip."""
    with tools.readable("yosys", "netlist"):
        cells = json.loads(netlist.read_text(encoding="utf-8"))["modules"][top]["cells"].values()
        return family.occupied(cells)


def sum_areas(design: AnyDesign, parts: Sequence[Area]) -> Area:
    """What all parts of a network take, by the areas of the different ones."""
    often = Counter(placed.part for placed in assemble(design).instances)
    return sum((area.times(often[kind]) for kind, area in enumerate(parts)), Area(0, 0, 0, 0))
