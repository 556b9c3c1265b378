"""Count the cycles of operations, beside the least that any network would take.

Count the cycles of a broadcast, or of other operations of the ordered fabric, when nothing else
moves: from the cycle in which all nodes concerned offer their first word to the one in which the
last word is taken. Beside it is the lower bound for any network with these links, in which a
hop takes a cycle and a node gives and takes one word a cycle, and the gap to it; for barrier and
all_reduce also the lower bound if all words meet at one node. The direct fabric only broadcasts;
in the timetable fabric one node does, or all in an all_gather, and cycles count from the one in
which the first word is taken. The options of the network are those of 'noc generate'.
"""

import argparse
from typing import TYPE_CHECKING

from noc.cli import arguments
from noc.cli.output import Result, Table
from noc.cli.parsers import declare, whole_number
from noc.errors import InputError

if TYPE_CHECKING:
    from noc.design import AnyDesign

EXAMPLES = (
    "noc latency star:5 --operation all_reduce:sum --words 64",
    "noc latency mesh:4,4 --operations broadcast,scatter,gather,barrier --from 0.0 --to 0.0",
    "noc latency star:5 --sources one --algorithm balanced",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    declare(
        parser,
        """
        --operation X  an operation to count; may be repeated (default: all of --operations).
            Without --operations the network is built for these
        --words M  words of each node; in a scatter, words for each node; M,N,… counts each
            (default: 1)
        --from LABEL  the node that gives the words of broadcast, multicast, send and scatter
            (default: the one from which a word takes longest)
        --to LABEL  the node that gets the words of send, gather and reduce (default: the one to
            which they take longest from the root)
        """,
        operation={"action": "append"},
        words={"type": lambda text: [*map(whole_number, text.split(","))], "default": [1]},
        **{"from": {"dest": "source"}},
    )
    arguments.add_design_options(parser)
    declare(parser, "--json")


def run(options: argparse.Namespace) -> Result:
    """Count the cycles of each operation and number of words."""
    if min(options.words) < 1:
        raise InputError(f"--words {min(options.words)}: at least 1 is needed")
    design = _build(options)
    count = arguments.report_of(design).latencies
    rows = list(count(design, options.operation, options.words, options.source, options.to))
    for name, label in (("from", options.source), ("to", options.to)):
        if label is not None and not any(row[name] for row in rows):
            raise InputError(f"--{name} {label}: none of the operations names such a node")
    latencies = Table(rows, {"bound_with_root": "bound with a root"})
    facts = {"network": design.network.spec, **arguments.design_facts(design)}
    return Result({**facts, "latencies": latencies})


def _build(options: argparse.Namespace) -> "AnyDesign":
    """The design, for the operations to count where none are named for it."""
    direct = [
        f"--{name} {value}"
        for name, value in (("fabric", "direct"), ("sources", "one"))
        if getattr(options, name) == value
    ]
    if options.fabric == "timetable":
        # It has two operations, and is built for no others.
        return arguments.build_design(options)
    if not direct or options.fabric == "ordered":
        if options.operations is None:
            options.operations = options.operation
        return arguments.build_design(options)
    for flag, names in (("operation", options.operation), ("operations", options.operations)):
        for name in names or ():
            if name != "broadcast":
                raise InputError(
                    f"--{flag} {name}: the direct fabric only broadcasts; leave out "
                    f"{' and '.join(direct)}"
                )
    options.operations = None
    return arguments.build_design(options)
