"""Write a page, or a moving picture, in which one sees words move, cycle by cycle.

Write a single HTML file that shows a network, its trees, and the words that the cycle model moves
along its links, cycle by cycle. Any browser opens it, without a server and without access to a
network. If FILE ends in .svg it is a moving picture of a few words, for a page or a slide.
"""

import argparse
import shlex
from typing import TYPE_CHECKING, Any

from noc.cli import arguments, output
from noc.cli.output import Result
from noc.cli.parsers import CommandParser, declare
from noc.errors import InputError

if TYPE_CHECKING:
    from noc.design import AnyDesign
    from noc.verify import Run

#: The algorithm whose steps one sees first, where the network has it.
_FIRST = "fewest-steps"

EXAMPLES = (
    "noc explore star:4 -o star4.html",
    "noc explore star:4 --sources one --algorithm balanced -o star4.html",
    "noc explore mesh:4,4 --operations broadcast,all_reduce:sum --width 8 -o sums.html",
    "noc explore star:4 --beside 'mesh:4,6' -o both.html",
    "noc explore star:4 -o moving.svg",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    _add_scene(parser)
    declare(
        parser,
        """
        --beside 'SPEC …'  another design in the same page, to stand beside the first: SPEC and
            options as of this command, in quotation marks
        -o --output FILE  the file to write, ending in .html or .svg
        --json
        """,
        output={"required": True},
    )


def _add_scene(parser: argparse.ArgumentParser) -> None:
    """The options of one design and its runs."""
    arguments.add_spec(parser)
    arguments.add_design_options(parser)
    arguments.add_traffic(
        parser,
        "one broadcast, and a few words of every source; with operations, each operation by "
        "itself; with an exchange, one round and a few",
    )


def run(options: argparse.Namespace) -> Result:
    """Run the model and write the page."""
    from noc.explore import describe, describe_scene, list_plays, write_page
    from noc.explore.document import MOVING, check_size, check_target

    check_target(options.output)
    if options.output.suffix.lower() == MOVING:
        return _write_picture(options)
    chosen = [options]
    if options.beside is not None:
        chosen.append(_read_beside(options.beside))
    scenes = []
    for each in chosen:
        design = arguments.build_design(each)
        check_size(design.network)
        plays = list_plays(design.network, design.program.algorithm)
        scenes.append(describe_scene(design, _runs(each, design), plays))
        if options.operations and not each.operations:
            why = "the design of --beside has no --operations, so that its words are broadcast"
            output.hint(why)
    # Who asks for words wants to see them; anybody else first sees one broadcast.
    asked = options.traffic or options.operations or options.exchange or options.words
    asked = asked or len(scenes) > 1
    opens = None if asked else options.algorithm or _FIRST
    size = write_page(describe(scenes, opens=opens), options.output)
    facts = {"file": str(options.output), "bytes": size}
    known = [_facts(scene) for scene in scenes]
    names = ("name", "words", "cycles", "transfers")
    rows = [(each["name"], *(run[n] for n in names)) for each in known for run in each["runs"]]
    table = output.table(("design", "run", *names[1:]), rows)
    return Result(facts | {"scenes": known}, [table, facts])


def _write_picture(options: argparse.Namespace) -> Result:
    """Write a moving picture of a few words."""
    from noc.explore.document import check_size, write_text
    from noc.explore.moving import build_picture, few_words
    from noc.explore.runs import record

    if options.beside is not None:
        raise InputError("--beside: a moving picture shows one design; a page (.html) shows two")
    design = arguments.build_design(options)
    check_size(design.network)
    if options.traffic is None:
        arguments.check_positive(options, "words", "cycles")
        recording = record(design, few_words(design, options.words), options.cycles)
    else:
        first, *_ = arguments.build_runs(options, design)
        recording = record(design, first.traffic, first.cycles)
    size = write_text(build_picture(design, recording), options.output)
    facts = {"file": str(options.output), "bytes": size}
    return Result(facts | {"words": len(recording.words["source"]), "cycles": recording.cycles})


def _read_beside(text: str) -> argparse.Namespace:
    parser = CommandParser(prog="noc explore --beside", allow_abbrev=False)
    _add_scene(parser)
    try:
        parts = shlex.split(text)
    except ValueError as error:
        raise InputError(f"--beside {text}: {error}") from None
    return parser.parse_args(parts)


def _runs(options: argparse.Namespace, design: "AnyDesign") -> "list[Run]":
    from noc.explore import usual_runs

    if options.traffic is not None:
        return arguments.build_runs(options, design)
    arguments.check_positive(options, "words", "cycles")
    return usual_runs(design, words=options.words, cycles=options.cycles, seed=options.seed)


def _facts(scene: dict[str, Any]) -> dict[str, Any]:
    """A scene in short."""
    return {
        "name": scene["name"],
        "network": scene["network"]["spec"],
        "schedules": len(scene["schedules"]),
        "plays": len(scene["plays"]),
        "runs": [
            {
                "name": run["name"],
                "words": _count_words(run),
                "cycles": run["cycles"],
                "transfers": sum(run["count"]),
                "end": run["end"],
            }
            for run in scene["runs"]
        ],
    }


def _count_words(run: dict[str, Any]) -> int:
    """The words of a run; where it has sums in their place, those that were given."""
    if "sum" not in run["words"]:
        return len(run["words"]["source"])
    counts = zip(run["streams"]["kind"], run["count"], strict=True)
    return sum(count for kind, count in counts if kind == "inject")
