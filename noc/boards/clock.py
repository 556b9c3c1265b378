"""The clock of the self-test: the board's own, or one that a PLL of its chip makes of it."""

from dataclasses import dataclass
from typing import Any

from amaranth.hdl import ClockDomain, ClockSignal, Instance, Module, Signal
from amaranth.lib import io, wiring
from amaranth.lib.cdc import FFSynchronizer, ResetSynchronizer
from amaranth.lib.wiring import In, Out

from noc.boards.boards import Board
from noc.errors import InputError, option
from noc.synth.pll import Pll, Setting


class Settle(wiring.Component):
    """Asks for a reset until a PLL has been locked for some cycles, also after it lost its lock.

    It works in the domain ``waiting``, whose clock is the PLL's.

    Members
    -------
    locked : In(1)
        Whether the PLL is locked; changes at any time.
    button : In(1)
        Asks for a reset as long as it is pressed; likewise.
    reset : Out(1)
        Whether a reset is needed, for a synchronizer.
    """

    def __init__(self, cycles: int) -> None:
        self._cycles = cycles
        super().__init__({"locked": In(1), "button": In(1), "reset": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Count while the PLL is locked."""
        m = Module()
        locked, waited = Signal(), Signal(range(self._cycles + 1))
        # A register: the synchronizer takes a reset at any time, also one that logic shows for a
        # moment while it changes.
        unsettled = Signal(init=1)
        m.submodules.synchronizer = FFSynchronizer(self.locked, locked, o_domain="waiting")
        with m.If(~locked):
            m.d.waiting += waited.eq(0)
        with m.Elif(waited != self._cycles):
            m.d.waiting += waited.eq(waited + 1)
        m.d.waiting += unsettled.eq(waited != self._cycles)
        m.d.comb += self.reset.eq(unsettled | self.button)
        return m


#: A clock may differ by this share from the one that was asked for.
_TOLERANCE = 0.01

#: The clocks that can be asked for, in MHz.
_LEAST, _MOST = 1, 1000

#: The memories of iCE40 may not be read for some microseconds after configuration; five times that.
_SETTLE_SECONDS = 15e-6


@dataclass(frozen=True)
class Clock:
    """The clock of the self-test: the board's own, or what a PLL makes of it with a setting."""

    hz: float
    pll: Pll | None = None
    setting: Setting | None = None

    def drive(self, m: Module, platform: Any) -> None:
        """Make the domain with its reset; without a PLL the platform does it by itself.

        The platform states the frequency of the pin, from which nextpnr and Vivado derive that of
        the clock behind the PLL: one stated there would cut the two apart.
        """
        if self.pll is None or self.setting is None:
            return
        pin = platform.request(platform.default_clk, dir="-")
        clock, locked = Signal(name="pll_clock"), Signal(name="pll_locked")
        m.submodules.pll = Instance(
            self.pll.cell,
            **{f"p_{name}": value for name, value in self.setting.parameters.items()},
            **{f"a_{name}": value for name, value in self.setting.attributes.items()},
            **self.pll.ports(m, pin, clock, locked),
        )
        m.domains += [ClockDomain("sync"), ClockDomain("waiting", reset_less=True)]
        m.d.comb += [ClockSignal().eq(clock), ClockSignal("waiting").eq(clock)]
        settle: Any = Settle(int(_SETTLE_SECONDS * self.hz))
        m.submodules.settle = settle
        m.d.comb += settle.locked.eq(locked)
        if platform.default_rst is not None:
            pressed = platform.request(platform.default_rst, dir="-")
            m.submodules.reset_pin = buffer = io.Buffer(io.Direction.Input, pressed)
            m.d.comb += settle.button.eq(buffer.i)
        m.submodules.reset = ResetSynchronizer(settle.reset, domain="sync")


def clock_of(board: Board, mhz: float | None) -> Clock:
    """The clock that was asked for, as near as a PLL comes; None asks for the usual one."""
    own = float(board.platform().default_clk_frequency) / 1e6
    if mhz is None:
        mhz = own if board.mhz is None else board.mhz
    whose = f"{board.name}'s own of {own:g} MHz"
    asked = option("mhz", float(mhz), flag="clock")
    if not _LEAST <= mhz <= _MOST:
        raise InputError(f"{asked}: from {_LEAST} to {_MOST} MHz are allowed")
    if abs(mhz / own - 1) < 1e-9:
        return Clock(own * 1e6)
    if board.pll is None:
        raise InputError(f"{asked}: only {whose} is supported")
    setting = board.pll.set(own, mhz)
    if setting is None:
        raise InputError(f"{asked}: the PLL cannot work with {whose}")
    if abs(setting.hz / 1e6 / mhz - 1) > _TOLERANCE:
        raise InputError(
            f"{asked}: the PLL cannot make it of {whose}; the nearest is {setting.hz / 1e6:.6g}"
        )
    return Clock(setting.hz, board.pll, setting)
