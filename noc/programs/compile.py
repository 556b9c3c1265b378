"""From trees to an automaton: number the subtrees that arrive on every link, and tabulate them.

Equal subtrees are one class: hash-consing of port-labelled trees from the leaves up.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from noc.errors import CheckError, InputError, option
from noc.networks import IntArray, Network, as_network, memory
from noc.programs.automaton import NOTHING, Automaton
from noc.trees import Tree, TreeFamily, build_from, find_algorithm
from noc.trees.tree import NO_PARENT, Ports, by_level

#: Gives the tree, or the trees, of a source.
TreeOf = Callable[[int], Tree | TreeFamily]

#: Told how much is done, 0 to 1.
Progress = Callable[[float], None]

# A state on a link is one number: the link above, the class of the subtree below these bits.
_SUBTREE_BITS = 32

# What one state of one source takes while it waits to be merged with the others.
_BYTES_PER_STATE = 24


def build_automaton(
    network: Network | str,
    algorithm: str = "shortest",
    *,
    ports: Ports = "all",
    sources: Sequence[int | str] | None = None,
    progress: Progress | None = None,
) -> Automaton:
    """The automaton by which every source, or the chosen ones, broadcast with an algorithm.

    >>> build_automaton("star:4", "balanced").states
    12
    """
    net = as_network(network)
    chosen = find_algorithm(net, algorithm)
    return compile_trees(
        net,
        lambda root: build_from(chosen, net, root, ports),
        sources=sources,
        progress=progress,
    )


def compile_trees(
    network: Network,
    tree_of: TreeOf,
    *,
    sources: Sequence[int | str] | None = None,
    progress: Progress | None = None,
) -> Automaton:
    """Compile the trees of all sources, or of the chosen ones.

    On a symmetric network the tree of any source is the translate of the tree of node 0, so
    one tree gives the table of all routers for all sources. On any other network, and where only
    some nodes may send, the trees of all sources are compiled together, and each link gets its
    own small alphabet of states.

    Where sources have several trees, each carries a slice of all words: no two may have a common
    link, and no state is of two. If some source has fewer trees than others, all have as few. A
    state then says as well how long its slice waits at the node, so that all slices of a word are
    ejected in one cycle.
    """
    chosen = tuple(range(network.nodes))
    if sources is not None:
        chosen = tuple(dict.fromkeys(network.node(s, argument="sources") for s in sources))
    if not chosen:
        raise InputError(f"{option('sources')}: at least one source is needed")
    # A table that all routers share has a place for the words of every node.
    shared = network.symmetric and len(chosen) == network.nodes
    roots = (0,) if shared else chosen
    memory.require(
        _BYTES_PER_STATE * network.nodes * len(roots),
        purpose=f"a program for {len(roots)} sources on {network.spec}",
        remedy="choose fewer sources",
    )
    node = np.arange(network.nodes, dtype=np.int32)
    site = np.zeros_like(node) if shared else node
    collected = _collect(network, site, roots, tree_of, progress)
    return _tabulate(network, site, collected, chosen)


def _send_slots(tree: Tree) -> IntArray:
    """The slot of each node among the sends of its parent.

    With one port it is the order of the sends, which is part of the program; with all ports, where
    the sends have no order, it is the port itself.
    """
    if tree.ports == "all":
        return tree.port
    order = np.lexsort((tree.step, tree.parent))
    parent = tree.parent[order]
    slot = np.empty(order.size, dtype=np.int32)
    slot[order] = np.arange(order.size) - np.searchsorted(parent, parent)
    return slot


def _heights(tree: Tree) -> IntArray:
    """Hops from each node down to its farthest descendant."""
    height = np.zeros(tree.network.nodes, dtype=np.int32)
    for child in by_level(tree.depth)[:0:-1]:
        np.maximum.at(height, tree.parent[child], height[child] + 1)
    return height


class _SubtreeClasses:
    """The distinct subtrees of any number of trees, numbered from the leaf up.

    A class is a row of sends: in each slot the out-port and the class of the child, or nothing;
    and behind them the slice of words that the tree is for, and the depth of the node, which counts
    where there are slices only. Two nodes have the same class if and only if these and the trees
    below them are the same, port by port (and send by send in one-port use).
    """

    def __init__(self, ports: int) -> None:
        self.ports = ports
        self._numbers: dict[bytes, int] = {}
        self._rows: list[IntArray] = []

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def sends(self) -> tuple[IntArray, IntArray]:
        """For each class and slot the out-port and the child's class; -1 where nothing is sent."""
        code = np.stack(self._rows)[:, :-2] - 1
        port = np.where(code < 0, -1, code % self.ports)
        return port, np.where(code < 0, -1, code // self.ports)

    @property
    def slice_of(self) -> IntArray:
        """The slice that each class is for."""
        return np.stack(self._rows)[:, -2]

    @property
    def depth_of(self) -> IntArray:
        """The depth of the nodes of each class, where it counts."""
        return np.stack(self._rows)[:, -1]

    def classify(self, tree: Tree, part: int | None = None) -> IntArray:
        """The class of the subtree below every node of a tree, which is for a slice of words."""
        if tree.network.ports != self.ports:
            raise CheckError("trees that are classified together must have the same ports")
        slots, height = _send_slots(tree), _heights(tree)
        result = np.zeros(tree.network.nodes, dtype=np.int32)
        inner = np.flatnonzero(height)
        if part is None:
            # Only nodes that send have a row: most nodes of a tree are leaves, and all alike.
            result[:] = self._intern(np.zeros((1, self.ports + 2), dtype=np.int32))
        else:
            inner = np.arange(tree.network.nodes)
        row_of = np.full(tree.network.nodes, -1, dtype=np.int32)
        row_of[inner] = np.arange(inner.size)
        rows = np.zeros((inner.size, self.ports + 2), dtype=np.int32)
        if part is not None:
            rows[:, -2], rows[:, -1] = part, tree.depth
        for level, node in enumerate(by_level(height)):
            if level or part is not None:
                result[node] = self._intern(rows[row_of[node]])
            child = node[tree.parent[node] != NO_PARENT]
            above = row_of[tree.parent[child]]
            rows[above, slots[child]] = 1 + tree.port[child] + self.ports * result[child]
        return result

    def _intern(self, rows: IntArray) -> IntArray:
        distinct, first, which = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        # Number new classes in the order in which the nodes have them.
        numbers = np.empty(first.size, dtype=np.int32)
        for index in np.argsort(first):
            row = distinct[index]
            number = self._numbers.setdefault(row.tobytes(), len(self._rows))
            if number == len(self._rows):
                self._rows.append(row)
            numbers[index] = number
        return numbers[which.reshape(-1)]


@dataclass(frozen=True)
class _Collected:
    """The states that arrive on every link, sorted, and what each source injects."""

    classes: _SubtreeClasses
    arriving: IntArray
    injected: dict[int, list[int]]
    example: Tree | TreeFamily


def _link_states(link: IntArray, subtree: IntArray) -> IntArray:
    return (link.astype(np.int64) << _SUBTREE_BITS) | subtree


def _collect(
    network: Network,
    site: IntArray,
    roots: tuple[int, ...],
    tree_of: TreeOf,
    progress: Progress | None,
) -> _Collected:
    classes = _SubtreeClasses(network.ports)
    in_ports = len(network.in_ports)
    arriving: list[IntArray] = []
    injected: dict[int, list[int]] = {}
    for example in _as_many(roots, tree_of, progress):
        several = len(example.trees) > 1
        if several:
            _check_disjoint(example)
        for number, member in enumerate(example.trees):
            subtree = classes.classify(member, number if several else None)
            child = np.flatnonzero(member.parent != NO_PARENT)
            link = site[child].astype(np.int64) * in_ports + member.arrival()[child]
            arriving.append(np.unique(_link_states(link, subtree[child])))
            injected.setdefault(int(site[member.root]), []).append(int(subtree[member.root]))
    return _Collected(classes, np.unique(np.concatenate(arriving)), injected, example)


def _as_many(
    roots: tuple[int, ...], tree_of: TreeOf, progress: Progress | None
) -> Iterator[Tree | TreeFamily]:
    """The trees of each source, as many of all as of the one that has fewest; the low ones."""
    kept: list[Tree | TreeFamily] = []
    least = None
    for done, root in enumerate(roots, start=1):
        example = tree_of(root)
        if progress is not None:
            progress(done / len(roots))
        count = len(example.trees)
        least = count if least is None else min(least, count)
        if least > 1:
            kept.append(example)
            continue
        # With one tree of each source none has to be kept.
        yield from (_lowest(each, 1) for each in (*kept, example))
        kept.clear()
    yield from (_lowest(each, least or 1) for each in kept)


def _lowest(family: Tree | TreeFamily, count: int) -> Tree | TreeFamily:
    """Some of the trees of a family."""
    if isinstance(family, Tree) or len(family.trees) == count:
        return family
    trees = sorted(family.trees, key=lambda tree: tree.height)[:count]
    return trees[0] if count == 1 else replace(family, trees=tuple(trees))


def _check_disjoint(family: Tree | TreeFamily) -> None:
    """Refuse trees of one source that cannot carry the slices of words side by side."""
    network = family.network
    used: dict[tuple[int, int], int] = {}
    remedy = f"{option('algorithm', 'disjoint')} builds trees without a common link"
    for number, tree in enumerate(family.trees, start=1):
        if tree.root != family.root:
            raise InputError(
                f"{option('algorithm', family.algorithm)}: tree {number} of "
                f"{network.label(family.root)} begins at {network.label(tree.root)}; {remedy}"
            )
        for node in np.flatnonzero(tree.parent != NO_PARENT).tolist():
            link = int(tree.parent[node]), int(tree.port[node])
            other = used.setdefault(link, number)
            if other != number:
                ends = " to ".join(network.label(each) for each in (link[0], node))
                raise InputError(
                    f"{option('algorithm', family.algorithm)}: trees {other} and {number} of "
                    f"{network.label(family.root)} both use the link from {ends}; {remedy}"
                )


def _tabulate(
    network: Network, site: IntArray, collected: _Collected, sources: tuple[int, ...]
) -> Automaton:
    sites, in_ports = int(site.max()) + 1, len(network.in_ports)
    link = collected.arriving >> _SUBTREE_BITS
    on_link = np.bincount(link, minlength=sites * in_ports).reshape(sites, in_ports)
    own = np.array([len(collected.injected.get(each, ())) for each in range(sites)])
    alphabet = np.column_stack([on_link, own]).reshape(-1)
    first_row = (np.cumsum(alphabet) - alphabet).reshape(sites, in_ports + 1)
    row_site = np.repeat(np.arange(sites * (in_ports + 1)) // (in_ports + 1), alphabet)
    row_subtree = np.empty(row_site.size, dtype=np.int64)
    # The row of each arriving state; states of a link are numbered from 0.
    row = first_row[:, :in_ports].reshape(-1)[link] + np.arange(link.size) - _first(link)
    row_subtree[row] = collected.arriving & (2**_SUBTREE_BITS - 1)
    for of, subtrees in collected.injected.items():
        begin = int(first_row[of, -1])
        row_subtree[begin : begin + len(subtrees)] = subtrees
    send_port, send_row = _sends(network, site, collected, row, row_site, row_subtree)
    depth = collected.classes.depth_of
    return Automaton(
        network=network,
        algorithm=collected.example.algorithm,
        ports=collected.example.ports,
        sources=sources,
        slices=int(own.max()),
        site=site,
        first_row=first_row,
        subtree=row_subtree,
        send_port=send_port,
        send_row=send_row,
        states=len(collected.classes),
        slice_of=collected.classes.slice_of[row_subtree],
        wait_of=(depth.max() - depth)[row_subtree],
    )


def _first(values: IntArray) -> IntArray:
    """Where in a sorted array each value comes first."""
    return np.searchsorted(values, values)


def _sends(
    network: Network,
    site: IntArray,
    collected: _Collected,
    arriving_row: IntArray,
    row_site: IntArray,
    row_subtree: IntArray,
) -> tuple[IntArray, IntArray]:
    """The out-ports of every row, and the rows of the children's subtrees at the receivers."""
    subtree_port, subtree_child = collected.classes.sends
    send_port = subtree_port[row_subtree]
    used = int((send_port != NOTHING).sum(axis=1).max(initial=0))
    row, slot = np.nonzero(send_port != NOTHING)
    # Of the nodes of one site the first.
    node = np.unique(site, return_index=True)[1]
    sender, port = node[row_site[row]], send_port[row, slot]
    far_link = site[network.neighbour[sender, port]].astype(np.int64) * len(
        network.in_ports
    ) + network.arrival[sender, port].astype(np.int64)
    sent = _link_states(far_link, subtree_child[row_subtree[row], slot])
    arriving = np.searchsorted(collected.arriving, sent)
    if (collected.arriving[np.minimum(arriving, collected.arriving.size - 1)] != sent).any():
        raise CheckError(f"{network.spec}: a router sends a state that never arrives")
    # Close the gaps between slots, so that a row is a plain list of sends.
    position = np.arange(row.size) - _first(row)
    packed_port = np.full((row_site.size, used), NOTHING, dtype=np.int32)
    packed_row = np.full((row_site.size, used), NOTHING, dtype=np.int64)
    packed_port[row, position] = port
    packed_row[row, position] = arriving_row[arriving]
    return packed_port, packed_row
