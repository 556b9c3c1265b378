"""``noc program``: what the routers are built to do, and what it costs."""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from noc.cli import arguments, output
from noc.cli.compared_programs import compare_designs
from noc.cli.compared_trees import are_several
from noc.errors import InputError

if TYPE_CHECKING:
    from noc.design import AnyDesign, Design, OrderedDesign

__all__ = ["DESCRIPTION", "EXAMPLES", "HELP", "configure", "run"]

HELP = "print the forwarding tables of the hardware and their size"
DESCRIPTION = (
    "Print what each router or node of the hardware is built to do, and the size of its ROM. The "
    "options are those of 'noc generate'."
)
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
    arguments.add_tree_options(parser, root=False, hardware=True, several=True)
    arguments.add_design_options(parser)
    parser.add_argument(
        "--rows",
        action=argparse.BooleanOptionalAction,
        help=f"print every row (default: in JSON, and in text for up to {SHORT} rows)",
    )
    arguments.add_json(parser)


def run(options: argparse.Namespace) -> int:
    """Compile and print."""
    from noc.design import OrderedDesign

    if are_several(options.algorithm):
        return _compare(options)
    design = arguments.build_design(options)
    if options.json:
        listed = {} if options.rows is False else _tables(design)
        output.write_json({**_facts(design), **listed})
        return 0
    facts = _facts(design)
    if not isinstance(design, OrderedDesign):
        facts["rom_bits_by_address"] = _by_address(design, facts["rom_bits_by_address"])
    print(output.facts({name.replace("_", " "): value for name, value in facts.items()}))
    if _is_short(design) if options.rows is None else options.rows:
        if isinstance(design, OrderedDesign):
            _print_ordered(design)
        else:
            _print_direct(design)
    return 0


def _by_address(design: "Design", bits: int) -> str:
    """What that figure leaves out."""
    program, nodes = design.program, design.network.nodes
    carried = (len(program.sources) * program.trees - 1).bit_length()
    own = f"each of {nodes} routers would need its own table (here {len(program.tables)} for all)"
    return f"{bits}, a row for each source: {own}, and each word {carried} bits of address"


def _compare(options: argparse.Namespace) -> int:
    """Several algorithms, a line each."""
    if options.rows is not None:
        raise InputError(f"--{'' if options.rows else 'no-'}rows: is for one algorithm")
    progress = output.progress_bar("programs of all algorithms")
    designs, refused = compare_designs(options, progress)
    facts = [_facts(design) for design in designs]
    rows = [{name: each[name] for name in _COMPARED if name in each} for each in facts]
    shared = {
        name: value
        for name, value in facts[0].items()
        if name not in _COMPARED and all(each.get(name) == value for each in facts)
    }
    if options.json:
        output.write_json({**shared, "programs": rows, "refused": refused})
        return 0
    print(output.facts({name.replace("_", " "): value for name, value in shared.items()}))
    heads = [name.replace("_", " ") for name in rows[0]]
    print(f"\n{output.table(heads, [[*row.values()] for row in rows])}")
    for name, reason in refused.items():
        print("\n" + output.note(f"{name}: ", reason))
    return 0


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


def _print_direct(design: "Design") -> None:
    from noc.emit.program import describe_roms

    nodes = _nodes_of_modules(design)
    for (name, text), labels in zip(describe_roms(design).items(), nodes, strict=True):
        where = "every router" if len(nodes) == 1 else ", ".join(labels)
        print(f"\n{name}: {where}")
        for line in text.splitlines():
            print(f"  {line}".rstrip())


def _ordered_nodes(design: "OrderedDesign", document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The nodes of ``program.json``, each with its cycles up to the root and down from it."""
    program = design.program
    for node, entry in enumerate(document["nodes"]):
        up = {"up": int(program.up[node])} if program.plan_of(node).sends else {}
        yield {**entry, **up, "down": int(program.down_cycles[node])}


def _print_ordered(design: "OrderedDesign") -> None:
    from noc.emit.program import describe_program

    document = describe_program(design)
    columns = ("node", "module", "up to", "up from", "down to", "up", "down", "most waited")
    rows = [
        (
            *(node["label"], node["module"], node["up_to"], node["up_from"], node["down_to"]),
            *(node.get("up"), node["down"], node["most_waited"]),
        )
        for node in _ordered_nodes(design, document)
    ]
    print(f"\n{output.table(columns, rows)}")
    for name, plan in document["modules"].items():
        print(f"\n{name}")
        print(f"  inputs   {', '.join(plan['inputs']) or 'none'}")
        if plan["merges"]:
            print(output.table(("merge", "of", "weights", "slots"), _merges(plan), indent="  "))
        for group, joined in plan.get("joins", {}).items():
            if joined["joins"]:
                print(
                    output.table((f"join of {group}", "of", "slots"), _joins(joined), indent="  ")
                )
        print(f"  outputs  {', '.join(plan['outputs'])}")


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
