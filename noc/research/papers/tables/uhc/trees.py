"""What the UHC paper states of BT1, BT2 and BT3."""

import numpy as np

from noc.networks import IntArray, build_network
from noc.research.papers.tables.table import Row, one_tree
from noc.research.papers.tables.uhc.costs import x1, x2
from noc.trees import Ports, Tree
from noc.trees.tree import NO_PARENT, scheduled

__all__ = ["rows"]

MODELS: tuple[Ports, ...] = ("all", "one")

EVEN, ODD = range(2, 15, 2), range(3, 8, 2)


def rows() -> list[Row]:
    """Heights, steps, propositions, odd n."""
    return [
        *(row for n in EVEN for row in _theorems(n)),
        Row("6-BT2, one-port steps", 9, one_tree("uhc:6", "bt2", "one").steps),
        Row("6-BT2 with 101111 under 111111, one-port steps", 8, _moved().steps),
        *(row for n in EVEN for row in _propositions(n)),
        *(row for n in ODD for polarity in ("", ",negative") for row in _odd(n, polarity)),
    ]


def _theorems(n: int) -> list[Row]:
    def of(algorithm: str, ports: Ports) -> int:
        return one_tree(f"uhc:{n}", algorithm, ports).steps

    return [
        Row(f"Theorem 3, n = {n}, height of BT1", 3 * n // 2, of("bt1", "all")),
        Row(f"Theorem 3, n = {n}, height of BT2", n + 1, of("bt2", "all")),
        Row(f"Theorem 4, n = {n}, one-port steps of BT1", 3 * n // 2, of("bt1", "one")),
        Row(f"Theorem 4, n = {n}, one-port steps of BT2", 3 * n // 2, of("bt2", "one")),
        Row(f"Theorem 5, n = {n}, one-port steps of BT3", x1(n), of("bt3", "one")),
        Row(f"x2, n = {n}, height of BT3", x2(n), of("bt3", "all")),
    ]


def _moved() -> Tree:
    """6-BT2 with one node moved by hand, apart from the code of BT3."""
    bt2 = one_tree("uhc:6", "bt2", "one")
    parent, port = bt2.parent.copy(), bt2.port.copy()
    parent[0b101111], port[0b101111] = 0b111111, 2
    return scheduled(bt2.network, "bt2", "one", 0, parent, port)


def _path(broadcast: Tree, hops: int) -> IntArray:
    """The ports of each node's last hops on its path from the root; ``NO_PARENT`` above it."""
    ports, node = [], np.arange(broadcast.network.nodes)
    for _ in range(hops):
        ports.append(np.where(node >= 0, broadcast.port[node], NO_PARENT))
        node = np.where(node >= 0, broadcast.parent[node], NO_PARENT)
    return np.stack(ports)


def _propositions(n: int) -> list[Row]:
    """Exceptions to the three propositions on BT2, counted over all nodes."""
    broadcast = one_tree(f"uhc:{n}", "bt2", "all")
    received, before, first = _path(broadcast, 3)
    child = np.flatnonzero(broadcast.parent != NO_PARENT)
    sends = np.zeros(broadcast.network.nodes, dtype=np.int64)
    np.bitwise_or.at(sends, broadcast.parent[child], np.int64(1) << broadcast.port[child])
    straight = (received == before) & (before == first) & (received > 0)
    far = (before > received + 1) & (received >= 0)
    expected = (np.int64(1) << np.minimum(received + 2, broadcast.network.ports)) - 1
    ends = (received == 0) & (before == 0) & (first == 0)
    return [
        Row(f"Proposition 1, n = {n}, exceptions", 0, int(straight.sum())),
        Row(f"Proposition 2, n = {n}, exceptions", 0, int((sends != expected)[far].sum())),
        Row(f"Proposition 3, n = {n}, exceptions", 0, int((ends != (sends == 0)).sum())),
    ]


def _odd(n: int, polarity: str) -> list[Row]:
    """Steps beyond those of n-1, from every root, by whether its highest port is an out-port."""
    net = build_network(f"uhc:{n}{polarity}")
    result = []
    for printed, way in ((1, "an out-port"), (2, "an in-port")):
        roots = np.flatnonzero((net.neighbour[:, n // 2] >= 0) == (printed == 1)).tolist()
        for algorithm, ports in ((a, p) for a in ("bt1", "bt2", "bt3") for p in MODELS):
            even = one_tree(f"uhc:{n - 1}", algorithm, ports).steps
            more = {one_tree(net.spec, algorithm, ports, root).steps - even for root in roots}
            what = f"{net.spec}, port n-1 {way}, {ports}-port {algorithm}, more steps"
            result.append(Row(what, str(printed), ", ".join(map(str, sorted(more)))))
    return result
