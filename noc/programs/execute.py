"""Follow words hop by hop, knowing only the tables and the wires: it must give the trees back."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from noc.errors import CheckError, InputError
from noc.networks import IntArray, Network
from noc.programs.automaton import NOTHING
from noc.trees import Ports
from noc.trees.tree import NO_PARENT, depths

__all__ = ["Delivery", "Forwarding", "check_spanning", "execute", "longest_way"]


class Forwarding(Protocol):
    """What tells how words go: the automaton, or the program that was built of it."""

    @property
    def network(self) -> Network:
        """The network."""

    @property
    def ports(self) -> Ports:
        """Whether a router sends its copies at will, or one after the other."""

    @property
    def sources(self) -> tuple[int, ...]:
        """The nodes that may send."""

    @property
    def trees(self) -> int:
        """How many trees each source has."""

    @property
    def send_port(self) -> IntArray:
        """For each row and slot the out-port of a copy."""

    @property
    def delivers(self) -> npt.NDArray[np.bool_]:
        """Which rows hand the word to the node."""

    def own_row(self, node: int, tree: int) -> int:
        """The row of a node's own word."""

    def next_rows(
        self, row: IntArray, slot: IntArray, receiver: IntArray, arrival: IntArray
    ) -> IntArray:
        """The rows of copies at their receivers."""


@dataclass(frozen=True)
class Delivery:
    """What one injected word did.

    Parameters
    ----------
    parent, port : arrays (nodes)
        From whom, and by which of the sender's out-ports, each node received the word;
        ``NO_PARENT`` at the source.
    step : array (nodes)
        When, if each router sends as early as the model allows: the number of hops, or in
        one-port use the turns waited for as well.
    """

    parent: IntArray
    port: IntArray
    step: IntArray


def execute(tables: Forwarding, source: int, tree: int = 0) -> Delivery:
    """Inject one word at a source and follow every copy.

    Raises :class:`~noc.errors.CheckError` if a node receives twice or not at all.
    """
    network = tables.network
    if source not in tables.sources:
        label = network.label(source)
        raise InputError(f"source {label} is not among the sources of the program")
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    port, step = np.full_like(parent, NO_PARENT), np.zeros_like(parent)
    reached = np.zeros(network.nodes, dtype=bool)
    reached[source] = True
    node = np.array([source], dtype=np.int64)
    row = np.array([tables.own_row(source, tree)], dtype=np.int64)
    if tables.delivers[row].any():
        raise _error(tables, source, f"{network.label(source)} gets its own word")
    while node.size:
        which, slot = np.nonzero(tables.send_port[row] != NOTHING)
        sender, by = node[which], tables.send_port[row[which], slot]
        receiver, arrival = network.neighbour[sender, by], network.arrival[sender, by]
        if (receiver < 0).any():
            lost = network.label(int(sender[receiver < 0][0]))
            raise _error(tables, source, f"{lost} sends on a port without a link")
        _check_first(tables, source, reached, receiver)
        parent[receiver], port[receiver] = sender, by
        step[receiver] = step[sender] + (1 if tables.ports == "all" else slot + 1)
        row = tables.next_rows(row[which], slot, receiver, arrival)
        if not tables.delivers[row].all():
            passed = network.label(int(receiver[~tables.delivers[row]][0]))
            raise _error(tables, source, f"{passed} passes it on and does not get it")
        node = receiver.astype(np.int64)
    if not reached.all():
        missed = np.flatnonzero(~reached)
        raise _error(
            tables,
            source,
            f"{missed.size} nodes received nothing, {network.label(int(missed[0]))} the first",
        )
    return Delivery(parent, port, step)


def check_spanning(tables: Forwarding) -> None:
    """Refuse tables by which the words of some source do not reach every other node once."""
    for source in tables.sources:
        for tree in range(tables.trees):
            execute(tables, source, tree)


def longest_way(tables: Forwarding) -> int:
    """The most hops of a word."""
    longest = 0
    for source in tables.sources:
        for tree in range(tables.trees):
            depth = depths(execute(tables, source, tree).parent, source)
            longest = max(longest, 0 if depth is None else int(depth.max()))
    return longest


def _check_first(
    tables: Forwarding, source: int, reached: npt.NDArray[np.bool_], receiver: IntArray
) -> None:
    """Refuse a word that comes to a node again, and mark the nodes that it reaches."""
    again = receiver[reached[receiver]]
    if again.size:
        name = tables.network.label(int(again[0]))
        raise _error(tables, source, f"a copy returns to {name}, which has it")
    reached[receiver] = True
    nodes, copies = np.unique(receiver, return_counts=True)
    if nodes.size != receiver.size:
        name = tables.network.label(int(nodes[copies > 1][0]))
        raise _error(tables, source, f"two copies meet at {name}")


def _error(tables: Forwarding, source: int, what: str) -> CheckError:
    network = tables.network
    return CheckError(f"{network.spec}: a word of {network.label(source)}: {what}")
