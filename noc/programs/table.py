"""What one router must know: the table from which its hardware is built.

Routers with equal tables are one module. The header of a word holds a code: the number of its
row among the distinct rows of the router that it reaches. Rows of several in-ports that do the
same share one code, so that a router looks a word up by the code alone, whichever in-port brought
it, and no in-port number is stored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from noc.networks import IntArray
from noc.programs.classes import Classes
from noc.programs.program import NOTHING, Program

__all__ = ["Entry", "Fabric", "InPort", "RouterTable", "fabric"]


@dataclass(frozen=True)
class Entry:
    """What a router does with a word of one code.

    Parameters
    ----------
    sends : tuple of (out-port, code)
        The copies to make, with the code that each carries; in order in one-port use.
    deliver : bool
        Whether the node gets the word.
    class_ : int
        The class in whose home the word waits.
    """

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
    entries : tuple of Entry
        By code. The codes of the node's own words, one for each tree, come last.
    trees : int
        How many entries are for the node's own words.
    in_ports : tuple of InPort
        The in-ports on which words arrive; ports without words are left out of the hardware.
    out_bits : tuple of (out-port, int)
        The out-ports that are used, and the code bits of the router at the far end.
    """

    one_port: bool
    classes: int
    entries: tuple[Entry, ...]
    trees: int
    in_ports: tuple[InPort, ...]
    out_bits: tuple[tuple[int, int], ...]

    @property
    def arriving(self) -> int:
        """How many codes arrive on links."""
        return len(self.entries) - self.trees

    @property
    def code_bits(self) -> int:
        """Header bits of a word that arrives on a link."""
        return max(0, self.arriving - 1).bit_length()

    @property
    def delivers_always(self) -> bool:
        """Whether every word that arrives on a link is delivered."""
        return all(entry.deliver for entry in self.entries[: self.arriving])


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
    code : array (rows)
        The header code of each row of the program, by row; own words have theirs too. Colours
        never change a code.
    """

    program: Program
    classes: Classes
    tables: tuple[RouterTable, ...]
    table: IntArray = field(repr=False)
    code: IntArray = field(repr=False)

    def table_of(self, node: int) -> RouterTable:
        """The table of a node's router."""
        return self.tables[int(self.table[node])]

    def links(self) -> Iterator[tuple[int, int, int, int]]:
        """Every link that words use: sender, out-port, receiver, in-port."""
        net = self.program.network
        for node in range(net.nodes):
            for port, _ in self.table_of(node).out_bits:
                yield node, port, int(net.neighbour[node, port]), int(net.arrival[node, port])


def fabric(program: Program, classes: Classes) -> Fabric:
    """The router tables of a program with classes."""
    code = _codes(program, classes)
    numbers: dict[RouterTable, int] = {}
    known: dict[tuple[int, int], int] = {}
    table = np.empty(program.network.nodes, dtype=np.int32)
    bits = _far_bits(program, code)
    for node in range(program.network.nodes):
        key = (int(program.site[node]), int(classes.colour[node]))
        if key not in known:
            made = _table(program, classes, code, bits, node)
            known[key] = numbers.setdefault(made, len(numbers))
        table[node] = known[key]
    return Fabric(program, classes, tuple(numbers), table, code)


def _site_rows(program: Program, site: int) -> tuple[int, int, int]:
    """Where the rows of a site begin, where those of its own words begin, and where they end."""
    begin, own = int(program.first_row[site, 0]), int(program.first_row[site, program.inject])
    return begin, own, own + int(program.alphabet[site, program.inject])


def _codes(program: Program, classes: Classes) -> IntArray:
    """Number the distinct rows of each site: same shape and same classes, same code."""
    code = np.empty(program.total_rows, dtype=np.int32)
    for site in range(program.first_row.shape[0]):
        begin, own, end = _site_rows(program, site)
        numbers: dict[tuple[int, ...], int] = {}
        order = sorted(range(begin, own), key=lambda row: int(program.shape[row]))
        for row in order:
            key = (int(program.shape[row]), *classes.of_row[:, row].tolist())
            code[row] = numbers.setdefault(key, len(numbers))
        code[own:end] = len(numbers) + np.arange(end - own)
    return code


def _far_bits(program: Program, code: IntArray) -> IntArray:
    """For each site the bits of the codes that arrive there."""
    bits = np.zeros(program.first_row.shape[0], dtype=np.int32)
    for site in range(bits.size):
        begin, own, _ = _site_rows(program, site)
        bits[site] = int(code[begin:own].max(initial=0)).bit_length()
    return bits


def _table(
    program: Program, classes: Classes, code: IntArray, bits: IntArray, node: int
) -> RouterTable:
    net, site = program.network, int(program.site[node])
    begin, own, end = _site_rows(program, site)
    of_row = classes.of_row[int(classes.colour[node])]
    entries: dict[int, Entry] = {}
    for row in range(begin, end):
        sends = tuple(_coded(program, code, node, row))
        entries[int(code[row])] = Entry(sends, row < own, int(of_row[row]))
    in_ports = tuple(
        InPort(port, tuple(sorted(set(code[first : first + count].tolist()))))
        for port, first, count in _links(program, site)
        if count
    )
    used = sorted({port for entry in entries.values() for port, _ in entry.sends})
    return RouterTable(
        one_port=program.ports == "one",
        classes=classes.count,
        entries=tuple(entries[number] for number in sorted(entries)),
        trees=end - own,
        in_ports=in_ports,
        out_bits=tuple((port, int(bits[program.site[net.neighbour[node, port]]])) for port in used),
    )


def _coded(program: Program, code: IntArray, node: int, row: int) -> Sequence[tuple[int, int]]:
    """The sends of a row, each with the code that the router at the far end gives it."""
    result = []
    net = program.network
    for port, state in zip(
        program.send_port[row].tolist(), program.send_state[row].tolist(), strict=True
    ):
        if port != NOTHING:
            there, arrival = int(net.neighbour[node, port]), int(net.arrival[node, port])
            far_row = int(program.first_row[program.site[there], arrival]) + state
            result.append((port, int(code[far_row])))
    return result


def _links(program: Program, site: int) -> list[tuple[int, int, int]]:
    """The in-ports of a site, each with its first row and how many it has."""
    return [
        (port, int(program.first_row[site, port]), int(program.alphabet[site, port]))
        for port in range(program.inject)
    ]
