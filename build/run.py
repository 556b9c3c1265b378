"""Build the self-test for a board, load it, and read what it says."""

import argparse
import contextlib
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import watch

from noc.boards import BOARDS, Board, clock_of
from noc.cli import main as noc
from noc.cli.parsers import OneLineParser, declare, megahertz, whole_number
from noc.design import build_design
from noc.errors import InputError
from noc.networks import build_network
from noc.selftest import Settings, header

HERE = Path(__file__).resolve().parent


def arguments() -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    """Read the command line."""
    parser = OneLineParser(description=__doc__)
    parser.add_argument(
        "board", metavar="BOARD", type=str.lower, choices=tuple(BOARDS), help=", ".join(BOARDS)
    )
    parser.add_argument("spec", metavar="SPEC", nargs="?", help="the network, like star:4")
    parser.add_argument("--width", type=whole_number, help="bits of a word's payload")
    parser.add_argument("--sources", choices=("all", "one"), default="all")
    parser.add_argument(
        "--clock", metavar="MHZ", type=megahertz, help="default: that of noc build for the board"
    )
    declare(parser, "--discard-edits")
    parser.add_argument("--load", action="store_true", help="load the bitstream")
    parser.add_argument("--watch", metavar="DEVICE", help="then read this serial line")
    return parser, parser.parse_args()


def check(board: Board, options: argparse.Namespace) -> None:
    """Refuse, before minutes of building, what cannot be loaded or watched afterwards."""
    loader = shlex.split(board.load)[0]
    if options.load and shutil.which(loader) is None:
        whose = "the vendor's tools" if board.project else "it"
        raise InputError(f"--load: {loader} is missing; install {whose} and put it on PATH")
    if options.watch is not None:
        watch.check_system(options.watch)
        if not Path(options.watch).exists():
            raise InputError(f"--watch {options.watch}: is not there; is the board plugged in?")


def find_project(folder: Path, asked: str) -> dict[str, Any] | None:
    """The project that is there already, if the vendor's tools have made a bitstream of it.

    ``asked`` is the first line of the report of what is asked for.
    """
    try:
        document: dict[str, Any] = json.loads((folder / "build.json").read_text(encoding="utf-8"))
        there = document["script"] and (folder / document["bitstream"]).exists()
        return document if document["header"] == asked and there else None
    except (OSError, ValueError, KeyError):
        return None


def written(command: list[str], parent: Path) -> int:
    """Run the command, with the folder for what it writes there; gone if nothing is written."""
    parent.mkdir(exist_ok=True)
    try:
        return noc(command)
    finally:
        # Fails where there is something in it.
        with contextlib.suppress(OSError):
            parent.rmdir()


def built(folder: Path, options: argparse.Namespace) -> dict[str, Any] | int:
    """Build what was asked for and tell what was made; or the status of the failure."""
    board = BOARDS[options.board]
    spec, width = board.suits
    spec, width = options.spec or spec, width if options.width is None else options.width
    hz = clock_of(board, options.clock).hz
    if options.load and board.project:
        asked = build_design(build_network(spec), sources=options.sources, width=width)
        project = find_project(folder, header(asked, Settings(hz)))
        if project is not None:
            return project
    command = ["build", spec, "--board", options.board, "-o", str(folder)]
    command += ["--clock", repr(hz / 1e6), "--width", str(width), "--sources", options.sources]
    command += ["--discard-edits"] * options.discard_edits
    status = written(command, folder.parent)
    if status:
        return status
    fresh: dict[str, Any] = json.loads((folder / "build.json").read_text(encoding="utf-8"))
    if options.load and fresh["script"]:
        script = f"cd {shlex.quote(str(folder))} && sh {fresh['script']}"
        raise InputError(f"--load: first make the bitstream: {script}")
    return fresh


def run(options: argparse.Namespace) -> int:
    """Build, load, watch."""
    check(BOARDS[options.board], options)
    folder = HERE.parent / "out" / options.board
    document = built(folder, options)
    if isinstance(document, int):
        return document
    if options.load:
        load = [
            part.replace("FILE", document["bitstream"]) for part in shlex.split(document["load"])
        ]
        if subprocess.run(load, cwd=folder, check=False).returncode:
            return 1
    return watch.watch(options.watch, header=document["header"]) if options.watch else 0


def main() -> int:
    """Do what the command line asks."""
    parser, options = arguments()
    try:
        return run(options)
    except InputError as error:
        parser.error(error.for_command_line())
    except watch.UnreadableError as error:
        parser.error(f"--watch {error}")
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
