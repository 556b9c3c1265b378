"""A timetable: which word every link carries in every step, until all nodes have all words."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray, Network
from noc.trees.tree import NO_PARENT, Tree

#: With so many registers an out-port needs a table less if one of them is empty in the first phase.
SPARED = 3


class Row(NamedTuple):
    """In ``step`` the word of ``source`` leaves ``sender`` by the out-port ``port``."""

    source: int
    step: int
    sender: int
    port: int
    receiver: int


@dataclass(frozen=True, eq=False)
class Timetable:
    """An all-gather in lockstep: every node receives one word of every other node.

    On a symmetric network the tree of node 0 says all. Those of the other nodes are its translates:
    in each step every node does the same.
    """

    network: Network
    #: The tree of every node's word, by node; on a symmetric network that of node 0 alone.
    trees: tuple[Tree, ...] = field(repr=False)

    def check(self) -> "Timetable":
        """Verify that all nodes have their trees, and that no link carries two words in a step.

        Returns the timetable itself.
        """
        network = self.network
        roots = [*range(1 if network.symmetric else network.nodes)]
        if [tree.root for tree in self.trees] != roots:
            raise CheckError(f"timetable of {network.spec}: not every node has a tree")
        carried: dict[tuple[int, int, int], Row] = {}
        for tree in self.trees:
            tree.check()
            for row in rows_of(tree):
                # Where the tree is translated, all nodes send by this port in this step.
                link = (row.step, row.port, NO_PARENT if network.symmetric else row.sender)
                other = carried.setdefault(link, row)
                if other is not row:
                    raise CheckError(f"timetable of {network.spec}: {self._collision(other, row)}")
        return self

    def _collision(self, *rows: Row) -> str:
        network, one = self.network, rows[0]
        words = " and ".join(
            f"for {network.label(row.receiver)} the word of {network.label(row.source)}"
            for row in rows
        )
        return f"in step {one.step} port {network.out_ports[one.port]} would carry {words}"

    @cached_property
    def steps(self) -> int:
        """How many steps it takes."""
        return max(tree.steps for tree in self.trees)

    @cached_property
    def kept(self) -> int:
        """How many steps a word that has arrived waits at most before it goes on for a last time.

        With 0, all that a node sends has arrived in the step before, or is its own.
        """
        return max(0, *(int(_waits(tree).max()) for tree in self.trees))

    @cached_property
    def inputs(self) -> int:
        """Out of how many registers an out-port chooses at most, its node's own word included.

        They are those in which words wait: one for each in-port and step since its arrival.
        """
        return max(len(registers) for registers in self._chosen.values())

    @cached_property
    def area(self) -> tuple[int, int]:
        """How many tables of four inputs choose one bit at all nodes, and from how many registers.

        What lies in a register takes an input, and another one to choose it; but not the node's
        own word, nor what is empty in the first step, in which that leaves: what came by an in-port
        that is idle in the last one. But an out-port that is idle then must send zeros, and another
        table makes own words zeros where they are not sent.
        """
        busy, used, sends = set(), set(), set()
        for tree in self.trees:
            arrival = tree.arrival()
            for row in rows_of(tree):
                node = 0 if self.network.symmetric else row.receiver
                used.add((node, int(arrival[row.receiver])))
                if row.step == self.steps:
                    busy.add((node, int(arrival[row.receiver])))
                    sends.add((0 if self.network.symmetric else row.sender, row.port))
        idle, tables, spared = used - busy, 0, 0
        for (node, port), registers in self._chosen.items():
            empty = (node, port) in sends and any(
                (node, in_port) in idle for in_port, age in registers if age == 1
            )
            spared += empty and len(registers) == SPARED
            # A table takes what comes out of another one, and so three more inputs.
            tables += 2 * len(registers) // 3
        # Nodes that have a tree are those counted here; all of them spare tables, or none.
        spared = max(0, spared - len(self.trees))
        return tables - spared, sum(map(len, self._chosen.values()))

    @cached_property
    def _chosen(self) -> dict[tuple[int, int], set[tuple[int, int]]]:
        """The registers from which a node chooses for an out-port, its own word among them."""
        chosen: dict[tuple[int, int], set[tuple[int, int]]] = {}
        for tree in self.trees:
            for row, register in zip(rows_of(tree), registers_of(tree), strict=True):
                node = 0 if self.network.symmetric else row.sender
                chosen.setdefault((node, row.port), set()).add(register)
        return chosen

    def tree(self, source: int) -> Tree:
        """The tree of a node's word."""
        if len(self.trees) > 1 or source == 0:
            return self.trees[source]
        return self.trees[0].translated(source)

    def rows(self) -> Iterator[Row]:
        """All that the trees say, step by step."""
        return iter(sorted((row for tree in self.trees for row in rows_of(tree)), key=_moment))


def rows_of(tree: Tree) -> list[Row]:
    """What a tree says, by receiver."""
    child = np.flatnonzero(tree.parent != NO_PARENT)
    columns = (tree.step[child], tree.parent[child], tree.port[child], child)
    return [Row(tree.root, *row) for row in zip(*(c.tolist() for c in columns), strict=True)]


def backwards(timetable: Timetable, network: Network) -> list[Row]:
    """The reduce-scatter on a network of which the timetable is for the reversed one.

    What a link carried away from a source in a step it carries towards it, counted from the end:
    the sum of all that its sender has received for that node, and of the sender's own.
    """
    last, arrival = timetable.steps + 1, timetable.network.arrival
    turned = (
        Row(row.source, last - row.step, row.receiver, arrival[row.sender, row.port], row.sender)
        for row in timetable.rows()
    )
    back = sorted((row._replace(port=int(row.port)) for row in turned), key=_moment)
    if any(network.neighbour[row.sender, row.port] != row.receiver for row in back):
        raise CheckError(f"timetable of {timetable.network.spec}: backwards it follows no links")
    return back


def _moment(row: Row) -> tuple[int, ...]:
    return row.step, row.port, row.sender, row.source


def _waits(tree: Tree) -> IntArray:
    """For each node but the root how many steps its parent kept the word before it sent it here."""
    child = np.flatnonzero((tree.parent != NO_PARENT) & (tree.parent != tree.root))
    waits: IntArray = tree.step[child] - tree.step[tree.parent[child]] - 1
    return np.append(waits, 0)


def registers_of(tree: Tree) -> list[tuple[int, int]]:
    """For each row where its word was: by which in-port it had come, and before how many steps.

    The root's own word came by none, ``NO_PARENT``, before 0 steps.
    """
    arrival = tree.arrival()
    return [
        (NO_PARENT, 0)
        if row.sender == row.source
        else (int(arrival[row.sender]), row.step - int(tree.step[row.sender]))
        for row in rows_of(tree)
    ]
