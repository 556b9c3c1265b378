"""Area of a whole network by its parts, without place and route."""

from pathlib import Path

from noc.design import AnyDesign
from noc.research.sweep.steps.step import Axes, Step, Value, tools_needed, verilog_of
from noc.synth import family, measure_area
from noc.synth.tools import YOSYS_PACKAGE, check

__all__ = ["AREA", "STEP"]

#: The columns of an area, as the step ``synth`` has them too.
AREA = ("lut", "ff", "bram", "lutram")


def _measure(design: AnyDesign, axes: Axes, folder: Path) -> dict[str, Value]:
    chips = family(axes.target)
    with tools_needed():
        check()
    return dict(vars(measure_area(design, chips, folder, modules=verilog_of(design)[1:])))


STEP = Step(
    "area",
    AREA,
    ("target",),
    verilog=True,
    measure=_measure,
    packages=lambda _: (YOSYS_PACKAGE,),
)
