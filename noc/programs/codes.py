"""Header codes: the number by which a router looks a word up.

Any numbers do that tell the rows of a router apart. Where the header stays short, a code says
literally which copies leave, and in which virtual channel the word waits, so that the router need
not look that up; the rest of it is a number that :mod:`noc.programs.code_search` chooses.
"""

from dataclasses import dataclass

import numpy as np

from noc.networks import IntArray
from noc.programs.automaton import NOTHING, Automaton
from noc.programs.code_search import least_gates
from noc.programs.vcs import VcAssignment

__all__ = ["Codes", "choose_codes"]

# A header may be so many bits longer than the shortest that tells all rows apart.
_LONGER = 3


@dataclass(frozen=True, eq=False)
class Codes:
    """The codes of all rows.

    Parameters
    ----------
    of_row : array (parts, rows)
        The code of each row at the nodes of each part; rows that do the same share one. The rows
        of a node's own words have codes too, which no link carries.
    bits : array (sites)
        Bits of a code at each site.
    """

    of_row: IntArray
    bits: IntArray


def choose_codes(automaton: Automaton, vcs: VcAssignment, *, search: bool = True) -> Codes:
    """The codes of an automaton's rows; without a search the first that tell all apart."""
    sites = automaton.first_row.shape[0]
    of_row = np.zeros(vcs.of_row.shape, dtype=np.int32)
    bits = np.zeros(sites, dtype=np.int32)
    for site in range(sites):
        chosen = _Site(automaton, vcs, site)
        if sites == 1 and search:
            chosen.search(automaton, vcs)
        of_row[:, chosen.begin : chosen.end] = chosen.code[:, chosen.entry]
        bits[site] = chosen.bits
    return Codes(of_row, bits)


class _Site:
    """The codes of one site: entries are its distinct rows, those of its own words last."""

    def __init__(self, automaton: Automaton, vcs: VcAssignment, site: int) -> None:
        self.begin = int(automaton.first_row[site, 0])
        self.own = int(automaton.first_row[site, automaton.inject])
        self.end = self.own + int(automaton.alphabet[site, automaton.inject])
        rows = slice(self.begin, self.end)
        self.entry, self.row = self._entries(automaton.subtree[rows], vcs.of_row[:, rows])
        self.ports = np.unique(automaton.send_port[rows][automaton.send_port[rows] != NOTHING])
        #: Per part and entry.
        self.vc = vcs.of_row[:, self.row]
        self.mask = np.zeros(self.row.size, dtype=np.int64)
        if automaton.ports == "all":
            sends = automaton.send_port[self.row][:, :, None] == self.ports
            self.mask = sends.any(axis=1) @ (1 << np.arange(self.ports.size, dtype=np.int64))
        self._number(vcs.count, self.ports.size if automaton.ports == "all" else 0)

    def _entries(self, subtree: IntArray, of_row: IntArray) -> tuple[IntArray, IntArray]:
        """The entry of each row, and the first row of each entry."""
        arriving = self.own - self.begin
        # A word of the node itself is never delivered there, so it shares no entry.
        own = np.maximum(np.arange(subtree.size) - arriving + 1, 0)
        keys = np.stack([own, subtree, *of_row])
        _, first, entry = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        return entry.reshape(-1), first + self.begin

    def _number(self, vcs: int, ports: int) -> None:
        """Say VC and sends literally where that is short enough; number the rest."""
        shortest = max(0, self.row.size - 1).bit_length()
        vc_bits = max(0, vcs - 1).bit_length()
        for literal, fixed, said in (
            (self.vc | self.mask << vc_bits, vc_bits + ports, {"vc", "sends"}),
            (self.vc, vc_bits, {"vc"}),
            (np.zeros_like(self.vc), 0, set()),
        ):
            self.group = np.array([np.unique(of, return_inverse=True)[1] for of in literal])
            number = np.array([_rank(of) for of in self.group])
            self.fixed, self.literal = fixed, said
            self.bits = self.fixed + int(number.max(initial=0)).bit_length()
            if self.bits <= shortest + _LONGER:
                break
        self.code = literal | number << self.fixed

    def search(self, automaton: Automaton, vcs: VcAssignment) -> None:
        """Choose the free bits for few gates, where one site serves all nodes."""
        far_module = _far_parts(automaton, vcs, self.ports)
        if far_module is None:
            return
        far = np.full((self.row.size, self.ports.size), -1, dtype=np.int64)
        for slot in range(automaton.send_port.shape[1]):
            there = automaton.send_row[self.row, slot]
            sends = there != NOTHING
            port = np.searchsorted(self.ports, automaton.send_port[self.row[sends], slot])
            far[sends, port] = self.entry[there[sends] - self.begin]
        deliver = self.row < self.own
        masks, of_vc = [], []
        if automaton.ports == "all" and "sends" not in self.literal:
            masks = [self.mask >> place & 1 for place in range(self.ports.size)]
        if "vc" not in self.literal:
            bits = range(max(0, vcs.count - 1).bit_length())
            of_vc = [self.vc >> bit & 1 for bit in bits]
        parts = self.vc.shape[0]
        flags = [np.tile(flag, (parts, 1)) for flag in (deliver, *masks)] + of_vc
        self.code = least_gates(
            self.code,
            self.group,
            far,
            far_module,
            np.stack(flags, axis=1),
            np.array([1] * (1 + len(masks)) + [self.ports.size] * len(of_vc)),
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


def _far_parts(automaton: Automaton, vcs: VcAssignment, ports: IntArray) -> IntArray | None:
    """The part at the far end of each port of each part, or None where one has several."""
    net, part = automaton.network, vcs.part
    result = np.zeros((vcs.of_row.shape[0], ports.size), dtype=np.int64)
    for number in range(result.shape[0]):
        for place, port in enumerate(ports):
            there = np.unique(part[net.neighbour[part == number, port]])
            if there.size > 1:
                return None
            result[number, place] = there[0] if there.size else 0
    return result
