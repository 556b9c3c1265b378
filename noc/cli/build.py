"""Make a bitstream for a board in which the network tests itself.

Make a bitstream, or a project for the vendor's tools, in which a network tests itself on a board.
docs/boards.md explains how to load it and read the result.
"""

import argparse
import shlex
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noc.cli import arguments, bitstreams, output
from noc.cli.cut import DECIDED
from noc.cli.output import Result
from noc.cli.parsers import declare
from noc.errors import CheckError, InputError
from noc.options import OPTIONS

if TYPE_CHECKING:
    from noc.boards import Board, Built
    from noc.design import AnyDesign
    from noc.selftest import Settings

EXAMPLES = (
    "noc build --boards",
    "noc build star:4 --board ulx3s_85f",
    "noc build star:4 --simulate 2",
    "noc build star:3 --chips 2 --board icebreaker --width 8",
)

#: What a person wants to know first; some of it only one fabric has.
_FACTS = ["network", "fabric", "algorithm", "root", "ports", "sources", "width", "board", "device"]

#: Resources of a chip that a person wants to know of.
_SHOWN = ("TRELLIS_COMB", "TRELLIS_FF", "DP16KD", "ICESTORM_LC", "ICESTORM_RAM")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    *first, last = (OPTIONS[name].on_command_line for name in DECIDED)
    decided = f"{', '.join(first)} and {last}"
    arguments.add_spec(parser, optional=True)
    declare(
        parser,
        f"""
        --board B  the board; 'noc build --boards' lists the names; with --chips the board of all
            chips, or B,B,... those of each, and behind any the connectors to use: B:C+C
        --boards  list the boards
        --chips K|FILE  divide the network among so many boards, as 'noc cut' does (docs/chips.md):
            of the ordered fabric, without {decided}
        --pins P  pins for data of a link between two boards, each way (default: 3, with which it
            fits a Pmod connector)
        --ddr  with --chips, pins for data carry two bits in a cycle, by DDR cells
        -o --output DIR  the folder to write; a folder that 'noc build' wrote before is replaced
            (default: named after the network, and the board or the number of chips)
        --discard-edits
        """,
    )
    arguments.add_design_options(parser)
    declare(
        parser,
        """
        --clock MHZ  the clock, made by a PLL of the chip (default: the board's own, or half of it
            where that is faster than most networks)
        --seed S  the seed of words, stalls and placement (default: 0)
        --simulate ROUNDS  simulate this many short rounds of the self-test and print its text;
            without --board nothing else is done
        """,
        seed={"default": 0},
    )
    arguments.add_timeout(parser)
    declare(parser, "--json")


def run(options: argparse.Namespace) -> Result:
    """List, simulate, build, as the options ask."""
    if options.boards:
        return _list(options)
    if options.spec is None:
        raise InputError("SPEC is needed, or --boards")
    if options.board is None and options.simulate is None:
        raise InputError("--board B is needed ('noc build --boards' names them), or --simulate N")
    if options.simulate == 0:
        raise InputError("--simulate 0: at least 1 round is needed")
    if options.board is None and options.output is not None:
        raise InputError("-o DIR: needs --board B; a simulation alone writes no folder")
    if options.chips is not None:
        from noc.cli import chip_boards

        return chip_boards.run(options)
    if options.pins is not None:
        raise InputError(f"--pins {options.pins}: is for --chips")
    if options.ddr:
        raise InputError("--ddr: is for --chips")
    if options.board is None:
        return _simulate(options, _design(options), options.clock)
    return _build(options)


def _list(options: argparse.Namespace) -> Result:
    """The boards; refuses what a list cannot use."""
    from noc.boards import BOARDS

    names = {"spec": "SPEC", "board": "--board", "output": "--output", "simulate": "--simulate"}
    names |= {"chips": "--chips", "pins": "--pins", "ddr": "--ddr"}
    if excess := [shown for name, shown in names.items() if getattr(options, name)]:
        raise InputError(f"--boards: lists the boards, and takes no {' and no '.join(excess)}")
    boards = [{"name": b.name, "title": b.title, "project": b.project} for b in BOARDS.values()]
    rows = [(b.name, b.title, "project" if b.project else "bitstream") for b in BOARDS.values()]
    return Result({"boards": boards}, [output.table(("board", "what it is", "what is made"), rows)])


def _simulate(options: argparse.Namespace, design: "AnyDesign", mhz: float | None) -> Result:
    """Simulate the self-test; status 1 if a round fails."""
    from noc.selftest import SIMULATED, cycle_limit, simulate

    clock_hz = SIMULATED.clock_hz if mhz is None else mhz * 1e6
    settings = replace(SIMULATED, seed=options.seed, clock_hz=clock_hz)
    rounds: int = options.simulate
    limit = cycle_limit(design, settings, rounds)
    with tempfile.TemporaryDirectory(prefix="noc-build-") as name:
        text, results = simulate(design, Path(name), settings, rounds=rounds, limit=limit)
    passed = len(results) == rounds and all(result.passed for result in results)

    def status() -> int:
        if len(results) < rounds:
            raise CheckError(f"only {len(results)} of {rounds} reports came within {limit} cycles")
        return 0 if passed else 1

    document = {"passed": passed, "rounds": [vars(result) for result in results]}
    return Result(document, ["\n".join(text.splitlines())], status=status)


def _design(options: argparse.Namespace, chosen: "Board | None" = None) -> "AnyDesign":
    """The design, refused as soon as its nodes, or then its trees, say that it cannot be had."""
    from noc.boards import check_registers
    from noc.design import check_width
    from noc.networks import measure_network
    from noc.selftest import check_bits, words_of

    check_width(options.width)
    spec, nodes = measure_network(options.spec)
    if options.operations is None and options.fabric != "timetable":
        check_bits(spec, nodes, options.width)
    if chosen is not None:
        check_registers(spec, nodes, options.width, chosen)
    design = arguments.build_design(options)
    words_of(design)
    return design


def _build(options: argparse.Namespace) -> Result:
    from noc.boards import board, build, clock_of
    from noc.emit.verilog import top_name
    from noc.selftest import Settings
    from noc.synth import FAMILIES, tools

    chosen = board(options.board)
    if chosen.family is not None:
        chips = FAMILIES[chosen.family]
        tools.check(*chips.routers, packages={"amaranth_boards": "amaranth-boards"})
    clock = clock_of(chosen, options.clock)
    if options.output is not None:
        bitstreams.check(options, options.output)
    design = _design(options, chosen)
    folder = options.output or Path(f"{top_name(design)}_{chosen.name}")
    bitstreams.check(options, folder)
    if options.simulate is not None:
        tested = _simulate(options, design, clock.hz / 1e6)
        if not bitstreams.passed(options, tested):
            return tested
    began = time.monotonic()
    settings = Settings(clock.hz, seed=options.seed)
    with bitstreams.writing(options, folder) as staging:
        result = build(design, chosen, settings, clock, staging, progress=output.stages())
        document = _document(result, settings, time.monotonic() - began)
        bitstreams.mark(staging, document)
    return Result(document, [_in_words(folder, document)])


def _document(result: "Built", settings: "Settings", seconds: float) -> dict[str, Any]:
    from noc.selftest import BAUD, header

    of_board = bitstreams.on_board(result)
    of_board["seconds"]["all"] = round(seconds, 1)
    return {
        **bitstreams.what_is_built(result.design, settings.seed),
        "header": header(result.design, settings),
        "script": result.script,
        **of_board,
        "baud": BAUD,
    }


def _in_words(folder: Path, document: dict[str, Any]) -> dict[str, object]:
    area, clock = document["area"], document["clock"]
    facts: dict[str, object] = {name: document[name] for name in _FACTS if name in document}
    facts["clock"] = f"{clock['mhz']:g} MHz"
    if area is not None:
        # Another clock makes another bitstream, which may be a little slower.
        most = f"this bitstream works up to {clock['fmax_mhz']:.1f} MHz"
        facts["clock"] = f"{clock['mhz']:g} MHz; {most}"
        facts["area"] = f"{area['lut']} LUT, {area['ff']} FF, {area['bram']} block RAM"
        facts["used"] = ", ".join(
            f"{name} {used} of {available}"
            for name, (used, available) in document["used"].items()
            if name in _SHOWN
        )
        facts["bitstream"] = str(folder / document["bitstream"])
    else:
        facts["project"] = str(folder)
        facts["make it"] = f"cd {shlex.quote(str(folder))} && sh {document['script']}"
    facts["load it"] = bitstreams.loading(document, folder)
    facts["read it"] = bitstreams.reading(document["baud"])
    return facts | {"time": f"{document['seconds']['all']:.0f} s"}
