"""What the commands print of a design."""

from collections.abc import Iterator, Sequence
from typing import Any

from noc.errors import InputError, option
from noc.fabrics.measured import latency_row
from noc.fabrics.tables import of_nodes, show_tables
from noc.fabrics.timetable import describe
from noc.fabrics.timetable.design import TimetableDesign
from noc.programs.sums import SumProgram
from noc.trees.bounds import all_gather_bound
from noc.trees.timetables import LISTED, bound_of, sum_bound

#: How it is mapped to gates where nothing else is asked for.
MAPPING = "best"

Row = dict[str, Any]


def facts(design: TimetableDesign) -> Row:
    """What a reader of results must know beside what all designs have."""
    program = design.program
    return {
        **({} if program.gathers else {"exchange": str(program.exchange)}),
        "round": program.round,
        "lanes": design.most_lanes,
        "sinks": program.config.sinks,
    }


def summary(design: TimetableDesign, _manifest: Row) -> Row:
    """What is said of a folder that was written."""
    program, label = design.program, design.network.label
    cycles = "1 cycle" if program.round == 1 else f"{program.round} cycles"
    exchange = program.exchange
    count = len(program.totals) if isinstance(program, SumProgram) else 0
    totals = f"{count} sum{'s' * (count > 1)}"
    who = {
        "all_gather": "each node may send a word",
        "all_to_all": "each node may send a word to each other one",
        "scatter": f"{label(exchange.root or 0)} may send a word to each other node",
        "gather": f"each node may send a word to {label(exchange.root or 0)}",
        "reduce_scatter": "words of all nodes are added up, one sum for each node",
        "all_reduce": f"words of all nodes are added up, {totals} for all nodes",
        LISTED: f"{len(exchange.words)} listed words may be sent",
    }
    return {
        "round": f"{cycles}, in which {who[exchange.name]}",
        "bound": bound(design),
        "router modules": len(program.tables),
    }


def bound(design: TimetableDesign, words: int = 1) -> int:
    """The cycles below which no exchange of so many words of each pair, or node, stays."""
    network, program, exchange = design.network, design.program, design.program.exchange
    if program.gathers:
        return all_gather_bound(network, words)
    if exchange.scatters_sums:
        return all_gather_bound(network.reversed(), words)
    if isinstance(program, SumProgram):
        return sum_bound(network, words * len(program.totals))
    return bound_of(network, exchange, words)


def hints(_design: TimetableDesign) -> Iterator[str]:
    """No choice has another that would better it."""
    yield from ()


def program_facts(design: TimetableDesign) -> Row:
    """The sizes of its tables; words have no header."""
    tables = design.program.tables
    bits = [table.rom_bits for table in tables]
    network = sum(bits[number] for number in design.program.table.tolist())
    return {
        "bound": bound(design),
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
    return show_tables(design, describe.rom_text)


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
        raise InputError(f"{option('to', to)}: in the timetable fabric no operation names a node")
    if not program.gathers:
        yield from _of_exchange(design, operations, words, source)
        return
    chosen = int(program.latency.argmax()) if source is None else net.node(source, argument="from")
    for count in words:
        most = program.latency_of(count)
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
            yield latency_row(name, count, (giver, None), cycles, bound)


def _of_exchange(
    design: TimetableDesign,
    operations: Sequence[str] | None,
    words: Sequence[int],
    source: str | None,
) -> Iterator[Row]:
    """The cycles of an exchange, from the first phase of a round in which all have their words."""
    program, name = design.program, str(design.program.exchange)
    if source is not None:
        raise InputError(f"{option('from', source)}: all nodes that have words give them")
    for other in operations or (name,):
        if other != name:
            raise InputError(f"{option('operation', other)}: the network is for {name}")
    root = None if program.exchange.root is None else design.network.label(program.exchange.root)
    ends = (root, None) if name == "scatter" else (None, root)
    # Whoever is furthest away has to be heard of.
    everybody = range(design.network.nodes) if program.exchange.adds else ()
    least = max(map(design.network.eccentricity, everybody), default=0)
    for count in words:
        cycles = program.cycles_of(count)
        yield latency_row(name, count, ends, cycles, max(least, bound(design, count)))
