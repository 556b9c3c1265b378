"""What one router must know: the table from which its hardware is built.

Routers with equal tables are one module. The header of a word holds a code: the number of its
row at the router that it reaches, see :mod:`noc.programs.codes`. Rows of several in-ports that do
the same share one code, so that a router looks a word up by the code alone, whichever in-port
brought it, and no in-port number is stored.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from noc.networks import IntArray
from noc.programs.classes import Classes
from noc.programs.codes import Codes, codes
from noc.programs.form import STANDARD, Form
from noc.programs.program import NOTHING, Program

__all__ = ["Entry", "Fabric", "InPort", "RouterTable", "fabric"]


@dataclass(frozen=True)
class Entry:
    """What a router does with a word of one code.

    Parameters
    ----------
    code : int
        The code.
    sends : tuple of (out-port, code)
        The copies to make, with the code that each carries; in order in one-port use.
    deliver : bool
        Whether the node gets the word.
    class_ : int
        The class in whose places the word waits.
    """

    code: int
    sends: tuple[tuple[int, int], ...]
    deliver: bool
    class_: int


@dataclass(frozen=True)
class InPort:
    """An in-port that some word uses: its number, and the codes that arrive there."""

    number: int
    codes: tuple[int, ...]


@dataclass(frozen=True)
class RouterTable:
    """The table of one router module.

    Parameters
    ----------
    one_port : bool
        Whether copies leave one after the other, in order.
    classes : int
        Number of classes of the whole network.
    one_source : bool
        Whether only one node sends at a time.
    code_bits : int
        Bits of a code as the router stores it.
    entries : tuple of Entry
        Sorted by code, but those of the node's own words, one for each tree, come last.
    trees : int
        How many entries are for the node's own words.
    in_ports : tuple of InPort
        The in-ports on which words arrive; ports without words are left out of the hardware.
    out_bits : tuple of (out-port, int)
        The out-ports that are used, and the code bits of the router at the far end.
    """

    one_port: bool
    classes: int
    one_source: bool
    code_bits: int
    entries: tuple[Entry, ...]
    trees: int
    in_ports: tuple[InPort, ...]
    out_bits: tuple[tuple[int, int], ...]

    @property
    def arriving(self) -> tuple[Entry, ...]:
        """What it does with the words that arrive on links."""
        return self.entries[: len(self.entries) - self.trees]

    @property
    def own(self) -> tuple[Entry, ...]:
        """What it does with the node's own words, by tree."""
        return self.entries[len(self.entries) - self.trees :]

    @property
    def header_bits(self) -> int:
        """Bits of a code on the links that arrive; 0 where none does."""
        return self.code_bits if self.in_ports else 0


@dataclass(frozen=True, eq=False)
class Fabric:
    """The routers of a network: each different table once, and which node has which.

    Parameters
    ----------
    program : Program
        The program that the routers run.
    classes : Classes
        The classes of its words.
    tables : tuple of RouterTable
        The different router modules.
    table : array (nodes)
        The module of each node.
    codes : Codes
        The header codes of the program's rows.
    form : Form
        How the routers are built.
    """

    program: Program
    classes: Classes
    tables: tuple[RouterTable, ...]
    table: IntArray = field(repr=False)
    codes: Codes = field(repr=False)
    form: Form = STANDARD

    def table_of(self, node: int) -> RouterTable:
        """The table of a node's router."""
        return self.tables[int(self.table[node])]

    def links(self) -> Iterator[tuple[int, int, int, int]]:
        """Every link that words use: sender, out-port, receiver, in-port."""
        net = self.program.network
        for node in range(net.nodes):
            for port, _ in self.table_of(node).out_bits:
                yield node, port, int(net.neighbour[node, port]), int(net.arrival[node, port])


def fabric(program: Program, classes: Classes, form: Form = STANDARD) -> Fabric:
    """The router tables of a program with classes."""
    form.check(program.ports, classes.count)
    chosen = codes(program, classes)
    numbers: dict[RouterTable, int] = {}
    known: dict[tuple[int, int], int] = {}
    table = np.empty(program.network.nodes, dtype=np.int32)
    for node in range(program.network.nodes):
        key = (int(program.site[node]), int(classes.colour[node]))
        if key not in known:
            made = _table(program, classes, chosen, node)
            known[key] = numbers.setdefault(made, len(numbers))
        table[node] = known[key]
    return Fabric(program, classes, tuple(numbers), table, chosen, form)


def _table(program: Program, classes: Classes, chosen: Codes, node: int) -> RouterTable:
    net, site, colour = program.network, int(program.site[node]), int(classes.colour[node])
    begin, own = int(program.first_row[site, 0]), int(program.first_row[site, program.inject])
    end = own + int(program.alphabet[site, program.inject])
    code, of_row = chosen.of_row[colour], classes.of_row[colour]
    arriving, injected = (
        {
            int(code[row]): Entry(
                int(code[row]),
                tuple(_coded(program, classes, chosen, node, row)),
                row < own,
                int(of_row[row]),
            )
            for row in rows
        }
        for rows in (range(begin, own), range(own, end))
    )
    entries = [*(arriving[number] for number in sorted(arriving)), *injected.values()]
    in_ports = tuple(
        InPort(port, tuple(sorted(set(code[first : first + count].tolist()))))
        for port, first, count in _links(program, site)
        if count
    )
    used = sorted({port for entry in entries for port, _ in entry.sends})
    return RouterTable(
        one_port=program.ports == "one",
        classes=classes.count,
        one_source=classes.one_source,
        code_bits=int(chosen.bits[site]),
        entries=tuple(entries),
        trees=end - own,
        in_ports=in_ports,
        out_bits=tuple(
            (port, int(chosen.bits[program.site[net.neighbour[node, port]]])) for port in used
        ),
    )


def _coded(
    program: Program, classes: Classes, chosen: Codes, node: int, row: int
) -> Iterator[tuple[int, int]]:
    """The sends of a row, each with the code that the router at the far end gives it."""
    net = program.network
    for port, state in zip(
        program.send_port[row].tolist(), program.send_state[row].tolist(), strict=True
    ):
        if port != NOTHING:
            there, arrival = int(net.neighbour[node, port]), int(net.arrival[node, port])
            far_row = int(program.first_row[program.site[there], arrival]) + state
            yield port, int(chosen.of_row[classes.colour[there], far_row])


def _links(program: Program, site: int) -> list[tuple[int, int, int]]:
    """The in-ports of a site, each with its first row and how many it has."""
    return [
        (port, int(program.first_row[site, port]), int(program.alphabet[site, port]))
        for port in range(program.inject)
    ]
