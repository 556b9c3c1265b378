"""The PLL of an AMD Artix-7, whose bitstreams the vendor's tools make."""

from typing import Any

from amaranth.hdl import Const, Instance, Module, Signal

from noc.synth.pll import Pll, Setting, buffered, nearest

__all__ = ["PLL"]


def _set(own: float, wanted: float) -> Setting | None:
    """The nearest clock with an oscillator, a comparison and a buffer within their ranges."""
    best = nearest(
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
    if best is None:
        return None
    _, divide, times, out = best
    parameters: dict[str, str | int | float] = {
        "CLKIN1_PERIOD": 1000 / own,
        "DIVCLK_DIVIDE": divide,
        "CLKFBOUT_MULT": times,
        "CLKOUT0_DIVIDE": out,
    }
    return Setting(own * 1e6 / divide * times / out, parameters)


def _ports(m: Module, pin: Any, clock: Signal, locked: Signal) -> dict[str, Any]:
    pin_clock = buffered(m, pin)
    back, out = Signal(name="pll_back"), Signal(name="pll_out")
    m.submodules.clock_net = Instance("BUFG", i_I=out, o_O=clock)
    return {
        "i_CLKIN1": pin_clock,
        "i_CLKFBIN": back,
        "o_CLKFBOUT": back,
        "o_CLKOUT0": out,
        "o_LOCKED": locked,
        "i_RST": Const(0),
        "i_PWRDWN": Const(0),
    }


PLL = Pll("PLLE2_BASE", _set, _ports)
