"""Lead words around links and nodes that have failed, in hardware with writable tables.

Compute new rows for the tables of a network that 'noc generate --rom writable' wrote, so that words
go around links and nodes that have failed, and write them as words that its stream 'load' takes:
see docs/repair.md. All that has failed is named each time; a later file is right whatever was
loaded before.
"""

import argparse
from pathlib import Path

from noc.cli.output import Result, words
from noc.cli.parsers import declare
from noc.errors import InputError
from noc.files import check_file, replaced

EXAMPLES = (
    "noc repair out --without 1234/2134,1234/3214 -o around.hex",
    "noc repair out --without 4231 -o around.hex",
    "noc verify --verilog out --tables around.hex",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", metavar="DIR", type=Path, help="a folder of 'noc generate'")
    declare(
        parser,
        """
        --without LOST,…  all links FROM/TO, one way each, and nodes that have failed (default:
            none, and all rows are as they were generated)
        -o, --output FILE  write the words, one a line, in hexadecimal
        --json
        """,
    )


def run(options: argparse.Namespace) -> Result:
    """Find the rows, write them, and say what they change."""
    from noc.programs.by_source import rows_in
    from noc.programs.load_words import write_lines
    from noc.programs.repair import most_held, repair
    from noc.verify.folder import read_folder

    design = read_folder(options.folder).design
    if design.load_format is None:
        raise InputError(
            f"{options.folder}: its tables cannot be written; generate it with "
            "--fabric direct --rom writable"
        )
    program, network, lost = design.program, design.network, options.without
    title, rows = f"{network.spec}, all tables as generated", [*rows_in(program).values()]
    moved, nodes = [*program.sources], list[int]()
    if lost is not None:
        try:
            repaired = repair(program, lost)
        except InputError as error:
            raise InputError(f"--without {lost}: {error.message}") from None
        title, rows = f"{network.spec} without {lost}", repaired.written
        moved, nodes = repaired.moved, [*repaired.nodes]
    if options.output is not None:
        asked = f"-o {options.output}"
        check_file(options.output, asked)
        with replaced(options.output, asked) as path:
            path.write_text("\n".join([*write_lines(network, rows, title), ""]), encoding="utf-8")
    facts = {
        "network": network.spec,
        "without": lost,
        "words": len(rows),
        "word_bits": design.load_format.bits,
        "cycles": len(rows) + network.nodes,
        "sources_that_move": [network.label(node) for node in moved],
        "nodes_lost": [network.label(node) for node in nodes],
        "most_words_lost_by_a_reset": most_held(program),
    }
    shown = words({name: value for name, value in facts.items() if value not in (None, [])})
    return Result(facts | {"load": [design.load_format.write(row) for row in rows]}, [shown])
