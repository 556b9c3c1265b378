"""PLLs: the cells of chips that make other clocks of the board's."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from amaranth.hdl import Module, Signal
from amaranth.lib import io

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
    """A PLL, which is a cell of a chip.

    Parameters
    ----------
    set : callable
        From the board's clock and the requested one, in MHz, to the nearest setting, or None where
        it cannot work with the board's.
    ports : callable
        From a module, the board's pin, the clock and the lock to the connections of the cell.
    """

    cell: str
    set: Callable[[float, float], Setting | None]
    ports: Callable[[Module, Any, Signal, Signal], dict[str, Any]]


def nearest(mhz: float, ways: Iterable[_Way]) -> _Way | None:
    """The way to the nearest frequency; of several the one with the least divisor."""
    return min(ways, key=lambda way: (abs(way[0] - mhz), way[1:]), default=None)


def buffered(m: Module, pin: Any) -> Any:
    """The signal of a pin."""
    m.submodules.clock_pin = buffer = io.Buffer(io.Direction.Input, pin)
    return buffer.i
