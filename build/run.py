"""Build the self-test for a board, load it, and read what it says."""

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import watch

from noc.boards import BOARDS
from noc.cli import main as noc

HERE = Path(__file__).resolve().parent

#: For each board a network that fits well, with the width of its words.
NETWORKS = {
    "ulx3s_85f": ("star:4", 32),
    "ulx3s_45f": ("star:4", 32),
    "ulx3s_25f": ("star:4", 32),
    "ulx3s_12f": ("star:4", 32),
    "ecp5_5g_evn": ("star:4", 32),
    "icebreaker": ("star:3", 8),
    "ice40_hx8k_b_evn": ("star:3", 32),
    "arty_a7_35": ("star:4", 32),
    "de10_nano": ("star:4", 32),
}


def arguments() -> tuple[argparse.ArgumentParser, argparse.Namespace]:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("board", metavar="BOARD", choices=tuple(BOARDS), help=", ".join(BOARDS))
    parser.add_argument("spec", metavar="SPEC", nargs="?", help="the network, like star:4")
    parser.add_argument("--width", type=int, help="bits of a word's payload")
    parser.add_argument("--sources", choices=("all", "one"), default="all")
    parser.add_argument("--clock", metavar="MHZ", help="default: the board's usual one")
    parser.add_argument("--load", action="store_true", help="load the bitstream")
    parser.add_argument("--watch", metavar="DEVICE", help="then read this serial line")
    return parser, parser.parse_args()


def made_before(folder: Path, spec: str, width: int, sources: str) -> dict[str, Any] | None:
    """The project that is there already, if the vendor's tools have made a bitstream of it."""
    try:
        made: dict[str, Any] = json.loads((folder / "build.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    same = [made.get(name) for name in ("network", "width", "sources")] == [spec, width, sources]
    return made if same and made["script"] and (folder / made["bitstream"]).exists() else None


def main() -> int:
    """Build, load, watch."""
    parser, options = arguments()
    spec, width = NETWORKS[options.board]
    spec, width = options.spec or spec, width if options.width is None else options.width
    folder = HERE.parent / "out" / options.board
    made = made_before(folder, spec, width, options.sources) if options.load else None
    if made is None:
        folder.parent.mkdir(exist_ok=True)
        command = ["build", spec, "--board", options.board, "-o", str(folder)]
        command += ["--width", str(width), "--sources", options.sources]
        command += ["--clock", options.clock] if options.clock else []
        status = noc(command)
        if status:
            return status
        made = json.loads((folder / "build.json").read_text(encoding="utf-8"))
        if options.load and made["script"]:
            parser.error(f"--load: first make the bitstream: cd {folder} && sh {made['script']}")
    try:
        if options.load:
            load = [part.replace("FILE", made["bitstream"]) for part in shlex.split(made["load"])]
            if subprocess.run(load, cwd=folder, check=False).returncode:
                return 1
        return watch.watch(options.watch, header=made["header"]) if options.watch else 0
    except FileNotFoundError as error:
        parser.error(f"--load: {error.filename} is missing; it is a program of its own")
    except watch.UnreadableError as error:
        parser.error(f"--watch {error}")
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
