"""``cyclic`` and its slower forms: the ring-by-ring broadcasts of SCC and CCC.

After Azevedo, Bagherzadeh and Latifi (1993).
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from noc.networks import ABSENT, IntArray, Network
from noc.networks.cycles import LATERAL, LEFT, RIGHT
from noc.trees import sequences
from noc.trees.algorithms import Algorithm
from noc.trees.sequences import Moves
from noc.trees.tree import NO_PARENT, Ports, Tree

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Rounds:
    """The loop counters that all nodes share: ``count`` rounds of local steps and a lateral step.

    ``ring`` is the number of nodes on a ring, ``count`` the diameter of the star or cube whose
    nodes the rings replace.
    """

    ring: int
    count: int
    locals: int

    @property
    def length(self) -> int:
        """Steps of one round."""
        return self.locals + 1

    @property
    def steps(self) -> int:
        """Steps of the whole schedule."""
        return self.count * self.length

    @property
    def turns(self) -> tuple[int, ...]:
        """The local counter at each step of a round, from 1, and 0 at its lateral step."""
        return (*range(1, self.locals + 1), 0)


def rounds(network: Network, ports: Ports) -> Rounds:
    """The rounds that inform every node of an SCC or CCC, as Theorems 9 and 10 count them."""
    n = int(network.parameters[0])
    ring, count = (n - 1, 3 * (n - 1) // 2) if network.family == "scc" else (n, n)
    return Rounds(ring, count, ring // 2 if ports == "all" else (ring + 1) // 2)


class RingBroadcast:
    """One message under Algorithm 4 (one-port) or 5 (all-port): the variables of every node.

    A node knows its own variables and the loop counters, nothing else. The arrays bear the
    report's names; Algorithm 5 does not read ``message_received_through``. At the root the message
    counts as received through the lateral link.
    """

    def __init__(self, network: Network, root: int, ports: Ports) -> None:
        self.network, self.ports = network, ports
        self.informed = np.zeros(network.nodes, dtype=bool)
        self.done_with_laterals = np.zeros(network.nodes, dtype=bool)
        self.done_with_locals = np.zeros(network.nodes, dtype=bool)
        self.message_received_through = np.full(network.nodes, LATERAL, dtype=np.int8)
        self.informed[root] = True

    def sends(self, turn: int) -> list[tuple[int, IntArray]]:
        """Each port that is used at a step, with the nodes that send by it.

        ``turn`` is the local counter, or 0 at a lateral step. Nodes that find their turn over
        mark it in their variables.
        """
        if turn == 0:
            active = self.informed & ~self.done_with_laterals
            self.done_with_laterals |= active
            return [(LATERAL, np.flatnonzero(active))]
        active = self.informed & ~self.done_with_locals
        if self.ports == "all":
            self.done_with_locals |= active
            return [(port, self._linked(active, port)) for port in (RIGHT, LEFT)]
        if turn == 1:
            return [(RIGHT, self._linked(active, RIGHT))]
        self.done_with_locals |= active
        came_by_left = self.message_received_through == LEFT
        return [
            (RIGHT, self._linked(active & came_by_left, RIGHT)),
            (LEFT, self._linked(active & ~came_by_left, LEFT)),
        ]

    def _linked(self, active: Mask, port: int) -> IntArray:
        """The active nodes that have this port: a ring of two has one link and no left port."""
        return np.flatnonzero(active & (self.network.neighbour[:, port] != ABSENT))

    def receive(self, sender: IntArray, port: int) -> tuple[IntArray, IntArray]:
        """Deliver what was sent by one port; returns who is newly informed, and by whom."""
        receiver = self.network.neighbour[sender, port]
        fresh = ~self.informed[receiver]
        receiver, sender = receiver[fresh], sender[fresh]
        self.informed[receiver] = True
        self.message_received_through[receiver] = self.network.arrival[sender, port]
        return receiver, sender


def _cyclic(network: Network, root: int, ports: Ports) -> Tree:
    message = RingBroadcast(network, root, ports)
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    by_port = np.full(network.nodes, NO_PARENT, dtype=np.int8)
    step = np.zeros(network.nodes, dtype=np.int32)
    plan = rounds(network, ports)
    for now, turn in enumerate(plan.turns * plan.count, start=1):
        # All sends are decided before the first is received; of two receipts in one step,
        # between which the report does not choose, the first port counts.
        for port, sender in message.sends(turn):
            receiver, by = message.receive(sender, port)
            parent[receiver], by_port[receiver], step[receiver] = by, port, now
    return Tree(network, "cyclic", ports, root, parent, by_port, step).check()


def sequential_moves(plan: Rounds, start: int) -> Moves:
    """The laterals in turn from a ring position, over and over, a local step between two."""
    word = [(start + k) % plan.ring for k in range(plan.ring)] * plan.count
    return sequences.walk(plan.ring, word)


def parallel_moves(plan: Rounds) -> Moves:
    """Once round every ring to the right, then all laterals together, over and over."""
    turns = [RIGHT] * (plan.ring - 1) + [LATERAL]
    return np.tile(np.array(turns * plan.count, dtype=np.int8)[:, None], plan.ring)


def _sequential(network: Network, root: int, ports: Ports) -> Tree:  # noqa: ARG001
    plan = rounds(network, "one")
    # The report's sequence starts at position 2; from another root its translate does.
    moves = sequential_moves(plan, root % plan.ring)
    return sequences.broadcast(network, "cyclic-sequential", moves, root)


def _parallel(network: Network, root: int, ports: Ports) -> Tree:  # noqa: ARG001
    moves = parallel_moves(rounds(network, "one"))
    return sequences.broadcast(network, "cyclic-parallel", moves, root)


ALGORITHMS = (
    Algorithm(
        name="cyclic",
        summary="rounds: inform every ring from all its entries, then use all laterals at once",
        families=("scc", "ccc"),
        models=("all", "one"),
        build=_cyclic,
        paper="scc",
    ),
    Algorithm(
        name="cyclic-sequential",
        summary="laterals 2 to n in turn, one local step between two, over and over",
        families=("scc",),
        models=("one",),
        build=_sequential,
        paper="scc",
    ),
    Algorithm(
        name="cyclic-parallel",
        summary="once round every ring, then all laterals at once, over and over",
        families=("scc",),
        models=("one",),
        build=_parallel,
        paper="scc",
    ),
)
