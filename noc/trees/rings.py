"""``cyclic``, ``switching-nlogn`` and others: the broadcasts of SCC and CCC, networks of rings.

``cyclic`` goes in rounds in which every ring informs its nodes from all its entries. The others are
*sequences*: at each step the nodes at some ring positions send by one port.

A switching network is a list of stages of switches (i, j); if every permutation comes from
some setting of the switches, then sending along every switch in turn informs every ring. On
a star a switch (i, j) is the laterals j, i, j in turn, or i, j, i; a switch (1, j) is j alone.

After Azevedo, Bagherzadeh and Latifi (1993).
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from noc.networks import ABSENT, IntArray, Network
from noc.networks.cycles import LATERAL, LEFT, RIGHT
from noc.trees.algorithms import Algorithm
from noc.trees.tree import NO_PARENT, Ports, Tree

#: For each step and ring position the out-port of a move, or ``IDLE``.
Moves = npt.NDArray[np.int8]

Mask = npt.NDArray[np.bool_]

IDLE = -1


def broadcast(network: Network, algorithm: str, moves: Moves, root: int) -> Tree:
    """Run a sequence as every node does: an informed node sends what its ring position says.

    The sequence is the same on every ring, so a node needs its own position and the step
    counter only. The first receipt makes the tree; of two in one step the lower port wins.
    """
    position = np.arange(network.nodes) % moves.shape[1]
    informed = np.zeros(network.nodes, dtype=bool)
    parent = np.full(network.nodes, NO_PARENT, dtype=np.int32)
    port = np.full(network.nodes, NO_PARENT, dtype=np.int8)
    step = np.zeros(network.nodes, dtype=np.int32)
    informed[root] = True
    for now, move in enumerate(moves, start=1):
        # Written with falling ports, in the order of ring positions: the last one stays.
        sender = np.flatnonzero(informed & (move[position] != IDLE))
        sender = sender[np.lexsort((position[sender], -move[position[sender]]))]
        out = move[position[sender]]
        receiver = network.neighbour[sender, out]
        fresh = (receiver >= 0) & ~informed[receiver]
        receiver, sender, out = receiver[fresh], sender[fresh], out[fresh]
        parent[receiver], port[receiver], step[receiver] = sender, out, now
        informed[receiver] = True
    return Tree(network, algorithm, "one", root, parent, port, step).check()


def lateral_steps(moves: Moves) -> int:
    """How many steps of a sequence use lateral links; the others are local."""
    return int((moves == LATERAL).any(axis=1).sum())


def only(ring: int, position: int, port: int) -> Moves:
    """One step in which only the nodes at one ring position send."""
    move = np.full((1, ring), IDLE, dtype=np.int8)
    move[0, position] = port
    return move


def walk(ring: int, word: list[int]) -> Moves:
    """Laterals at these ring positions in turn, and between two of them the shorter way round.

    On every informed ring one node holds the turn; it hands the word to the next position, so
    whichever ring a lateral step informs, the turn is at the node that has just received.
    """
    moves = [only(ring, word[0], LATERAL)]
    for position, following in pairwise(word):
        ahead = (following - position) % ring
        port, count, sign = (RIGHT, ahead, 1) if 2 * ahead <= ring else (LEFT, ring - ahead, -1)
        moves += [only(ring, (position + sign * k) % ring, port) for k in range(count)]
        moves.append(only(ring, following, LATERAL))
    return np.concatenate(moves)


def spread(ring: int, position: int) -> Moves:
    """Local steps that inform a whole ring from one position: right first, then left as well."""
    moves = np.full((ring // 2 + ring % 2, ring), IDLE, dtype=np.int8)
    for now in range(len(moves)):
        moves[now, (position + now) % ring] = RIGHT
        if now:
            moves[now, (position - now + 1) % ring] = LEFT
    return moves


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
    return walk(plan.ring, word)


def parallel_moves(plan: Rounds) -> Moves:
    """Once round every ring to the right, then all laterals together, over and over."""
    turns = [RIGHT] * (plan.ring - 1) + [LATERAL]
    return np.tile(np.array(turns * plan.count, dtype=np.int8)[:, None], plan.ring)


#: Stages of switches; a switch joins two of the positions 1…n, the lower one first.
Stages = list[list[tuple[int, int]]]

# For each ring position the least local steps of a word that ends there, and the word.
Words = dict[int, tuple[int, list[int]]]


def halving_stages(n: int) -> Stages:
    """The n log n network: switches between halves, inside halves, and between halves again.

    For a power of two this is the report's network. For other n the report drops positions of a
    larger network and does not say which: of 8, to leave 5, the last three fail and 2, 4 and 6
    serve [scc-section-8-1-digits]. Halving into unequal parts, the larger first, works for every
    n: a position without a partner stays in the larger half, and the switches of the others
    route as they do in the even case.
    """
    return _halves(1, n)


def _halves(first: int, count: int) -> Stages:
    if count < 2:
        return []
    larger = (count + 1) // 2
    outer = [(first + i, first + i + larger) for i in range(count // 2)]
    if count == 2:
        return [outer]
    upper, lower = _halves(first, larger), _halves(first + larger, count // 2)
    # The smaller half may need fewer stages; they meet its neighbour's in the middle.
    late = (len(upper) - len(lower)) // 2
    inner = [
        stage + (lower[k - late] if late <= k < late + len(lower) else [])
        for k, stage in enumerate(upper)
    ]
    return [outer, *inner, outer]


def neighbour_stages(n: int) -> Stages:
    """The n²/2 network: adjacent positions, odd pairs and even pairs in turn.

    For even n positions n and 1 are adjacent too and n-1 stages sort. For odd n a stage
    leaves one position out and n stages are needed, odd-even transposition sort; the
    report's n-1 stages of n/2 switches do not exist there [scc-theorem-4].
    """
    odd = [(i, i + 1) for i in range(1, n, 2)]
    even = [(i, i + 1) for i in range(2, n, 2)] + ([(1, n)] if n % 2 == 0 and n > 2 else [])
    return [even if k % 2 else odd for k in range(n - 1 + n % 2)]


def star_word(stages: Stages) -> list[int]:
    """A switching network as laterals 2…n of a star."""
    return [d for stage in stages for i, j in stage for d in ([j] if i == 1 else [j, i, j])]


def ring_word(stages: Stages, ring: int) -> list[int]:
    """The same as ring positions from 0, ordered for the fewest local steps between them.

    Switches of one stage may go in any order, and each may start at either of its positions.
    """
    best: Words = {position: (0, []) for position in range(ring)}
    for stage in stages:
        best = _through_stage([_forms(i, j) for i, j in stage], best, ring)
    return min(best.values())[1]


def _forms(i: int, j: int) -> list[list[int]]:
    """The ways to write a switch as ring positions; each ends where it starts."""
    return [[j - 2]] if i == 1 else [[i - 2, j - 2, i - 2], [j - 2, i - 2, j - 2]]


def _local_steps(word: list[int], ring: int) -> int:
    steps = ((following - position) % ring for position, following in pairwise(word))
    return sum(min(ahead, ring - ahead) for ahead in steps)


def _through_stage(stage: list[list[list[int]]], best: Words, ring: int) -> Words:
    """Extend the best words by one stage, by dynamic programming over the switches done."""
    reached = {(0, end): entry for end, entry in best.items()}
    for _ in stage:
        following: dict[tuple[int, int], tuple[int, list[int]]] = {}
        for (done, end), (cost, word) in reached.items():
            for index, forms in enumerate(stage):
                if done >> index & 1:
                    continue
                for form in forms:
                    key = (done | 1 << index, form[0])
                    entry = (cost + _local_steps([end, *form], ring), word + form)
                    following[key] = min(entry, following.get(key, entry))
        reached = following
    return {end: entry for (_, end), entry in reached.items()}


def switched_moves(stages: Stages, ring: int, root: int) -> Moves:
    """A switching network as a sequence, and one pass round the rings to end it."""
    word = ring_word(stages, ring)
    # Turned so that the root holds the first turn: on SCC that is a translation.
    word = [(position - word[0] + root) % ring for position in word]
    # The sequence brings the word to every ring; the report leaves it there, with nodes of
    # the rings that were reached last uninformed [scc-sequence-ends].
    return np.concatenate([walk(ring, word), spread(ring, word[-1])])


def _sequence(name: str, summary: str, moves: Callable[[Rounds, int], Moves]) -> Algorithm:
    def build(network: Network, root: int, ports: Ports) -> Tree:
        return broadcast(network, name, moves(rounds(network, ports), root), root)

    return Algorithm(name, summary, ("scc",), ("one",), build, paper="scc")


ALGORITHMS = (
    Algorithm(
        name="cyclic",
        summary="rounds: inform every ring from all its entries, then use all laterals at once",
        families=("scc", "ccc"),
        models=("all", "one"),
        build=_cyclic,
        paper="scc",
    ),
    _sequence(
        "cyclic-sequential",
        "laterals 2 to n in turn, one local step between two, over and over",
        # The report's sequence starts at position 2; from another root its translate does.
        lambda plan, root: sequential_moves(plan, root % plan.ring),
    ),
    _sequence(
        "cyclic-parallel",
        "once round every ring, then all laterals at once, over and over",
        lambda plan, _: parallel_moves(plan),
    ),
    _sequence(
        "switching-nlogn",
        "a broadcast sequence from the n log n switching network",
        lambda plan, root: switched_moves(halving_stages(plan.ring + 1), plan.ring, root),
    ),
    _sequence(
        "switching-n2",
        "a broadcast sequence from the n²/2 switching network",
        lambda plan, root: switched_moves(neighbour_stages(plan.ring + 1), plan.ring, root),
    ),
)
