"""From a design to a bitstream, stage by stage, or to a project for a vendor's tools."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from noc.boards.boards import Board
from noc.boards.platform_top import (
    NAME,
    Clock,
    Content,
    chip_content,
    plan_content,
    selftest_content,
)
from noc.chips.cut import PINS_IN, chip_name
from noc.chips.wiring import Wire
from noc.design import AnyDesign
from noc.errors import CheckError, option
from noc.processes import OutOfTimeError
from noc.selftest.chips import ChipTests
from noc.selftest.selftest import BAUD, Settings, header
from noc.synth import tools
from noc.synth.families import FAMILIES
from noc.synth.family import Area, check_fit, fullness
from noc.synth.netlist import FLATTEN_COPIES, count_area

#: How the name of what nextpnr reports ends.
_REPORT = ".timing.json"

#: No stage takes longer.
_SECONDS = 4 * 3600


def _say(progress: "Progress", name: str, stage: str) -> None:
    progress(f"{name}: {stage}")


@dataclass(frozen=True, kw_only=True)
class Routed:
    """What the tools made."""

    #: What the netlist takes; None for a project.
    area: Area | None = None
    #: Of each kind of place on the chip, how many are used and how many there are.
    used: dict[str, tuple[int, int]] = field(default_factory=dict)
    #: The highest clock with which the routed chip works; None for a project.
    fmax_mhz: float | None = None
    #: How long each stage took.
    seconds: dict[str, float] = field(default_factory=dict)
    #: Name and version of what did it.
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Built(Routed):
    """The self-test of a network for a board, with its clock."""

    design: AnyDesign
    board: Board
    clock: Clock

    @property
    def device(self) -> str:
        """The board's chip, as its maker spells it."""
        return str(self.board.platform().device)

    @property
    def bitstream(self) -> str:
        """The file to load, which the vendor's tools have still to make of a project."""
        return NAME + self.board.ending

    @property
    def script(self) -> str | None:
        """What makes it of a project."""
        return f"build_{NAME}.sh" if self.board.project else None


#: Called with the name of a stage that begins.
Progress = Callable[[str], None]


def build(
    design: AnyDesign,
    board: Board,
    settings: Settings,
    clock: Clock,
    folder: Path,
    *,
    progress: Progress,
) -> Built:
    """Make the bitstream of the self-test of a design, or the project, in an empty folder.

    The clock of the settings must be ``clock``'s; ``progress`` is called with each stage.
    """
    content = selftest_content(design, settings)
    routed = make_bitstream(content, board, clock, folder, seed=settings.seed, progress=progress)
    built = Built(design=design, board=board, clock=clock, **vars(routed))
    _explain(built, header(design, settings), folder)
    return built


def build_chips(
    tests: ChipTests,
    boards: Sequence[Board],
    clocks: Sequence[Clock],
    wires: Sequence[Wire],
    folder: Path,
    *,
    progress: Progress,
) -> list[Built]:
    """Make the bitstream of each chip's self-test, in a folder of its own below an empty one."""
    result = []
    for chip, (board, clock) in enumerate(zip(boards, clocks, strict=True)):
        name = chip_name(chip)
        content = chip_content(tests, chip, wires, clocks, board)
        own = folder / name
        own.mkdir()
        seed = tests.settings[chip].seed
        routed = make_bitstream(
            content, board, clock, own, seed=seed, progress=partial(_say, progress, name)
        )
        built = Built(design=tests.cut.design, board=board, clock=clock, **vars(routed))
        _explain(built, tests.header(chip), own)
        result.append(built)
    return result


def make_bitstream(
    content: Content,
    board: Board,
    clock: Clock,
    folder: Path,
    *,
    seed: int = 0,
    progress: Progress,
) -> Routed:
    """Synthesis, place and route, and packing, with a check of the result after each.

    For a board whose bitstreams only the vendor's tools make, a project for them is written. The
    seed is that of the placement; the rest as for :func:`build`.
    """
    first = "Verilog and constraints"
    if board.family is None:
        progress(first)
        _extract(plan_content(content, board, clock), folder)
        return Routed()
    family, name = FAMILIES[board.family], content.name
    timing, seconds = f"{name}{_REPORT}", dict[str, float]()
    yosys, (nextpnr, packer) = tools.yosys(), map(tools.program, family.routers)

    def run(stage: str, tool: tools.Tool, arguments: list[str], detail: str = "") -> None:
        progress(stage + detail)
        began = time.monotonic()
        log = f"{stage.replace(' ', '-')}.txt"
        tool.run(arguments, folder, log, seconds=_SECONDS)
        seconds[stage] = round(time.monotonic() - began, 1)

    progress(first)
    route, pack = _plan(content, board, clock, folder, f"--seed {seed} --report {timing}")
    run("synthesis", yosys, [f"{name}.ys"])
    area = count_area(folder / f"{name}.json", name, family)
    check_fit(content.title, area, board.room, board.name)
    full = fullness(area, board.room, board.name)
    try:
        run("place and route", nextpnr, route[1:], detail=f": {full}")
    except OutOfTimeError as error:
        raise OutOfTimeError(f"{error.message}: it takes {full}") from None
    with tools.readable("nextpnr", "report"):
        report = json.loads((folder / timing).read_text(encoding="utf-8"))
        fmax = achieved(report, clock)
        used = {name: (of["used"], of["available"]) for name, of in report["utilization"].items()}
    run("bitstream", packer, pack[1:])
    with tools.readable("yosys", "netlist"):
        creator = tools.creator(json.loads((folder / f"{name}.json").read_text(encoding="utf-8")))
    return Routed(
        area=area,
        used=used,
        fmax_mhz=fmax,
        seconds=seconds,
        tools=(creator, nextpnr.version()),
    )


def _plan(
    content: Content, board: Board, clock: Clock, folder: Path, options: str
) -> tuple[list[str], list[str]]:
    """Write what the tools read: how to call those for place and route, and for packing."""
    assert board.family is not None
    family = FAMILIES[board.family]
    planned = plan_content(
        content,
        board,
        clock,
        synth_opts=family.plain,
        script_after_synth="\n".join(FLATTEN_COPIES),
        # A missed clock is reported behind it, with advice.
        nextpnr_opts=f"{family.board_options} --timing-allow-fail {options}".strip(),
    )
    _extract(planned, folder)
    _, route, pack = json.loads(planned.files[f"build_{content.name}.json"])["commands"]
    return route, pack


def _extract(build_plan: Any, folder: Path) -> None:
    """Write the plan's files, but for the scripts of other systems."""
    for name, content in build_plan.files.items():
        if name.endswith((".bat", ".json", ".debug.v")):
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def _explain(built: Built, header: str, folder: Path) -> None:
    """Write for a person what the folder contains."""
    board, what = built.board, header.removeprefix("arbornoc ")
    lines = [f"The self-test of {what},", f"for: {board.title}", ""]
    if built.script is not None:
        lines += [f"Make the bitstream with the vendor's tools on PATH: sh {built.script}"]
        lines += ["Their report of the timing must say that the clock is met."]
    lines += [f"Load it: {board.load.replace('FILE', built.bitstream)}"]
    lines += [f"Read the serial line: {BAUD} baud, 8 bits, no parity, 1 stop bit."]
    leds = ", ".join(f"{' '.join(map(str, led))}: {what}" for what, led in board.leds.items())
    lines += [f"Lights ({leds})."]
    if board.note:
        lines += [f"Note: {board.note}."]
    (folder / "README.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def achieved(report: dict[str, Any], clock: Clock) -> float:
    """The highest clock of the self-test that the routed chip allows; refuses one below its own."""
    clocks = [
        # A clock that comes from another board has a rate of its own.
        entry["achieved"] * clock.hz / 1e6 / entry["constraint"]
        if PINS_IN.format("chip") in name
        else entry["achieved"]
        for name, entry in report["fmax"].items()
    ]
    if not clocks:
        raise CheckError("nextpnr reports no clock")
    fmax = float(min(clocks))
    if fmax * 1e6 < clock.hz:
        raise CheckError(
            f"timing is not met: {fmax:.1f} MHz after place and route, and the clock is "
            f"{clock.hz / 1e6:g} MHz; use a lower {option('clock')}, another {option('seed')} or a "
            "smaller network"
        )
    return fmax
