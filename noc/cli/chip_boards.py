"""``noc build --chips``: a network that tests itself on several boards, with wires between them."""

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noc.cli import bitstreams, output
from noc.cli.cut import PINS, build_cut, table_of_wires, wire_facts
from noc.cli.output import Result, Table
from noc.errors import CheckError

if TYPE_CHECKING:
    from noc.boards import Built
    from noc.chips import Cut, Wire
    from noc.selftest.chips import ChipTests


def run(options: argparse.Namespace) -> Result:
    """Simulate all chips, build them, or both."""
    options.pins = PINS if options.pins is None else options.pins
    cut = build_cut(options)
    if options.board is None:
        return _simulate(options, cut, [options.clock] * cut.division.chips)
    return _build(options, cut)


def _simulate(options: argparse.Namespace, cut: "Cut", clocks: Sequence[float | None]) -> Result:
    """Simulate all chips and the links between them; status 1 if one fails.

    Before the rounds that are asked for there is one in which they wait for each other.
    """
    from noc.selftest.chips import CHIPS_SIMULATED, ChipTests, simulate_chips

    usual = CHIPS_SIMULATED.clock_hz
    settings = [
        replace(CHIPS_SIMULATED, seed=options.seed, clock_hz=usual if mhz is None else mhz * 1e6)
        for mhz in clocks
    ]
    rounds: int = options.simulate + 1
    with tempfile.TemporaryDirectory(prefix="noc-build-") as name:
        texts, results = simulate_chips(ChipTests(cut, settings), Path(name), rounds=rounds)
    complete = all(len(own) == rounds for own in results)
    passed = complete and all(
        each.passed or (each.waits and each.round == 1) for own in results for each in own
    )

    def status() -> int:
        if not complete:
            counts = ", ".join(str(len(own)) for own in results)
            raise CheckError(f"only {counts} of {rounds} reports of each chip came")
        return 0 if passed else 1

    document = {"passed": passed, "chips": [[vars(each) for each in own] for own in results]}
    return Result(document, ["\n".join(text.splitlines()) for text in texts], status=status)


def _build(options: argparse.Namespace, cut: "Cut") -> Result:
    """A bitstream for the board of each chip, and the wires between them."""
    from noc.boards import check_registers
    from noc.boards.boards import boards_of_chips
    from noc.boards.build import build_chips
    from noc.boards.platform_top import clocks_of_chips
    from noc.chips import plan_wires
    from noc.emit.verilog import top_name
    from noc.selftest import Settings
    from noc.selftest.chips import ChipTests
    from noc.synth import FAMILIES, tools

    chips = range(cut.division.chips)
    boards, pins = zip(*boards_of_chips(options.board, len(chips)), strict=True)
    for family in {board.family for board in boards}:
        tools.check(*FAMILIES[family].routers, packages={"amaranth_boards": "amaranth-boards"})
    for chosen, members in zip(boards, cut.division.members, strict=True):
        check_registers(options.spec, len(members), cut.design.width, chosen)
    clocks = clocks_of_chips(cut, boards, options.clock)
    wires = plan_wires(cut, pins)
    tests = ChipTests(cut, [Settings(clock.hz, seed=options.seed) for clock in clocks])
    folder = options.output or Path(f"{top_name(cut.design)}_{len(chips)}_chips")
    bitstreams.check(options, folder)
    if options.simulate is not None:
        tested = _simulate(options, cut, [clock.hz / 1e6 for clock in clocks])
        if not bitstreams.passed(options, tested):
            return tested
    began, table = time.monotonic(), table_of_wires(cut, wires)
    with bitstreams.writing(options, folder) as staging:
        built = build_chips(tests, boards, clocks, wires, staging, progress=output.stages())
        document = _document(tests, built, wires)
        document["seconds"] = round(time.monotonic() - began, 1)
        (staging / "wires.txt").write_text(f"{table}\n", encoding="utf-8")
        bitstreams.mark(staging, document)
    facts = {
        "network": document["network"],
        "width": document["width"],
        "wires": f"{len(wires)}, and the ground of all boards, but no supply; also in "
        f"{folder / 'wires.txt'}",
        "load them": "in any order; after one was loaded again, load all",
        "read them": bitstreams.reading(document["baud"]),
        "time": f"{document['seconds']:.0f} s",
    }
    rows = [_row(each, folder) for each in document["chips"]]
    return Result(document, [facts, Table(rows), table])


def _document(
    tests: "ChipTests", built: Sequence["Built"], wires: Sequence["Wire"]
) -> dict[str, Any]:
    """What was built for each chip, and how they are joined."""
    from noc.chips.cut import chip_name
    from noc.selftest import BAUD

    cut, label = tests.cut, tests.cut.design.network.label
    chips = [
        {
            "name": chip_name(chip),
            "nodes": [label(node) for node in cut.division.members[chip]],
            "header": tests.header(chip),
            **bitstreams.on_board(result),
            "bitstream": f"{chip_name(chip)}/{result.bitstream}",
        }
        for chip, result in enumerate(built)
    ]
    return {
        **bitstreams.what_is_built(cut.design, tests.settings[0].seed),
        "pins": cut.pins,
        "ddr": cut.ddr,
        "chips": chips,
        "wires": [wire_facts(each) for each in wires],
        "streams": {str(number): name for number, name in tests.streams().items()},
        "baud": BAUD,
    }


def _row(document: dict[str, Any], folder: Path) -> dict[str, object]:
    """A chip, where people read."""
    area, clock = document["area"], document["clock"]
    return {
        "chip": document["name"],
        "LUT": area["lut"],
        "FF": area["ff"],
        "MHz": clock["mhz"],
        "up to": round(clock["fmax_mhz"], 1),
        "load it": bitstreams.loading(document, folder),
    }
