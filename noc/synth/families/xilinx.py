"""AMD Xilinx 7-series: area only, since no open tools of these packages place and route it."""

from typing import Any

from amaranth.hdl import Const, Instance, Module, Signal

from noc.synth.family import Area, Device, Family, Pll, Setting, buffered, nearest, recipes


def _set(own: float, mhz: float) -> Setting | None:
    """The nearest clock with an oscillator, a comparison and a buffer within their ranges."""
    best = nearest(
        mhz,
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


#: Of an Artix-7, whose bitstreams the vendor's tools make.
PLL = Pll("PLLE2_BASE", _set, _ports)

FAMILY = Family(
    name="xilinx",
    title="Xilinx 7-series",
    synth="synth_xilinx -family xc7 -noiopad -noclkbuf -nodsp",
    recipes=recipes("")[:1],
    models=("xilinx/cells_sim.v",),
    # Six-input tables; two of five inputs or fewer may share one, which only a packer decides.
    # LUT RAM and shift registers are made of tables.
    luts={
        **{f"LUT{inputs}": 1 for inputs in range(1, 7)},
        **dict.fromkeys(("INV", "SRL16E", "SRLC16E", "SRLC32E", "RAM32X1S", "RAM64X1S"), 1),
        **dict.fromkeys(("RAM32X1D", "RAM64X1D"), 2),
        **dict.fromkeys(("RAM128X1D", "RAM32M", "RAM64M"), 4),
    },
    ffs=("FDRE", "FDSE", "FDCE", "FDPE"),
    brams=("RAMB18", "RAMB36"),
    lutrams=("RAM32", "RAM64", "RAM128", "SRL"),
    devices=(
        Device("XC7K325T", (), ("any",), Area(lut=203800, ff=407600, bram=890, lutram=64000)),
        Device("XC7A100T", (), ("any",), Area(lut=63400, ff=126800, bram=270, lutram=19000)),
        Device("XC7A35T", (), ("any",), Area(lut=20800, ff=41600, bram=100, lutram=9600)),
    ),
    router=None,
    packer=None,
)
