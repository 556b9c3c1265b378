"""Lead words around links and nodes that have failed, in hardware with writable tables.

Compute the rows of the tables of a network that 'noc generate --rom writable' wrote, so that words
go around links and nodes that have failed, and write them as words that its stream 'load' takes:
see docs/repair.md. All that is dead now is named each time; what was loaded before does not matter.
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
        --without LOST,…  all links FROM/TO, one way each, and nodes that are dead now (default:
            none: all rows are as they were generated)
        -o --output FILE  write the words, one a line, in hexadecimal
        --json
        """,
    )


def run(options: argparse.Namespace) -> Result:
    """Find the rows, write them, and say what they change."""
    from noc.programs.by_source import check_served
    from noc.programs.load_words import write_lines
    from noc.programs.repair import most_held, repair
    from noc.verify.folder import read_folder
    from noc.verify.streams import interface

    folder = read_folder(options.folder)
    design, lost = folder.design, options.without
    load, program, network = design.load_format, design.program, design.network
    if load is None:
        raise InputError(
            f"{options.folder}: its tables cannot be written; generate it with "
            "--fabric direct --rom writable"
        )
    # What scripts read of the words must be right.
    interface(folder.manifest, design)
    try:
        found = repair(program, lost or "")
    except InputError as error:
        raise InputError(f"--without {lost}: {error.message}") from None
    check_served(found.repaired)
    rows = [row for _, row in sorted(found.rows.items())]
    if options.output is not None:
        title = network.spec if lost is None else f"{network.spec} without {lost}"
        asked = f"-o {options.output}"
        check_file(options.output, asked)
        with replaced(options.output, asked) as path:
            path.write_text("\n".join([*write_lines(network, rows, title), ""]), encoding="utf-8")
    facts = {
        "network": network.spec,
        "without": lost,
        "words": len(rows),
        "word_bits": load.bits,
        "cycles": len(rows) + network.nodes,
        "sources_that_move": [network.label(node) for node in found.moved],
        "nodes_lost": [network.label(node) for node in found.nodes],
        "most_words_lost_by_a_reset": most_held(program),
    }
    shown = words({name: value for name, value in facts.items() if value not in (None, [])})
    return Result(facts | {"load": [load.write(row) for row in rows]}, [shown])
