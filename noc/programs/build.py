"""From the automaton to the program: header codes for its rows, and the tables built with them.

A code is the number by which a router looks a word up, and any numbers do that distinguish the rows
of a router. Where the header stays short, a code says literally which copies leave, so that the
router need not look that up; the rest of it is a number that :mod:`noc.programs.code_search`
chooses.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from noc.networks import IntArray
from noc.programs.automaton import NOTHING, Automaton
from noc.programs.code_search import least_gates
from noc.programs.config import STANDARD, RouterConfig
from noc.programs.program import Program
from noc.programs.table import Entry, InPort, RouterTable

# By how many bits a header may be longer than the shortest that distinguishes all rows.
_LONGER = 3


@dataclass(frozen=True, eq=False)
class Codes:
    """The codes of all rows."""

    #: Array (rows). The code of each row; rows of one site that do the same share one. The rows of
    #: a node's own words have codes too, which no link carries.
    of_row: IntArray
    #: Array (sites). Bits of a code at each site.
    bits: IntArray


def choose_codes(automaton: Automaton, *, search: bool = True) -> Codes:
    """The codes of an automaton's rows; without a search the first that distinguish all."""
    sites = automaton.first_row.shape[0]
    of_row = np.zeros(automaton.total_rows, dtype=np.int32)
    bits = np.zeros(sites, dtype=np.int32)
    for site in range(sites):
        chosen = _Site(automaton, site)
        if sites == 1 and search:
            chosen.search(automaton)
        of_row[chosen.begin : chosen.end] = chosen.code[chosen.entry]
        bits[site] = chosen.bits
    return Codes(of_row, bits)


class _Site:
    """The codes of one site: entries are its distinct rows, those of its own words last."""

    def __init__(self, automaton: Automaton, site: int) -> None:
        self.begin = int(automaton.first_row[site, 0])
        self.own = int(automaton.first_row[site, automaton.inject])
        self.end = self.own + int(automaton.alphabet[site, automaton.inject])
        rows = slice(self.begin, self.end)
        self.entry, self.row = self._entries(automaton.subtree[rows])
        self.ports = np.unique(automaton.send_port[rows][automaton.send_port[rows] != NOTHING])
        self.mask = np.zeros(self.row.size, dtype=np.int64)
        if automaton.ports == "all":
            sends = automaton.send_port[self.row][:, :, None] == self.ports
            self.mask = sends.any(axis=1) @ (1 << np.arange(self.ports.size, dtype=np.int64))
        self._number(self.ports.size if automaton.ports == "all" else 0)

    def _entries(self, subtree: IntArray) -> tuple[IntArray, IntArray]:
        """The entry of each row, and the first row of each entry."""
        arriving = self.own - self.begin
        # A word of the node itself is never delivered there, so it shares no entry.
        own = np.maximum(np.arange(subtree.size) - arriving + 1, 0)
        keys = np.stack([own, subtree])
        _, first, entry = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        return entry.reshape(-1), first + self.begin

    def _number(self, ports: int) -> None:
        """Say sends literally where that is short enough; number the rest."""
        shortest = max(0, self.row.size - 1).bit_length()
        for literal, fixed in ((self.mask, ports), (np.zeros_like(self.mask), 0)):
            self.group = np.unique(literal, return_inverse=True)[1]
            number, self.fixed = _rank(self.group), fixed
            self.bits = fixed + int(number.max(initial=0)).bit_length()
            if self.bits <= shortest + _LONGER:
                break
        self.code = literal | number << self.fixed

    def search(self, automaton: Automaton) -> None:
        """Choose the free bits for few gates, where one site serves all nodes."""
        far = np.full((self.row.size, self.ports.size), -1, dtype=np.int64)
        for slot in range(automaton.send_port.shape[1]):
            far_row = automaton.send_row[self.row, slot]
            sends = far_row != NOTHING
            port = np.searchsorted(self.ports, automaton.send_port[self.row[sends], slot])
            far[sends, port] = self.entry[far_row[sends] - self.begin]
        masks = []
        if automaton.ports == "all" and not self.fixed:
            masks = [self.mask >> bit & 1 for bit in range(self.ports.size)]
        for each in (automaton.slice_of[self.row], automaton.wait_of[self.row]):
            masks += [each >> bit & 1 for bit in range(int(each.max()).bit_length())]
        self.code = least_gates(
            self.code,
            self.group,
            far,
            np.stack([self.row < self.own, *masks]),
            bits=self.bits,
            fixed_bits=self.fixed,
        )


def _rank(group: IntArray) -> IntArray:
    """The number of each element within its group, in order."""
    order = np.argsort(group, kind="stable")
    begin = np.searchsorted(group[order], group[order])
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size) - begin
    return rank


def build_program(
    automaton: Automaton, config: RouterConfig = STANDARD, *, search: bool = True
) -> Program:
    """The router tables of an automaton.

    Parameters
    ----------
    automaton : Automaton
        What is to be done with each word.
    config : RouterConfig
        How the routers are built.
    search : bool
        Whether to search for codes that need few gates; without, the first that distinguish all
        rows are taken, at once.
    """
    config.check(automaton.ports, automaton.slices)
    codes = choose_codes(automaton, search=search)
    numbers: dict[RouterTable, int] = {}
    of_site = [
        numbers.setdefault(_table(automaton, codes, node), len(numbers))
        for node in np.unique(automaton.site, return_index=True)[1].tolist()
    ]
    return Program(
        network=automaton.network,
        algorithm=automaton.algorithm,
        ports=automaton.ports,
        sources=automaton.sources,
        slices=automaton.slices,
        tables=tuple(numbers),
        table=np.array(of_site, dtype=np.int32)[automaton.site],
        config=config,
        states=automaton.states,
    )


def _table(automaton: Automaton, codes: Codes, node: int) -> RouterTable:
    """The table of a node."""
    net, site = automaton.network, int(automaton.site[node])
    first, counts = automaton.first_row[site].tolist(), automaton.alphabet[site].tolist()
    own, trees = first[automaton.inject], counts[automaton.inject]
    zeros = np.zeros_like(automaton.wait_of)

    def entries(begin: int, end: int, *, deliver: bool) -> dict[int, Entry]:
        of_rows = ((int(codes.of_row[row]), row) for row in range(begin, end))
        part, wait = automaton.slice_of, automaton.wait_of if deliver else zeros
        return {
            code: Entry(code, tuple(sends(row)), deliver, int(part[row]), int(wait[row]))
            for code, row in of_rows
        }

    def sends(row: int) -> Iterator[tuple[int, int]]:
        """The copies, each with the code that the router at the far end gives it."""
        far_rows = automaton.send_row[row].tolist()
        for port, far_row in zip(automaton.send_port[row].tolist(), far_rows, strict=True):
            if port != NOTHING:
                yield port, int(codes.of_row[far_row])

    arriving = entries(first[0], own, deliver=True)
    injected = entries(own, own + trees, deliver=False)
    rows = (*(arriving[code] for code in sorted(arriving)), *injected.values())
    used = sorted({port for row in rows for port, _ in row.sends})
    return RouterTable(
        one_port=automaton.ports == "one",
        code_bits=int(codes.bits[site]),
        entries=rows,
        trees=trees,
        in_ports=tuple(
            InPort(port, tuple(sorted(set(codes.of_row[begin : begin + count].tolist()))))
            for port, (begin, count) in enumerate(zip(first[:-1], counts[:-1], strict=True))
            if count
        ),
        out_bits=tuple(
            (port, int(codes.bits[automaton.site[net.neighbour[node, port]]])) for port in used
        ),
    )
