"""Header codes: the number by which a router looks a word up.

Any numbers do that tell the rows of a router apart. Where the header stays short, a code says
literally which copies leave, and in which class the word waits, so that the router need not look
that up; the rest of it is a number that :mod:`noc.programs.code_search` chooses.
"""

from dataclasses import dataclass

import numpy as np

from noc.networks import IntArray
from noc.programs.classes import Classes
from noc.programs.code_search import least_gates
from noc.programs.program import NOTHING, Program

__all__ = ["Codes", "codes"]

# A header may be so many bits longer than the shortest that tells all rows apart.
_LONGER = 3


@dataclass(frozen=True, eq=False)
class Codes:
    """The codes of all rows.

    Parameters
    ----------
    of_row : array (colours, rows)
        The code of each row at nodes of each colour; rows that do the same share one. The rows
        of a node's own words have codes too, which no link carries.
    bits : array (sites)
        Bits of a code at each site.
    """

    of_row: IntArray
    bits: IntArray


def codes(program: Program, classes: Classes) -> Codes:
    """Choose the codes of a program with classes."""
    sites = program.first_row.shape[0]
    of_row = np.zeros(classes.of_row.shape, dtype=np.int32)
    bits = np.zeros(sites, dtype=np.int32)
    for site in range(sites):
        chosen = _Site(program, classes, site)
        if sites == 1:
            chosen.search(program, classes)
        of_row[:, chosen.begin : chosen.end] = chosen.code[:, chosen.entry]
        bits[site] = chosen.bits
    return Codes(of_row, bits)


class _Site:
    """The codes of one site: entries are its distinct rows, those of its own words last."""

    def __init__(self, program: Program, classes: Classes, site: int) -> None:
        self.begin = int(program.first_row[site, 0])
        self.own = int(program.first_row[site, program.inject])
        self.end = self.own + int(program.alphabet[site, program.inject])
        rows = slice(self.begin, self.end)
        self.entry, self.row = self._entries(program.shape[rows], classes.of_row[:, rows])
        self.ports = np.unique(program.send_port[rows][program.send_port[rows] != NOTHING])
        #: Per colour and entry.
        self.class_ = classes.of_row[:, self.row]
        self.mask = np.zeros(self.row.size, dtype=np.int64)
        if program.ports == "all":
            sends = program.send_port[self.row][:, :, None] == self.ports
            self.mask = sends.any(axis=1) @ (1 << np.arange(self.ports.size, dtype=np.int64))
        self._number(classes.count, self.ports.size if program.ports == "all" else 0)

    def _entries(self, shape: IntArray, of_row: IntArray) -> tuple[IntArray, IntArray]:
        """The entry of each row, and the first row of each entry."""
        arriving = self.own - self.begin
        # A word of the node itself is never delivered there, so it shares no entry.
        own = np.maximum(np.arange(shape.size) - arriving + 1, 0)
        keys = np.stack([own, shape, *of_row])
        _, first, entry = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        return entry.reshape(-1), first + self.begin

    def _number(self, classes: int, ports: int) -> None:
        """Say class and sends literally where that is short enough; number the rest."""
        shortest = max(0, self.row.size - 1).bit_length()
        class_bits = max(0, classes - 1).bit_length()
        for literal, fixed, said in (
            (self.class_ | self.mask << class_bits, class_bits + ports, {"class", "sends"}),
            (self.class_, class_bits, {"class"}),
            (np.zeros_like(self.class_), 0, set()),
        ):
            self.group = np.array([np.unique(of, return_inverse=True)[1] for of in literal])
            number = np.array([_rank(of) for of in self.group])
            self.fixed, self.literal = fixed, said
            self.bits = self.fixed + int(number.max(initial=0)).bit_length()
            if self.bits <= shortest + _LONGER:
                break
        self.code = literal | number << self.fixed

    def search(self, program: Program, classes: Classes) -> None:
        """Choose the free bits for few gates, where one site serves all nodes."""
        far_module = _far_colours(program, classes, self.ports)
        if far_module is None:
            return
        far = np.full((self.row.size, self.ports.size), -1, dtype=np.int64)
        for slot in range(program.send_port.shape[1]):
            there = program.far_row[self.row, slot]
            sends = there != NOTHING
            port = np.searchsorted(self.ports, program.send_port[self.row[sends], slot])
            far[sends, port] = self.entry[there[sends] - self.begin]
        deliver = self.row < self.own
        masks, of_class = [], []
        if program.ports == "all" and "sends" not in self.literal:
            masks = [self.mask >> place & 1 for place in range(self.ports.size)]
        if "class" not in self.literal:
            bits = range(max(0, classes.count - 1).bit_length())
            of_class = [self.class_ >> bit & 1 for bit in bits]
        colours = self.class_.shape[0]
        flags = [np.tile(flag, (colours, 1)) for flag in (deliver, *masks)] + of_class
        self.code = least_gates(
            self.code,
            self.group,
            far,
            far_module,
            np.stack(flags, axis=1),
            np.array([1] * (1 + len(masks)) + [self.ports.size] * len(of_class)),
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


def _far_colours(program: Program, classes: Classes, ports: IntArray) -> IntArray | None:
    """The colour at the far end of each port of each colour, or None where one has several."""
    net, colour = program.network, classes.colour
    result = np.zeros((classes.of_row.shape[0], ports.size), dtype=np.int64)
    for number in range(result.shape[0]):
        for place, port in enumerate(ports):
            found = np.unique(colour[net.neighbour[colour == number, port]])
            if found.size > 1:
                return None
            result[number, place] = found[0] if found.size else 0
    return result
