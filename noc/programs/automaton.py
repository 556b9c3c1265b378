"""The automaton: what every router does with a word, by in-port and state, as trees decide it.

It is minimal: equal subtrees are one state. Routers are not built of it as it is: in
:mod:`noc.programs.program` its rows have codes, as in the hardware.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from noc.networks import IntArray, Network
from noc.trees import Ports

#: What ``send_port`` and ``send_row`` hold in an empty slot.
NOTHING = -1


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
    slices : int
        How many trees each source has: into how many slices its words are cut.
    site : array (nodes)
        The site of each node.
    first_row : array (sites, in-ports + 1)
        Where the rows of an in-port begin; the last in-port is the node itself. The rows of a
        site end where the next site's begin.
    subtree : array (rows)
        The class of the subtree that each row serves: rows of one site with equal ones do the
        same.
    send_port, send_row : arrays (rows, slots)
        The copies to make: the out-port, and the row by which the copy is looked up at the
        receiver; ``NOTHING`` in an empty slot.
    states : int
        The distinct subtrees of all trees together, whatever the in-port.
    slice_of : array (rows)
        The slice that each row is for.
    wait_of : array (rows)
        How many hops later the slices of the word that come last are where they go.
    """

    network: Network
    algorithm: str
    ports: Ports
    sources: tuple[int, ...]
    slices: int
    site: IntArray = field(repr=False)
    first_row: IntArray = field(repr=False)
    subtree: IntArray = field(repr=False)
    send_port: IntArray = field(repr=False)
    send_row: IntArray = field(repr=False)
    states: int
    slice_of: IntArray = field(repr=False)
    wait_of: IntArray = field(repr=False)

    @property
    def inject(self) -> int:
        """The number of the node itself among the in-ports."""
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
    def alphabet(self) -> IntArray:
        """For each site and in-port, how many states arrive there; the node itself comes last."""
        flat = np.append(self.first_row.reshape(-1), self.total_rows)
        return np.diff(flat).reshape(self.first_row.shape)
