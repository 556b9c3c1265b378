"""Port labels that make a graph symmetric, found where a user gives none.

A graph has port labels that make it symmetric if, and only if, there is a group of its
relabellings in which exactly one takes node 0 to each node: a regular group (Sabidussi, 1958). A
link from node 0 and its images under the group then have one label.

The group is built up. For a neighbour of node 0 that the relabellings so far do not take node 0
to, one that does is chosen, with all that it makes together with the others; where that cannot
be, the next one. Relabellings are listed by choosing images node by node, after each of which the
images of all others are narrowed down by the kind of the pair. Groups in which the order of
relabellings is of no account come first: in them each moves all nodes alike, so that few have to
be tried. The search is the same on every machine: it is bounded by its own count of steps.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from noc.errors import CheckError
from noc.networks.arrays import ABSENT, IntArray, PortGraph
from noc.networks.network import Network
from noc.networks.symmetry import is_symmetric
from noc.networks.wiring import Ends, Wiring, assemble, in_order

Bools = npt.NDArray[np.bool_]

BOTH, OUT, IN = "both", "out", "in"


class _End(NamedTuple):
    """One end of a link at some node: which link, whether words leave, and the other end."""

    link: int
    kind: str
    other: int


def port_graph(wiring: Wiring, ends: Ends) -> PortGraph:
    """The graph with the user's port labels, or without any with some that make it symmetric.

    ``ends`` holds the user's labels, and numbers where there are none.
    """
    graph = assemble(wiring, ends)
    if any(link.out or link.into for link in wiring.links):
        return graph
    network = Network("graph", "graph", (), *graph)
    try:
        group = None if network.symmetric else _regular_group(network)
    except GaveUpError:
        return graph
    if group is None:
        return graph
    graph = assemble(wiring, _translated(wiring, group), ports_found=True)
    if not is_symmetric(graph.neighbour, graph.arrival):
        raise CheckError("the ports found for the graph do not make it symmetric")
    return graph


def exist(network: Network) -> bool | None:
    """Whether there are port labels with which a network is symmetric; None where that is open."""
    try:
        return _regular_group(network) is not None
    except GaveUpError:
        return None


def _regular_group(network: Network) -> IntArray | None:
    present = network.neighbour != ABSENT
    inward = np.bincount(network.neighbour[present], minlength=network.nodes)
    if np.ptp(present.sum(axis=1)) or np.ptp(inward):
        return None
    if network.nodes > LARGEST:
        raise GaveUpError
    # For each pair of nodes how many links of either kind lead from one to the other.
    one_way, two_way = np.zeros((2, network.nodes, network.nodes), dtype=np.int64)
    node, port = np.nonzero(present)
    paired = network.paired(node, port)
    receiver = network.neighbour[node, port]
    np.add.at(two_way, (node[paired], receiver[paired]), 1)
    np.add.at(one_way, (node[~paired], receiver[~paired]), 1)
    return _last_group(network.nodes, (one_way * (two_way.max() + 1) + two_way).tobytes())


@lru_cache(maxsize=1)
def _last_group(nodes: int, colour: bytes) -> IntArray | None:
    """The answer to the last question is kept: a graph is loaded, and then asked about."""
    return regular_group(np.frombuffer(colour, dtype=np.int64).reshape(nodes, nodes))


def _translated(wiring: Wiring, group: IntArray) -> Ends:
    """Port labels that a group of relabellings makes alike at all nodes.

    The ends of links at the first node are numbered in the order in which the links are written.
    At any other node the number of an end is that of the end of the first node which the
    relabelling takes there. Of links between the same two nodes the earlier one has the lower
    number.
    """
    ends: list[list[_End]] = [[] for _ in wiring.names]
    for number, link in enumerate(wiring.links):
        ends[link.tail].append(_End(number, BOTH if link.two_way else OUT, link.head))
        ends[link.head].append(_End(number, BOTH if link.two_way else IN, link.tail))
    apart = not any(link.two_way for link in wiring.links)
    labels: dict[tuple[str, int], list[str]] = defaultdict(list)
    counted: Counter[str] = Counter()
    for end in ends[0]:
        prefix = f"{end.kind} " if apart else ""
        labels[end.kind, end.other].append(f"{prefix}{counted[prefix]}")
        counted[prefix] += 1
    out, into = ([""] * len(wiring.links) for _ in range(2))
    for node, at_node in enumerate(ends):
        back = np.argsort(group[node])
        seen: Counter[tuple[str, int]] = Counter()
        for end in at_node:
            key = end.kind, int(back[end.other])
            label_of = out if wiring.links[end.link].tail == node else into
            label_of[end.link] = labels[key][seen[key]]
            seen[key] += 1
    outward, inward = (set(out), set(into)) if apart else (set(out) | set(into),) * 2
    return Ends(out, into, in_order(outward), in_order(inward))


#: Nodes of the largest graph that is to be searched.
LARGEST = 512

# Pairs of nodes that are looked at before the search gives up, in groups of either kind; and what
# a look at all of them costs in addition, counted in pairs. About a second for each kind.
WORK = 600_000_000
OVERHEAD = 16_384

# Sums of this many products of two weights below this are whole numbers that a float holds.
WEIGHTS = 1009


class GaveUpError(Exception):
    """The search came to its bound: whether there is such a group remains open."""


def regular_group(colour: IntArray) -> IntArray | None:
    """Row v of the answer is the relabelling that takes node 0 to v; None where no group is.

    ``colour`` says what leads from one node to another, 0 for nothing; relabellings keep it. The
    graph is strongly connected. Where the answer would take too long, ``GaveUpError`` is raised.
    """
    kind = _kinds_of_pairs(colour)
    if kind is None:
        return None
    alone = _Group(np.arange(colour.shape[0], dtype=np.int16)[None, :], ())
    try:
        group = _Search(colour, kind, abelian=True).grown(alone)
    except GaveUpError:
        group = None
    group = group or _Search(colour, kind, abelian=False).grown(alone)
    # In the order of where they take node 0.
    return None if group is None else group.rows[np.argsort(group.rows[:, 0], kind="stable")]


def _kinds_of_pairs(colour: IntArray) -> IntArray | None:
    """A number for each pair of nodes that every relabelling keeps; None if nodes are unlike.

    Kinds differ by the links both ways between the two nodes, and by what there is on paths of
    growing length. Two nodes are unlike if they are not in as many pairs of each kind.
    """
    apart = ~np.eye(colour.shape[0], dtype=bool)
    kind, before = _numbered(_numbered(colour) * 2 + apart), 0
    while _alike(kind):
        count = int(kind.max()) + 1
        if count == before:
            return kind
        before, kind = count, _further(kind)
    return None


def _further(kind: IntArray) -> IntArray:
    """The kinds split further by the kinds on paths of two between the pair."""
    first = (kind * 31 + 7) * 17 % WEIGHTS
    second = (kind * kind + kind * 13 + 5) % WEIGHTS
    through = first.astype(np.float64) @ second.astype(np.float64)
    known = _numbered(kind * kind.size + _numbered(through))
    return _numbered(known * kind.size + known.T)


def _alike(kind: IntArray) -> bool:
    ordered = np.sort(kind, axis=1)
    return bool((ordered == ordered[0]).all())


def _numbered(values: npt.NDArray[Any]) -> IntArray:
    """The values by their ranks, equal ones alike."""
    _, ranks = np.unique(values.ravel(), return_inverse=True)
    return ranks.reshape(values.shape).astype(np.int64)


class _Group(NamedTuple):
    """Relabellings of which two never agree on any node: a row each, and some that make all."""

    rows: IntArray
    makers: tuple[IntArray, ...]

    def with_maker(self, image: IntArray) -> "_Group | None":
        """The least group with another relabelling; None if two rows would agree on a node."""
        makers = (*self.makers, image)
        nodes = image.size
        rows = np.full((nodes, nodes), -1, dtype=np.int16)
        rows[self.rows[:, 0]] = self.rows
        frontier = self.rows
        while frontier.size:
            fresh = []
            for maker in makers:
                products = maker[frontier]
                target = products[:, 0]
                new = rows[target, 0] < 0
                rows[target[new]] = products[new]
                if not np.array_equal(rows[target], products):
                    return None
                fresh.append(target[new])
            frontier = rows[np.concatenate(fresh)]
        rows = rows[rows[:, 0] >= 0]
        ordered = np.sort(rows, axis=0)
        return None if (ordered[1:] == ordered[:-1]).any() else _Group(rows, makers)


class _Search:
    """The search on one graph."""

    def __init__(self, colour: IntArray, kind: IntArray, *, abelian: bool) -> None:
        self._kind, self._abelian = kind, abelian
        self._neighbours = np.flatnonzero(colour[0])
        self._work = 0

    def grown(self, group: _Group) -> _Group | None:
        """A regular group around a smaller one."""
        size, nodes = group.rows.shape
        if size == nodes:
            return group
        reached = np.isin(self._neighbours, group.rows[:, 0])
        target = int(self._neighbours[~reached][0])
        for image in self._candidates(group, target):
            self._spend(size * nodes)
            larger = group.with_maker(image)
            if larger is not None and (whole := self.grown(larger)) is not None:
                return whole
        return None

    def _candidates(self, group: _Group, target: int) -> Iterator[IntArray]:
        """Relabellings that take node 0 to the target, and no node to one of its own orbit."""
        orbits = group.rows.min(axis=0)
        start = orbits[:, None] != orbits
        if self._abelian:
            start &= self._kind == self._kind[0, target]
        for twice in (True, False):
            rows = group.rows if self._abelian else group.rows[:0]
            for image in self._images(_Partial(start.copy(), rows, twice=twice), target):
                if twice or not np.array_equal(image[image], np.arange(image.size)):
                    yield image

    def _images(self, start: "_Partial", target: int) -> Iterator[IntArray]:
        """The relabellings that are possible, images chosen in ascending order."""
        stack = [(start, 0, target)]
        while stack:
            partial, node, image = stack.pop()
            if not self._narrowed(partial, node, image):
                continue
            count = partial.possible.sum(axis=1)
            if (count == 1).all():
                whole = partial.possible.argmax(axis=1).astype(np.int16)
                if np.array_equal(self._kind[np.ix_(whole, whole)], self._kind):
                    yield whole
                continue
            node = int(np.where(count > 1, count, count.size + 1).argmin())
            images = np.flatnonzero(partial.possible[node]).tolist()
            stack += [(partial.copy(), node, image) for image in reversed(images[1:])]
            stack.append((partial, node, images[0]))

    def _narrowed(self, partial: "_Partial", node: int, image: int) -> bool:
        """Choose an image, and then whatever has one image left; False if some has none."""
        kind = self._kind
        while True:
            self._spend(kind.size)
            if not partial.possible[node, image]:
                return False
            partial.possible &= kind[node][:, None] == kind[image]
            partial.choose(node, image)
            count = partial.possible.sum(axis=1)
            if not count.all():
                return False
            left = np.flatnonzero((count == 1) & (partial.image < 0))
            # Where each has one image left the whole is verified instead.
            if not left.size or (count == 1).all():
                return True
            node = int(left[0])
            image = int(partial.possible[node].argmax())

    def _spend(self, work: int) -> None:
        self._work += work + OVERHEAD
        if self._work > WORK:
            raise GaveUpError


class _Partial:
    """Part of a relabelling: the images that are chosen, and those that are possible.

    It commutes with the relabellings in ``rows``, and with ``twice`` it is its own inverse.
    """

    def __init__(self, possible: Bools, rows: IntArray, *, twice: bool) -> None:
        self.possible, self._rows, self._twice = possible, rows, twice
        self.image = np.full(possible.shape[0], -1, dtype=np.int16)

    def copy(self) -> "_Partial":
        """The same, to be taken further in another way."""
        other = _Partial(self.possible.copy(), self._rows, twice=self._twice)
        other.image = self.image.copy()
        return other

    def choose(self, node: int, image: int) -> None:
        """Take over an image, and what follows from it."""
        self.image[node] = image
        if self._twice:
            self._allow(image, node)
        for row in self._rows:
            self._allow(int(row[node]), int(row[image]))

    def _allow(self, node: int, image: int) -> None:
        """Leave a node no other image."""
        possible = self.possible[node, image]
        self.possible[node] = False
        self.possible[node, image] = possible
