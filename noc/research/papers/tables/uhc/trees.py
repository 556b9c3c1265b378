"""What the UHC paper states of the network, by search up to n = 14, and of BT1, BT2 and BT3."""

from collections.abc import Iterator

import networkx as nx
import numpy as np

from noc.networks import IntArray, Network
from noc.research.papers.tables.table import Row, Rows, build, one_tree, reason
from noc.research.papers.tables.uhc.costs import x1, x2
from noc.trees import Ports, Tree, build_tree
from noc.trees.tree import NO_PARENT, scheduled

TEXT = Rows()

SIZES = range(2, 15)
EVEN, ODD = SIZES[::2], SIZES[1::2]


def _out_ports(spec: str) -> str:
    """The bits by which node 0 sends."""
    neighbours = build(spec).neighbour[0].tolist()
    return ", ".join(map(str, sorted(to.bit_length() - 1 for to in neighbours if to >= 0)))


@TEXT.add
def _notation() -> Iterator[Row]:
    """The example of a link, and the example that explains hats over bits."""
    out_port = build("uhc:4").neighbour[0].tolist().index(0b100)
    yield Row("link from 0000 to 0100, port and out-port", "2, 1", f"2, {out_port}")
    printed = "1, 3"
    why = reason("uhc-notation", _out_ports("uhc:4,negative") == printed)
    yield Row("hats on 0000: its out-ports", printed, _out_ports("uhc:4"), why)


@TEXT.each(SIZES)
def _diameters(n: int) -> Iterator[Row]:
    printed = n + 1 if n % 2 == 0 else n + 2
    for spec in (f"uhc:{n}", f"uhc:{n},negative"):
        yield Row(f"{spec}, diameter", printed, build(spec).diameter())


@TEXT.add
def _counts() -> Iterator[Row]:
    for n in SIZES:
        yield Row(f"n = {n}, links", n * 2 ** (n - 1), build(f"uhc:{n}").links)
    for n in EVEN:
        yield Row(f"n = {n}, out-degree", n // 2, build(f"uhc:{n}").degree)


@TEXT.each(EVEN, "n = {}, ")
def _farthest(n: int) -> Iterator[Row]:
    farthest = int((build(f"uhc:{n}").distances(0) == n + 1).sum())
    yield Row("nodes n+1 from a node", 2 ** (n // 2 - 1), farthest)


@TEXT.each(EVEN, "n = {}, ")
def _one_port_floor(n: int) -> Iterator[Row]:
    """The conclusion's lower bound, n + 2, from the nodes that are farthest from a node.

    With one port only one node at each distance d can have the message after d steps: the first
    hop goes to one node, its first send to one, and so on.
    """
    net = build(f"uhc:{n}")
    hops = net.distances(0)
    least, why = int(hops.max()) + bool((hops == hops.max()).sum() > 1), None
    if least != n + 2:
        steps = build_tree(net, "bt1", ports="one").steps
        why = reason("uhc-only-one-node", steps == least == n + 1)
    yield Row("one-port lower bound", n + 2, least, why)


@TEXT.each((*EVEN, *ODD))
def _symmetries(n: int) -> Iterator[Row]:
    net, symmetry = build(f"uhc:{n}"), "node symmetric"
    if not net.symmetric:
        # Nodes of unequal out-degree cannot be taken to one another by any relabelling.
        unequal = np.unique((net.neighbour >= 0).sum(axis=1)).size > 1
        symmetry = "not node symmetric" if unequal else "no ports are kept"
    name, printed = (
        ("section 2", "not node symmetric") if n % 2 else ("Theorem 1", "node symmetric")
    )
    yield Row(f"{name}, n = {n}", printed, symmetry)


@TEXT.each(EVEN)
def _bits_exchanged(n: int) -> Iterator[Row]:
    """Exchange bits 2i and 2i+1 of every label and look at what comes out."""
    net, negative = build(f"uhc:{n}"), build(f"uhc:{n},negative")
    node = np.arange(net.nodes)
    low = np.int64(sum(1 << bit for bit in range(0, n, 2)))
    image = (node & low) << 1 | (node >> 1) & low
    exchanged = np.empty_like(net.neighbour)
    exchanged[image] = image[net.neighbour]
    same = np.array_equal(exchanged, negative.neighbour)
    yield Row(f"Theorem 2, n = {n}", "negative UHC", "negative UHC" if same else "another graph")


def _arcs(net: Network) -> set[tuple[int, int]]:
    sender, port = np.nonzero(net.neighbour >= 0)
    return set(zip(sender.tolist(), net.neighbour[sender, port].tolist(), strict=True))


@TEXT.each(range(3, 10))
def _halves(n: int) -> Iterator[Row]:
    """The polarities of the two halves that the highest bit distinguishes."""
    arcs, top = _arcs(build(f"uhc:{n}")), 1 << (n - 1)
    smaller = f"uhc:{n - 1}"
    known = {"positive": _arcs(build(smaller)), "negative": _arcs(build(f"{smaller},negative"))}
    result = []
    for half in (0, top):
        inside = {(u ^ half, v ^ half) for u, v in arcs if u & top == v & top == half}
        result += [polarity for polarity, expected in known.items() if inside == expected]
    yield Row(f"halves, n = {n}", "positive, negative", ", ".join(result))


@TEXT.each((2, 4, 6), "n = {}, ")
def _arc_connectivity(n: int) -> Iterator[Row]:
    graph = nx.DiGraph(sorted(_arcs(build(f"uhc:{n}"))))
    yield Row("arc-connectivity", n // 2, int(nx.edge_connectivity(graph)))


MODELS: tuple[Ports, ...] = ("all", "one")


@TEXT.each(EVEN)
def _theorems(n: int) -> Iterator[Row]:
    for what, printed, algorithm, ports in (
        (f"Theorem 3, n = {n}, height of BT1", 3 * n // 2, "bt1", "all"),
        (f"Theorem 3, n = {n}, height of BT2", n + 1, "bt2", "all"),
        (f"Theorem 4, n = {n}, one-port steps of BT1", 3 * n // 2, "bt1", "one"),
        (f"Theorem 4, n = {n}, one-port steps of BT2", 3 * n // 2, "bt2", "one"),
        (f"Theorem 5, n = {n}, one-port steps of BT3", x1(n), "bt3", "one"),
        (f"x2, n = {n}, height of BT3", x2(n), "bt3", "all"),
    ):
        yield Row(what, printed, one_tree(f"uhc:{n}", algorithm, ports).steps)


@TEXT.add
def _moved() -> Iterator[Row]:
    """6-BT2, and with one node moved by hand, apart from the code of BT3."""
    bt2 = one_tree("uhc:6", "bt2", "one")
    yield Row("6-BT2, one-port steps", 9, bt2.steps)
    parent, port = bt2.parent.copy(), bt2.port.copy()
    parent[0b101111], port[0b101111] = 0b111111, 2
    steps = scheduled(bt2.network, "bt2", "one", 0, parent, port).steps
    yield Row("6-BT2 with 101111 under 111111, one-port steps", 8, steps)


def _path(tree: Tree, hops: int) -> IntArray:
    """The ports of each node's last hops on its path from the root; ``NO_PARENT`` above it."""
    ports, node = [], np.arange(tree.network.nodes)
    for _ in range(hops):
        ports.append(np.where(node >= 0, tree.port[node], NO_PARENT))
        node = np.where(node >= 0, tree.parent[node], NO_PARENT)
    return np.stack(ports)


@TEXT.each(EVEN)
def _propositions(n: int) -> Iterator[Row]:
    """Exceptions to the three propositions on BT2, counted over all nodes."""
    tree = one_tree(f"uhc:{n}", "bt2", "all")
    received, before, first = _path(tree, 3)
    child = np.flatnonzero(tree.parent != NO_PARENT)
    sends = np.zeros(tree.network.nodes, dtype=np.int64)
    np.bitwise_or.at(sends, tree.parent[child], np.int64(1) << tree.port[child])
    straight = (received == before) & (before == first) & (received > 0)
    far = (before > received + 1) & (received >= 0)
    expected = (np.int64(1) << np.minimum(received + 2, tree.network.ports)) - 1
    ends = (received == 0) & (before == 0) & (first == 0)
    exceptions = straight, (sends != expected) & far, ends != (sends == 0)
    for number, nodes in enumerate(exceptions, start=1):
        yield Row(f"Proposition {number}, n = {n}, exceptions", 0, int(nodes.sum()))


@TEXT.each((n, polarity) for n in ODD[:3] for polarity in ("", ",negative"))
def _odd(n: int, polarity: str) -> Iterator[Row]:
    """Steps beyond those of n-1, from every root, by whether its highest port is an out-port."""
    net = build(f"uhc:{n}{polarity}")
    sends = net.neighbour[:, n // 2] >= 0
    for printed, kind, roots in ((1, "an out-port", sends), (2, "an in-port", ~sends)):
        for algorithm, ports in ((a, p) for a in ("bt1", "bt2", "bt3") for p in MODELS):
            even = one_tree(f"uhc:{n - 1}", algorithm, ports).steps
            trees = (
                one_tree(net.spec, algorithm, ports, r) for r in np.flatnonzero(roots).tolist()
            )
            more = sorted({tree.steps - even for tree in trees})
            what = f"{net.spec}, port n-1 {kind}, {ports}-port {algorithm}, more steps"
            yield Row(what, str(printed), ", ".join(map(str, more)))
