"""The clock of the self-test: the board's own, or one that a PLL of its chip makes of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from amaranth.hdl import ClockDomain, ClockSignal, Const, Instance, Module, Signal
from amaranth.lib import io
from amaranth.lib.cdc import ResetSynchronizer

from noc.boards.boards import Board
from noc.boards.settle import Settle
from noc.errors import InputError

__all__ = ["Clock", "clock_of"]

#: A clock may differ by this share from the one that was asked for.
_TOLERANCE = 0.01

#: The memories of iCE40 may not be read for some microseconds after configuration; five times that.
_SETTLE_SECONDS = 15e-6


@dataclass(frozen=True)
class Clock:
    """The clock of the self-test.

    Parameters
    ----------
    hz : float
        Its frequency.
    cell : str or None
        The PLL that makes it; None where it is the board's own clock.
    parameters : mapping of str to str, int or float
        Those of the PLL.
    attributes : mapping of str to str
        Likewise.
    """

    hz: float
    cell: str | None = None
    parameters: dict[str, str | int | float] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)

    def drive(self, m: Module, platform: Any) -> None:
        """Make the domain with its reset; without a PLL the platform does it by itself.

        The platform states the frequency of the pin, from which nextpnr and Vivado derive that of
        the clock behind the PLL: one stated there would cut the two apart.
        """
        if self.cell is None:
            return
        pin = platform.request(platform.default_clk, dir="-")
        made, locked = Signal(name="pll_clock"), Signal(name="pll_locked")
        m.submodules.pll = Instance(
            self.cell,
            **{f"p_{name}": value for name, value in self.parameters.items()},
            **{f"a_{name}": value for name, value in self.attributes.items()},
            **_ports(m, self.cell, pin, made, locked),
        )
        m.domains += [ClockDomain("sync"), ClockDomain("waiting", reset_less=True)]
        m.d.comb += [ClockSignal().eq(made), ClockSignal("waiting").eq(made)]
        settle: Any = Settle(int(_SETTLE_SECONDS * self.hz))
        m.submodules.settle = settle
        m.d.comb += settle.locked.eq(locked)
        if platform.default_rst is not None:
            pressed = platform.request(platform.default_rst, dir="-")
            m.submodules.reset_pin = buffer = io.Buffer(io.Direction.Input, pressed)
            m.d.comb += settle.button.eq(buffer.i)
        m.submodules.reset = ResetSynchronizer(settle.reset, domain="sync")


def _ports(m: Module, cell: str, pin: Any, made: Signal, locked: Signal) -> dict[str, Any]:
    """The connections of a PLL."""
    if cell == "EHXPLLL":
        m.submodules.clock_pin = buffer = io.Buffer(io.Direction.Input, pin)
        low = ("RST", "STDBY", "PHASESEL0", "PHASESEL1", "PLLWAKESYNC", "ENCLKOP")
        high = ("PHASEDIR", "PHASESTEP", "PHASELOADREG")
        return {
            "i_CLKI": buffer.i,
            "i_CLKFB": made,
            "o_CLKOP": made,
            "o_LOCK": locked,
            **{f"i_{name}": Const(0) for name in low},
            **{f"i_{name}": Const(1) for name in high},
        }
    if cell == "PLLE2_BASE":
        m.submodules.clock_pin = buffer = io.Buffer(io.Direction.Input, pin)
        back, out = Signal(name="pll_back"), Signal(name="pll_out")
        m.submodules.clock_net = Instance("BUFG", i_I=out, o_O=made)
        return {
            "i_CLKIN1": buffer.i,
            "i_CLKFBIN": back,
            "o_CLKFBOUT": back,
            "o_CLKOUT0": out,
            "o_LOCKED": locked,
            "i_RST": Const(0),
            "i_PWRDWN": Const(0),
        }
    shared = {
        "i_RESETB": Const(1),
        "i_BYPASS": Const(0),
        "o_PLLOUTGLOBAL": made,
        "o_LOCK": locked,
    }
    if cell == "SB_PLL40_PAD":
        return {"i_PACKAGEPIN": pin.io, **shared}
    m.submodules.clock_pin = buffer = io.Buffer(io.Direction.Input, pin)
    return {"i_REFERENCECLK": buffer.i, **shared}


def clock_of(board: Board, mhz: float | None) -> Clock:
    """The clock that was asked for, as near as a PLL comes; None asks for the usual one."""
    own = float(board.platform().default_clk_frequency)
    wanted = own / 1e6 if board.mhz is None else board.mhz
    wanted = wanted if mhz is None else mhz
    if abs(wanted * 1e6 / own - 1) < 1e-9:
        return Clock(own)
    whose = f"{board.name}'s own of {own / 1e6:g} MHz"
    if board.pll is None:
        raise InputError(f"--clock {wanted:g}: only {whose} is supported")
    found = _PLLS[board.pll](board.pll, own / 1e6, wanted)
    if found is None:
        raise InputError(f"--clock {wanted:g}: the PLL cannot work with {whose}")
    if abs(found.hz / 1e6 / wanted - 1) > _TOLERANCE:
        raise InputError(
            f"--clock {wanted:g}: the PLL cannot make it of {whose}; the nearest is "
            f"{found.hz / 1e6:.6g}"
        )
    return found


#: A frequency in MHz, and the settings that make it: divisor, multiplier, divisor of the output.
_Setting = tuple[float, int, int, int]


def _nearest(wanted: float, settings: Iterable[_Setting]) -> _Setting | None:
    """The setting nearest to a frequency; of several the one with the least divisor."""
    return min(settings, key=lambda found: (abs(found[0] - wanted), found[1:]), default=None)


def _ecp5(cell: str, own: float, wanted: float) -> Clock | None:
    """The nearest clock with an oscillator within its range, and the highest comparison."""
    found = _nearest(
        wanted,
        (
            (own / divide * times, divide, times, out)
            for divide in range(1, int(own / 3.125) + 1)
            for times in range(1, 81)
            for out in range(1, 129)
            if 400 <= own / divide * times * out <= 800 and own / divide * times <= 400
        ),
    )
    if found is None:
        return None
    _, divide, times, out = found
    hz = own * 1e6 / divide * times
    off = ("PLLRST_ENA", "INTFB_WAKE", "STDBY_ENABLE", "DPHASE_SOURCE")
    parameters: dict[str, str | int | float] = {
        **dict.fromkeys(off, "DISABLED"),
        "OUTDIVIDER_MUXA": "DIVA",
        "CLKOP_ENABLE": "ENABLED",
        "CLKI_DIV": divide,
        "CLKFB_DIV": times,
        "CLKOP_DIV": out,
        "CLKOP_CPHASE": out // 2,
        "CLKOP_FPHASE": 0,
        "FEEDBK_PATH": "CLKOP",
    }
    attributes = {
        "FREQUENCY_PIN_CLKI": f"{own:g}",
        "FREQUENCY_PIN_CLKOP": f"{hz / 1e6:g}",
        "ICP_CURRENT": "12",
        "LPF_RESISTOR": "8",
        "MFG_ENABLE_FILTEROPAMP": "1",
        "MFG_GMCREF_SEL": "2",
    }
    return Clock(hz, cell, parameters, attributes)


def _ice40(cell: str, own: float, wanted: float) -> Clock | None:
    """The nearest clock with an oscillator and a comparison within their ranges."""
    found = _nearest(
        wanted,
        (
            (own / (divide + 1) * (times + 1) / 2**out, divide, times, out)
            for divide in range(16)
            if 10 <= own / (divide + 1) <= 133
            for times in range(128)
            if 533 <= own / (divide + 1) * (times + 1) <= 1066
            for out in range(1, 7)
            if 16 <= own / (divide + 1) * (times + 1) / 2**out <= 275
        ),
    )
    if found is None:
        return None
    _, divide, times, out = found
    compared = own / (divide + 1)
    limits = (17, 26, 44, 66, 101)
    parameters: dict[str, str | int | float] = {
        "FEEDBACK_PATH": "SIMPLE",
        "DIVR": divide,
        "DIVF": times,
        "DIVQ": out,
        "FILTER_RANGE": 1 + sum(compared >= limit for limit in limits),
    }
    return Clock(compared * (times + 1) / 2**out * 1e6, cell, parameters)


def _artix(cell: str, own: float, wanted: float) -> Clock | None:
    """The nearest clock with an oscillator, a comparison and a buffer within their ranges."""
    found = _nearest(
        wanted,
        (
            (own / divide * times / out, divide, times, out)
            for divide in range(1, int(own / 19) + 1)
            for times in range(2, 65)
            if 800 <= own / divide * times <= 1600
            for out in range(1, 129)
            if own / divide * times / out <= 464
        ),
    )
    if found is None:
        return None
    _, divide, times, out = found
    parameters: dict[str, str | int | float] = {
        "CLKIN1_PERIOD": 1000 / own,
        "DIVCLK_DIVIDE": divide,
        "CLKFBOUT_MULT": times,
        "CLKOUT0_DIVIDE": out,
    }
    return Clock(own * 1e6 / divide * times / out, cell, parameters)


#: By the cell.
_PLLS = {
    "EHXPLLL": _ecp5,
    "SB_PLL40_PAD": _ice40,
    "SB_PLL40_CORE": _ice40,
    "PLLE2_BASE": _artix,
}
