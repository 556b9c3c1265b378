"""The automaton: what every router does with a word, by in-port and state, as trees decide it.

It is minimal: equal subtrees are one state. Routers are not built of it as it is: in
:mod:`noc.programs.program` its rows have codes and virtual channels, as in the hardware.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from noc.networks import IntArray, Network
from noc.trees import Ports

__all__ = ["NOTHING", "Automaton", "Row", "Send"]

BoolArray = npt.NDArray[np.bool_]

#: What ``send_port`` and ``send_state`` hold in an empty slot.
NOTHING = -1


@dataclass(frozen=True)
class Send:
    """One copy of a word that leaves a router: the out-port, and the state it carries."""

    port: int
    state: int


@dataclass(frozen=True)
class Row:
    """What happens to a word that arrives on an in-port in a state.

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
class Automaton:
    """What the routers of a network do with every word.

    Rows lie in one list, sorted by site, in-port and state. A site is a router with a table of
    its own: a symmetric network whose nodes all may send has one for all of them, any other one
    for each node.

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
    def delivers(self) -> BoolArray:
        """Which rows hand the word to the node: all but those of the node's own words."""
        in_port = np.arange(self.first_row.size) % (self.inject + 1)
        return np.repeat(in_port, self.alphabet.reshape(-1)) < self.inject

    def own_row(self, node: int, tree: int) -> int:
        """The row of a node's own word that is to go along a tree."""
        return int(self.first_row[self.site[node], self.inject]) + tree

    def next_rows(
        self, row: IntArray, slot: IntArray, receiver: IntArray, arrival: IntArray
    ) -> IntArray:
        """The rows of copies at their receivers, from the row and the slot that sent them."""
        return self.first_row[self.site[receiver], arrival] + self.send_state[row, slot]

    @cached_property
    def alphabet(self) -> IntArray:
        """For each site and in-port, how many states arrive there; the node itself comes last."""
        flat = np.append(self.first_row.reshape(-1), self.total_rows)
        return np.diff(flat).reshape(self.first_row.shape)

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
