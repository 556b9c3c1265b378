"""The program: the ROM tables by which every router forwards, as arrays and as rows to read."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from noc.networks import IntArray, Network
from noc.trees import Ports

__all__ = ["NOTHING", "Program", "Row", "Send"]

#: What ``send_port`` and ``send_state`` hold in an empty slot.
NOTHING = -1


@dataclass(frozen=True)
class Send:
    """One copy of a word that leaves a router: the out-port, and the state it carries."""

    port: int
    state: int


@dataclass(frozen=True)
class Row:
    """One row of a router's table.

    Parameters
    ----------
    in_port : int or None
        The in-port of the word; None where the node itself injects it.
    state : int
        The state that the word carries; for an injected word the number of the tree.
    deliver : bool
        Whether the word is handed to the node.
    sends : tuple of Send
        The copies to make, in order where the model is one-port.
    """

    in_port: int | None
    state: int
    deliver: bool
    sends: tuple[Send, ...]


@dataclass(frozen=True, eq=False)
class Program:
    """The tables of all routers of a network.

    Rows lie in one list, sorted by site, in-port and state. A site is a router with a table of
    its own: a symmetric network whose nodes all may send has one for all of them, any other one
    for each node. Sites whose tables coincide share a module.

    Parameters
    ----------
    network : Network
        The network it runs on.
    algorithm : str
        The name of the algorithm that built its trees.
    ports : "all" or "one"
        Whether a router sends its copies at will, or one after the other in the row's order.
    sources : tuple of int
        The nodes that may inject.
    trees : int
        How many trees each source has; an injected word names one.
    site : array (nodes)
        The site of each node.
    first_row : array (sites, in-ports + 1)
        Where the rows of an in-port begin; the last in-port is the node itself. The rows of a
        site end where the next site's begin.
    shape : array (rows)
        The subtree that each row serves: rows of one site with equal shapes do the same.
    send_port, send_state : arrays (rows, slots)
        The copies to make; ``NOTHING`` in an empty slot.
    states : int
        The distinct subtrees of all trees together, whatever the in-port.
    """

    network: Network
    algorithm: str
    ports: Ports
    sources: tuple[int, ...]
    trees: int
    site: IntArray = field(repr=False)
    first_row: IntArray = field(repr=False)
    shape: IntArray = field(repr=False)
    send_port: IntArray = field(repr=False)
    send_state: IntArray = field(repr=False)
    states: int

    @property
    def inject(self) -> int:
        """The number that stands for the node itself among the in-ports."""
        return len(self.network.in_ports)

    @property
    def total_rows(self) -> int:
        """The rows of all sites together."""
        return int(self.send_port.shape[0])

    @cached_property
    def row_site(self) -> IntArray:
        """The site of each row."""
        return np.repeat(np.arange(self.alphabet.shape[0]), self.alphabet.sum(axis=1))

    @cached_property
    def far_row(self) -> IntArray:
        """For each row and slot, the row by which the copy is looked up at the far end."""
        here = self.site_node[self.row_site][:, None]
        sends = self.send_port != NOTHING
        port = np.where(sends, self.send_port, 0)
        there, arrival = self.network.neighbour[here, port], self.network.arrival[here, port]
        return np.where(sends, self.first_row[self.site[there], arrival] + self.send_state, NOTHING)

    @cached_property
    def site_node(self) -> IntArray:
        """The first node of each site."""
        node = np.empty(self.first_row.shape[0], dtype=np.int64)
        node[self.site[::-1]] = np.arange(self.network.nodes)[::-1]
        return node

    @cached_property
    def alphabet(self) -> IntArray:
        """For each site and in-port, how many states arrive there; the node itself comes last."""
        flat = np.append(self.first_row.reshape(-1), self.total_rows)
        return np.diff(flat).reshape(self.first_row.shape)

    @property
    def rows_in_router(self) -> int:
        """Rows of the largest router's table, those for its own words included."""
        return int(self.alphabet.sum(axis=1).max())

    @property
    def state_bits(self) -> int:
        """Header bits that tell the states of any one in-port apart."""
        return _bits(int(self.alphabet[:, : self.inject].max()))

    @cached_property
    def module(self) -> IntArray:
        """The module of each site: sites with equal tables share one, numbered as they appear."""
        numbers: dict[bytes, int] = {}
        widths = self._link_bits
        bounds = [*self.first_row[:, 0].tolist(), self.total_rows]
        result = np.empty(len(bounds) - 1, dtype=np.int32)
        for site, (begin, end) in enumerate(pairwise(bounds)):
            table = (self.alphabet[site], widths[site], self.send_port[begin:end])
            key = b"".join(part.tobytes() for part in (*table, self.send_state[begin:end]))
            result[site] = numbers.setdefault(key, len(numbers))
        return result

    @property
    def modules(self) -> int:
        """How many different routers the network needs."""
        return int(self.module.max()) + 1

    @cached_property
    def _link_bits(self) -> IntArray:
        """For each site and out-port the state bits of the link that leaves there."""
        bits = np.array([_bits(int(count)) for count in self.alphabet.reshape(-1)])
        bits = bits.reshape(self.alphabet.shape)
        node = self.site_node
        there, arrival = self.network.neighbour[node], self.network.arrival[node]
        return np.where(there < 0, 0, bits[self.site[there], arrival])

    def rows(self, site: int = 0) -> Iterator[Row]:
        """The table of one site, row by row."""
        for in_port in range(self.inject + 1):
            begin = int(self.first_row[site, in_port])
            injected = in_port == self.inject
            for state in range(int(self.alphabet[site, in_port])):
                yield Row(
                    in_port=None if injected else in_port,
                    state=state,
                    deliver=not injected,
                    sends=self.sends(begin + state),
                )

    def sends(self, row: int) -> tuple[Send, ...]:
        """The copies that one row makes."""
        pairs = zip(self.send_port[row].tolist(), self.send_state[row].tolist(), strict=True)
        return tuple(Send(port, state) for port, state in pairs if port != NOTHING)

    def _row_bits(self, site: int) -> int:
        """The width of one row of a site's table."""
        present = self.network.neighbour[self.site_node[site]] >= 0
        link_bits = self._link_bits[site][present]
        if self.ports == "all":
            return int(present.sum() + link_bits.sum())
        begin, end = int(self.first_row[site, 0]), self._end(site)
        slots = int((self.send_port[begin:end] != NOTHING).sum(axis=1).max(initial=0))
        widest = int(link_bits.max(initial=0))
        return slots * (1 + _bits(int(present.sum())) + widest)

    def _end(self, site: int) -> int:
        return int(self.first_row[site, -1] + self.alphabet[site, -1])

    @cached_property
    def _site_bits(self) -> IntArray:
        sites = range(self.first_row.shape[0])
        rows = [self._end(site) - int(self.first_row[site, 0]) for site in sites]
        return np.array(
            [count * self._row_bits(site) for site, count in zip(sites, rows, strict=True)]
        )

    @property
    def rom_bits(self) -> int:
        """Bits of the largest router's table."""
        return int(self._site_bits.max())

    @property
    def rom_bits_network(self) -> int:
        """Bits of the tables of all routers."""
        return int(self._site_bits[self.site].sum())

    @property
    def rom_bits_by_address(self) -> int:
        """Bits of the largest router's table if it looked up the address of the source.

        A row for each source and tree, and in it what a router must know: with all ports a send
        bit for each link, with one port the same list of ports.
        """
        if self.ports == "all":
            width = self.network.degree
        else:
            slots = int((self.send_port != NOTHING).sum(axis=1).max())
            width = slots * (1 + _bits(self.network.degree))
        return len(self.sources) * self.trees * width


def _bits(count: int) -> int:
    """Bits that tell ``count`` things apart."""
    return max(0, count - 1).bit_length()
