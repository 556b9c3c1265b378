"""The tree: who hands the word to whom, by which port, at which step."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from noc.errors import CheckError
from noc.networks import ABSENT, IntArray, Network

#: The communication model: in one step a node may send on all of its ports, or on one.
Ports = Literal["all", "one"]

#: What ``parent`` and ``port`` hold at the root.
NO_PARENT = -1


def depths(parent: IntArray, root: int) -> IntArray | None:
    """Hops from the root along the tree, or None if some node never reaches the root.

    By pointer doubling: after k rounds every node has looked 2^k ancestors up.
    """
    ancestor = parent.astype(np.int64)
    ancestor[root] = root
    depth = np.ones(parent.size, dtype=np.int32)
    depth[root] = 0
    for _ in range(parent.size.bit_length() + 1):
        if (ancestor == root).all():
            return depth
        depth += depth[ancestor]
        ancestor = ancestor[ancestor]
    return None


def by_level(level: IntArray) -> list[IntArray]:
    """The nodes at each level from 0 to the greatest, ascending."""
    order = np.argsort(level, kind="stable")
    return np.split(order, np.searchsorted(level[order], np.arange(1, int(level.max()) + 1)))


@dataclass(frozen=True, eq=False)
class Tree:
    """A spanning tree of a network with the step at which every node receives the word."""

    #: The network it spans.
    network: Network
    #: The name of the algorithm that built it.
    algorithm: str
    #: The communication model of its steps.
    ports: Ports
    #: The node that sends first.
    root: int
    #: Array (nodes). The node from which each node receives; ``NO_PARENT`` at the root.
    parent: IntArray = field(repr=False)
    #: Array (nodes). The out-port of the parent; ``NO_PARENT`` at the root.
    port: IntArray = field(repr=False)
    #: Array (nodes). The step at which each node receives, counted from 1; 0 at the root. It also
    #: gives the order in which a node sends in one-port use.
    step: IntArray = field(repr=False)

    @property
    def trees(self) -> "tuple[Tree]":
        """Itself; several trees that are used together have their list under this name."""
        return (self,)

    @cached_property
    def depth(self) -> IntArray:
        """Hops from the root to every node along the tree."""
        depth = depths(self.parent, self.root)
        if depth is None:
            raise CheckError(f"{self._name}: not every node leads up to the root")
        return depth

    @cached_property
    def height(self) -> int:
        """The greatest depth."""
        return int(self.depth.max())

    @cached_property
    def steps(self) -> int:
        """The step at which the last node receives."""
        return int(self.step.max())

    @cached_property
    def branch_sizes(self) -> dict[int, int]:
        """For each out-port that the root uses, the nodes that the word reaches through it."""
        top = self.parent.astype(np.int64)
        first = np.flatnonzero(self.parent == self.root)
        top[self.root] = self.root
        top[first] = first
        for _ in range(max(1, self.height).bit_length()):
            top = top[top]
        sizes = np.bincount(top, minlength=self.network.nodes)
        return {int(self.port[child]): int(sizes[child]) for child in first}

    @property
    def balance(self) -> float:
        """The largest branch of the root as a multiple of the smallest."""
        sizes = self.branch_sizes.values()
        return max(sizes) / min(sizes)

    @property
    def _name(self) -> str:
        return f"{self.algorithm} tree of {self.network.spec} from {self.network.label(self.root)}"

    def check(self) -> "Tree":
        """Verify that it spans, that every hop is a link, and that the model allows its steps.

        Returns the tree itself, so that a builder can end with ``return tree.check()``.
        """
        child = np.flatnonzero(np.arange(self.network.nodes) != self.root)
        parent, port = self.parent[child], self.port[child]
        if self.parent[self.root] != NO_PARENT or self.step[self.root] != 0:
            raise CheckError(f"{self._name}: the root has a parent or a step")
        if (parent < 0).any() or (port < 0).any():
            raise CheckError(f"{self._name}: {int((parent < 0).sum())} nodes receive nothing")
        if (self.network.neighbour[parent, port] != child).any():
            raise CheckError(f"{self._name}: a hop follows no link of the network")
        if (self.step[child] <= self.step[parent]).any():
            raise CheckError(f"{self._name}: a node sends before it has received")
        # Refuses what does not lead up to the root.
        _ = self.depth
        if self.ports == "one":
            sends = parent.astype(np.int64) * (self.steps + 1) + self.step[child]
            if np.unique(sends).size != sends.size:
                raise CheckError(f"{self._name}: a node sends twice in one step")
        return self

    def translated(self, root: int) -> "Tree":
        """The same tree of a symmetric network from another root."""
        image = self.network.translation(root)
        parent, port, step = (np.empty_like(a) for a in (self.parent, self.port, self.step))
        parent[image] = np.where(self.parent == NO_PARENT, NO_PARENT, image[self.parent])
        port[image], step[image] = self.port, self.step
        return replace(self, root=int(image[self.root]), parent=parent, port=port, step=step)

    def arrival(self) -> IntArray:
        """The in-port by which every node receives; ``ABSENT`` at the root."""
        arrival = self.network.arrival[self.parent, self.port]
        arrival[self.root] = ABSENT
        return arrival


@dataclass(frozen=True)
class TreeFamily:
    """Several trees of one network that an algorithm uses together."""

    #: As in :class:`Tree`, the same for every member.
    network: Network
    algorithm: str
    ports: Ports
    root: int
    #: The members.
    trees: tuple[Tree, ...]

    @classmethod
    def of(cls, tree: Tree) -> "TreeFamily":
        """The family of a single tree."""
        return cls(tree.network, tree.algorithm, tree.ports, tree.root, (tree,))

    @property
    def height(self) -> int:
        """The greatest height of a member."""
        return max(tree.height for tree in self.trees)

    @property
    def steps(self) -> int:
        """The most steps of a member, each by itself."""
        return max(tree.steps for tree in self.trees)

    @property
    def balance(self) -> float:
        """The worst balance of a member."""
        return max(tree.balance for tree in self.trees)

    def check(self) -> "TreeFamily":
        """Verify every member."""
        for tree in self.trees:
            tree.check()
        return self

    def translated(self, root: int) -> "TreeFamily":
        """The same trees of a symmetric network from another root."""
        return replace(self, root=root, trees=tuple(tree.translated(root) for tree in self.trees))

    @cached_property
    def congestion(self) -> int:
        """The most members that use one directed link."""
        uses = np.zeros(self.network.neighbour.shape, dtype=np.int32)
        for tree in self.trees:
            child = np.flatnonzero(tree.parent != NO_PARENT)
            np.add.at(uses, (tree.parent[child], tree.port[child]), 1)
        return int(uses.max())


def scheduled(
    network: Network, algorithm: str, ports: Ports, root: int, parent: IntArray, port: IntArray
) -> Tree:
    """The tree with these parents, each send as early as the model allows, and verified."""
    step = earliest(parent, root, ports, port)
    return Tree(network, algorithm, ports, root, parent, port, step).check()


def earliest(parent: IntArray, root: int, ports: Ports, port: IntArray | None = None) -> IntArray:
    """The steps of the fastest broadcast along a given tree.

    With all ports the step is the depth. With one port a node serves its children in the order
    of the time that their subtrees still need, longest first, which is optimal for a tree.
    Equally long ones are served in the order of their ``port``, so that equal subtrees are
    served alike.
    """
    depth = depths(parent, root)
    if depth is None:
        # Tree.check() names the fault; any steps will do until then.
        return np.zeros(parent.size, dtype=np.int32)
    if ports == "all":
        return depth
    rank = np.zeros_like(parent) if port is None else port
    levels = by_level(depth)[1:]
    need, turn, step = np.zeros((3, parent.size), dtype=np.int32)
    for level in reversed(levels):
        child = level[np.lexsort((rank[level], -need[level], parent[level]))]
        turn[child] = np.arange(1, child.size + 1) - np.searchsorted(parent[child], parent[child])
        np.maximum.at(need, parent[child], need[child] + turn[child])
    for level in levels:
        step[level] = step[parent[level]] + turn[level]
    return step


def to_networkx(tree: Tree | TreeFamily) -> Any:
    """A directed graph of networkx with an edge from each node to each of its children.

    >>> from noc.trees import build_tree
    >>> graph = to_networkx(build_tree("star:3"))
    >>> graph.number_of_edges(), graph["123"]["213"][0]
    (5, {'out': '2', 'in': '2', 'step': 1, 'tree': 0})

    Attributes of an edge: ``out`` and ``in`` are the labels of the ports at its ends, ``step`` is
    the step in which the child receives, and ``tree`` the index of the tree among several.
    Attributes of the graph: ``algorithm``, ``ports`` and ``root``.
    """
    # Here, because it takes longer to load than the rest of this stage.
    import networkx

    network = tree.network
    graph = networkx.MultiDiGraph(
        name=network.spec,
        algorithm=tree.algorithm,
        ports=tree.ports,
        root=network.label(tree.root),
    )
    graph.add_nodes_from(network.label(node) for node in range(network.nodes))
    for index, member in enumerate(tree.trees):
        arrival = member.arrival()
        for child in np.flatnonzero(member.parent != NO_PARENT).tolist():
            ends = (network.label(node) for node in (int(member.parent[child]), child))
            facts = {
                "out": network.out_ports[int(member.port[child])],
                "in": network.in_ports[int(arrival[child])],
                "step": int(member.step[child]),
                "tree": index,
            }
            graph.add_edge(*ends, **facts)
    return graph
