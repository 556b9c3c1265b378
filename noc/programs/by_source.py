"""Tables with a row for each source: any trees have room in them, those around what fails too.

The code of a word is the number of its source, on every link, so that a row says nothing but where
copies go. Which rows a table has does not decide how the hardware is built: each link of the
network is there, and rows can be written while it runs.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from noc.errors import InputError, option
from noc.networks import ABSENT, Network
from noc.programs.compile import Progress
from noc.programs.config import RouterConfig
from noc.programs.execute import execute
from noc.programs.program import Program
from noc.programs.table import Entry, InPort, RouterTable
from noc.trees import Tree, build_from, find_algorithm
from noc.trees.tree import Ports


@dataclass(frozen=True)
class Row:
    """A row of the table of a node: what it does with the words of a source."""

    node: int
    source: int
    #: The out-ports on which copies leave.
    sends: frozenset[int] = frozenset()
    #: Whether the node itself gets them.
    deliver: bool = False


#: The rows of all tables, by node and source.
Rows = Mapping[tuple[int, int], Row]


def count_code_bits(network: Network) -> int:
    """Bits of the number of a source."""
    return max(1, (network.nodes - 1).bit_length())


def compile_by_source(
    network: Network,
    algorithm: str,
    ports: Ports,
    sources: Sequence[int] | None,
    config: RouterConfig,
    progress: Progress | None = None,
) -> Program:
    """The program by which all nodes broadcast along the trees of an algorithm, or some of them."""
    config.check(ports)
    chosen, trees = find_algorithm(network, algorithm), list[Tree]()
    roots = range(network.nodes) if sources is None else sources
    for done, root in enumerate(roots, start=1):
        tree = build_from(chosen, network, root, ports)
        config.check(ports, len(tree.trees))
        trees += tree.trees
        if progress is not None:
            progress(done / len(roots))
    return build_by_source(network, chosen.name, rows_of(trees), config, roots)


def rows_of(trees: Iterable[Tree], numbers: Sequence[int] | None = None) -> Iterator[Row]:
    """The rows by which words go along trees, one of each source.

    Trees may be of what is left of a network: the numbers of its nodes in the whole are given then.
    """
    for tree in trees:
        sends: list[set[int]] = [set() for _ in range(tree.network.nodes)]
        for child in np.flatnonzero(tree.parent != ABSENT).tolist():
            sends[int(tree.parent[child])].add(int(tree.port[child]))
        number = range(tree.network.nodes) if numbers is None else numbers
        for node, ports in enumerate(sends):
            yield Row(number[node], number[tree.root], frozenset(ports), node != tree.root)


def build_by_source(
    network: Network,
    algorithm: str,
    rows: Iterable[Row],
    config: RouterConfig,
    sources: Sequence[int],
) -> Program:
    """The program with these rows; those that do nothing need not be there."""
    by_place = {(row.node, row.source): row for row in rows}
    arriving = _arrivals(network, by_place)
    tables = [_table(network, by_place, arriving, node, sources) for node in range(network.nodes)]
    numbers: dict[RouterTable, int] = {}
    of_node = [numbers.setdefault(table, len(numbers)) for table in tables]
    return Program(
        network=network,
        algorithm=algorithm,
        ports="all",
        sources=tuple(sources),
        slices=1,
        tables=tuple(numbers),
        table=np.array(of_node, dtype=np.int32),
        config=config,
    )


def rows_in(program: Program) -> dict[tuple[int, int], Row]:
    """Every row of a program's tables by node and source, those that do nothing too."""
    rom = program.config.rom
    if rom != "writable":
        raise InputError(f"{option('rom', rom)}: tables have a row for each source if writable")
    nodes = range(program.network.nodes)
    rows = {(node, source): Row(node, source) for node in nodes for source in nodes}
    for node in nodes:
        for entry in program.table_of(node).entries:
            sends = frozenset(port for port, _ in entry.sends)
            rows[node, entry.code] = Row(node, entry.code, sends, entry.deliver)
    return rows


def with_rows(program: Program, rows: Iterable[Row]) -> Program:
    """A program with some of its rows written anew."""
    result = rows_in(program) | {(row.node, row.source): row for row in rows}
    return build_by_source(
        program.network, program.algorithm, result.values(), program.config, program.sources
    )


def lost_nodes(program: Program) -> list[int]:
    """The nodes from which no word comes, and to which none does."""
    nodes = range(program.network.nodes)
    live = {row.node for row in rows_in(program).values() if row.sends or row.deliver}
    return [node for node in nodes if node not in live]


def check_served(program: Program) -> list[int]:
    """Refuse rows by which the words of some source do not come once to all nodes that are left.

    The result is those that are lost.
    """
    lost = lost_nodes(program)
    for source in (source for source in program.sources if source not in lost):
        execute(program, source, lost=lost)
    return lost


def _arrivals(network: Network, rows: Rows) -> dict[tuple[int, int], list[int]]:
    """By node and in-port the sources whose words come there."""
    result: dict[tuple[int, int], list[int]] = {}
    for row in rows.values():
        for port in row.sends:
            end = int(network.neighbour[row.node, port]), int(network.arrival[row.node, port])
            result.setdefault(end, []).append(row.source)
    return result


def _table(
    network: Network,
    rows: Rows,
    arriving: Mapping[tuple[int, int], list[int]],
    node: int,
    sources: Sequence[int],
) -> RouterTable:
    """The table of a node, with all its links."""
    bits, own = count_code_bits(network), node in sources
    entries = [
        Entry(source, tuple((port, source) for port in sorted(row.sends)), row.deliver)
        for source in range(network.nodes)
        if source != node and _acts(row := rows.get((node, source)))
    ]
    if own:
        row = rows.get((node, node), Row(node, node))
        entries.append(Entry(node, tuple((port, node) for port in sorted(row.sends)), False))
    return RouterTable(
        one_port=False,
        code_bits=bits,
        entries=tuple(entries),
        trees=int(own),
        in_ports=tuple(
            InPort(port, tuple(sorted(set(arriving.get((node, port), ())))))
            for port in _in_ports(network, node)
        ),
        out_bits=tuple((port, bits) for port in _out_ports(network, node)),
    )


def _acts(row: Row | None) -> TypeGuard[Row]:
    """Whether a row does something."""
    return row is not None and bool(row.sends or row.deliver)


def _in_ports(network: Network, node: int) -> list[int]:
    """The in-ports of a node at which a link ends."""
    return sorted(network.arrival[network.neighbour == node].tolist())


def _out_ports(network: Network, node: int) -> list[int]:
    """The out-ports of a node at which a link begins."""
    ports: list[int] = np.flatnonzero(network.neighbour[node] != ABSENT).tolist()
    return ports
