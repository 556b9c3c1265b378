"""Print the forwarding tables of the hardware and their size.

Print what each router or node of the hardware is built to do, and the size of its ROM. The options
are those of 'noc generate'.
"""

import argparse
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from noc.cli import arguments, output
from noc.cli.output import Result, Table
from noc.errors import InputError
from noc.networks import build_network
from noc.trees import Algorithm

if TYPE_CHECKING:
    from noc.design import AnyDesign, Design, OrderedDesign

__all__ = ["EXAMPLES", "configure", "run"]

EXAMPLES = (
    "noc program star:4 --sources one --algorithm balanced",
    "noc program star:4 --sources one --algorithm all",
    "noc program star:4",
)

# Up to this many rows, or nodes, the tables are printed without being asked for.
SHORT = 80

#: In which programs are compared; some only the direct fabric has.
_COMPARED = (
    *("algorithm", "ports", "trees", "states", "code_bits", "rows", "rom_bits"),
    *("rom_bits_by_address", "rom_bits_network", "modules"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: those that decide the hardware, as noc generate takes them."""
    arguments.add_spec(parser)
    arguments.add_design_options(parser, several=True)
    parser.add_argument(
        "--rows",
        action=argparse.BooleanOptionalAction,
        help=f"print every row (default: in JSON, and in text for up to {SHORT} rows)",
    )
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> Result:
    """Compile one program, or several to compare."""
    if arguments.are_several(options.algorithm):
        return _compare(options)
    design = arguments.build_design(options)
    return Result(partial(_document, design, options.rows), _text(design, options.rows))


def _document(design: "AnyDesign", rows: bool | None) -> dict[str, Any]:
    return _facts(design) | ({} if rows is False else _tables(design))


def _text(design: "AnyDesign", rows: bool | None) -> Iterator[Mapping[str, object] | str]:
    from noc.design import OrderedDesign

    facts = _facts(design)
    if not isinstance(design, OrderedDesign):
        facts["rom_bits_by_address"] = _by_address(design, facts["rom_bits_by_address"])
    yield output.words(facts)
    if _is_short(design) if rows is None else rows:
        yield from _ordered(design) if isinstance(design, OrderedDesign) else _direct(design)


def _by_address(design: "Design", bits: int) -> str:
    """What that figure leaves out."""
    program, nodes = design.program, design.network.nodes
    carried = (len(program.sources) * program.trees - 1).bit_length()
    own = f"each of {nodes} routers would need its own table (here {len(program.tables)} for all)"
    return f"{bits}, a row for each source: {own}, and each word {carried} bits of address"


def _compare(options: argparse.Namespace) -> Result:
    """Several algorithms, a line for each and each model that it has."""
    if options.rows is not None:
        raise InputError(f"--{'' if options.rows else 'no-'}rows: is for one algorithm")
    designs, refused = _designs(options)
    facts = [_facts(design) for design in designs]
    rows = [{name: each[name] for name in _COMPARED if name in each} for each in facts]
    shared = {
        name: value
        for name, value in facts[0].items()
        if name not in _COMPARED and all(each.get(name) == value for each in facts)
    }
    notes = (output.note(f"{name}: ", reason) for name, reason in refused.items())
    return Result(
        {**shared, "programs": rows, "refused": refused},
        [output.words(shared), Table(rows), *notes],
    )


def _designs(options: argparse.Namespace) -> "tuple[list[AnyDesign], dict[str, str]]":
    """A design for each algorithm and each model that it has, and why others have none.

    Where algorithms are named, all of them must have one.
    """
    chosen = arguments.chosen_algorithms(build_network(options.spec), options.algorithm)
    designs: list[AnyDesign] = []
    refused: dict[str, str] = {}
    for algorithm in output.watched(chosen, "programs of all algorithms"):
        try:
            designs += _models(options, algorithm)
        except InputError as error:
            if options.algorithm != arguments.ALL:
                raise
            refused[algorithm.name] = error.for_command_line()
    if not designs:
        # Of none of them because of an option of all, such as a label that no node has.
        raise InputError(next(iter(refused.values())))
    return designs, refused


def _models(options: argparse.Namespace, algorithm: Algorithm) -> "Iterator[AnyDesign]":
    from noc.design import Design

    def build(ports: str | None) -> "AnyDesign":
        given = {**vars(options), "algorithm": algorithm.name, "ports": ports}
        return arguments.build_design(argparse.Namespace(**given))

    first = build(options.ports)
    yield first
    # In the ordered fabric there is no such choice.
    if options.ports is None and isinstance(first, Design):
        for model in algorithm.models[1:]:
            yield build(model)


def _is_short(design: "AnyDesign") -> bool:
    from noc.design import OrderedDesign

    if isinstance(design, OrderedDesign):
        return design.network.nodes <= SHORT
    return sum(len(table.entries) for table in design.program.tables) <= SHORT


def _facts(design: "AnyDesign") -> dict[str, Any]:
    from noc.design import OrderedDesign

    facts = {"network": design.network.spec, **arguments.design_facts(design)}
    if isinstance(design, OrderedDesign):
        # Neither header nor table says where a word goes: a node has one way up and all down.
        return {**facts, "code_bits": 0, "rom_bits": 0, "modules": len(design.program.plans)}
    program = design.program
    return {
        **facts,
        "trees": program.trees,
        "states": program.states,
        "code_bits": program.code_bits,
        "rows": max(len(table.entries) for table in program.tables),
        "rom_bits": program.rom_bits,
        "rom_bits_by_address": program.rom_bits_by_address,
        "rom_bits_network": program.rom_bits_network,
        "modules": len(program.tables),
    }


def _tables(design: "AnyDesign") -> dict[str, Any]:
    """What ``program.json`` says of modules and nodes, and the nodes of each router module."""
    from noc.design import OrderedDesign
    from noc.emit.program import describe_program

    document = describe_program(design)
    if isinstance(design, OrderedDesign):
        return {
            "nodes": list(_ordered_nodes(design, document)),
            "node_modules": document["modules"],
        }
    routers = document["routers"].items()
    nodes = _nodes_of_modules(design)
    return {
        "routers": {
            name: {"nodes": "all" if len(nodes) == 1 else labels, **table}
            for (name, table), labels in zip(routers, nodes, strict=True)
        }
    }


def _nodes_of_modules(design: "Design") -> list[list[str]]:
    """For each router module the nodes that have it."""
    program = design.program
    return [
        [design.network.label(int(node)) for node in np.flatnonzero(program.table == number)]
        for number in range(len(program.tables))
    ]


def _direct(design: "Design") -> Iterator[str]:
    """Each ROM, and whose it is."""
    from noc.emit.program import describe_roms

    nodes = _nodes_of_modules(design)
    for (name, text), labels in zip(describe_roms(design).items(), nodes, strict=True):
        where = "every router" if len(nodes) == 1 else ", ".join(labels)
        yield "\n".join([f"{name}: {where}", *(f"  {line}".rstrip() for line in text.splitlines())])


def _ordered_nodes(design: "OrderedDesign", document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The nodes of ``program.json``, each with its cycles up to the root and down from it."""
    program = design.program
    for node, entry in enumerate(document["nodes"]):
        up = {"up": int(program.up[node])} if program.plan_of(node).sends else {}
        yield {**entry, **up, "down": int(program.down_cycles[node])}


def _ordered(design: "OrderedDesign") -> Iterator[str]:
    """The nodes, and then each module."""
    from noc.emit.program import describe_program

    document = describe_program(design)
    columns = ("label", "module", "up_to", "up_from", "down_to", "up", "down", "most_waited")
    heads = ("node", "module", "up to", "up from", "down to", "up", "down", "most waited")
    nodes = _ordered_nodes(design, document)
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
        yield "\n".join([*lines, f"  outputs  {', '.join(plan['outputs'])}"])


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
