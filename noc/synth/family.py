"""What must be known of a family of chips; each has a file of its own in noc/synth/families."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import astuple, dataclass, field, replace
from operator import add
from typing import Any

from noc.errors import InputError, option


@dataclass(frozen=True)
class Area:
    """How much of a chip a netlist takes.

    Parameters
    ----------
    lut : int
        Look-up tables, of four inputs or as many as the family's have, with those that carry cells
        and LUT RAM are made of.
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
        """A number of them."""
        return Area(*(count * each for each in astuple(self)))


@dataclass(frozen=True)
class Recipe:
    """One way to map, with options of the family's command.

    Parameters
    ----------
    script : str
        What ABC does, as Yosys takes it in a scratchpad; its own way where empty.
    picoseconds : int
        The delay that ABC need not fall below; 0 for as fast as possible, at any cost.
    """

    options: str
    script: str = ""
    picoseconds: int = 0


@dataclass(frozen=True)
class Program:
    """A program of a Python package, whose function ``run_NAME`` takes arguments, or on PATH."""

    name: str
    package: str

    @property
    def remedy(self) -> str:
        """What brings it, as pip calls it."""
        return self.package.replace("_", "-")


@dataclass(frozen=True)
class Device:
    """A chip.

    Parameters
    ----------
    name : str
        As its maker spells it.
    arguments : tuple of str
        The options of place and route that select it, ``{speed}`` for the speed grade.
    speeds : tuple of str
        Its speed grades, the default first.
    room : Area
        What it holds, as that program reports it.
    sites : mapping of str to str
        Where clock and reset enter, for tools that insist on knowing.
    """

    name: str
    arguments: tuple[str, ...]
    speeds: tuple[str, ...]
    room: Area
    sites: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """Chips that take the same netlist.

    Parameters
    ----------
    name, title : str
        As users type it, and as people call it.
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
    sum_of_choice : str
        Where a carry cell takes a choice too: a module of that name, in cells, of ``{width}``
        bits, the highest of which is ``{top}``, that gives ``a + (s ? c : b)`` at ``o``.
    pads : str
        The command of Yosys that gives pins their buffers, where the netlist must have them.
    devices : tuple of Device
        Its chips, the usual one first.
    router, packer : Program or None
        What places and routes, and what makes a bitstream of that; None where there is nothing
        open, so that only the area is known.
    ways : tuple of (int, tuple of str)
        With more cells than these other options of place and route are taken than its own.
    board_options : str
        More options of place and route for a self-test on a board.
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
    devices: tuple[Device, ...]
    router: Program | None
    packer: Program | None
    ways: tuple[tuple[int, tuple[str, ...]], ...] = ()
    board_options: str = ""
    sum_of_choice: str = ""
    pads: str = ""
    logic_cells: Callable[[Collection[Mapping[str, Any]]], int] | None = None

    @property
    def routers(self) -> tuple[Program, Program]:
        """What places and routes, and what makes a bitstream; refused where there is nothing."""
        if self.router is None or self.packer is None:
            raise InputError(
                f"{option('name', self.name, flag='target')}: no open tools place and route "
                f"{self.title} here; its area can be had, and no clock"
            )
        return self.router, self.packer

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


@dataclass(frozen=True)
class Target:
    """A device of a family in a speed grade."""

    family: Family
    device: Device
    speed: str

    @property
    def arguments(self) -> list[str]:
        """The options of place and route that select the device."""
        return [part.format(speed=self.speed) for part in self.device.arguments]


_BEGIN = "&scorr;&sweep;&dc2;"
_MAP = "&if,{W},{D},{R},-v;&mfs"

_FIRST = f"&dch,-f,-r;&ps;{_MAP}"
_AGAIN = f"&st;&dch,-f;{_MAP}"


# What ABC does, by its own way first. With ``-dff`` it knows the registers, and merges those that
# always agree.
WAYS = (
    ("", ""),
    ("", f"{_BEGIN}&syn3;&syn3;{_FIRST};&st;&syn3;&dch,-f;{_MAP}"),
    (" -dff", f"{_BEGIN}&b,-d;&dc2;{_FIRST}"),
    (" -dff", f"{_BEGIN}&syn3;&syn4;{_FIRST}"),
    (" -dff", f"{_BEGIN}{_FIRST};{_AGAIN}"),
    (" -dff", f"{_BEGIN}{_FIRST};{_AGAIN};&st;&syn3;&dch,-f;{_MAP}"),
)


def recipes(options: str) -> tuple[Recipe, ...]:
    """Each gives the best netlist of some router; the first is the plain one."""
    return tuple(Recipe(options + registers, script) for registers, script in WAYS)


# Tables alone: the multiplexers behind them double the area for a few percent of clock. Constants
# are compared in tables, not on carry chains.
LATTICE = recipes("-nowidelut -cmp2softlogic")
