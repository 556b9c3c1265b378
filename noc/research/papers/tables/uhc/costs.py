"""Table 1 of the UHC paper: steps, best packet size and least time of each tree.

The linear model's figures are computed from measured trees: the steps of one packet, and the
steps by which each further packet comes later, both simulated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

from noc.model.steps.cost import LinearCost
from noc.model.steps.slices import best_slicing, pipelined
from noc.networks import build_network
from noc.research.papers.tables.table import Reason, Row
from noc.trees import Ports, TreeFamily, build_trees

__all__ = ["cycle_of_four", "rows", "x1", "x2", "x3"]

#: The message, and the cost of a packet, for which the formulas are evaluated.
LENGTH, COST = 900, LinearCost(start_up=36.0, per_byte=1.0)

#: Sizes of every row; the steps of all packets are simulated up to the second figure.
SIZES, SIMULATED = range(2, 13, 2), 8

#: Packets from which the steps between two of them are measured on larger networks.
FEW = 3


def cycle_of_four() -> Reason:
    """Why nothing that is stated of the ADST's height holds for n = 2."""
    cycle = build_network("uhc:2")
    return Reason(
        "uhc:2 is one cycle of four nodes: its only spanning tree is a path of three hops",
        cycle.arcs == cycle.nodes == 4 and cycle.eccentricity(0) == 3,
    )


def x1(n: int) -> int:
    """The paper's x1: one-port steps of BT3."""
    return 4 * (n - n % 6) // 3 + 3 * (n % 6) // 2


def x2(n: int) -> int:
    """The paper's x2: height of BT3."""
    return 7 * (n - n % 6) // 6 + 3 * (n % 6) // 2


def x3(n: int) -> int:
    """The paper's x3: height of the ADST."""
    return 3 * n // 2 + n % 4 // 2


@dataclass(frozen=True)
class _Line:
    """A line of the table: the printed steps of one packet and the tree that they are about."""

    algorithm: str
    ports: Ports
    steps: Callable[[int], int]


LINES = (
    _Line("bt1", "one", lambda n: 3 * n // 2),
    _Line("bt2", "one", lambda n: 3 * n // 2),
    _Line("bt3", "one", x1),
    _Line("bt1", "all", lambda n: 3 * n // 2),
    _Line("bt2", "all", lambda n: n + 1),
    _Line("bt3", "all", x2),
    _Line("adst", "all", x3),
)


@dataclass(frozen=True)
class _Measured:
    """The steps of one packet, the steps between packets, and the packets that go abreast."""

    trees: TreeFamily
    first: int
    interval: int
    abreast: int

    def steps(self, packets: int) -> int:
        """The simulated steps of so many packets on every tree."""
        return pipelined(self.trees, packets * self.abreast, self.trees.ports).steps

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


def _measured(line: _Line, n: int) -> _Measured:
    trees = build_trees(f"uhc:{n}", line.algorithm, ports=line.ports)
    abreast = len(trees.trees)
    one, few = (pipelined(trees, p * abreast, line.ports).steps for p in (1, FEW))
    return _Measured(trees, one, (few - one) // (FEW - 1), abreast)


def rows() -> list[Row]:
    """All rows: seven lines, three columns, several n."""
    return [row for line in LINES for n in SIZES for row in _rows_of(line, n)]


def _rows_of(line: _Line, n: int) -> list[Row]:
    measured = _measured(line, n)
    what = f"{line.ports}-port {line.algorithm}, n = {n}"
    height = line.steps(n)
    why = cycle_of_four() if line.algorithm == "adst" and n == 2 else None
    result = [Row(f"{what}, constant model", height, measured.first, why)]
    if line.ports == "one" and n > 2:
        why = _one_send_a_step(measured, height, n)
    for faults in _faults(line, n):
        share = 2 * (faults + 1) / n if line.algorithm == "adst" else 1
        given = what + (f", f = {faults}" if line.algorithm == "adst" else "")
        result += _linear(given, height, share * LENGTH, measured, n, why)
    return result


def _faults(line: _Line, n: int) -> list[int]:
    """The numbers of faults to be ready for; only the ADST is."""
    return sorted({0, (n // 2 - 1) // 2, n // 2 - 1}) if line.algorithm == "adst" else [0]


def _linear(
    what: str, height: int, length: float, measured: _Measured, n: int, why: Reason | None
) -> list[Row]:
    """The linear model's columns, and the steps of so many packets that they rest on."""
    tau, beta = COST.per_byte, COST.start_up
    size = sqrt(length * beta / ((height - 1) * tau))
    time = (sqrt((height - 1) * beta) + sqrt(length * tau)) ** 2
    best_size, least_time = measured.best(length)
    result = [
        Row(f"{what}, best packet size", f"{size:.3f}", best_size, why),
        Row(f"{what}, least time", f"{time:.3f}", least_time, why),
    ]
    if n <= SIMULATED:
        packets = -int(-length // size)
        printed, computed = height - 1 + packets, measured.steps(packets)
        result.append(Row(f"{what}, steps of {packets} packets", printed, computed, why))
    return result


def _one_send_a_step(measured: _Measured, height: int, n: int) -> Reason:
    """Why further packets are not one step apart in one-port use."""
    children = len(measured.trees.trees[0].branch_sizes)
    packets = LENGTH / COST.best_packet_size(height, LENGTH)
    impossible = height - 1 + packets < packets * children
    return Reason(
        f"the root has n/2 = {n // 2} children and sends to one in a step, so p packets cannot "
        f"leave it in fewer than {n // 2}p steps; simulated, each packet takes {n // 2} more",
        impossible and children == n // 2 == measured.interval,
    )
