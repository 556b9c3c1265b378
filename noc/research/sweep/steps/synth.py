"""Area and clock of a design after synthesis, place and route."""

from pathlib import Path
from typing import cast, get_args

from noc.design import AnyDesign
from noc.errors import InputError
from noc.research.sweep.steps.area import AREA
from noc.research.sweep.steps.step import Axes, Step, Value, tools_needed
from noc.synth import Mode, family, measure, target
from noc.synth.tools import YOSYS_PACKAGE, check

__all__ = ["STEP"]

_COLUMNS = (*AREA, "mhz", "mhz_least", "mhz_most")


def _measure(design: AnyDesign, axes: Axes, folder: Path) -> dict[str, Value]:
    if axes.measured not in ("network", "router"):
        raise InputError(f"measured: {axes.measured!r} is unknown; allowed: network, router")
    if axes.mapping not in get_args(Mode):
        raise InputError(
            f"mapping: {axes.mapping!r} is unknown; allowed: {', '.join(get_args(Mode))}"
        )
    if axes.seeds < 1:
        raise InputError(f"seeds: {axes.seeds} is out of range; 1 is the least")
    chosen = target(axes.target)
    router, _ = chosen.family.routers
    with tools_needed():
        check(router)
    measured = measure(
        design,
        chosen,
        folder,
        router=axes.measured == "router",
        mapping=cast(Mode, axes.mapping),
        seeds=axes.seeds,
    )
    clocks = [clock.mhz for clock in measured.clocks]
    return {
        **vars(measured.area),
        "mhz": measured.mhz,
        "mhz_least": min(clocks),
        "mhz_most": max(clocks),
    }


def _packages(axes: Axes) -> tuple[str, ...]:
    router = family(axes.target).router
    return (YOSYS_PACKAGE,) if router is None else (YOSYS_PACKAGE, router.remedy)


STEP = Step(
    "synth",
    _COLUMNS,
    ("target", "mapping", "measured", "seeds"),
    verilog=True,
    measure=_measure,
    packages=_packages,
)
