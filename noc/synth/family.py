"""What must be known of a family of chips and of its PLLs; each is a file in noc/synth/families."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, field, replace
from operator import add
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import io

from noc.errors import InputError, option


@dataclass(frozen=True)
class Area:
    """How much of a chip a netlist takes."""

    #: Look-up tables, of four inputs or as many as the family's have, with those that carry cells
    #: and LUT RAM are made of.
    lut: int
    #: Flip-flops.
    ff: int
    #: Block RAMs.
    bram: int
    #: Cells of LUT RAM; their tables are counted in ``lut`` too.
    lutram: int

    def __add__(self, other: "Area") -> "Area":
        return Area(*(map(add, astuple(self), astuple(other))))

    def times(self, count: int) -> "Area":
        """A number of them."""
        return Area(*(count * each for each in astuple(self)))


#: How people call what a chip has.
_NAMES = {"lut": "LUTs", "ff": "flip-flops", "bram": "block RAMs", "lutram": "LUT RAM cells"}


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


@dataclass(frozen=True)
class Recipe:
    """One way to map, with options of the family's command."""

    options: str
    #: What ABC does, as Yosys takes it in a scratchpad; its own way where empty.
    script: str = ""
    #: The delay that ABC need not fall below; 0 for as fast as possible, at any cost.
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
    """A chip."""

    #: As its maker spells it.
    name: str
    #: The options of place and route that select it, ``{speed}`` for the speed grade.
    arguments: tuple[str, ...]
    #: Its speed grades, the default first.
    speeds: tuple[str, ...]
    #: What it holds, as that program reports it.
    room: Area
    #: Where clock and reset enter, for tools that insist on knowing.
    sites: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Family:
    """Chips that take the same netlist."""

    #: As users type it, and as people call it.
    name: str
    title: str
    #: The command of Yosys that maps to it.
    synth: str
    #: Ways to map that are worth trying; none is the best on every router.
    recipes: tuple[Recipe, ...]
    #: Simulation models of its cells, in the data folder of Yosys.
    models: tuple[str, ...]
    #: Look-up tables that a cell takes, by type.
    luts: Mapping[str, int]
    #: How the types of such cells begin.
    ffs: tuple[str, ...]
    brams: tuple[str, ...]
    lutrams: tuple[str, ...]
    #: Its chips, the usual one first.
    devices: tuple[Device, ...]
    #: What places and routes, and what makes a bitstream of that; None where there is nothing open,
    #: so that only the area is known.
    router: Program | None
    packer: Program | None
    #: With more cells than these other options of place and route are taken than its own.
    ways: tuple[tuple[int, tuple[str, ...]], ...] = ()
    #: With which of them wires on paths that are too slow are routed once more, where that ends.
    reroute: str = ""
    #: More options of place and route for a self-test on a board.
    board_options: str = ""
    #: Where a carry cell takes a choice too, a module of that name, in cells, of ``{width}`` bits,
    #: the highest of which is ``{top}``, that gives ``a + (s ? c : b)`` at ``o``.
    sum_of_choice: str = ""
    #: The command of Yosys that gives pins their buffers, where the netlist must have them.
    pads: str = ""
    #: Where a table and the flip-flop behind it share a logic cell, how many of these the cells of
    #: a flat netlist take, as Yosys writes them in JSON.
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


#: A frequency in MHz, and what makes it: divisor, multiplier, divisor of the output.
_Way = tuple[float, int, int, int]


@dataclass(frozen=True)
class Setting:
    """The parameters and attributes with which a PLL makes a clock of this frequency."""

    hz: float
    parameters: dict[str, str | int | float]
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pll:
    """A PLL, which is a cell of a chip."""

    cell: str
    #: From the board's clock and the requested one, in MHz, to the nearest setting, or None where
    #: it cannot work with the board's.
    set: Callable[[float, float], Setting | None]
    #: From a module, the board's pin, the clock and the lock to the connections of the cell.
    ports: Callable[[Module, Any, Signal, Signal], dict[str, Any]]
    #: From a setting to one with a second clock, a quarter of a cycle later, and the port of the
    #: cell that it comes from; None where that is not known.
    quarter: "Callable[[Setting], tuple[Setting, str]] | None" = None


def nearest(mhz: float, ways: Iterable[_Way]) -> _Way | None:
    """The way to the nearest frequency; of several the one with the least divisor."""
    return min(ways, key=lambda way: (abs(way[0] - mhz), way[1:]), default=None)


def buffered(m: Module, pin: Any) -> Any:
    """The signal of a pin."""
    m.submodules.clock_pin = buffer = io.Buffer(io.Direction.Input, pin)
    return buffer.i
