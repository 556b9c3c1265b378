"""Build the self-test for a board, load it, and read what it says."""

import argparse
import json
import shlex
import subprocess
import sys
from pathlib import Path

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


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("board", choices=tuple(BOARDS))
    parser.add_argument("spec", metavar="SPEC", nargs="?", help="the network, like star:4")
    parser.add_argument("--width", type=int, help="bits of a word's payload")
    parser.add_argument("--sources", choices=("all", "one"), default="all")
    parser.add_argument("--clock", metavar="MHZ", help="default: the board's own")
    parser.add_argument("--load", action="store_true", help="load the bitstream")
    parser.add_argument("--watch", metavar="DEVICE", help="then read this serial line")
    return parser.parse_args()


def main() -> int:
    """Build, load, watch."""
    options = arguments()
    spec, width = NETWORKS[options.board]
    folder = HERE.parent / "out" / options.board
    folder.parent.mkdir(exist_ok=True)
    command = ["build", options.spec or spec, "--board", options.board, "-o", str(folder)]
    asked = width if options.width is None else options.width
    command += ["--width", str(asked), "--sources", options.sources]
    command += ["--clock", options.clock] if options.clock else []
    status = noc(command)
    if status:
        return status
    made = json.loads((folder / "build.json").read_text(encoding="utf-8"))
    if options.load:
        if BOARDS[options.board].project:
            sys.exit(f"run.py: error: first make the bitstream: cd {folder}; sh {made['product']}")
        load = [part.replace("FILE", made["product"]) for part in shlex.split(made["load"])]
        subprocess.run(load, cwd=folder, check=True)
    return watch.watch(options.watch) if options.watch else 0


if __name__ == "__main__":
    sys.exit(main())
