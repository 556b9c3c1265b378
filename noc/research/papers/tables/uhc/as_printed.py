"""The UHC paper's rules run as printed, each misprint by itself, and what comes of it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray
from noc.research.papers.tables.table import Row, Rows, build, reason
from noc.trees.growth import Growth, Receipts, Rule, Sends, grow, lowest_bit
from noc.trees.tree import NO_PARENT
from noc.trees.uhc import PAIR, adst_rule, bt2_rule, bt3_rule, out_mask

TEXT = Rows()

SPANS = "spans"

#: From a receipt and the out-ports of the right rule to the printed out-ports.
Printed = Callable[[Receipts, IntArray], IntArray]


class Start(NamedTuple):
    """How a broadcast of uhc:n begins at node 0: its out-ports, as bits, and its tag."""

    n: int
    ports: int
    tag: int


def _reached(start: Start, rule: Rule) -> str:
    """Whether a broadcast from node 0 spans, or what keeps it from that."""
    net = build(f"uhc:{start.n}")
    growth = Growth.empty(net.nodes)
    try:
        grow(net, 0, start.ports, start.tag, rule, growth)
    except CheckError as fault:
        return str(fault)
    without = int((growth.parent == NO_PARENT).sum()) - 1
    return f"{without} nodes receive nothing" if without else SPANS


def _attempt(name: str, what: str, start: Start, corrected: Rule, printed: Printed) -> Row:
    """What a broadcast gives with one misprint in its rule, which spans without it."""

    def as_printed(received: Receipts) -> Sends:
        sends = corrected(received)
        return Sends(printed(received, sends.ports), sends.tag)

    # The two runs differ in the misprint alone, so if the corrected one spans, that is the reason.
    why = reason(name, _reached(start, corrected) == SPANS)
    return Row(f"{what}, as printed", SPANS, _reached(start, as_printed), why)


@TEXT.add
def _algorithms() -> Iterator[Row]:
    """Algorithms 1 and 2."""
    six, twelve = (Start(n, (1 << n // 2) - 1, n) for n in (6, 12))
    net = build("uhc:6")
    bt2, bt3, bt3_of_12 = bt2_rule(net, 0), bt3_rule(net, 0), bt3_rule(build("uhc:12"), 0)

    def without_a_case(received: Receipts, ports: IntArray) -> IntArray:
        return np.where(received.tag == received.in_port - 1, 0, ports)

    yield _attempt("uhc-algorithm-1-case", "Algorithm 1, n = 6", six, bt2, without_a_case)

    # Sends by ports that there are not; without them Algorithm 1 spans.
    beyond = 0

    def counting(received: Receipts) -> Sends:
        nonlocal beyond
        highest = received.in_port == six.n // 2 - 1
        beyond += int(((received.tag > received.in_port + 1) & highest).sum())
        return bt2(received)

    why = reason("uhc-algorithm-1-port", _reached(six, counting) == SPANS)
    yield Row("Algorithm 1, n = 6, sends by ports that there are not", 0, beyond, why)

    def every_port_below(_: Receipts, ports: IntArray) -> IntArray:
        below = ports | ports >> 1
        return below | below >> 2

    yield _attempt("uhc-algorithm-2-table", "Algorithm 2, n = 6", six, bt3, every_port_below)

    def other_bound(received: Receipts, ports: IntArray) -> IntArray:
        """Three ports fewer in every section but the lowest, whose number is 0."""
        return np.where(received.node & 0b111111, ports, ports >> 3)

    yield _attempt("uhc-algorithm-2-bound", "Algorithm 2, n = 12", twelve, bt3_of_12, other_bound)


@TEXT.add
def _figure_4() -> Iterator[Row]:
    """The height of the tree that the children function gives, by which BT1 differs from BT2."""
    n, level, height, nodes = 6, [0], 0, 1
    while level and nodes <= 2**n:
        level = [child for node in level for child in _children_in_figure_4(n, node)]
        height, nodes = height + bool(level), nodes + len(level)
    what = f"Figure 4, captioned BT2, n = {n}: height of the tree, BT2's being n+1"
    yield Row(what, n + 1, height, reason("uhc-figure-4", height == 3 * n // 2 and nodes == 2**n))


def _children_in_figure_4(n: int, node: int) -> list[int]:
    """The children of a node, from its label, where the root is 0."""
    neighbours: list[int] = build(f"uhc:{n}").neighbour[node].tolist()
    if node == 0:
        return neighbours
    lowest = int(lowest_bit(np.array([node]))[0]) // 2
    # The set {10, 01} of the figure: the next hop would lead back to the root's pair.
    returns = neighbours[lowest] >> 2 * lowest & PAIR == 0
    return neighbours[: lowest + (not returns)]


@TEXT.add
def _figure_6() -> Iterator[Row]:
    """The children function of the tree that begins at the highest out-port, j = n/2-1.

    Counted round from j+1, the superdimensions are then those from 0 up to j itself.
    """
    n, j = 6, 2
    net = build(f"uhc:{n}")
    start, right = Start(n, 1 << j, j), adst_rule(net, 0, j)

    def looked_at(received: Receipts) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Whether none but pair j is left, whether the hops return to 00 in j, in l; and l."""
        mask = out_mask(net, received.node)
        top, others = received.node >> 2 * j, received.node & ((1 << 2 * j) - 1)
        lowest = lowest_bit(others | 1 << 2 * j) // 2
        return others == 0, top == mask, (others >> 2 * lowest) & PAIR == mask, lowest

    def misprinted(names: tuple[str, ...], received: Receipts, ports: IntArray) -> IntArray:
        none, returns, l_returns, lowest = looked_at(received)
        if "none" in names:
            ports = np.where(none & ~returns, 0, ports)
        if "back" in names:
            ports = np.where(none & returns, ports | 1 << j, ports)
        if "empty" in names:
            ports = np.where(~none & ~returns & l_returns & (lowest == j - 1), 0, ports)
        return ports

    for what, *names in (
        ("in every respect", "none", "back", "empty"),
        ("l = -1", "none"),
        ("the last of the path of three", "back"),
        ("the empty range", "empty"),
    ):
        printed, what = partial(misprinted, tuple(names)), f"Figure 6, n = {n}, {what}"
        yield _attempt(f"uhc-figure-6-{names[0]}", what, start, right, printed)

    # The states of a pair other than 00, as content and the bit of the out-port, by cases. The
    # last case is what the third leaves over, so that it should have the same states of j.
    goes_on = {("11", 1), ("11", 0), ("01", 1), ("10", 0)}
    returns, last = {("10", 1), ("01", 0)}, {("11", 1), ("11", 0), ("01", 1), ("01", 0)}
    both = returns & last
    why = reason("uhc-figure-6-state", both == {("01", 0)} and goes_on - last == {("10", 0)})
    what = "Figure 6, states of pair j in the last case that the fourth and fifth have too"
    yield Row(what, 0, len(both), why)
