"""AMD Xilinx 7-series: area only, since no open tools of these packages place and route it."""

from noc.synth.family import Area, Device, Family
from noc.synth.recipes import recipes

__all__ = ["FAMILY"]

FAMILY = Family(
    name="xilinx",
    title="Xilinx 7-series",
    synth="synth_xilinx -family xc7 -noiopad -noclkbuf -nodsp",
    recipes=recipes("")[:1],
    models=("xilinx/cells_sim.v",),
    # Six-input tables; two of five inputs or fewer may share one, which only a packer decides.
    # LUT RAM and shift registers stand on tables.
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
