"""The UHC paper's rules run as printed, each misprint by itself, and what comes of it."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from noc.errors import CheckError
from noc.networks import IntArray, build_network
from noc.research.papers.tables.table import Row, misprint
from noc.trees.growth import Growth, Receipts, Rule, Sends, grow, lowest_bit
from noc.trees.tree import NO_PARENT
from noc.trees.uhc import PAIR, adst_rule, bt2_rule, bt3_rule, out_mask

__all__ = ["rows"]

SPANS = "spans"

#: From a receipt and the out-ports of the right rule to the printed out-ports.
Printed = Callable[[Receipts, IntArray], IntArray]


class Start(NamedTuple):
    """How a broadcast of uhc:n begins at node 0: its out-ports, as bits, and its tag."""

    n: int
    ports: int
    tag: int


def rows() -> list[Row]:
    """Algorithms 1 and 2, Figures 4 and 6."""
    six, twelve = (Start(n, (1 << n // 2) - 1, n) for n in (6, 12))
    net = build_network("uhc:6")
    bt2, bt3 = bt2_rule(net, 0), bt3_rule(net, 0)
    bt3_of_12 = bt3_rule(build_network("uhc:12"), 0)
    return [
        _attempt("uhc-algorithm-1-case", "Algorithm 1, n = 6", six, bt2, _without_a_case),
        _missing_ports(six, bt2),
        _attempt("uhc-algorithm-2-table", "Algorithm 2, n = 6", six, bt3, _every_port_below),
        _attempt("uhc-algorithm-2-bound", "Algorithm 2, n = 12", twelve, bt3_of_12, _other_bound),
        _figure_4(6),
        *_figure_6(),
    ]


def _attempt(name: str, what: str, start: Start, corrected: Rule, printed: Printed) -> Row:
    """What a broadcast gives with one misprint in its rule, which spans without it.

    Parameters
    ----------
    name : str
        The misprint.
    what : str
        The row's name.
    start : Start
        Where the broadcast begins.
    corrected : callable
        The rule that is right.
    printed : callable
        From a receipt and the out-ports of the corrected rule to those that are printed.
    """

    def as_printed(received: Receipts) -> Sends:
        sends = corrected(received)
        return Sends(printed(received, sends.ports), sends.tag)

    # The two runs differ in the misprint alone, so if the corrected one spans, that is the reason.
    why = misprint(name, _reached(start, corrected) == SPANS)
    return Row(f"{what}, as printed", SPANS, _reached(start, as_printed), why)


def _reached(start: Start, rule: Rule) -> str:
    """Whether a broadcast from node 0 spans, or what keeps it from that."""
    net = build_network(f"uhc:{start.n}")
    growth = Growth.empty(net.nodes)
    try:
        grow(net, 0, start.ports, start.tag, rule, growth)
    except CheckError as fault:
        return str(fault)
    without = int((growth.parent == NO_PARENT).sum()) - 1
    return f"{without} nodes receive nothing" if without else SPANS


def _without_a_case(received: Receipts, ports: IntArray) -> IntArray:
    return np.where(received.tag == received.in_port - 1, 0, ports)


def _every_port_below(_: Receipts, ports: IntArray) -> IntArray:
    below = ports | ports >> 1
    return below | below >> 2


def _other_bound(received: Receipts, ports: IntArray) -> IntArray:
    """Three ports fewer in every section but the lowest, whose number is 0."""
    return np.where(received.node & 0b111111, ports, ports >> 3)


def _missing_ports(start: Start, corrected: Rule) -> Row:
    """Sends by ports that there are not; without them Algorithm 1 spans."""
    highest = start.n // 2 - 1
    beyond = 0

    def counting(received: Receipts) -> Sends:
        nonlocal beyond
        beyond += int(((received.tag > received.in_port + 1) & (received.in_port == highest)).sum())
        return corrected(received)

    why = misprint("uhc-algorithm-1-port", _reached(start, counting) == SPANS)
    return Row(f"Algorithm 1, n = {start.n}, sends by ports that there are not", 0, beyond, why)


def _figure_4(n: int) -> Row:
    """The height of the tree that the children function gives, which tells BT1 from BT2."""
    level, height, nodes = [0], 0, 1
    while level and nodes <= 2**n:
        level = [child for node in level for child in _children_in_figure_4(n, node)]
        height, nodes = height + bool(level), nodes + len(level)
    what = f"Figure 4, captioned BT2, n = {n}: height of the tree, BT2's being n+1"
    why = misprint("uhc-figure-4", height == 3 * n // 2 and nodes == 2**n)
    return Row(what, n + 1, height, why)


def _children_in_figure_4(n: int, node: int) -> list[int]:
    """The children of a node, from its label, where the root is 0."""
    there: list[int] = build_network(f"uhc:{n}").neighbour[node].tolist()
    if node == 0:
        return there
    lowest = int(lowest_bit(np.array([node]))[0]) // 2
    # The set {10, 01} of the figure: the next hop would lead back to the root's pair.
    returns = there[lowest] >> 2 * lowest & PAIR == 0
    return there[: lowest + (not returns)]


def _figure_6(n: int = 6) -> list[Row]:
    """The children function of the tree that begins at the highest out-port, j = n/2-1.

    Counted round from j+1, the superdimensions are then those from 0 up to j itself.
    """
    j = n // 2 - 1
    net = build_network(f"uhc:{n}")
    start, right = Start(n, 1 << j, j), adst_rule(net, 0, j)

    def looked_at(received: Receipts) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Whether none but pair j is left, whether the hops return to 00 in j, in l; and l."""
        mask = out_mask(net, received.node)
        top, others = received.node >> 2 * j, received.node & ((1 << 2 * j) - 1)
        lowest = lowest_bit(others | 1 << 2 * j) // 2
        return others == 0, top == mask, (others >> 2 * lowest) & PAIR == mask, lowest

    def none_left(received: Receipts, ports: IntArray) -> IntArray:
        none, returns, _, _ = looked_at(received)
        return np.where(none & ~returns, 0, ports)

    def back(received: Receipts, ports: IntArray) -> IntArray:
        none, returns, _, _ = looked_at(received)
        return np.where(none & returns, ports | 1 << j, ports)

    def empty(received: Receipts, ports: IntArray) -> IntArray:
        none, returns, l_returns, lowest = looked_at(received)
        return np.where(~none & ~returns & l_returns & (lowest == j - 1), 0, ports)

    def all_of_them(received: Receipts, ports: IntArray) -> IntArray:
        return empty(received, back(received, none_left(received, ports)))

    what = f"Figure 6, n = {n}, "
    return [
        _attempt("uhc-figure-6-none", what + "in every respect", start, right, all_of_them),
        _attempt("uhc-figure-6-none", what + "l = -1", start, right, none_left),
        _attempt("uhc-figure-6-back", what + "the last of the path of three", start, right, back),
        _attempt("uhc-figure-6-empty", what + "the empty range", start, right, empty),
        _states_of_figure_6(),
    ]


# The states of a pair beside 00, as content and the bit of the out-port, by cases of Figure 6.
GOES_ON = {("11", 1), ("11", 0), ("01", 1), ("10", 0)}
RETURNS = {("10", 1), ("01", 0)}
LAST_CASE = {("11", 1), ("11", 0), ("01", 1), ("01", 0)}


def _states_of_figure_6() -> Row:
    """The last case is what the third leaves over, so that it should have the same states of j."""
    why = misprint(
        "uhc-figure-6-state",
        {("01", 0)} == RETURNS & LAST_CASE and {("10", 0)} == GOES_ON - LAST_CASE,
    )
    what = "Figure 6, states of pair j in the last case that the fourth and fifth have too"
    return Row(what, 0, len(RETURNS & LAST_CASE), why)
