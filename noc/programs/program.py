"""The program: the tables of all routers as they are built.

Routers with equal tables are one module. Hardware, cycle model and every file that is written are
made of it, and it can be read back from a folder: it knows nothing of the trees it came from.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from noc.errors import CheckError
from noc.networks import IntArray, Network
from noc.programs.automaton import NOTHING
from noc.programs.config import STANDARD, RouterConfig
from noc.programs.table import RouterTable
from noc.trees import Ports


@dataclass(frozen=True, eq=False)
class Program:
    """The routers of a network: each different table once, and which node has which.

    Parameters
    ----------
    network : Network
        The network it runs on.
    algorithm : str
        The name of the algorithm that built its trees.
    ports : "all" or "one"
        Whether a router sends its copies at will, or one after the other in the row's order.
    sources : tuple of int
        The nodes that may send.
    slices : int
        How many trees each source has, on each of which a slice of its words is under way.
    tables : tuple of RouterTable
        The different router modules.
    table : array (nodes)
        The module of each node.
    config : RouterConfig
        How the routers are built.
    dead : frozenset of (node, out-port)
        Links that carry nothing.
    states : int or None
        The states of the automaton that it was built of, if that is known.
    """

    network: Network
    algorithm: str
    ports: Ports
    sources: tuple[int, ...]
    slices: int
    tables: tuple[RouterTable, ...] = field(repr=False)
    table: IntArray = field(repr=False)
    config: RouterConfig = STANDARD
    dead: frozenset[tuple[int, int]] = frozenset()
    states: int | None = None

    @property
    def inject(self) -> int:
        """The number of the node itself among the in-ports."""
        return len(self.network.in_ports)

    def table_of(self, node: int) -> RouterTable:
        """The table of a node's router."""
        return self.tables[int(self.table[node])]

    def links(self) -> Iterator[tuple[int, int, int, int]]:
        """Every link that words use: sender, out-port, receiver, in-port."""
        net = self.network
        for node in range(net.nodes):
            for port, _ in self.table_of(node).out_bits:
                yield node, port, int(net.neighbour[node, port]), int(net.arrival[node, port])

    @property
    def code_bits(self) -> int:
        """Bits of the widest code on a link."""
        return max(table.header_bits for table in self.tables)

    @property
    def rom_bits(self) -> int:
        """Bits of the largest router's ROM."""
        return max(table.rom_bits(self.config.rom) for table in self.tables)

    @property
    def rom_bits_network(self) -> int:
        """Bits of the ROMs of all routers."""
        bits = np.array([table.rom_bits(self.config.rom) for table in self.tables])
        return int(bits[self.table].sum())

    @property
    def rom_bits_by_address(self) -> int:
        """Bits of the largest router's ROM if it looked up the address of the source.

        A row for each source and tree, and in it what a router must know: with all ports a send
        bit for each link, with one port the list of its ports in their order.
        """
        degree = self.network.degree
        if self.ports == "all":
            width = degree
        else:
            width = self.send_port.shape[1] * (1 + max(0, degree - 1).bit_length())
        return len(self.sources) * self.slices * width

    # The entries of all tables one after the other, as arrays: what the cycle model runs on.

    @cached_property
    def first_row(self) -> IntArray:
        """Where the rows of each table begin, and last the number of all rows."""
        counts = [0, *(len(table.entries) for table in self.tables)]
        return np.cumsum(np.array(counts, dtype=np.int64))

    @cached_property
    def row_code(self) -> IntArray:
        """The code of each row."""
        codes = [entry.code for table in self.tables for entry in table.entries]
        return np.array(codes, dtype=np.int32)

    @cached_property
    def delivers(self) -> npt.NDArray[np.bool_]:
        """Which rows hand the word to the node."""
        flags = [entry.deliver for table in self.tables for entry in table.entries]
        return np.array(flags, dtype=np.bool_)

    @cached_property
    def slice_of(self) -> IntArray:
        """The slice of a word that each row is for."""
        slices = [entry.slice for table in self.tables for entry in table.entries]
        return np.array(slices, dtype=np.int32)

    @cached_property
    def wait_of(self) -> IntArray:
        """How many hops later the last slices of a word come, for each row."""
        waits = [entry.wait for table in self.tables for entry in table.entries]
        return np.array(waits, dtype=np.int32)

    @property
    def parts(self) -> int:
        """Into how many parts words are cut: fewer than there are slices, if links may be dead."""
        return self.slices - self.config.survive

    @cached_property
    def height(self) -> int:
        """The hops after which the slices of a word are ejected, all in one cycle."""
        # Slices are one hop away at some node in every tree.
        return 1 + int(self.wait_of.max())

    @cached_property
    def send_port(self) -> IntArray:
        """For each row and slot the out-port of a copy; ``NOTHING`` in an empty slot."""
        return self._sends(0)

    @cached_property
    def send_code(self) -> IntArray:
        """For each row and slot the code that a copy carries; ``NOTHING`` in an empty slot."""
        return self._sends(1)

    def _sends(self, which: int) -> IntArray:
        sends = [entry.sends for table in self.tables for entry in table.entries]
        slots = max(len(copies) for copies in sends)
        array = np.full((len(sends), slots), NOTHING, dtype=np.int32)
        for row, copies in enumerate(sends):
            array[row, : len(copies)] = [copy[which] for copy in copies]
        return array

    @cached_property
    def row_of_code(self) -> IntArray:
        """For each table and code the row of words that arrive with it, or ``NOTHING``."""
        most = max((entry.code for table in self.tables for entry in table.entries), default=0)
        rows = np.full((len(self.tables), most + 1), NOTHING, dtype=np.int32)
        for number, (table, begin) in enumerate(zip(self.tables, self.first_row, strict=False)):
            for place, entry in enumerate(table.arriving):
                rows[number, entry.code] = begin + place
        return rows

    @cached_property
    def first_own_row(self) -> IntArray:
        """Where in each table the rows of the node's own words begin, one for each tree."""
        trees = np.array([table.trees for table in self.tables])
        first: IntArray = self.first_row[1:] - trees
        return first

    def own_row(self, node: int, tree: int) -> int:
        """The row of a node's own word that is to go along a tree."""
        return int(self.first_own_row[self.table[node]]) + tree

    def next_rows(self, row: IntArray, slot: IntArray, receiver: IntArray) -> IntArray:
        """The rows of copies at their receivers, from the row and the slot that sent them."""
        code = self.send_code[row, slot]
        rows = self.row_of_code[self.table[receiver], np.minimum(code, self._last_code)]
        unknown = (code > self._last_code) | (rows == NOTHING)
        if unknown.any():
            node = self.network.label(int(receiver[unknown][0]))
            raise CheckError(
                f"{self.network.spec}: code {int(code[unknown][0])} comes to {node}, whose table "
                "has no such row"
            )
        return rows.astype(np.int64)

    @property
    def _last_code(self) -> int:
        return int(self.row_of_code.shape[1]) - 1
