"""The network: nodes, port labels, and two arrays that say where every port leads."""

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from noc.errors import CheckError, InputError, option
from noc.networks import arrays, symmetry
from noc.networks.arrays import ABSENT, IntArray, Labels, PortGraph


@dataclass(frozen=True, eq=False)
class Network:
    """A directed graph whose links have port labels at both ends."""

    #: The network's full name, ``NAME:PARAMETERS``.
    spec: str
    #: The part of ``spec`` before the colon.
    family: str
    #: The parsed parameters, in the order in which the user writes them.
    parameters: tuple[int | str, ...]
    #: Array (nodes, ports). The node at the far end of each out-port, or ``ABSENT``.
    neighbour: IntArray = field(repr=False)
    #: Array (nodes, ports). The in-port by which a word arrives there, or ``ABSENT``.
    arrival: IntArray = field(repr=False)
    #: The port labels as the papers print them. For links that carry words both ways the two tuples
    #: are equal, and out-port ``p`` and in-port ``p`` are the same link.
    out_ports: tuple[str, ...]
    in_ports: tuple[str, ...]
    #: The names of the nodes.
    labels: Labels = field(repr=False)
    #: Whether the port labels were searched for, so that the network is symmetric.
    ports_found: bool = False

    def __post_init__(self) -> None:
        shape = self.neighbour.shape
        if shape != self.arrival.shape or shape[1] != len(self.out_ports):
            raise CheckError(f"{self.spec}: neighbour, arrival and out_ports disagree in shape")
        self.neighbour.setflags(write=False)
        self.arrival.setflags(write=False)

    def check(self) -> "Network":
        """Verify the arrays, the labels, and that every node can be reached from every other.

        Returns the network itself.
        """
        graph = PortGraph(self.neighbour, self.arrival, self.out_ports, self.in_ports, self.labels)
        fault = arrays.first_fault(graph, self.labels.text, self.labels.node)
        if fault is not None:
            raise CheckError(f"{self.spec}: {fault}")
        return self

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return int(self.neighbour.shape[0])

    @property
    def ports(self) -> int:
        """Number of out-port labels; a node may lack some of them."""
        return int(self.neighbour.shape[1])

    @cached_property
    def two_way(self) -> bool:
        """Whether every link carries words both ways under one port label at each end."""
        return self.arcs == 2 * self._pairs

    @cached_property
    def arcs(self) -> int:
        """Number of directed links; a two-way link counts twice."""
        return int(np.count_nonzero(self.neighbour != ABSENT))

    @property
    def links(self) -> int:
        """Number of links as the papers count them; a two-way link counts once."""
        return self.arcs - self._pairs

    @cached_property
    def _pairs(self) -> int:
        returning = 0
        # Port by port, which takes less memory than all arcs at once.
        for port in range(self.ports):
            node = np.flatnonzero(self.neighbour[:, port] != ABSENT)
            returning += int(np.count_nonzero(self.paired(node, np.full_like(node, port))))
        return returning // 2

    def reversed(self) -> "Network":
        """The same nodes with every link turned round: trees towards a root are trees from it."""
        neighbour, arrival = arrays.turned_round(self.neighbour, self.arrival, len(self.in_ports))
        out, into = self.in_ports, self.out_ports
        return replace(self, neighbour=neighbour, arrival=arrival, out_ports=out, in_ports=into)

    def paired(self, node: IntArray, port: IntArray) -> npt.NDArray[np.bool_]:
        """For each of these arcs whether another one leads back between the same two ports."""
        if self.in_ports != self.out_ports:
            return np.zeros(node.size, dtype=bool)
        end = self.neighbour[node, port], self.arrival[node, port]
        return np.asarray((self.neighbour[end] == node) & (self.arrival[end] == port))

    @cached_property
    def degree(self) -> int:
        """The most out-ports that one node has."""
        return int((self.neighbour != ABSENT).sum(axis=1).max())

    def label(self, node: int) -> str:
        """The label of a node."""
        return self.labels.text(self._checked(node))

    def node(self, node: int | str, *, argument: str | None = None) -> int:
        """The node of a label; a number that is a node's is that node itself.

        ``argument`` is what the caller's user knows it as; an error names it.
        """
        try:
            return self.labels.node(node) if isinstance(node, str) else self._checked(node)
        except InputError as error:
            if argument is None:
                raise
            raise InputError(f"{option(argument)}: {error.message}") from None

    def _checked(self, node: int) -> int:
        try:
            number = operator.index(node)
        except TypeError:
            raise InputError(f"{node!r} is no node: a number or a label is needed") from None
        if not 0 <= number < self.nodes:
            raise InputError(f"{number} is no node of {self.spec}: 0 to {self.nodes - 1} are")
        return number

    def distances(self, root: int) -> IntArray:
        """Hops from ``root`` to every node."""
        return arrays.distances_from(self.neighbour, self._checked(root))

    def eccentricity(self, root: int) -> int:
        """Hops from ``root`` to the node farthest from it."""
        return int(self.distances(root).max())

    def diameter(self, progress: Callable[[float], None] | None = None) -> int:
        """The greatest distance between two nodes, by search."""
        if self.symmetric:
            return self.eccentricity(0)
        backward = self.neighbour if self.two_way else self.reversed().neighbour
        images: Iterable[IntArray] = getattr(self.labels, "relabellings", tuple)()
        roots = symmetry.representatives(self.neighbour, images)
        return arrays.diameter(self.neighbour, backward, roots, progress)

    @cached_property
    def symmetric(self) -> bool:
        """Whether for every node some relabelling takes node 0 there and keeps every port.

        Computed and verified on every link, never assumed from the family.
        """
        return symmetry.is_symmetric(self.neighbour, self.arrival)

    def find_turn(self, root: int) -> tuple[list[int], list[int]] | None:
        """A relabelling that turns the network about a node, or None (``symmetry.find_turn``)."""
        return symmetry.find_turn(self.neighbour, self._checked(root))

    def translation(self, node: int) -> IntArray:
        """The relabelling of a symmetric network that takes node 0 to ``node``."""
        image = symmetry.translation(self.neighbour, self.arrival, self._checked(node))
        if image is None:
            raise CheckError(f"{self.spec}: no relabelling takes node 0 to {self.label(node)}")
        return image
