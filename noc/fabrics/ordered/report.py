"""What the commands print of a design."""

from collections.abc import Iterator, Sequence
from typing import Any

from noc.cli import output
from noc.design import OrderedDesign
from noc.errors import InputError, option
from noc.fabrics.measured import latency_row
from noc.fabrics.ordered import describe
from noc.model.ordered import measure_cycles
from noc.programs.latency import bound_cycles, bound_with_root, find_parties
from noc.programs.operations import ALL, Operation
from noc.programs.ordered_config import PLAIN

#: How it is mapped to gates where nothing else is asked for.
MAPPING = "plain"

Row = dict[str, Any]


def facts(design: OrderedDesign) -> Row:
    """What a reader of results must know beside what all designs have."""
    result: Row = {"root": design.network.label(design.root)}
    hidden, operations = {"registers_of"}, design.operations
    optional = "void_words", "stand_ins", "lookahead"
    hidden |= {name for name in optional if not getattr(design.config, name)}
    if operations.only_broadcast:
        hidden |= {"group_queue", "watchdog"}
    else:
        result["operations"] = list(map(str, operations.listed))
    return result | {n: v for n, v in vars(design.config).items() if n not in hidden}


def summary(design: OrderedDesign, manifest: Row) -> Row:
    """What is said of a folder that was written."""
    program = design.program
    known = {"root": manifest["root"], "node modules": len(program.plans)}
    if not design.operations.only_broadcast:
        cycles = (f"{name} {latency}" for name, latency in manifest["latency"].items())
        return known | {"cycles": ", ".join(cycles)}
    words = [program.cycles_to_all(source) for source in program.sources]
    mean = sum(words) / len(words)
    return known | {"cycles to all": f"{mean:.1f} in the mean over sources, {max(words)} at most"}


def hints(design: OrderedDesign) -> Iterator[str]:
    """A line for each choice that another would better."""
    operations = design.operations
    used = {operation.group for operation in operations.listed}
    for name in [name for name, _ in operations.groups if name not in (ALL, *used)]:
        yield f"no operation names group {name}, as barrier@{name} would"
    if not operations.joined_groups:
        for name in ("group_queue", "watchdog"):
            if getattr(design.config, name) != getattr(PLAIN, name):
                yield f"no operation joins words, so that {name.replace('_', ' ')} changes nothing"


def program_facts(design: OrderedDesign) -> Row:
    """The sizes of its tables.

    Neither header nor table says where a word goes: a node has one way up and all down.
    """
    return {"code_bits": 0, "rom_bits": 0, "modules": len(design.program.plans)}


def count_rows(design: OrderedDesign) -> int:
    """The lines of its tables."""
    return design.network.nodes


def tables(design: OrderedDesign) -> Row:
    """The nodes and their modules."""
    document = describe.program(design, None)
    return {"nodes": list(_nodes(design, document)), "node_modules": document["modules"]}


def _nodes(design: OrderedDesign, document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The nodes of ``program.json``, each with its cycles up to the root and down from it."""
    program = design.program
    for node, entry in enumerate(document["nodes"]):
        up = {"up": int(program.up[node])} if program.plan_of(node).sends else {}
        yield {**entry, **up, "down": int(program.down_cycles[node])}


def tables_text(design: OrderedDesign) -> Iterator[str]:
    """The nodes, and then each module."""
    document = describe.program(design, None)
    columns = ("label", "module", "up_to", "up_from", "down_to", "up", "down", "most_waited")
    heads = ("node", "module", "up to", "up from", "down to", "up", "down", "most waited")
    nodes = _nodes(design, document)
    yield output.table(heads, [[node.get(name) for name in columns] for node in nodes])
    for name, plan in document["modules"].items():
        lines = [name, f"  inputs   {', '.join(plan['inputs']) or 'none'}"]
        if plan["merges"]:
            of_merges = ("merge", "of", "weights", "slots")
            lines.append(output.table(of_merges, _merges(plan), indent="  "))
        for group, joined in plan.get("joins", {}).items():
            if joined["joins"]:
                of_joins = (f"join of {group}", "of", "slots")
                lines.append(output.table(of_joins, _joins(joined), indent="  "))
        lines.append(f"  outputs  {', '.join(plan['outputs'])}")
        if "depth" in plan:
            lines.append(f"  queue    {plan['depth']} words")
        yield "\n".join(lines)


def _joins(plan: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    """The joins of a group at a module, whose streams are called by their names."""
    names = [each if each == "inject" else f"child {each}" for each in plan["operands"]]
    names += [f"join {place}" for place in range(len(plan["joins"]))]
    for place, join in enumerate(plan["joins"]):
        first, second = join["streams"]
        yield place, f"{names[first]} and {names[second]}", join["slots"]


def _merges(plan: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    """The merges of a module, whose streams are called by their names."""
    inputs = plan["inputs"]
    names = [*inputs, *(f"merge {place}" for place in range(len(plan["merges"])))]
    for place, merge in enumerate(plan["merges"]):
        streams = " and ".join(names[stream] for stream in merge["streams"])
        yield place, streams, ":".join(map(str, merge["weights"])), merge["slots"]


def latencies(
    design: OrderedDesign,
    operations: Sequence[str] | None,
    words: Sequence[int],
    source: str | None,
    to: str | None,
) -> Iterator[Row]:
    """The cycles of each operation and number of words, with the lower bounds."""
    net = design.network
    giving, getting = (
        None if label is None else net.node(label, argument=name)
        for name, label in (("from", source), ("to", to))
    )
    for operation in _chosen(design, operations):
        for count in words:
            yield _latency(design, operation, count, giving, getting)


def _chosen(design: OrderedDesign, names: Sequence[str] | None) -> list[Operation]:
    """The operations to count: all, where none are named."""
    known = {str(operation): operation for operation in design.operations.listed}
    for name in names or ():
        if name not in known:
            asked = option("operation", name)
            raise InputError(f"{asked}: is none of the network's: {', '.join(known)}")
    return [known[name] for name in names or known]


def _latency(
    design: OrderedDesign, operation: Operation, words: int, source: int | None, to: int | None
) -> Row:
    program, label = design.program, design.network.label
    try:
        parties = find_parties(program, operation, source=source, to=to)
    except InputError as error:
        raise InputError(f"{option('operation', operation)}: {error.message}") from None
    cycles = measure_cycles(program, operation, parties, words)
    bound = bound_cycles(program, operation, parties, words)
    meets = operation.kind in ("all_reduce", "barrier")
    with_root = bound_with_root(program, parties, words) if meets else None
    giving, getting = (None if n is None else label(n) for n in (parties.source, parties.to))
    return latency_row(str(operation), words, (giving, getting), cycles, bound, with_root)
