"""Count the cycles of operations, beside the least that any network would take.

Count the cycles of a broadcast, or of other operations of the ordered fabric, when nothing else
moves: from the cycle in which all nodes concerned offer their first word to the one in which the
last word is taken. Beside it stands the lower bound for any network with these links, in which a
hop takes a cycle and a node gives and takes one word a cycle, and the gap to it; for barrier and
all_reduce also the lower bound if all words meet at one node. The direct fabric only broadcasts.
The options of the network are those of 'noc generate'.
"""

import argparse
from typing import TYPE_CHECKING, Any

from noc.cli import arguments
from noc.cli.output import Result, Table
from noc.errors import InputError

if TYPE_CHECKING:
    from noc.design import AnyDesign, Design, OrderedDesign
    from noc.programs.operations import Operation

__all__ = ["EXAMPLES", "configure", "run"]

EXAMPLES = (
    "noc latency star:5 --operation all_reduce:sum --words 64",
    "noc latency mesh:4,4 --operations broadcast,scatter,gather,barrier --from 0.0 --to 0.0",
    "noc latency star:5 --sources one --algorithm balanced",
)

Row = dict[str, Any]

_COLUMNS = ("operation", "words", "from", "to", "cycles", "bound", "gap", "bound_with_root")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    parser.add_argument(
        "--operation",
        metavar="X",
        action="append",
        help="an operation to count; may be repeated (default: all of --operations). Without "
        "--operations the network is built for these",
    )
    parser.add_argument(
        "--words",
        metavar="M",
        type=_numbers,
        default=[1],
        help="words of each node; in a scatter, words for each node; M,N,… counts each "
        "(default: 1)",
    )
    parser.add_argument(
        "--from",
        metavar="LABEL",
        dest="source",
        help="the node that gives the words of broadcast, multicast, send and scatter (default: "
        "the one from which a word takes longest)",
    )
    parser.add_argument(
        "--to",
        metavar="LABEL",
        help="the node that gets the words of send, gather and reduce (default: the one to which "
        "they take longest from the root)",
    )
    arguments.add_design_options(parser)
    arguments.add_json(parser)


def _numbers(text: str) -> list[int]:
    return [arguments.whole_number(part) for part in text.split(",")]


def run(options: argparse.Namespace) -> Result:
    """Count the cycles of each operation and number of words."""
    from noc.design import OrderedDesign

    if min(options.words) < 1:
        raise InputError(f"--words {min(options.words)}: at least 1 is needed")
    design = _build(options)
    if isinstance(design, OrderedDesign):
        chosen = _chosen(options, design)
        rows = [_row(options, design, each, words) for each in chosen for words in options.words]
    else:
        rows = _broadcasts(options, design)
    for name, given in (("from", options.source), ("to", options.to)):
        if given is not None and not any(row[name] for row in rows):
            raise InputError(f"--{name} {given}: none of the operations names such a node")
    latencies = Table(rows, {"bound_with_root": "bound with a root"})
    facts = {"network": design.network.spec, **arguments.design_facts(design)}
    return Result({**facts, "latencies": latencies})


def _build(options: argparse.Namespace) -> "AnyDesign":
    """The design, for the operations to count where none are named for it."""
    asked = {
        "--fabric direct": options.fabric == "direct",
        "--sources one": options.sources == "one",
    }
    if not any(asked.values()) or options.fabric == "ordered":
        if options.operations is None:
            options.operations = options.operation
        return arguments.build_design(options)
    for flag, names in (("operation", options.operation), ("operations", options.operations)):
        for name in names or ():
            if name != "broadcast":
                why = " and ".join(text for text, given in asked.items() if given)
                raise InputError(
                    f"--{flag} {name}: the direct fabric only broadcasts; leave out {why}"
                )
    options.operations = None
    return arguments.build_design(options)


def _broadcasts(options: argparse.Namespace, design: "Design") -> list[Row]:
    """Each number of words of one node in the direct fabric."""
    net, config = design.network, design.config
    if options.source is None:
        # On a symmetric network all see the same, where all may send.
        alike = net.symmetric and len(design.program.sources) == net.nodes
        sources = design.program.sources[: 1 if alike else None]
        source = max(sources, key=lambda node: _play_broadcast(design, node, 1))
    else:
        source = net.node(options.source, argument="from")
        if source not in design.program.sources:
            raise InputError(f"--from {options.source}: is none of --sources")
    rows = []
    for words in options.words:
        cycles = _play_broadcast(design, source, words)
        bound = net.eccentricity(source) * (1 + config.link_registers) + words - 1
        known = ("broadcast", words, net.label(source), None, cycles, bound, cycles - bound, None)
        rows.append(dict(zip(_COLUMNS, known, strict=True)))
    return rows


def _play_broadcast(design: "Design", source: int, words: int) -> int:
    """The cycle in which the last word is taken, from the cycle model."""
    from noc.model import back_to_back, simulate

    traffic = back_to_back(design.program, source, words)
    arrival = simulate(design.program, traffic, events=False, arrival=True).arrival
    assert arrival is not None
    return max(0, int(arrival.max()))


def _chosen(options: argparse.Namespace, design: "OrderedDesign") -> "list[Operation]":
    """The operations to count."""
    known = {str(operation): operation for operation in design.operations.listed}
    for name in options.operation or ():
        if name not in known:
            raise InputError(f"--operation {name}: is none of the network's: {', '.join(known)}")
    return [known[name] for name in options.operation or known]


def _row(
    options: argparse.Namespace, design: "OrderedDesign", operation: "Operation", words: int
) -> Row:
    from noc.model.ordered.latency import measure_cycles
    from noc.programs.latency import find_parties
    from noc.programs.latency_bounds import bound_cycles, bound_with_root

    program, net = design.program, design.network
    source, to = (
        None if label is None else net.node(label, argument=name)
        for name, label in (("from", options.source), ("to", options.to))
    )
    try:
        parties = find_parties(program, operation, source=source, to=to)
    except InputError as error:
        raise InputError(f"--operation {operation}: {error.message}") from None
    cycles = measure_cycles(program, operation, parties, words)
    bound = bound_cycles(program, operation, parties, words)
    meets = operation.kind in ("all_reduce", "barrier")
    with_root = bound_with_root(program, parties, words) if meets else None
    ends = [None if end is None else net.label(end) for end in (parties.source, parties.to)]
    known = (str(operation), words, *ends, cycles, bound, cycles - bound, with_root)
    return dict(zip(_COLUMNS, known, strict=True))
