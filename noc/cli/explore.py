"""Write a page, or a moving picture, in which one sees words move, cycle by cycle.

Write a single HTML file that shows a network, its trees, and the words that the cycle model moves
along its links, cycle by cycle. Any browser opens it, without a server and without access to a
network. If FILE ends in .svg it is a moving picture of a few words, for a page or a slide.
"""

import argparse
import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from noc.cli import arguments, output
from noc.cli.output import Result
from noc.cli.traffic import add_traffic, build_runs, check_limits
from noc.errors import InputError
from noc.model.steps.all_to_all import all_to_all
from noc.model.steps.slices import pipelined
from noc.networks import Network
from noc.trees import Ports, TreeFamily, algorithms_on, build_trees
from noc.trees.fewest_steps import NAME as FEWEST_STEPS

if TYPE_CHECKING:
    from noc.design import AnyDesign
    from noc.explore import Play
    from noc.verify import Run

__all__ = ["EXAMPLES", "configure", "list_plays", "run"]

EXAMPLES = (
    "noc explore star:4 -o star4.html",
    "noc explore star:4 --sources one --algorithm balanced -o star4.html",
    "noc explore mesh:4,4 --operations broadcast,all_reduce:sum --width 8 -o sums.html",
    "noc explore star:4 --beside 'mesh:4,6' -o both.html",
    "noc explore star:4 -o moving.svg",
)

# From every node of larger networks there are more words than one can follow.
_ALL_TO_ALL = 32

# Slices of a message that one tree carries.
_SLICES = 4


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    _add_scene(parser)
    parser.add_argument(
        "--beside",
        metavar="'SPEC …'",
        help="another design in the same page, to stand beside the first: SPEC and options as "
        "of this command, in quotation marks",
    )
    arguments.add_path(
        parser, "--output FILE", required=True, help="the file to write, ending in .html or .svg"
    )
    arguments.add_json(parser)


def _add_scene(parser: argparse.ArgumentParser) -> None:
    """The options of one design and its runs."""
    arguments.add_spec(parser)
    arguments.add_design_options(parser)
    add_traffic(
        parser,
        usual=None,
        usually="one broadcast, and a few words of every source; with operations, each operation "
        "by itself",
    )


def run(options: argparse.Namespace) -> Result:
    """Run the model and write the page."""
    from noc.explore import describe, describe_scene, write_page
    from noc.explore.document import check_size
    from noc.explore.write import MOVING, check_target

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
            output.hint(
                "the design of --beside has no --operations, so that its words are broadcast"
            )
    # Who asks for words wants to see them; anybody else first sees one broadcast.
    asked = options.traffic or options.operations or options.words or len(scenes) > 1
    opens = None if asked else options.algorithm or FEWEST_STEPS
    size = write_page(describe(scenes, opens=opens), options.output)
    facts: dict[str, Any] = {"file": str(options.output), "bytes": size}
    known = [_facts(scene) for scene in scenes]
    rows = [
        (scene["name"], run["name"], run["words"], run["cycles"], run["transfers"])
        for scene in known
        for run in scene["runs"]
    ]
    table = output.table(("design", "run", "words", "cycles", "transfers"), rows)
    return Result(facts | {"scenes": known}, [table, facts])


def _write_picture(options: argparse.Namespace) -> Result:
    """Write a moving picture of a few words."""
    from noc.explore.document import check_size
    from noc.explore.moving import build_picture, few_words
    from noc.explore.record import record
    from noc.explore.write import write_text

    if options.beside is not None:
        raise InputError("--beside: a moving picture shows one design; a page (.html) shows two")
    design = arguments.build_design(options)
    check_size(design.network)
    if options.traffic is None:
        check_limits(options)
        recording = record(design, few_words(design, options.words), options.cycles)
    else:
        first, *_ = build_runs(options, design)
        recording = record(design, first.traffic, first.cycles)
    size = write_text(build_picture(design, recording), options.output)
    return Result(
        {
            "file": str(options.output),
            "bytes": size,
            "words": len(recording.words["source"]),
            "cycles": recording.cycles,
        }
    )


def _read_beside(text: str) -> argparse.Namespace:
    parser = arguments.CommandParser(prog="noc explore --beside", allow_abbrev=False)
    _add_scene(parser)
    try:
        parts = shlex.split(text)
    except ValueError as error:
        raise InputError(f"--beside {text}: {error}") from None
    return parser.parse_args(parts)


def _runs(options: argparse.Namespace, design: "AnyDesign") -> "list[Run]":
    from noc.explore import usual_runs

    if options.traffic is not None:
        return build_runs(options, design)
    check_limits(options)
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
                "words": len(run["words"]["source"]),
                "cycles": run["cycles"],
                "transfers": sum(run["count"]),
                "end": run["end"],
            }
            for run in scene["runs"]
        ],
    }


def list_plays(network: Network, algorithm: str) -> "Iterator[Play]":
    """Communications of many words, as the papers count their steps.

    Messages in slices along several trees; and of one algorithm slices, and all to all.
    """
    for each in algorithms_on(network):
        if each.name == FEWEST_STEPS != algorithm:
            # One tree, and a long search.
            continue
        for ports in each.models:
            try:
                family = build_trees(network, each.name, ports=ports)
            except InputError:
                # As in the list of schedules.
                continue
            if len(family.trees) > 1 or each.name == algorithm:
                yield _slices(family, ports)
            if each.name == algorithm and network.nodes <= _ALL_TO_ALL:
                yield _all_to_all(family, ports)


def _slices(family: TreeFamily, ports: Ports) -> "Play":
    """A slice along each tree, or some along the only one."""
    from noc.explore import Play

    count = len(family.trees)
    slices = count if count > 1 else _SLICES
    return Play(
        f"{family.algorithm}, {ports}-port, a message in {slices} slices",
        f"{slices} slices from {family.network.label(family.root)}, along {_named(count)}",
        [family.trees[place % count] for place in range(slices)],
        pipelined(family, slices, ports).received,
    )


def _all_to_all(first: TreeFamily, ports: Ports) -> "Play":
    from noc.explore import Play

    network, algorithm = first.network, first.algorithm
    roots = range(1, network.nodes)
    others = [build_trees(network, algorithm, root=root, ports=ports) for root in roots]
    sources = [first, *others]
    return Play(
        f"{algorithm}, {ports}-port, all to all",
        "a message from every node to all others",
        [tree for source in sources for tree in source.trees],
        all_to_all(sources, ports).outcome.received,
    )


def _named(count: int) -> str:
    return "one tree" if count == 1 else f"{count} trees"
