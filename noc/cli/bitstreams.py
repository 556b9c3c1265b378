"""What ``noc build`` writes and shows, for one board or for several."""

import argparse
import contextlib
import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noc import __version__
from noc.cli import arguments
from noc.cli.output import Result

if TYPE_CHECKING:
    from noc.boards import Built
    from noc.design import AnyDesign

#: Describes a build, and marks a folder that was written by one.
MARKER = "build.json"

#: Where place and route do not end.
_ADVICE = (
    "use a larger --board, a smaller network, less --width, another --seed, or a longer --timeout"
)


def check(options: argparse.Namespace, folder: Path) -> None:
    """Refuse a folder that cannot be written."""
    from noc.emit.replace import check_folder

    check_folder(folder, marker=MARKER, command="noc build", discard_edits=options.discard_edits)


def passed(options: argparse.Namespace, tested: Result) -> bool:
    """Whether a simulation passed; it is read while the board is built, which takes long."""
    if not tested.entries()["passed"]:
        return False
    out = sys.stderr if options.json else sys.stdout
    print(*tested.parts(), sep="\n\n", file=out, flush=True)
    return True


@contextlib.contextmanager
def writing(options: argparse.Namespace, folder: Path) -> Iterator[Path]:
    """A folder to fill that takes the place of another, as long as the time is enough."""
    from noc.emit.replace import replace_folder

    with arguments.within(options.timeout, _ADVICE), replace_folder(folder) as staging:
        yield staging


def mark(staging: Path, document: dict[str, Any]) -> None:
    """Write what the folder holds, with a list of its files."""
    from noc.emit.replace import SUMS

    paths = (path for path in staging.rglob("*") if path.is_file())
    files = sorted(path.relative_to(staging).as_posix() for path in paths)
    document["files"] = [*files, MARKER, SUMS]
    text = json.dumps(document, ensure_ascii=False, indent=1)
    (staging / MARKER).write_text(text + "\n", encoding="utf-8")


def what_is_built(design: "AnyDesign", seed: int) -> dict[str, Any]:
    """What tests itself."""
    groups = design.named_groups
    return {
        "generator": f"arbornoc {__version__}",
        "network": design.network.spec,
        **arguments.design_facts(design),
        **({"groups": groups} if groups else {}),
        "nodes": design.network.nodes,
        "seed": seed,
    }


def on_board(result: "Built") -> dict[str, Any]:
    """What was made for a board."""
    return {
        "board": result.board.name,
        "device": result.device,
        "bitstream": result.bitstream,
        "load": result.board.load,
        "area": None if result.area is None else vars(result.area),
        "used": {name: list(use) for name, use in result.used.items()},
        "clock": {"mhz": result.clock.hz / 1e6, "fmax_mhz": result.fmax_mhz},
        "tools": list(result.tools),
        "seconds": dict(result.seconds),
    }


def loading(document: dict[str, Any], folder: Path) -> str:
    """The command that loads a bitstream; its name may be inside of an argument."""
    bitstream = str(folder / document["bitstream"])
    return shlex.join(word.replace("FILE", bitstream) for word in shlex.split(document["load"]))


def reading(baud: int) -> str:
    """How the serial line is read."""
    return f"serial line, {baud} baud, 8 bits, no parity, 1 stop bit"
