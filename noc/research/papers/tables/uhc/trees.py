"""What the UHC paper states of BT1, BT2 and BT3."""

from collections.abc import Iterator

import numpy as np

from noc.networks import IntArray
from noc.research.papers.tables.table import Row, Rows, build, one_tree
from noc.research.papers.tables.uhc.costs import x1, x2
from noc.trees import Ports, Tree
from noc.trees.tree import NO_PARENT, scheduled

TEXT = Rows()

MODELS: tuple[Ports, ...] = ("all", "one")

EVEN, ODD = range(2, 15, 2), range(3, 8, 2)


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


@TEXT.each((n, polarity) for n in ODD for polarity in ("", ",negative"))
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
