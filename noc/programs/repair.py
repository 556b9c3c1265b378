"""Around links and nodes that have failed: which rows of tables change."""

from collections.abc import Collection
from dataclasses import dataclass, field, replace

import numpy as np

from noc.errors import InputError
from noc.networks import Network
from noc.networks.arrays import UNREACHED
from noc.networks.broken import left_of
from noc.networks.named import Link, read_lost
from noc.programs.by_source import Row, Rows, rows_in, rows_of, with_rows
from noc.programs.program import Program
from noc.trees import Tree, build_from, find_algorithm

#: For trees on what is left of a network, on which no algorithm of its family need work.
_ALGORITHM = "even"


@dataclass(frozen=True, eq=False)
class Repair:
    """The tables of a network in which links and nodes have failed."""

    #: The tables as they were.
    program: Program
    #: The nodes that are lost.
    nodes: tuple[int, ...]
    #: All rows by node and source, as they have to be.
    rows: Rows = field(repr=False)

    @property
    def moved(self) -> list[int]:
        """The sources whose words go another way than before."""
        before = rows_in(self.program)
        return sorted({row.source for place, row in self.rows.items() if row != before[place]})

    @property
    def repaired(self) -> Program:
        """The program with these rows, by which words come to all nodes that are left."""
        return with_rows(self.program, self.rows.values())


def most_held(program: Program) -> int:
    """The most copies of words that are under way, all of which a reset loses."""
    network, config = program.network, program.config
    slots = 1 if config.always_ready else 2
    stores = network.nodes + network.arcs * config.link_registers
    return slots * stores + config.queue * network.nodes


def repair(program: Program, lost: str = "") -> Repair:
    """Lead words around links ``FROM/TO`` and nodes that are lost, with commas between them.

    Sources keep their trees unless others depend on what is lost. Words of a node that is lost go
    nowhere, and none comes to it. The rows are all that decide where words go, so that they are
    right whatever the tables had.
    """
    network = program.network
    nodes, links = read_lost(network, lost) if lost else ([], [])
    rows = {
        place: _without(network, row, nodes, links)
        for place, row in rows_in(program).items()
        if row.source in program.sources
    }
    kept = [node for node in range(network.nodes) if node not in nodes]
    spec = f"without:{lost}@{network.spec}"
    left = Network(spec, "without", (lost,), *left_of(network, nodes, links))
    for source in (source for source in program.sources if source in kept):
        if _count_reached(network, rows, source) < len(kept):
            tree = _tree(left, kept.index(source))
            rows |= {(row.node, row.source): row for row in rows_of([tree], kept)}
    return Repair(program, tuple(dict.fromkeys(nodes)), rows)


def _without(network: Network, row: Row, nodes: Collection[int], links: Collection[Link]) -> Row:
    """A row that sends nothing where it would be lost."""
    if row.node in nodes or row.source in nodes:
        return Row(row.node, row.source)
    left = {p for p in row.sends if network.neighbour[row.node, p] not in nodes}
    return replace(row, sends=frozenset(p for p in left if (row.node, p) not in links))


def _count_reached(network: Network, rows: Rows, source: int) -> int:
    """To how many nodes the words of a source come, itself among them."""
    reached = [source]
    for node in reached:
        reached += [int(network.neighbour[node, port]) for port in rows[node, source].sends]
    return len(reached)


def _tree(network: Network, root: int) -> Tree:
    """The tree on what is left of a network, where there is one."""
    for node in np.flatnonzero(network.distances(root) == UNREACHED).tolist():
        raise InputError(f"no path is left from {network.label(root)} to {network.label(node)}")
    tree = build_from(find_algorithm(network, _ALGORITHM), network, root, "all")
    assert isinstance(tree, Tree)
    return tree
