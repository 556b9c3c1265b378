"""Divide a network among several chips, with links of a few pins between them.

Nodes that lie together go on one chip each, and the trees are chosen so that words seldom leave it.
With --output the Verilog of each chip is written, beside that of the whole network, and all chips
side by side, to simulate: bits between them come late, and some are wrong. See docs/chips.md.
"""

import argparse
import json
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noc.cli import arguments, output
from noc.cli.output import Result, Table
from noc.cli.parsers import declare
from noc.errors import InputError
from noc.networks import build_network
from noc.options import OPTIONS

if TYPE_CHECKING:
    from noc.boards import Board
    from noc.chips import Cut, Wire

#: Pins for data where none are asked for: with them a link has as many as a Pmod connector.
PINS = 3

#: Options of the ordered fabric that no cut design has, and the value that is left of each.
DECIDED = {
    "algorithm": None,
    "ports": "all",
    "fabric": "ordered",
    "lookahead": False,
    "protect": "none",
}

#: These, and options of other fabrics.
REFUSED = {name for name, option in OPTIONS.items() if "ordered" not in option.fabrics} | {*DECIDED}

#: So many nodes of a chip are named, where people read.
_SHOWN = 4

EXAMPLES = (
    "noc cut star:4 --chips 4",
    "noc cut star:4 --chips 4 --pins 8 --operations broadcast,all_reduce:sum -o out",
    "noc cut mesh:4,4 --chips halves.json -o out",
    "noc cut star:4 --chips 4 --board ecpix5_85f",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    arguments.add_spec(parser)
    declare(
        parser,
        """
        --chips K|FILE  among how many chips, or a JSON file with a list of labels for each chip
        --pins P  pins for data of a link between two chips, each way, beside one for a clock
            (default: 3, with which a link fits a Pmod connector)
        --board B  the board of all chips, or B,B,... those of each, and behind any the connectors
            to use: B:C+C; the wires between them are listed, and with --output their pins written
        --ddr  pins for data carry two bits in a cycle, by DDR cells (docs/chips.md)
        -o --output DIR  the folder to write; one that 'noc cut' or 'noc generate' wrote before is
            replaced
        --name NAME  the name of the network's module, as of 'noc generate'
        --held-alarms  write a module for each chip, NAME_chip_0_alarms and so on, in which each
            alarm of its nodes and links stays until it is cleared (docs/faults.md)
        --discard-edits
        --json
        """,
        chips={"required": True},
        pins={"default": PINS},
    )
    arguments.add_design_options(parser, refused=REFUSED)


def run(options: argparse.Namespace) -> Result:
    """Divide, build, and write."""
    from noc.emit.folder import check_folder, write
    from noc.emit.names import check_name

    if options.output is not None:
        check_folder(options.output, discard_edits=options.discard_edits)
    elif options.held_alarms:
        raise InputError("--held-alarms: a module to write needs --output, the folder for it")
    if options.name is not None:
        check_name(options.name)
    cut = build_cut(options)
    facts, chips, links = _facts(cut), _chips(cut), _links(cut)
    boards, wires = _boards(options, cut)
    document = {**facts, "chips": chips, "links": links}
    text: list[output.Row | Table | str] = [output.words(facts), _table_of_chips(chips)]
    if links:
        text.append(Table([row | {"streams": ", ".join(row["streams"])} for row in links]))
    if boards:
        document["wires"] = [wire_facts(each) for each in wires]
        text.append(table_of_wires(cut, wires))
    if options.output is not None:
        write(
            cut.design,
            options.output,
            name=options.name,
            chips=cut,
            held_alarms=options.held_alarms,
            more=_pin_files(options, cut, boards, wires),
            discard_edits=options.discard_edits,
            command=("noc", *arguments.lasting(options.arguments)),
        )
        bench = shlex.quote(str(options.output / "bench"))
        written = {
            "folder": str(options.output),
            "benches": f"python {bench}/run.py --bench chips, python {bench}/stress.py --chips",
        }
        document |= written
        text.append(written)
    return Result(document, text)


def build_cut(options: argparse.Namespace) -> "Cut":
    """The division that is asked for, and the network on it."""
    from noc.chips import build_ways, cut, divide, read_division
    from noc.chips.cut import WAITING

    if options.algorithm is not None:
        raise InputError(f"--algorithm {options.algorithm}: the trees are those of the chips")
    if options.fabric not in (None, "ordered"):
        raise InputError(f"--fabric {options.fabric}: {WAITING}")
    for name in sorted(REFUSED - {"algorithm", "fabric", "protect"}):
        if getattr(options, name) not in (OPTIONS[name].default, DECIDED.get(name)):
            raise InputError(f"{OPTIONS[name].on_command_line}: no network on several chips has it")
    network = build_network(options.spec)
    root = None if options.root is None else network.node(options.root, argument="root")
    if re.fullmatch(r"[-+.\d]*", options.chips):
        try:
            chips = int(options.chips)
        except ValueError:
            raise InputError(
                f"--chips {options.chips!r}: a whole number from 1 on is needed, or a file"
            ) from None
        division, ways = divide(network, chips, root)
    else:
        division = read_division(network, Path(options.chips))
        ways = build_ways(network, division.chip, root)
    options.fabric, options.algorithm = "ordered", ways
    return cut(arguments.build_design(options, network), division, options.pins, ddr=options.ddr)


def _boards(options: argparse.Namespace, cut: "Cut") -> tuple[list["Board"], list["Wire"]]:
    """The board of each chip, if they are named, and the wires between them."""
    from noc.boards.boards import boards_of_chips
    from noc.boards.platform_top import clock_of
    from noc.chips import plan_wires

    if options.board is None:
        return [], []
    boards = boards_of_chips(options.board, cut.division.chips)
    for board, _ in boards:
        # Refuses those that have no clocks for such links.
        clock_of(board, None, ddr=cut.ddr)
    return [board for board, _ in boards], plan_wires(cut, [pins for _, pins in boards])


def _pin_files(
    options: argparse.Namespace, cut: "Cut", boards: list["Board"], wires: list["Wire"]
) -> dict[str, str]:
    """The wires, and the pins of the links of each chip."""
    from noc.boards.constraints import pin_file
    from noc.emit.chips import FOLDER, ChipFiles

    files = ChipFiles(cut, options.name)
    result = {}
    for chip in range(len(boards)):
        ending, text = pin_file(boards, chip, wires, ddr=cut.ddr)
        result[f"{FOLDER}/{files.chip_top(chip)}{ending}"] = text
    if boards:
        listed = ",\n ".join(json.dumps(wire_facts(each)) for each in wires)
        result[f"{FOLDER}/wires.json"] = f"[\n {listed}\n]\n"
    return result


def _facts(cut: "Cut") -> dict[str, object]:
    design, ways = cut.design, [way for channel in cut.channels for way in channel.both]
    facts: dict[str, object] = {
        "network": design.network.spec,
        "nodes": design.network.nodes,
        "root": design.network.label(design.root),
    }
    if not ways:
        return facts
    return facts | {
        "streams_between_chips": sum(len(way.goes) for way in ways),
        "pins_of_a_link": 2 * (cut.pins + 1),
        "most_broadcasts_a_cycle": round(cut.rate, 4),
    }


def _chips(cut: "Cut") -> list[dict[str, Any]]:
    """What lies on each chip."""
    label = cut.design.network.label
    return [
        {"chip": chip, "nodes": [*map(label, nodes)], "links": len(cut.channels_of(chip))}
        for chip, nodes in enumerate(cut.division.members)
    ]


def _table_of_chips(chips: list[dict[str, Any]]) -> Table:
    rows = []
    for row in chips:
        nodes = row["nodes"]
        first = ", ".join(nodes[:_SHOWN]) + ", …" * (len(nodes) > _SHOWN)
        rows.append(row | {"nodes": len(nodes), "first_nodes": first})
    return Table(rows)


def _links(cut: "Cut") -> list[dict[str, Any]]:
    """What goes over each link, each way, and words a cycle at most."""
    rows = []
    for way in (way for channel in cut.channels for way in channel.both):
        frames = cut.frames(way)
        rows.append(
            {
                "from": way.chips[0],
                "to": way.chips[1],
                "streams": [link.name for link in way.goes],
                "bits": max(frames.widths, default=None),
                "words_a_cycle": round(frames.rate, 4) if frames.widths else None,
            }
        )
    return rows


def wire_facts(wire: "Wire") -> dict[str, Any]:
    """A wire, in JSON."""
    from noc.chips.cut import chip_name

    return {
        side: {"chip": chip_name(chip), "port": wire.port(chip), **vars(wire.pin(chip))}
        for side, chip in (("from", wire.sender), ("to", wire.receiver))
    }


def table_of_wires(cut: "Cut", wires: Sequence["Wire"]) -> str:
    """The wires of each two chips, by their places."""
    parts = []
    for one, other in (channel.chips for channel in cut.channels):
        heads = f"chip {one}", "site", f"chip {other}", "site", "what it carries"
        rows = []
        for wire in wires:
            if {wire.sender, wire.receiver} == {one, other}:
                ends = wire.pin(one), wire.pin(other)
                bit = "" if wire.bit is None else f" {wire.bit}"
                what = f"{wire.signal}{bit} to chip {wire.receiver}"
                rows.append((str(ends[0]), ends[0].site, str(ends[1]), ends[1].site, what))
        parts.append(output.table(heads, rows))
    return "\n\n".join(parts)
