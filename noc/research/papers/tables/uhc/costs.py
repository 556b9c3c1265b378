"""Table 1 of the UHC paper: steps, best packet size and least time of each tree.

The linear model's figures are computed from measured trees: the steps of one packet, and the
steps by which each further packet comes later, both simulated.
"""

from collections.abc import Callable, Iterator
from math import sqrt
from typing import NamedTuple

from noc.research.papers.cost import LinearCost
from noc.research.papers.slices import best_slicing, pipelined
from noc.research.papers.tables.table import Reason, Row, Rows, build, reason
from noc.trees import Ports, TreeFamily, build_trees

TABLE_1 = Rows()

#: The message, and the cost of a packet, for which the formulas are evaluated.
LENGTH, COST = 900, LinearCost(start_up=36.0, per_byte=1.0)

#: Sizes of every row; the steps of all packets are simulated up to the second figure.
SIZES, SIMULATED = range(2, 13, 2), 8

#: Packets from which the steps between two of them are measured on larger networks.
FEW = 3


def cycle_of_four() -> Reason:
    """Why nothing that is stated of the ADST's height holds for n = 2."""
    cycle = build("uhc:2")
    holds = cycle.arcs == cycle.nodes == 4 and cycle.eccentricity(0) == 3
    return reason("uhc-cycle-of-four", holds)


def x1(n: int) -> int:
    """The paper's x1: one-port steps of BT3."""
    return 4 * (n - n % 6) // 3 + 3 * (n % 6) // 2


def x2(n: int) -> int:
    """The paper's x2: height of BT3."""
    return 7 * (n - n % 6) // 6 + 3 * (n % 6) // 2


def x3(n: int) -> int:
    """The paper's x3: height of the ADST."""
    return 3 * n // 2 + n % 4 // 2


#: The table's lines: algorithm, ports and the printed steps of one packet.
LINES: tuple[tuple[str, Ports, Callable[[int], int]], ...] = (
    ("bt1", "one", lambda n: 3 * n // 2),
    ("bt2", "one", lambda n: 3 * n // 2),
    ("bt3", "one", x1),
    ("bt1", "all", lambda n: 3 * n // 2),
    ("bt2", "all", lambda n: n + 1),
    ("bt3", "all", x2),
    ("adst", "all", x3),
)


class _Measured(NamedTuple):
    """The steps of one packet, the steps between packets, and the packets that go abreast."""

    trees: TreeFamily
    first: int
    interval: int
    abreast: int

    @classmethod
    def of(cls, algorithm: str, ports: Ports, n: int) -> "_Measured":
        trees = build_trees(f"uhc:{n}", algorithm, ports=ports)
        abreast = len(trees.trees)
        one, few = (pipelined(trees, p * abreast, ports).steps for p in (1, FEW))
        return cls(trees, one, (few - one) // (FEW - 1), abreast)

    def best(self, length: float) -> tuple[float, float]:
        """The best packet size and the least time of a message of this length on each tree.

        Where packets follow one another step by step, the linear model's; where they cannot, the
        best of all cuts into equal packets.
        """
        if self.interval == 1:
            size = COST.best_packet_size(self.first, length)
            return size, COST.least_time(self.first, length)
        packets, time = best_slicing(
            lambda count: self.first + (count - 1) * self.interval, range(1, LENGTH), COST, length
        )
        return length / packets, time


@TABLE_1.each((*line, n) for line in LINES for n in SIZES)
def _line(algorithm: str, ports: Ports, steps: Callable[[int], int], n: int) -> Iterator[Row]:
    measured, printed = _Measured.of(algorithm, ports, n), steps(n)
    what, adst = f"{ports}-port {algorithm}, n = {n}", algorithm == "adst"
    why = cycle_of_four() if adst and n == 2 else None
    yield Row(f"{what}, constant model", printed, measured.first, why)
    if ports == "one" and n > 2:
        why = _one_send_a_step(measured, printed, n)
    if not adst:
        yield from _linear(what, printed, LENGTH, measured, n, why)
        return
    # The numbers of faults to be ready for; only the ADST is.
    for faults in sorted({0, (n // 2 - 1) // 2, n // 2 - 1}):
        share = 2 * (faults + 1) / n
        yield from _linear(f"{what}, f = {faults}", printed, share * LENGTH, measured, n, why)


def _linear(
    what: str, height: int, length: float, measured: _Measured, n: int, why: Reason | None
) -> Iterator[Row]:
    """The linear model's columns, and the steps of the packets that they rest on."""
    tau, beta = COST.per_byte, COST.start_up
    size = sqrt(length * beta / ((height - 1) * tau))
    time = (sqrt((height - 1) * beta) + sqrt(length * tau)) ** 2
    best_size, least_time = measured.best(length)
    yield Row(f"{what}, best packet size", f"{size:.3f}", best_size, why)
    yield Row(f"{what}, least time", f"{time:.3f}", least_time, why)
    if n <= SIMULATED:
        packets, trees = -int(-length // size), measured.trees
        steps = pipelined(trees, packets * measured.abreast, trees.ports).steps
        yield Row(f"{what}, steps of {packets} packets", height - 1 + packets, steps, why)


def _one_send_a_step(measured: _Measured, height: int, n: int) -> Reason:
    """Why further packets are not one step apart in one-port use."""
    children = len(measured.trees.trees[0].branch_sizes)
    packets = LENGTH / COST.best_packet_size(height, LENGTH)
    impossible = height - 1 + packets < packets * children
    holds = impossible and children == n // 2 == measured.interval
    return reason("uhc-one-send-a-step", holds, half=n // 2)
