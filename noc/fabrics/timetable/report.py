"""What the commands print of a design."""

from collections.abc import Iterator, Sequence
from typing import Any

from noc.errors import InputError, option
from noc.fabrics.measured import latency_row
from noc.fabrics.tables import of_nodes, show_texts
from noc.fabrics.timetable import describe
from noc.fabrics.timetable.design import TimetableDesign
from noc.trees.bounds import all_gather_bound

#: How it is mapped to gates where nothing else is asked for.
MAPPING = "best"

Row = dict[str, Any]


def facts(design: TimetableDesign) -> Row:
    """What a reader of results must know beside what all designs have."""
    program = design.program
    return {
        "round": program.round,
        "lanes": design.most_lanes,
        "sinks": program.config.sinks,
    }


def summary(design: TimetableDesign, _manifest: Row) -> Row:
    """What is said of a folder that was written."""
    program = design.program
    cycles = "1 cycle" if program.round == 1 else f"{program.round} cycles"
    return {
        "round": f"{cycles}, in which each node may send a word",
        "bound": all_gather_bound(design.network),
        "router modules": len(program.tables),
    }


def hints(_design: TimetableDesign) -> Iterator[str]:
    """No choice has another that would better it."""
    yield from ()


def program_facts(design: TimetableDesign) -> Row:
    """The sizes of its tables; words have no header."""
    tables = design.program.tables
    bits = [table.rom_bits for table in tables]
    network = sum(bits[number] for number in design.program.table.tolist())
    return {
        "bound": all_gather_bound(design.network),
        "inputs": max(table.inputs for table in tables),
        "code_bits": 0,
        "rom_bits": max(bits),
        "rom_bits_network": network,
        "modules": len(tables),
    }


def count_rows(design: TimetableDesign) -> int:
    """The lines of its tables."""
    return design.program.round * len(design.program.tables)


def tables(design: TimetableDesign) -> Row:
    """The routers' tables, and whose they are."""
    return {"routers": of_nodes(design, describe.program(design, None)["routers"])}


def tables_text(design: TimetableDesign) -> Iterator[str]:
    """Each table, and whose it is."""
    return show_texts(design, describe.rom_texts(design))


def latencies(
    design: TimetableDesign,
    operations: Sequence[str] | None,
    words: Sequence[int],
    source: str | None,
    to: str | None,
) -> Iterator[Row]:
    """The cycles of each number of words of one node, or of all, with the lower bound."""
    net, program = design.network, design.program
    if to is not None:
        raise InputError(f"{option('to', to)}: in the timetable fabric every word comes to all")
    most = program.latency.max(axis=1)
    chosen = int(most.argmax()) if source is None else net.node(source, argument="from")
    for count in words:
        rounds = (count - 1) * program.round
        for name in operations or ("broadcast", "all_gather"):
            giver: str | None
            if name == "broadcast":
                cycles, bound = int(most[chosen]), net.eccentricity(chosen) + count - 1
                giver = net.label(chosen)
            elif name == "all_gather":
                cycles, bound = int(most.max()), all_gather_bound(net, count)
                giver = None
            else:
                raise InputError(
                    f"{option('operation', name)}: the timetable fabric has broadcast and "
                    "all_gather"
                )
            yield latency_row(name, count, (giver, None), cycles + rounds, bound)
