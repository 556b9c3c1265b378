"""The families of chips: how Yosys maps to them, and which of their cells count as what."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import astuple, dataclass, replace
from operator import add
from typing import Any

from noc.errors import InputError

__all__ = ["FAMILIES", "Area", "Family", "Recipe", "family"]


@dataclass(frozen=True)
class Area:
    """How much of a chip a netlist takes.

    Parameters
    ----------
    lut : int
        Four-input look-up tables, with those that carry cells and LUT RAM stand on.
    ff : int
        Flip-flops.
    bram : int
        Block RAMs.
    lutram : int
        Cells of LUT RAM; their tables are counted in ``lut`` too.
    """

    lut: int
    ff: int
    bram: int
    lutram: int

    def __add__(self, other: "Area") -> "Area":
        return Area(*(map(add, astuple(self), astuple(other))))

    def times(self, count: int) -> "Area":
        """So many of it."""
        return Area(*(count * each for each in astuple(self)))


@dataclass(frozen=True)
class Recipe:
    """One way to map.

    Parameters
    ----------
    options : str
        Options of the family's command.
    script : str
        What ABC does, as Yosys takes it in a scratchpad; its own way where empty.
    picoseconds : int
        The delay that ABC need not fall below; 0 for as fast as can be, at any cost.
    """

    options: str
    script: str = ""
    picoseconds: int = 0


@dataclass(frozen=True)
class Family:
    """Chips that take the same netlist.

    Parameters
    ----------
    name : str
        As users type it.
    title : str
        As people call it.
    synth : str
        The command of Yosys that maps to it.
    recipes : tuple of Recipe
        Ways to map that are worth trying: none is the best on every router.
    models : tuple of str
        Simulation models of its cells, in the data folder of Yosys.
    luts : mapping of str to int
        Look-up tables that a cell takes, by type.
    ffs, brams, lutrams : tuple of str
        How the types of such cells begin.
    pads : str
        The command of Yosys that gives pins their buffers, where the netlist must have them.
    logic_cells : callable, optional
        Where a table and the flip-flop behind it share a logic cell: how many of these the cells
        of a flat netlist take, as Yosys writes them in JSON.
    """

    name: str
    title: str
    synth: str
    recipes: tuple[Recipe, ...]
    models: tuple[str, ...]
    luts: Mapping[str, int]
    ffs: tuple[str, ...]
    brams: tuple[str, ...]
    lutrams: tuple[str, ...]
    pads: str = ""
    logic_cells: Callable[[Collection[Mapping[str, Any]]], int] | None = None

    @property
    def plain(self) -> str:
        """Options of the command that map in one go."""
        return self.recipes[0].options

    def area(self, cells: Mapping[str, int]) -> Area:
        """What the cells of a netlist add up to."""

        def total(beginnings: tuple[str, ...]) -> int:
            return sum(count for cell, count in cells.items() if cell.startswith(beginnings))

        return Area(
            lut=sum(self.luts.get(cell, 0) * count for cell, count in cells.items()),
            ff=total(self.ffs),
            bram=total(self.brams),
            lutram=total(self.lutrams) if self.lutrams else 0,
        )

    def occupied(self, cells: Collection[Mapping[str, Any]]) -> Area:
        """What a flat netlist takes of a chip; logic cells that are shared count as tables."""
        area = self.area(Counter(cell["type"] for cell in cells))
        return area if self.logic_cells is None else replace(area, lut=self.logic_cells(cells))


_BEGIN = "&scorr;&sweep;&dc2;"
_MAP = "&if,{W},{D},{R},-v;&mfs"

_FIRST = f"&dch,-f,-r;&ps;{_MAP}"
_AGAIN = f"&st;&dch,-f;{_MAP}"


# What ABC does, by its own way first. With ``-dff`` it knows the registers, and merges those that
# always agree.
_WAYS = (
    ("", ""),
    ("", f"{_BEGIN}&syn3;&syn3;{_FIRST};&st;&syn3;&dch,-f;{_MAP}"),
    (" -dff", f"{_BEGIN}&b,-d;&dc2;{_FIRST}"),
    (" -dff", f"{_BEGIN}&syn3;&syn4;{_FIRST}"),
    (" -dff", f"{_BEGIN}{_FIRST};{_AGAIN}"),
    (" -dff", f"{_BEGIN}{_FIRST};{_AGAIN};&st;&syn3;&dch,-f;{_MAP}"),
)


def _recipes(options: str) -> tuple[Recipe, ...]:
    """Each gives the best netlist of some router; the first is the plain one."""
    return tuple(Recipe(options + registers, script) for registers, script in _WAYS)


# Tables alone: the multiplexers behind them double the area for a few percent of clock. Constants
# are compared in tables, not on carry chains.
_LATTICE = _recipes("-nowidelut -cmp2softlogic")

# As fast as can be, the multiplexers double the area: ABC builds the choice of an input anew for
# each bit. With time to spare they are free, a table of five inputs takes two, and a bit of the
# bus three instead of four: 178 tables for 205 in scc:5. How much to spare depends on the router:
# little for one source, more where there are classes.
_RELAXED = tuple(
    Recipe(f"-cmp2softlogic{_WAYS[way][0]}", _WAYS[way][1], picoseconds)
    for way, spare in (
        (0, (4000,)),
        (1, (2000,)),
        (4, (1800, 2000, 2200, 2500, 3500, 4500)),
    )
    for picoseconds in spare
)


def _ice40_cells(cells: Collection[Mapping[str, Any]]) -> int:
    """A table shares a logic cell with a flip-flop that it alone feeds."""
    users: Counter[Any] = Counter()
    for cell in cells:
        for port, bits in cell["connections"].items():
            if cell["port_directions"].get(port) != "output":
                users.update(bits)
    tables = [cell["connections"]["O"][0] for cell in cells if cell["type"] == "SB_LUT4"]
    single = {output for output in tables if users[output] == 1}
    alone = [
        cell
        for cell in cells
        if cell["type"].startswith("SB_DFF") and cell["connections"]["D"][0] not in single
    ]
    return len(tables) + len(alone)


# A carry cell is two tables; a LUT RAM of 16 words by 4 bits is four tables, and its write port
# takes the place of two more.
FAMILIES = {
    found.name: found
    for found in (
        Family(
            name="ecp5",
            title="Lattice ECP5",
            synth="synth_ecp5",
            recipes=(*_LATTICE, *_RELAXED),
            models=("ecp5/cells_sim.v",),
            luts={"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
            ffs=("TRELLIS_FF",),
            brams=("DP16KD", "PDPW16KD"),
            lutrams=("TRELLIS_DPR16X4",),
        ),
        Family(
            name="ice40",
            title="Lattice iCE40",
            synth="synth_ice40",
            recipes=_recipes(""),
            models=("ice40/cells_sim.v",),
            luts={"SB_LUT4": 1},
            ffs=("SB_DFF",),
            brams=("SB_RAM40_4K",),
            lutrams=(),
            logic_cells=_ice40_cells,
        ),
        Family(
            name="nexus",
            title="Lattice Nexus",
            synth="synth_nexus -noiopad",
            recipes=_LATTICE,
            models=("nexus/cells_sim.v",),
            # An inverter takes the place of a table.
            luts={"LUT4": 1, "INV": 1, "WIDEFN9": 2, "CCU2": 2, "DPR16X4": 6},
            ffs=("FD1P3",),
            brams=("DP16K", "PDP16K", "PDPSC16K", "PDPSC512K", "SP512K", "DPSC512K"),
            lutrams=("DPR16X4",),
            pads="iopadmap -bits -inpad IB O:I -outpad OB I:O",
        ),
    )
}


def family(name: str, *, option: str = "--target") -> Family:
    """The family of a name; an error names the option and lists them."""
    found = FAMILIES.get(name.lower())
    if found is None:
        raise InputError(f"{option} {name}: is unknown; allowed: {', '.join(FAMILIES)}")
    return found
