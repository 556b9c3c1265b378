"""Print the forwarding tables of the hardware and their size.

Print what each router or node of the hardware is built to do, and the size of its ROM. The options
are those of 'noc generate'.
"""

import argparse
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from noc.cli import arguments, output
from noc.cli.output import Result, Table
from noc.cli.parsers import declare
from noc.errors import InputError
from noc.networks import build_network
from noc.trees import Algorithm

if TYPE_CHECKING:
    from noc.design import AnyDesign

EXAMPLES = (
    "noc program star:4 --sources one --algorithm balanced",
    "noc program star:4 --sources one --algorithm all",
    "noc program star:4",
)

#: Up to this many rows, or nodes, the tables are printed without being asked for.
_SHORT = 80

#: In which programs are compared; some only the direct fabric has.
_COMPARED = (
    *("algorithm", "ports", "trees", "states", "code_bits", "rows", "rom_bits"),
    *("rom_bits_by_address", "rom_bits_network", "modules"),
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: those that decide the hardware, as noc generate takes them."""
    arguments.add_spec(parser)
    arguments.add_design_options(parser, several=True)
    declare(
        parser,
        f"""
        --rows  print every row (default: in JSON, and in text for up to {_SHORT} rows)
        --json
        """,
        rows={"action": argparse.BooleanOptionalAction},
    )


def run(options: argparse.Namespace) -> Result:
    """Compile one program, or several to compare."""
    if arguments.are_several(options.algorithm):
        return _compare(options)
    design = arguments.build_design(options)
    report, rows = arguments.report_of(design), options.rows

    def document() -> dict[str, Any]:
        return _facts(design) | ({} if rows is False else report.tables(design))

    return Result(document, _text(design, rows))


def _text(design: "AnyDesign", rows: bool | None) -> Iterator[Mapping[str, object] | str]:
    report = arguments.report_of(design)
    facts = _facts(design)
    if "rom_bits_by_address" in facts:
        facts["rom_bits_by_address"] = _by_address(design, facts["rom_bits_by_address"])
    yield output.words(facts)
    if report.count_rows(design) <= _SHORT if rows is None else rows:
        yield from report.tables_text(design)


def _by_address(design: "AnyDesign", bits: int) -> str:
    """What that figure leaves out."""
    program, nodes = design.program, design.network.nodes
    carried = (len(program.sources) * program.slices - 1).bit_length()
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
    def build(ports: str | None) -> "AnyDesign":
        chosen = {**vars(options), "algorithm": algorithm.name, "ports": ports}
        return arguments.build_design(argparse.Namespace(**chosen))

    first = build(options.ports)
    yield first
    # In the ordered fabric there is no such choice.
    if options.ports is None and "ports" in _facts(first):
        for model in algorithm.models[1:]:
            yield build(model)


def _facts(design: "AnyDesign") -> dict[str, Any]:
    return {
        "network": design.network.spec,
        **arguments.design_facts(design),
        **arguments.report_of(design).program_facts(design),
    }
