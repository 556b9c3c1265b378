"""From a design to a bitstream, stage by stage, or to a project for a vendor's tools."""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from noc import __version__
from noc.boards.boards import Board
from noc.boards.chips import CHIPS, demand
from noc.boards.clock import Clock
from noc.boards.sizes import too_large
from noc.boards.top import NAME, plan
from noc.design import Design
from noc.errors import CheckError
from noc.selftest.top import Settings
from noc.synth import tools
from noc.synth.targets import FAMILIES, Area

__all__ = ["MARKER", "Built", "build"]

#: The file that tells of a build, and that a folder was written by one.
MARKER = "build.json"

#: No stage takes longer.
_SECONDS = 4 * 3600

#: How the bitstreams of the open tools end.
_BITSTREAMS = (".bit", ".bin")


@dataclass(frozen=True)
class Built:
    """What was made.

    Parameters
    ----------
    design : Design
        The network.
    board : Board
        For what.
    device : str
        The board's chip.
    clock : Clock
        The clock of the self-test.
    files : tuple of str
        What lies in the folder.
    area : Area or None
        What the netlist takes; None for a project.
    used : mapping of str to (int, int)
        Of each kind of place on the chip, how many are used and how many there are.
    fmax_mhz : float or None
        The highest clock with which the routed chip works; None for a project.
    seconds : mapping of str to float
        How long each stage took.
    versions : mapping of str to str
        Which tools did it.
    """

    design: Design
    board: Board
    device: str
    clock: Clock
    files: tuple[str, ...]
    area: Area | None = None
    used: dict[str, tuple[int, int]] = field(default_factory=dict)
    fmax_mhz: float | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    @property
    def product(self) -> str:
        """The file to load, or the script that makes it."""
        made = [name for name in self.files if name.endswith(_BITSTREAMS)]
        return made[0] if made else f"build_{NAME}.sh"


#: Told when a stage begins: its name.
Progress = Callable[[str], None]


def build(
    design: Design,
    board: Board,
    settings: Settings,
    clock: Clock,
    folder: Path,
    *,
    progress: Progress = lambda stage: None,
) -> Built:
    """Make the bitstream of the self-test of a design, or the project, in an empty folder.

    Parameters
    ----------
    design : Design
        The network.
    board : Board
        For what.
    settings : Settings
        Of the self-test; its clock must be ``clock``'s.
    clock : Clock
        The clock.
    folder : Path
        An empty folder.
    progress : callable
        Told of each stage as it begins.
    """
    device = str(board.platform().device)
    progress("Verilog and constraints")
    if board.family is None:
        made = plan(design, board, settings, clock)
        _extract(made, folder)
        (folder / "README.txt").write_text(_readme(board), encoding="utf-8")
        return Built(design, board, device, clock, _files(folder))
    family = FAMILIES[board.family]
    options = f"--seed {settings.seed} --timing-allow-fail --report {NAME}.timing.json"
    made = plan(
        design, board, settings, clock, synth_opts=family.small, nextpnr_opts=options, verbose=True
    )
    _extract(made, folder)
    steps = json.loads(made.files[f"build_{NAME}.json"])["commands"]
    stages = _Stages(folder, progress)
    stages.run("synthesis", tools.yosys(), [f"{NAME}.ys"])
    area = demand(folder / f"{NAME}.json", NAME, family)
    if not CHIPS[device].holds(area):
        raise too_large(design, board, CHIPS[device], area)
    stages.run("place and route", tools.nextpnr(board.family), steps[1][1:])
    report = json.loads((folder / f"{NAME}.timing.json").read_text(encoding="utf-8"))
    fmax = _fmax(report, clock)
    stages.run("bitstream", tools.packer(steps[2][0]), steps[2][1:])
    used = {name: (use["used"], use["available"]) for name, use in report["utilization"].items()}
    return Built(
        design, board, device, clock, _files(folder), area, used, fmax, stages.seconds, {}
    )


class _Stages:
    """Runs the tools one after the other and notes the time."""

    def __init__(self, folder: Path, progress: Progress) -> None:
        self._folder, self._progress = folder, progress
        self.seconds: dict[str, float] = {}

    def run(self, stage: str, tool: tools.Tool, arguments: list[str]) -> None:
        """One stage; its output lies in a file of its name."""
        self._progress(stage)
        began = time.monotonic()
        log = f"{stage.replace(' ', '-')}.txt"
        tool.run(arguments, self._folder, log, seconds=_SECONDS)
        self.seconds[stage] = round(time.monotonic() - began, 1)
